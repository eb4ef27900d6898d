#include "engine/plan/slab_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "engine/plan/plane_nodes.hpp"

namespace fdtd {
namespace {

// The rows of nodes begin..end - 1, numbered from 0: their segments, masses and the patterns that they use, in order.
NearWall of_nodes(NearWall walls, std::uint64_t begin, std::uint64_t end) {
  const auto keep = [&](auto& items) {
    items.erase(std::ranges::lower_bound(items, end, {}, [](const auto& one) { return one.node; }), items.end());
    items.erase(items.begin(), std::ranges::lower_bound(items, begin, {}, [](const auto& one) { return one.node; }));
    for (auto& one : items) one.node -= begin;
    items.shrink_to_fit();
  };
  keep(walls.segments);
  keep(walls.masses);
  // Patterns in their order, in place.
  constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(walls.pattern_begin.size() - 1, unused);
  for (const WallSegment& segment : walls.segments) number[segment.pattern] = 0;
  std::uint32_t patterns = 0;
  std::uint64_t entries = 0, from = 0;
  for (std::size_t p = 0; p < number.size(); ++p) {
    const std::uint64_t to = walls.pattern_begin[p + 1];
    if (number[p] != unused) {
      number[p] = patterns++;
      std::move(walls.entries.begin() + static_cast<std::ptrdiff_t>(from),
                walls.entries.begin() + static_cast<std::ptrdiff_t>(to),
                walls.entries.begin() + static_cast<std::ptrdiff_t>(entries));
      entries += to - from;
      walls.pattern_begin[patterns] = entries;
    }
    from = to;
  }
  walls.entries.resize(entries);
  walls.pattern_begin.resize(patterns + std::size_t{1});
  walls.entries.shrink_to_fit();
  walls.pattern_begin.shrink_to_fit();
  walls.node_count = 0;
  std::uint64_t next = 0;  // after the nodes counted so far
  for (WallSegment& segment : walls.segments) {
    segment.pattern = number[segment.pattern];
    const std::uint64_t stop = segment.node + segment.length;
    if (stop > next) walls.node_count += static_cast<std::int64_t>(stop - std::max(segment.node, next));
    next = std::max(next, stop);
  }
  return walls;
}

// The walls of a whole plan, or of the planes around a slab, but for the near-wall operator.
struct WallsOf {
  const AirMask& air;
  const Boundary& boundary;
  int begin = 0;  // plane of node 0
};

// Cuts out a slab's planes, ghosts included: nodes begin..end - 1 of the whole plan, numbered from 0 in the slab's.
struct Cutter {
  const Plan& plan;
  const Slab& slab;
  const WallsOf& walls;
  std::uint64_t begin, end;
  bool here(std::uint64_t node) const { return node >= begin && node < end; }

  Tap tap(const Tap& from) const {
    Tap part;
    part.channel = from.channel;
    part.position = from.position;
    part.operation = from.operation;
    part.reach = from.reach;
    for (std::size_t i = 0; i < from.nodes.size(); ++i) {
      if (!here(from.nodes[i])) continue;
      part.nodes.push_back(from.nodes[i] - begin);
      part.weights.push_back(from.weights[i]);
    }
    return part;
  }

  // The slab's first and last node in the numbering of `walls`.
  std::uint64_t walls_begin() const { return begin - plane_nodes(plan) * static_cast<std::uint64_t>(walls.begin); }
  std::uint64_t walls_end() const { return walls_begin() + end - begin; }

  NearWall near_wall(NearWall all) const {
    NearWall part = of_nodes(std::move(all), walls_begin(), walls_end());
    for (const RowEntry& entry : part.entries) {
      if (std::abs(entry.offset[2]) > plan.stencil.radius)
        throw Error(Status::resource, "a near-wall row reaches farther than the stencil: only one rank can compute it");
    }
    return part;
  }

  AirMask air() const { return planes_of(walls.air, slab.first_plane() - walls.begin, slab.end_plane() - walls.begin); }

  // Boundary nodes whose law reads only nodes of the slab. `first_branch`: index in the whole plan of the branch of the
  // slab's first boundary node.
  void boundary(SlabPlan& part, std::uint64_t first_branch) const {
    const Boundary& all = walls.boundary;
    Boundary& own = part.plan.boundary;
    own.laws = all.laws;
    const std::uint64_t in_plane = plane_nodes(plan);
    const std::uint64_t own_begin = walls_begin() + in_plane * static_cast<std::uint64_t>(slab.ghosts_below),
                        own_end = own_begin + in_plane * static_cast<std::uint64_t>(slab.planes());
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(all.nodes, walls_begin()) - all.nodes.begin());
    const std::uint64_t before = all.branch_begin[all.site_begin[first]] - first_branch;  // into `all`; wraps below 0
    const auto fits = [&](std::size_t node) {
      const auto [low, high] = planes_read(all, node, in_plane);
      return low + walls.begin >= slab.first_plane() && high + walls.begin < slab.end_plane();
    };
    // A group is the slab's as a whole or not at all.
    constexpr std::uint32_t left = std::numeric_limits<std::uint32_t>::max();
    std::unordered_set<std::uint32_t> cut_off;  // members of others
    for (std::size_t g = 0; g < all.groups(); ++g) {
      const std::span group(all.coupled.begin() + all.coupled_begin[g], all.coupled.begin() + all.coupled_begin[g + 1]);
      if (!std::ranges::all_of(group, fits))
        for (const std::uint32_t node : group) cut_off.insert(node);
    }
    std::vector<std::uint32_t> place;  // in `own`, from `first` on
    for (std::size_t i = first; i < all.nodes.size() && all.nodes[i] < walls_end(); ++i) {
      place.push_back(left);
      if (!fits(i) || cut_off.contains(static_cast<std::uint32_t>(i))) continue;
      place.back() = static_cast<std::uint32_t>(own.nodes.size());
      const bool mine = all.nodes[i] >= own_begin && all.nodes[i] < own_end;
      const std::uint32_t site = all.site_begin[i], site_end = all.site_begin[i + 1];
      const std::uint64_t branch = all.branch_begin[site] - before, branch_end = all.branch_begin[site_end] - before;
      if (mine) {
        if (part.own_branches_end == 0) part.own_branches_begin = own.branch_begin.back();
        part.own_branches_end = own.branch_begin.back() + branch_end - branch;
      }
      if (!part.branches.empty() && part.branches.back().end == branch) {
        part.branches.back().end = branch_end;
      } else {
        part.branches.push_back({branch, branch_end});
      }
      own.nodes.push_back(all.nodes[i] - walls_begin());
      if (!all.inverse_mass.empty()) own.inverse_mass.push_back(all.inverse_mass[i]);
      for (std::uint32_t s = site; s < site_end; ++s) {
        own.sites.push_back(all.sites[s]);
        own.branch_begin.push_back(own.branch_begin.back() + all.branch_begin[s + 1] - all.branch_begin[s]);
      }
      own.site_begin.push_back(static_cast<std::uint32_t>(own.sites.size()));
    }
    for (std::size_t g = 0; g < all.groups(); ++g) {
      const auto place_of = [&](std::uint32_t node) {
        return node < first || node - first >= place.size() ? left : place[node - first];
      };
      if (place_of(all.coupled[all.coupled_begin[g]]) == left) continue;
      for (std::uint32_t m = all.coupled_begin[g]; m < all.coupled_begin[g + 1]; ++m)
        own.coupled.push_back(place_of(all.coupled[m]));
      own.coupled_begin.push_back(static_cast<std::uint32_t>(own.coupled.size()));
    }
  }
};

// Calls function(receiver, first, last) for every part by layer, nodes [first, last), that the slab owns.
template <class Function>
void each_receiver_part(const Plan& plan, const Slab& slab, const Function& function) {
  const std::uint64_t in_plane = plane_nodes(plan);
  const auto plane_of = [&](std::uint64_t node) { return static_cast<int>(node / in_plane); };
  for (std::size_t r = 0; r < plan.receivers.size(); ++r) {
    const std::vector<std::uint64_t>& nodes = plan.receivers[r].nodes;
    for (std::size_t first = 0, last = 0; first < nodes.size(); first = last) {
      const int z = plane_of(nodes[first]), layer = layer_of(z, plan.grid.size[2]);
      while (last < nodes.size() && layer_of(plane_of(nodes[last]), plan.grid.size[2]) == layer) ++last;
      if (z >= slab.z_begin && z < slab.z_end) function(r, first, last);
    }
  }
}

}  // namespace

std::vector<std::size_t> receiver_parts(const Plan& plan, const Slab& slab) {
  std::vector<std::size_t> parts;
  each_receiver_part(plan, slab, [&](std::size_t r, std::size_t, std::size_t) { parts.push_back(r); });
  return parts;
}

namespace {

SlabPlan cut(const Plan& plan, const Slab& slab, const WallsOf& walls, NearWall near_wall, std::uint64_t first_branch) {
  const std::uint64_t in_plane = plane_nodes(plan);
  const Cutter cutter{plan, slab, walls, in_plane * static_cast<std::uint64_t>(slab.first_plane()),
                      in_plane * static_cast<std::uint64_t>(slab.end_plane())};
  SlabPlan part;
  part.slab = slab;
  Plan& own = part.plan;
  own.precision = plan.precision;
  own.grid = plan.grid;
  own.grid.size[2] = slab.end_plane() - slab.first_plane();
  own.stencil_name = plan.stencil_name;
  own.stencil = plan.stencil;
  own.frequency_map = plan.frequency_map;
  own.air = cutter.air();
  own.near_wall = cutter.near_wall(std::move(near_wall));
  cutter.boundary(part, first_branch);
  for (const Tap& source : plan.sources) own.sources.push_back(cutter.tap(source));
  each_receiver_part(plan, slab, [&](std::size_t r, std::size_t first, std::size_t last) {
    const Tap& from = plan.receivers[r];
    Tap tap;
    tap.channel = from.channel;
    tap.position = from.position;
    tap.operation = from.operation;
    tap.reach = from.reach;
    for (std::size_t i = first; i < last; ++i) {
      tap.nodes.push_back(from.nodes[i] - cutter.begin);
      tap.weights.push_back(from.weights[i]);
    }
    own.receivers.push_back(std::move(tap));
    part.receiver_of.push_back(r);
  });
  own.drive_scale = plan.drive_scale;
  own.steps = plan.steps;
  own.energy_interval = plan.energy_interval;
  own.stop = plan.stop;
  part.own_nodes_begin = in_plane * static_cast<std::uint64_t>(slab.ghosts_below);
  part.own_nodes_end = part.own_nodes_begin + in_plane * static_cast<std::uint64_t>(slab.planes());
  return part;
}

}  // namespace

AirMask planes_of(const AirMask& air, int begin, int end) {
  const auto [nx, ny, nz] = air.size();
  if (air.all_air()) return AirMask({nx, ny, end - begin});
  AirMask part = AirMask::walls({nx, ny, end - begin});
  std::vector<AirMask::Run> runs;
  for (int z = begin; z < end; ++z)
    for (int y = 0; y < ny; ++y) {
      air.runs(y, z, runs);
      for (const AirMask::Run& run : runs) part.set_run(run.begin, run.end, y, z - begin);
    }
  return part;
}

SlabPlan cut(const Plan& plan, const Slab& slab) {
  const Boundary& all = plan.boundary;
  const std::uint64_t first = plane_nodes(plan) * static_cast<std::uint64_t>(slab.first_plane());
  const auto node = static_cast<std::size_t>(std::ranges::lower_bound(all.nodes, first) - all.nodes.begin());
  return cut(plan, slab, {plan.air, all, 0}, plan.near_wall, all.branch_begin[all.site_begin[node]]);
}

SlabPlan cut(const Plan& outline, const Slab& slab, const RoomPlanes& planes, std::uint64_t first_branch) {
  return cut(outline, slab, {planes.air, planes.boundary, planes.begin}, planes.near_wall, first_branch);
}

SlabPlan cut(const Plan& outline, const Slab& slab, RoomPlanes&& planes, std::uint64_t first_branch) {
  return cut(outline, slab, {planes.air, planes.boundary, planes.begin}, std::move(planes.near_wall), first_branch);
}

}  // namespace fdtd
