#include "engine/walls/tap_owners.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

namespace fdtd {
namespace {

std::array<int, 3> place_of(std::uint64_t node, const std::array<int, 3>& size) {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return {static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny)};
}

std::uint64_t stride_of(std::size_t axis, const std::array<int, 3>& size) {
  if (axis == 0) return 1;
  const auto row = static_cast<std::uint64_t>(size[0]);
  return axis == 1 ? row : row * static_cast<std::uint64_t>(size[1]);
}

bool has_mass(const NearWall& near_wall, std::uint64_t node) {
  const auto mass = std::lower_bound(near_wall.masses.begin(), near_wall.masses.end(), node,
                                     [](const NodeMass& m, std::uint64_t n) { return m.node < n; });
  return mass != near_wall.masses.end() && mass->node == node && mass->mass != 1.0;
}

// The nodes that a law reads from `node` on; empty when one is wall or has a mass other than 1.
std::vector<std::uint64_t> nodes_read(const WallLaw& law, std::uint64_t node, const AirMask& air,
                                      const NearWall& near_wall) {
  const auto axis = static_cast<std::size_t>(law.axis);
  const auto stride = static_cast<std::int64_t>(stride_of(axis, air.size()));
  std::array<int, 3> at = place_of(node, air.size());
  std::vector<std::uint64_t> nodes;
  for (std::size_t j = 0; j < law.taps.size(); ++j, at[axis] += law.inward) {
    nodes.push_back(node + static_cast<std::uint64_t>(static_cast<std::int64_t>(j) * law.inward * stride));
    if (!air(at[0], at[1], at[2]) || has_mass(near_wall, nodes.back())) return {};
  }
  return nodes;
}

struct Use {
  std::uint64_t node;
  std::uint32_t site;
};

// Every node that a site would read, ordered by node. Resets `wide` of sites that cannot read several nodes.
std::vector<Use> find_uses(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                           const NearWall& near_wall) {
  std::vector<Use> uses;
  std::size_t taps = 1;
  for (const WallLaw& law : laws) taps = std::max(taps, law.taps.size());
  uses.reserve(taps * sites.size());
  for (std::uint32_t s = 0; s < sites.size(); ++s) {
    WallSite& site = sites[s];
    std::vector<std::uint64_t> nodes;
    if (site.wide != no_law) nodes = nodes_read(laws[site.wide], site.node, air, near_wall);
    if (nodes.empty()) {
      site.wide = no_law;
      nodes.push_back(site.node);
    }
    for (const std::uint64_t node : nodes) uses.push_back({node, s});
  }
  std::sort(uses.begin(), uses.end(),
            [](const Use& a, const Use& b) { return std::tie(a.node, a.site) < std::tie(b.node, b.site); });
  return uses;
}

// Disjoint sets of sites that share nodes, by union-find; a set is named by its root.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::uint32_t root(std::uint32_t site) {
    while (parent_[site] != site) site = parent_[site] = parent_[parent_[site]];
    return site;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

// A group in a plane of nodes perpendicular to an edge. Two sections of the same shape differ only in their plane.
struct Section {
  std::size_t along = 0;                                       // the edge's axis
  int plane = 0;                                               // along it
  std::vector<std::pair<std::uint64_t, std::uint32_t>> shape;  // by site: node as if in plane 0, law
  std::vector<std::uint32_t> sites;                            // in this order
  auto key() const { return std::tie(along, shape, plane); }
};

// False unless the group consists of sites of walls across two axes in one plane, and no two sites of one axis share a
// node.
bool make_section(const std::vector<std::uint32_t>& group, const std::vector<WallSite>& sites,
                  const std::vector<WallLaw>& laws, const std::array<int, 3>& size, Section& section) {
  std::array<std::vector<std::uint64_t>, 3> read;  // by axis
  for (const std::uint32_t s : group) {
    if (sites[s].wide == no_law) return false;
    const WallLaw& law = laws[sites[s].wide];
    const auto axis = static_cast<std::size_t>(law.axis);
    const auto step = static_cast<std::int64_t>(stride_of(axis, size)) * law.inward;
    for (std::size_t j = 0; j < law.taps.size(); ++j)
      read[axis].push_back(sites[s].node + static_cast<std::uint64_t>(static_cast<std::int64_t>(j) * step));
  }
  if (std::ranges::count_if(read, [](const auto& nodes) { return nodes.empty(); }) != 1) return false;
  section.along =
      static_cast<std::size_t>(std::ranges::find_if(read, [](const auto& n) { return n.empty(); }) - read.begin());
  section.plane = place_of(sites[group[0]].node, size)[section.along];
  const std::uint64_t shift = static_cast<std::uint64_t>(section.plane) * stride_of(section.along, size);
  for (const std::uint32_t s : group) {
    if (place_of(sites[s].node, size)[section.along] != section.plane) return false;
    section.shape.emplace_back(sites[s].node - shift, sites[s].law);
    section.sites.push_back(s);
  }
  return std::ranges::all_of(read, [](auto& nodes) {
    std::ranges::sort(nodes);
    return std::ranges::adjacent_find(nodes) == nodes.end();
  });
}

// Sites of the lower axis stay in the first of two planes, those of the other axis in the second.
void alternate(const Section& first, const Section& second, std::vector<WallSite>& sites,
               const std::vector<WallLaw>& laws) {
  const int lower = first.along == 0 ? 1 : 0;
  for (std::size_t i = 0; i < first.sites.size(); ++i) {
    WallSite *reads = &sites[first.sites[i]], *leaves = &sites[second.sites[i]];
    if (laws[reads->wide].axis != lower) std::swap(reads, leaves);
    reads->law = reads->wide;
    reads->weight += leaves->weight;
    leaves->weight = 0.0;
  }
}

}  // namespace

void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                       const NearWall& near_wall) {
  const std::vector<Use> uses = find_uses(sites, laws, air, near_wall);
  Groups groups(sites.size());
  for (std::size_t u = 1; u < uses.size(); ++u)
    if (uses[u].node == uses[u - 1].node) groups.join(uses[u].site, uses[u - 1].site);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;  // root, site
  members.reserve(sites.size());
  for (std::uint32_t s = 0; s < sites.size(); ++s) members.emplace_back(groups.root(s), s);
  std::sort(members.begin(), members.end());
  std::vector<Section> sections;
  std::vector<std::uint32_t> group;
  for (std::size_t m = 0; m < members.size(); ++m) {
    group.push_back(members[m].second);
    if (m + 1 < members.size() && members[m + 1].first == members[m].first) continue;
    if (group.size() == 1) {
      WallSite& alone = sites[group[0]];
      if (alone.wide != no_law) alone.law = alone.wide;
    } else if (Section section; make_section(group, sites, laws, air.size(), section)) {
      sections.push_back(std::move(section));
    }
    group.clear();
  }
  std::sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) { return a.key() < b.key(); });
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const Section &first = sections[i - 1], &second = sections[i];
    if (first.along != second.along || first.shape != second.shape || first.plane + 1 != second.plane) continue;
    alternate(first, second, sites, laws);
    ++i;
  }
  std::erase_if(sites, [](const WallSite& site) { return site.weight == 0.0; });
}

}  // namespace fdtd
