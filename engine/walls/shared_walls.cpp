#include "engine/walls/shared_walls.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/plan/slab_cut.hpp"
#include "engine/walls/cut/shared_nodes.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/rows.hpp"

namespace fdtd {
namespace {

using Planes = std::array<int, 2>;  // [begin, end)

// Walls of the wanted planes depend on so many planes beyond: the reach of a row, three times where rows are made block
// by block; the nodes of a law; and the neighbours of these.
int margin_of(const Plan& outline, bool cut) {
  int taps = few_wall_taps;
  for (const WallLaw& law : outline.boundary.laws) taps = std::max(taps, static_cast<int>(law.taps.size()));
  return (cut ? 1 : 3) * outline.stencil.radius + taps + 4;
}

std::vector<Planes> about(const std::vector<Planes>& wanted, int margin, int planes) {
  std::vector<Planes> out;
  for (const Planes& one : wanted)
    out.push_back(one[0] < one[1] ? Planes{std::max(0, one[0] - margin), std::min(planes, one[1] + margin)} : one);
  return out;
}

// The items whose nodes lie in planes [begin, end), numbered from the first of these.
template <class Item>
void renumber(std::vector<Item>& items, std::uint64_t first) {
  for (Item& item : items) item.node -= first;
}

template <class Item>
void keep_planes(std::vector<Item>& items, const Planes& own, std::uint64_t in_plane) {
  const auto node = [&](int plane) { return in_plane * static_cast<std::uint64_t>(plane); };
  const auto last = std::ranges::lower_bound(items, node(own[1]), {}, &Item::node);
  items.erase(last, items.end());
  items.erase(items.begin(), std::ranges::lower_bound(items, node(own[0]), {}, &Item::node));
  items.shrink_to_fit();
}

}  // namespace

// Planes of the room, nodes numbered from the first of them; sites numbered as in the room.
struct SharedWalls::Part {
  int begin = 0;
  AirMask air;
  CutVoxels cut;
  NearWall near_wall;
  std::vector<WallSite> sites;
};

SharedWalls::SharedWalls(const Plan& outline, Voxels voxels, PlanePartition partition)
    : outline_(outline),
      partition_(std::move(partition)),
      in_plane_(static_cast<std::uint64_t>(outline.grid.size[0]) * static_cast<std::uint64_t>(outline.grid.size[1])),
      materials_(std::move(voxels.materials)),
      faces_(std::move(voxels.faces)),
      cut_(std::move(voxels.cut)) {
  const Planes own = partition_.planes(outline_.grid.size[2]);
  is_cut_ = std::ranges::count(gathered(std::vector<char>{static_cast<char>(cut_.empty() ? 0 : 1)}, partition_), 1) > 0;
  keep_planes(faces_, own, in_plane_);
  keep_planes(cut_.volumes, own, in_plane_);
  for (auto& passages : cut_.passages) keep_planes(passages, own, in_plane_);
  keep_planes(cut_.links, own, in_plane_);
  if (is_cut_) secured_ = secured_for(outline_.stencil, outline_.air, cut_about_own_planes(), partition_);
  cut_.links = {};  // secured_ has those that count
  Part mine = part(gathered(std::vector<Planes>{own}, partition_), false);
  settle(mine, own);
  count(finished(std::move(mine)), own);
}

// The own planes' cut voxels and those of as many planes on both sides as securing them takes.
CutVoxels SharedWalls::cut_about_own_planes() const {
  const int planes = outline_.grid.size[2];
  const std::vector<Planes> ranges =
      about(gathered(std::vector<Planes>{partition_.planes(planes)}, partition_), SharedNodes::planes_beyond, planes);
  const auto taken = [&](const std::vector<CutFraction>& partitions) {
    return of_planes(partitions, ranges, partition_, [this](const CutFraction& one) { return plane_of(one.node); });
  };
  std::vector<Planes> lower = ranges;  // a link lies in the lower one of its planes
  for (Planes& one : lower) one[0] = std::max(0, one[0] - 1);
  return {taken(cut_.volumes),
          {taken(cut_.passages[0]), taken(cut_.passages[1]), taken(cut_.passages[2])},
          of_planes(cut_.links, lower, partition_, [this](const CutLink& one) { return plane_of(one.node); })};
}

SharedWalls::Part SharedWalls::part(const std::vector<Planes>& wanted, bool last) {
  const std::vector<Planes> ranges = about(wanted, margin_of(outline_, is_cut_), outline_.grid.size[2]);
  const auto by_node = [this](const auto& item) { return plane_of(item.node); };
  const Planes own = ranges[static_cast<std::size_t>(partition_.index)];
  const std::uint64_t first = in_plane_ * static_cast<std::uint64_t>(own[0]),
                      end = in_plane_ * static_cast<std::uint64_t>(std::max(own[0], own[1]));
  const auto taken = [&](auto& items) {
    auto some = of_planes(items, ranges, partition_, by_node);
    if (last) items = {};
    renumber(some, first);
    return some;
  };
  const auto along_z = [&](auto& passages) {  // none to planes that are not here
    std::erase_if(passages, [&](const auto& one) { return one.node + in_plane_ >= end - first; });
  };
  Part part;
  part.begin = own[0];
  Voxels voxels;
  voxels.materials = materials_;
  voxels.faces = taken(faces_);
  part.cut.volumes = taken(cut_.volumes);
  for (std::size_t d = 0; d < 3; ++d) part.cut.passages[d] = taken(cut_.passages[d]);
  along_z(part.cut.passages[2]);
  SecuredCut secured;
  if (is_cut_) {
    secured.masses = taken(secured_.masses);
    for (std::size_t d = 0; d < 3; ++d) {
      secured.passages[d] = taken(secured_.passages[d]);
      secured.weights[d] = taken(secured_.weights[d]);
      secured.ends[d] = taken(secured_.ends[d]);
    }
    along_z(secured.passages[2]);
    secured.links = taken(secured_.links);
    std::erase_if(secured.links, [&](const CutLink& one) { return one.to >= end; });
    for (CutLink& one : secured.links) one.to -= first;
    secured.moved =
        of_planes(secured_.moved, ranges, partition_, [this](const MovedWall& one) { return plane_of(one.from); });
    if (last) secured_ = {};
    std::erase_if(secured.moved, [&](const MovedWall& one) { return one.to < first || one.to >= end; });
    for (MovedWall& one : secured.moved) one.from -= first, one.to -= first;
  }
  if (own[0] >= own[1]) return part;
  part.air = planes_of(outline_.air, own[0], own[1]);
  if (is_cut_) {
    std::vector<MovedWall> moved;
    part.near_wall = cut_walls(outline_.stencil, part.air, part.cut, secured, &moved);
    secured = {};
    move_walls(voxels.faces, moved);
  } else {
    part.near_wall = make_near_wall(outline_.stencil, part.air);
  }
  part.sites = collect_sites(voxels, outline_.boundary.laws, outline_.grid);
  return part;
}

void SharedWalls::settle(const Part& part, const Planes& own) {
  std::vector<WallSite> sites = part.sites;
  const std::vector<WallLaw>& laws = outline_.boundary.laws;
  if (!sites.empty()) give_up_without_room(sites, laws, part.air, part.cut, part.near_wall);
  const std::uint64_t first = in_plane_ * static_cast<std::uint64_t>(part.begin);
  for (WallSite& site : sites) site.node += first;
  keep_planes(sites, own, in_plane_);
  std::vector<std::uint64_t> read = gathered(nodes_of_wide(sites, laws, outline_.grid.size), partition_);
  std::ranges::sort(read);
  contested_ = gathered(contested(sites, read), partition_);
  settled_ = contested_;
  choose_tap_owners(settled_, laws, outline_.grid.size);
}

RoomPlanes SharedWalls::finished(Part part) const {
  const std::uint64_t first = in_plane_ * static_cast<std::uint64_t>(part.begin);
  for (WallSite& site : part.sites) site.wide = {no_law, no_law}, site.node += first;
  take_settled(part.sites, contested_, settled_);
  for (WallSite& site : part.sites) site.node -= first;
  RoomPlanes planes;
  planes.begin = part.begin;
  planes.boundary = boundary_of(part.sites, outline_.boundary.laws, part.near_wall);
  planes.air = std::move(part.air);
  planes.near_wall = std::move(part.near_wall);
  return planes;
}

void SharedWalls::count(RoomPlanes planes, const Planes& own) {
  std::vector<PlaneCounts> mine;
  std::map<int, double> areas;
  if (own[0] < own[1]) {
    Plan some;
    some.grid.size = planes.air.size();
    some.near_wall = std::move(planes.near_wall);
    some.boundary = std::move(planes.boundary);
    const std::vector<PlaneCounts> all = plane_counts(some);
    mine.assign(all.begin() + (own[0] - planes.begin), all.begin() + (own[1] - planes.begin));
    const Boundary& boundary = some.boundary;
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
      const int z = planes.begin + plane_of(boundary.nodes[i]);
      if (z < own[0] || z >= own[1]) continue;
      for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s)
        areas[static_cast<int>(boundary.laws[boundary.sites[s].law].taps.size())] += boundary.sites[s].weight;
    }
  }
  counts_ = gathered(mine, partition_);
  struct Area {
    int taps;
    double area;
  };
  std::vector<Area> some;
  for (const auto& [taps, area] : areas) some.push_back({taps, area});
  areas.clear();
  for (const Area& one : gathered(some, partition_)) areas[one.taps] += one.area;
  taps_ = fractions_of(areas);
}

RoomPlanes SharedWalls::take_planes(const std::vector<Planes>& wanted) { return finished(part(wanted, true)); }

PlanPart part_of_mesh(const Plan& outline, SharedWalls& walls, int ranks, int rank) {
  PlanPart part;
  part.slabs = split(outline, walls.counts(), ranks);
  part.branches = static_cast<std::uint64_t>(sum_of(walls.counts()).branches);
  std::vector<std::array<int, 2>> wanted;
  for (const Slab& slab : part.slabs) wanted.push_back({slab.first_plane(), slab.end_plane()});
  const Slab& slab = part.slabs[static_cast<std::size_t>(rank)];
  const auto below = std::span(walls.counts()).first(static_cast<std::size_t>(slab.first_plane()));
  part.own = cut(outline, slab, walls.take_planes(wanted), static_cast<std::uint64_t>(sum_of(below).branches));
  return part;
}

}  // namespace fdtd
