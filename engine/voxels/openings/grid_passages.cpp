#include "engine/voxels/openings/grid_passages.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "engine/voxels/shared/plane_lists.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;

}  // namespace

GridPassages::GridPassages(const MeshGrid& grid, Voxels& voxels, const std::vector<SpaceBox>& boxes)
    : grid_(grid), voxels_(voxels) {
  const std::uint64_t in_plane = static_cast<std::uint64_t>(grid.size[0]) * static_cast<std::uint64_t>(grid.size[1]);
  std::vector<char> near(static_cast<std::size_t>(grid.size[2]), 0);
  for (const SpaceBox& box : boxes) {
    for (int z = 0; z < grid.size[2]; ++z) {
      const double low = grid.corner[2] + (z - 1) * grid.spacing[2], high = low + 3.0 * grid.spacing[2];
      if (high >= box.low[2] && low <= box.high[2]) near[static_cast<std::size_t>(z)] = 1;
    }
  }
  const auto of = [&](const auto& list) {
    std::remove_cvref_t<decltype(list)> mine;
    for (const auto& one : list)
      if (near[static_cast<std::size_t>(one.node / in_plane)] != 0) mine.push_back(one);
    return gathered(mine, grid.partition);
  };
  for (std::size_t d = 0; d < 3; ++d) cut_.passages[d] = of(voxels.cut.passages[d]);
  cut_.volumes = of(voxels.cut.volumes);
  cut_.links = of(voxels.cut.links);
}

void GridPassages::set(const GridLink& link, double fraction) {
  const auto value = static_cast<float>(fraction);
  if (link.across_edge) {
    for (CutLink& one : cut_.links)
      if (one.node == link.node && one.to == link.to && one.axis == link.axis) one.fraction = value;
    links_[{link.node, link.to, link.axis}] = value;
    touched_.insert({link.node, link.to});
    return;
  }
  auto& list = cut_.passages[link.axis];
  auto at = std::ranges::lower_bound(list, link.node, {}, &CutFraction::node);
  if (at == list.end() || at->node != link.node) at = list.insert(at, {link.node, value});
  at->fraction = value;
  passages_[link.axis][link.node] = value;
  touched_.insert({link.node, link.to});
}

void GridPassages::add_node(const Voxel& v, double volume) {
  voxels_.air.set(v[0], v[1], v[2], true);
  volumes_[number(v)] = static_cast<float>(volume);
  for (std::size_t d = 0; d < 3; ++d) {
    Voxel below = v, above = v;
    --below[d], ++above[d];
    if (air(below)) set({number(below), number(v), d, 0.0, false}, 0.0);
    if (air(above)) set({number(v), number(above), d, 0.0, false}, 0.0);
  }
}

// The mass that the bounds of a node's passages and links ask for: half of what is open on the axis that has the most, and
// of links half of a part of their axis's bound, a third (hold_links in cut_nodes.cpp).
double GridPassages::needed(std::uint64_t node) const {
  constexpr double margin = 1.02, of_link = 0.5 / 3.0;
  const std::array<std::uint64_t, 3> stride = {
      1, static_cast<std::uint64_t>(grid_.size[0]),
      static_cast<std::uint64_t>(grid_.size[0]) * static_cast<std::uint64_t>(grid_.size[1])};
  const Voxel v = {static_cast<int>(node % stride[1]), static_cast<int>(node / stride[1] % (stride[2] / stride[1])),
                   static_cast<int>(node / stride[2])};
  double most = 0.0, held = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    Voxel below = v, above = v;
    --below[d], ++above[d];
    const double low = air(below) ? fraction(d, node - stride[d]) : 0.0, high = air(above) ? fraction(d, node) : 0.0;
    most = std::max(most, 0.5 * (low + high));
  }
  for (const CutLink& one : cut_.links)
    if (one.node == node || one.to == node) held += of_link * static_cast<double>(one.fraction);
  return std::min(1.0, margin * (most + held));
}

double GridPassages::volume(std::uint64_t node) const {
  const auto found = std::ranges::lower_bound(cut_.volumes, node, {}, &CutFraction::node);
  const auto added = volumes_.find(node);
  const double has = added != volumes_.end()                              ? static_cast<double>(added->second)
                     : found != cut_.volumes.end() && found->node == node ? static_cast<double>(found->fraction)
                                                                          : 1.0;
  return has < 1.0 && touched_.contains(node) ? std::max(has, needed(node)) : has;
}

void GridPassages::set_volume(std::uint64_t node, double volume) {
  volumes_[node] = static_cast<float>(std::clamp(volume, 1e-3, 1.0));
  touched_.insert({node});
}

// The fractions that were set, into the own planes' lists.
void GridPassages::write(Voxels& voxels) const {
  const auto [begin, end] = grid_.partition.planes(grid_.size[2]);
  const auto own = [&, first = begin, last = end](std::uint64_t node) {
    const std::uint64_t plane =
        node / (static_cast<std::uint64_t>(grid_.size[0]) * static_cast<std::uint64_t>(grid_.size[1]));
    return plane >= static_cast<std::uint64_t>(first) && plane < static_cast<std::uint64_t>(last);
  };
  for (std::size_t d = 0; d < 3; ++d) {
    auto& list = voxels.cut.passages[d];
    for (const auto& [node, fraction] : passages_[d]) {
      if (!own(node)) continue;
      auto at = std::ranges::lower_bound(list, node, {}, &CutFraction::node);
      if (at == list.end() || at->node != node) at = list.insert(at, {node, fraction});
      at->fraction = fraction;
      at->fitted = fraction > 0.0F;
    }
  }
  auto& volumes = voxels.cut.volumes;
  std::set<std::uint64_t> changed = touched_;
  for (const auto& one : volumes_) changed.insert(one.first);
  for (const std::uint64_t node : changed) {
    const auto fraction = static_cast<float>(volume(node));
    auto at = std::ranges::lower_bound(volumes, node, {}, &CutFraction::node);
    const bool listed = at != volumes.end() && at->node == node;
    if (!own(node) || (!listed && fraction == 1.0F)) continue;
    if (!listed) at = volumes.insert(at, {node, fraction});
    at->fraction = fraction;
  }
  for (CutLink& one : voxels.cut.links)
    if (const auto set = links_.find({one.node, one.to, one.axis}); set != links_.end()) one.fraction = set->second;
}

GridOpening::GridOpening(const MeshGrid& grid, const GridPassages& passages, const NearSpace& space,
                         const SpaceBox& box) {
  std::map<std::uint64_t, std::uint32_t> place;
  Voxel begin{}, end{};
  for (std::size_t d = 0; d < 3; ++d) {
    begin[d] = std::max(0, static_cast<int>(std::floor((box.low[d] - grid.corner[d]) / grid.spacing[d])));
    end[d] = std::min(grid.size[d], static_cast<int>(std::ceil((box.high[d] - grid.corner[d]) / grid.spacing[d])));
  }
  constexpr double max_of_other = 0.05;
  std::vector<std::pair<Voxel, std::uint64_t>> nodes;
  std::vector<char> pure;
  for (int z = begin[2]; z < end[2]; ++z) {
    for (int y = begin[1]; y < end[1]; ++y) {
      for (int x = begin[0]; x < end[0]; ++x) {
        const Voxel v = {x, y, z};
        if (!passages.air(v)) continue;
        SpaceBox cell;
        bool shell = false;
        for (std::size_t d = 0; d < 3; ++d) {
          cell.low[d] = grid.corner[d] + v[d] * grid.spacing[d];
          cell.high[d] = cell.low[d] + grid.spacing[d];
          const double centre = 0.5 * (cell.low[d] + cell.high[d]);
          shell = shell || centre < box.low[d] + grid.spacing[d] || centre > box.high[d] - grid.spacing[d];
        }
        const NearSpace::Content content = space.within(cell);
        if (content.count[0] + content.count[1] == 0.0) continue;
        const std::uint8_t side = content.count[1] > content.count[0] ? 1 : 0;
        // A voxel of both parts may be a node of either: the flow decides.
        pure.push_back(content.count[1U - side] < max_of_other * content.count[side] ? 1 : 0);
        place.emplace(passages.number(v), static_cast<std::uint32_t>(side_.size()));
        nodes.emplace_back(v, passages.number(v));
        node_.push_back(passages.number(v));
        side_.push_back(side);
        flow_.potential.push_back(content.potential[side]);
        flow_.given.push_back(shell && pure.back() != 0 ? 1 : 0);
        beyond_ = beyond_ || (shell && content.count[1] > 0.0);
      }
    }
  }
  const std::array<std::uint64_t, 3> stride = {
      1, static_cast<std::uint64_t>(grid.size[0]),
      static_cast<std::uint64_t>(grid.size[0]) * static_cast<std::uint64_t>(grid.size[1])};
  const auto add = [&](const GridLink& link) {
    const auto a = place.find(link.node), b = place.find(link.to);
    if (a == place.end() || b == place.end() || !(link.fraction > 0.0)) return;
    whole_.push_back(grid.spacing[(link.axis + 1) % 3] * grid.spacing[(link.axis + 2) % 3] / grid.spacing[link.axis]);
    flow_.links.push_back({a->second, b->second, whole_.back() * link.fraction});
    links_.push_back(link);
  };
  for (const auto& [v, node] : nodes) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (v[d] + 1 >= grid.size[d]) continue;
      add({node, node + stride[d], d, passages.fraction(d, node), false});
    }
  }
  for (const CutLink& one : passages.links())
    add({one.node, one.to, one.axis, static_cast<double>(one.fraction), true});
  give_farthest(pure);
  find_crossing();
}

void GridOpening::find_crossing() {
  flow_.solve(1e-7);
  for (std::size_t i = 0; i < side_.size(); ++i) side_[i] = flow_.potential[i] < 0.5 ? 1 : 0;
  for (std::size_t l = 0; l < links_.size(); ++l) {
    if (side_[flow_.links[l].from] == side_[flow_.links[l].to]) continue;
    crossing_.push_back(l);
    way_.push_back(links_[l]);
    place_.push_back(l);
  }
}

void GridOpening::widen_way(double drop) {
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const double here = flow_.potential[flow_.links[l].from] - flow_.potential[flow_.links[l].to];
    if (!(links_[l].fraction < 1.0 && std::abs(here) > drop) || std::ranges::find(place_, l) != place_.end()) continue;
    way_.push_back(links_[l]);
    place_.push_back(l);
  }
}

// Where a part has no node at the border of the box its farthest ones have their potentials given.
void GridOpening::give_farthest(const std::vector<char>& pure) {
  for (std::uint8_t side = 0; side < 2; ++side) {
    bool any = false, any_pure = false;
    for (std::size_t i = 0; i < side_.size(); ++i) {
      any = any || (side_[i] == side && flow_.given[i] != 0);
      any_pure = any_pure || (side_[i] == side && pure[i] != 0);
    }
    if (any) continue;
    const auto counts = [&](std::size_t i) { return side_[i] == side && (!any_pure || pure[i] != 0); };
    double extreme = side == 0 ? -1.0 : 2.0;
    for (std::size_t i = 0; i < side_.size(); ++i)
      if (counts(i))
        extreme = side == 0 ? std::max(extreme, flow_.potential[i]) : std::min(extreme, flow_.potential[i]);
    for (std::size_t i = 0; i < side_.size(); ++i)
      if (counts(i) && std::abs(flow_.potential[i] - extreme) < 0.02) flow_.given[i] = 1;
  }
}

double GridOpening::conductance(double factor) {
  for (std::size_t w = 0; w < way_.size(); ++w)
    flow_.links[place_[w]].conductance = whole_[place_[w]] * std::min(1.0, factor * way_[w].fraction);
  flow_.solve(1e-7);
  return flow_.through(crossing_, side_);
}

double GridOpening::between_volume(const MeshGrid& grid, const GridPassages& passages) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < node_.size(); ++i)
    sum += passages.volume(node_[i]) * flow_.potential[i] * (1.0 - flow_.potential[i]);
  return sum * grid.spacing[0] * grid.spacing[1] * grid.spacing[2];
}

double GridOpening::behind(const MeshGrid& grid, const GridPassages& passages) const {
  if (beyond_) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < node_.size(); ++i)
    if (side_[i] == 1) sum += passages.volume(node_[i]);
  return sum * grid.spacing[0] * grid.spacing[1] * grid.spacing[2];
}

void GridOpening::scale_behind(double factor, GridPassages& passages) const {
  for (std::size_t i = 0; i < node_.size(); ++i)
    if (side_[i] == 1) passages.set_volume(node_[i], factor * passages.volume(node_[i]));
}

FlowNetwork::Middle GridOpening::middle(const MeshGrid& grid) const {
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  return flow_.middle(crossing_, side_, [&](std::uint32_t i) {
    const std::array<std::uint64_t, 3> v = {node_[i] % nx, node_[i] / nx % ny, node_[i] / nx / ny};
    std::array<double, 3> place{};
    for (std::size_t d = 0; d < 3; ++d) place[d] = grid.corner[d] + (static_cast<double>(v[d]) + 0.5) * grid.spacing[d];
    return place;
  });
}

}  // namespace fdtd
