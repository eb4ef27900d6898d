#include "engine/walls/tap_owners.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/parallel_failure.hpp"
#include "base/parallel_sort.hpp"
#include "engine/walls/wall_taps.hpp"

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

// Whether the passage from a node to the next along the axis is whole.
bool is_whole(const CutVoxels& cut, std::size_t axis, std::uint64_t node) {
  const auto& passages = cut.passages[axis];
  const auto at = std::lower_bound(passages.begin(), passages.end(), node,
                                   [](const CutFraction& one, std::uint64_t n) { return one.node < n; });
  return at == passages.end() || at->node != node;
}

// The room that taps are chosen for.
struct TapRoom {
  const AirMask& air;
  const CutVoxels& cut;
  const NearWall& near_wall;
};

// From a node that a law reads to the next one.
std::uint64_t step_inward(const WallLaw& law, const std::array<int, 3>& size) {
  const std::uint64_t stride = stride_of(static_cast<std::size_t>(law.axis), size);
  return law.inward > 0 ? stride : 0 - stride;  // modulo 2^64
}

// take(node) for each node that a law reads from `node` on.
template <class Take>
void each_read(const WallLaw& law, std::uint64_t node, const std::array<int, 3>& size, const Take& take) {
  const std::uint64_t step = step_inward(law, size);
  for (std::size_t j = 0; j < law.taps.size(); ++j, node += step) take(node);
}

// False when one of the nodes that a law reads from `node` on is wall, has a mass other than 1 or lies behind a passage
// that is not whole, and when `node` has no wall on that side: area of an oblique wall that has been moved there.
bool has_room(const WallLaw& law, std::uint64_t node, const TapRoom& room) {
  const AirMask& air = room.air;
  const auto axis = static_cast<std::size_t>(law.axis);
  std::array<int, 3> at = place_of(node, air.size());
  auto outward = at;
  outward[axis] -= law.inward;
  if (air(outward[0], outward[1], outward[2]) &&
      is_whole(room.cut, axis, law.inward > 0 ? node - stride_of(axis, air.size()) : node))
    return false;
  const std::uint64_t step = step_inward(law, air.size());
  for (std::size_t j = 0; j < law.taps.size(); ++j, at[axis] += law.inward, node += step) {
    if (!air(at[0], at[1], at[2]) || has_mass(room.near_wall, node)) return false;
    if (j > 0 && !is_whole(room.cut, axis, std::min(node - step, node))) return false;
  }
  return true;
}

// work(s) of every site, in parallel; rethrows its exception.
template <class Work>
void each_site(std::size_t sites, const Work& work) {
  ParallelFailure failure;
  const auto count = static_cast<std::int64_t>(sites);
#pragma omp parallel for schedule(dynamic, 1024) if (count > 32768)
  for (std::int64_t s = 0; s < count; ++s) failure.guard([&] { work(static_cast<std::size_t>(s)); });
  failure.rethrow();
}

struct Use {
  std::uint64_t node;
  std::uint32_t site;
};

// The law by which the site would read several nodes; no_law: it reads its own node alone.
std::uint32_t wanted(const WallSite& site) { return site.wide[0]; }

// It reads fewer nodes then.
void give_up_widest(WallSite& site) { site.wide = {site.wide[1], no_law}; }

// Every node that one of `open` would read, ordered by node.
std::vector<Use> find_uses(const std::vector<std::uint32_t>& open, const std::vector<WallSite>& sites,
                           const std::vector<WallLaw>& laws, const std::array<int, 3>& size) {
  std::size_t count = 0;
  for (const std::uint32_t s : open) count += wanted(sites[s]) == no_law ? 1 : laws[wanted(sites[s])].taps.size();
  std::vector<Use> uses;
  uses.reserve(count);
  for (const std::uint32_t s : open) {
    const WallSite& site = sites[s];
    if (wanted(site) == no_law) {
      uses.push_back({site.node, s});
    } else {
      each_read(laws[wanted(site)], site.node, size, [&](std::uint64_t node) { uses.push_back({node, s}); });
    }
  }
  sort_stably(uses, [](const Use& a, const Use& b) { return std::tie(a.node, a.site) < std::tie(b.node, b.site); });
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
  void reset(std::uint32_t site) { parent_[site] = site; }

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
    if (wanted(sites[s]) == no_law) return false;
    const WallLaw& law = laws[wanted(sites[s])];
    each_read(law, sites[s].node, size,
              [&](std::uint64_t node) { read[static_cast<std::size_t>(law.axis)].push_back(node); });
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
    if (laws[wanted(*reads)].axis != lower) std::swap(reads, leaves);
    reads->law = wanted(*reads);
    reads->weight += leaves->weight;
    leaves->weight = 0.0;
  }
}

// Whether every two sites of walls across different axes share one node, and those across the same axis none: sites of
// at most one wall across each axis, at an edge or in a corner.
bool meet_at_edges(const std::vector<std::uint32_t>& group, const std::vector<WallSite>& sites,
                   const std::vector<WallLaw>& laws, const std::array<int, 3>& size) {
  if (std::ranges::any_of(group, [&](std::uint32_t s) { return wanted(sites[s]) == no_law; })) return false;
  std::array<const WallLaw*, 3> wall{};
  std::array<int, 3> from = place_of(sites[group[0]].node, size);  // the edge's or the corner's node
  for (const std::uint32_t s : group) {
    const WallLaw& law = laws[wanted(sites[s])];
    const auto axis = static_cast<std::size_t>(law.axis);
    const int at = place_of(sites[s].node, size)[axis];
    if (wall[axis] == nullptr) wall[axis] = &law, from[axis] = at;
    if (from[axis] != at || wall[axis]->inward != law.inward || wall[axis]->taps != law.taps) return false;
  }
  if (std::ranges::count(wall, nullptr) > 1) return false;
  return std::ranges::all_of(group, [&](std::uint32_t s) {
    const std::array<int, 3> at = place_of(sites[s].node, size);
    for (std::size_t d = 0; d < 3; ++d) {
      const int depth = wall[d] == nullptr ? at[d] - from[d] : (at[d] - from[d]) * wall[d]->inward;
      if (depth < 0 || depth >= (wall[d] == nullptr ? 1 : static_cast<int>(wall[d]->taps.size()))) return false;
    }
    return true;
  });
}

// Of sites that share nodes in no such way the ones with the most nodes read fewer. Where walls read more than
// few_wall_taps nodes, sites in gaps come first, which share a node with a site of the same axis (`in_gap`). False: no
// site reads several any more.
bool narrow(const std::vector<std::uint32_t>& group, const std::vector<char>& in_gap, std::vector<WallSite>& sites,
            const std::vector<WallLaw>& laws) {
  std::size_t most = 0;
  bool gap = false;
  const auto is_long = [](const WallLaw& law) { return law.taps.size() > few_wall_taps; };
  const bool tells_gaps = std::ranges::any_of(laws, is_long);
  const auto taps_of = [&](std::uint32_t s) {
    return wanted(sites[s]) == no_law ? std::size_t{0} : laws[wanted(sites[s])].taps.size();
  };
  for (const std::uint32_t s : group) most = std::max(most, taps_of(s));
  if (most == 0) return false;
  const auto reads_most = [&](std::uint32_t s) { return taps_of(s) == most; };
  for (const std::uint32_t s : group) gap = gap || (tells_gaps && in_gap[s] != 0 && reads_most(s));
  for (const std::uint32_t s : group)
    if (reads_most(s) && (!gap || in_gap[s] != 0)) give_up_widest(sites[s]);
  return true;
}

// One round: settles sites whose nodes no other reads, edges and corners; returns those that want fewer nodes now.
std::vector<std::uint32_t> settle(const std::vector<std::uint32_t>& open, std::vector<WallSite>& sites,
                                  const std::vector<WallLaw>& laws, const std::array<int, 3>& size, Groups& groups,
                                  std::vector<char>& in_gap) {
  const std::vector<Use> uses = find_uses(open, sites, laws, size);
  for (const std::uint32_t s : open) groups.reset(s), in_gap[s] = 0;
  const auto axis_of = [&](std::uint32_t s) { return laws[sites[s].law].axis; };
  for (std::size_t u = 1; u < uses.size(); ++u) {
    if (uses[u].node != uses[u - 1].node) continue;
    groups.join(uses[u].site, uses[u - 1].site);
    for (std::size_t other = u; other-- > 0 && uses[other].node == uses[u].node;)
      if (axis_of(uses[other].site) == axis_of(uses[u].site)) in_gap[uses[other].site] = in_gap[uses[u].site] = 1;
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;  // root, site
  members.reserve(open.size());
  for (const std::uint32_t s : open) members.emplace_back(groups.root(s), s);
  std::sort(members.begin(), members.end());
  std::vector<Section> sections;
  std::vector<std::uint32_t> group, left;
  const auto leave = [&](const std::vector<std::uint32_t>& unsettled) {
    if (narrow(unsettled, in_gap, sites, laws)) left.insert(left.end(), unsettled.begin(), unsettled.end());
  };
  for (std::size_t m = 0; m < members.size(); ++m) {
    group.push_back(members[m].second);
    if (m + 1 < members.size() && members[m + 1].first == members[m].first) continue;
    Section section;
    if (group.size() == 1) {
      WallSite& alone = sites[group[0]];
      if (wanted(alone) != no_law) alone.law = wanted(alone);
    } else if (meet_at_edges(group, sites, laws, size)) {
      for (const std::uint32_t s : group) sites[s].law = wanted(sites[s]), sites[s].group = group[0];
    } else if (make_section(group, sites, laws, size, section)) {
      sections.push_back(std::move(section));
    } else {
      leave(group);
    }
    group.clear();
  }
  std::sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) { return a.key() < b.key(); });
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const bool has_partner = i + 1 < sections.size() && sections[i].along == sections[i + 1].along &&
                             sections[i].shape == sections[i + 1].shape &&
                             sections[i].plane + 1 == sections[i + 1].plane;
    if (has_partner) {
      alternate(sections[i], sections[i + 1], sites, laws);
      ++i;
    } else {
      leave(sections[i].sites);
    }
  }
  std::sort(left.begin(), left.end());
  return left;
}

}  // namespace

void give_up_without_room(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                          const CutVoxels& cut, const NearWall& near_wall) {
  const TapRoom room{air, cut, near_wall};
  const auto fits = [&](const WallSite& site, std::uint32_t law) {
    return law != no_law && has_room(laws[law], site.node, room);
  };
  each_site(sites.size(), [&](std::size_t s) {
    WallSite& site = sites[s];
    if (!fits(site, site.wide[1])) site.wide[1] = no_law;
    if (!fits(site, site.wide[0])) give_up_widest(site);
  });
}

std::vector<std::uint64_t> nodes_of_wide(const std::vector<WallSite>& sites, const std::vector<WallLaw>& laws,
                                         const std::array<int, 3>& size) {
  std::vector<std::uint64_t> nodes;
  for (const WallSite& site : sites) {
    if (wanted(site) == no_law) continue;
    each_read(laws[wanted(site)], site.node, size, [&](std::uint64_t node) { nodes.push_back(node); });
  }
  sort_stably(nodes, std::less<>());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<WallSite> contested(const std::vector<WallSite>& sites, const std::vector<std::uint64_t>& read) {
  std::vector<char> concerned(sites.size());
  each_site(sites.size(), [&](std::size_t s) {
    concerned[s] = wanted(sites[s]) != no_law || std::ranges::binary_search(read, sites[s].node) ? 1 : 0;
  });
  std::vector<WallSite> some;
  for (std::size_t s = 0; s < sites.size(); ++s)
    if (concerned[s] != 0) some.push_back(sites[s]);
  return some;
}

void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const std::array<int, 3>& size) {
  Groups groups(sites.size());
  std::vector<std::uint32_t> open(sites.size());
  std::iota(open.begin(), open.end(), 0U);
  std::vector<char> in_gap(sites.size());
  while (!open.empty()) open = settle(open, sites, laws, size, groups, in_gap);
}

void take_settled(std::vector<WallSite>& sites, const std::vector<WallSite>& before,
                  const std::vector<WallSite>& settled) {
  const auto order = [](const WallSite& site) { return std::pair(site.node, site.law); };
  each_site(sites.size(), [&](std::size_t s) {
    WallSite& site = sites[s];
    const auto at = std::ranges::lower_bound(before, order(site), {}, order);
    if (at != before.end() && order(*at) == order(site)) site = settled[static_cast<std::size_t>(at - before.begin())];
  });
  std::erase_if(sites, [](const WallSite& site) { return site.weight == 0.0; });
}

void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                       const CutVoxels& cut, const NearWall& near_wall) {
  give_up_without_room(sites, laws, air, cut, near_wall);
  const std::vector<WallSite> before = contested(sites, nodes_of_wide(sites, laws, air.size()));
  std::vector<WallSite> settled = before;
  choose_tap_owners(settled, laws, air.size());
  take_settled(sites, before, settled);
}

}  // namespace fdtd
