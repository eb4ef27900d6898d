#include "engine/cpu/cpu_plan.hpp"

#include <algorithm>

namespace fdtd::cpu {
namespace {

double mass_of(const NearWall& walls, std::uint64_t node) {
  const auto at = std::lower_bound(walls.masses.begin(), walls.masses.end(), node,
                                   [](const NodeMass& m, std::uint64_t n) { return m.node < n; });
  return at != walls.masses.end() && at->node == node ? at->mass : 1.0;
}

// The time of a node of air relative to that of a node of 7 points: arithmetic on top of memory traffic, less for
// shared sums. Between a machine limited by memory (bench/results/xeon-16/profile.json: leggy-4 1.9, box-222 2.6 times
// leggy-1) and the count of instructions (bench/results/instructions.txt: 2.2 and 6.2 times): 1.6 and 2.6.
double work_of(const GridStencil& stencil) {
  if (stencil.family == Family::leggy) return 1.0 + 0.2 * (stencil.radius - 1);
  return 1.0 + stencil.point_count() / 80.0;
}

}  // namespace

template <class T>
CpuPlan<T>::CpuPlan(const Plan& plan, const Slab& slab)
    : mirror(image_halo_pays(plan.stencil) ? image_walls_of(plan, slab) : ImageWalls{}),
      layout(plan.grid.size, plan.stencil.radius, sizeof(T), slab.ghosts_below, slab.ghosts_above, mirror.sides),
      stencil(plan.stencil, layout),
      air(plan.air, layout, static_cast<int>(64 / sizeof(T))),
      image_halo(layout, plan.stencil, mirror),
      walls(mirror.sides ? NearWall{} : plan.near_wall, layout),
      boundary(plan.boundary, layout, BoundaryBatches<T>::Reach::within_tile),
      wide(plan.boundary, layout, BoundaryBatches<T>::Reach::beyond),
      edges(plan.boundary, layout, BoundaryBatches<T>::Reach::within_tile),
      wide_edges(plan.boundary, layout, BoundaryBatches<T>::Reach::beyond) {
  find_costs(work_of(plan.stencil));
  place_sources(plan);
  place_masses(plan);
  place_receivers(plan);
  for (std::size_t t = 0; t < layout.tiles.size(); ++t)
    has_transducers.push_back(driven_begin[t] < driven_begin[t + 1] || receiver_begin[t] < receiver_begin[t + 1] ? 1
                                                                                                                 : 0);
}

template <class T>
void CpuPlan<T>::find_costs(double work) {
  costs.assign(layout.tiles.size(), 0.0);
  for (std::size_t t = 0; t < costs.size(); ++t) {
    const double sites = boundary.cost(t) + wide.cost(t) + edges.cost(t) + wide_edges.cost(t);
    costs[t] = air.nodes(layout, t) + (walls.cost(t) + sites) / work + 1.0;  // a tile without air takes time too
  }
}

template <class T>
void CpuPlan<T>::place_sources(const Plan& plan) {
  std::vector<DrivenNode> placed;
  std::vector<std::size_t> tiles;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) {
    const Tap& tap = plan.sources[s];
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
      const double weight = plan.drive_scale * tap.weights[i];
      placed.push_back({layout.offset(tap.nodes[i]), s, weight / mass_of(plan.near_wall, tap.nodes[i]), weight});
      tiles.push_back(layout.tile_of(tap.nodes[i]));
    }
  }
  const ByTile by_tile(tiles, layout.tiles.size());
  for (const std::size_t item : by_tile.items) driven.push_back(placed[item]);
  driven_begin = by_tile.begin;
}

template <class T>
void CpuPlan<T>::place_masses(const Plan& plan) {
  std::vector<std::size_t> tiles;
  for (const NodeMass& m : plan.near_wall.masses) tiles.push_back(layout.tile_of(m.node));
  const ByTile by_tile(tiles, layout.tiles.size());
  for (const std::size_t item : by_tile.items) {
    const NodeMass& m = plan.near_wall.masses[item];
    mass_nodes.push_back({layout.offset(m.node), m.mass - 1.0});
  }
  mass_begin = by_tile.begin;
}

namespace {

// The nodes that receivers read, each once, ascending.
std::vector<std::uint64_t> nodes_read(const Plan& plan) {
  std::size_t all = 0;
  for (const Tap& tap : plan.receivers) all += tap.nodes.size();
  std::vector<std::uint64_t> nodes;
  if (plan.grid.nodes() / 64 <= static_cast<std::int64_t>(all)) {  // a bit a node takes no more than the lists
    std::vector<bool> read(static_cast<std::size_t>(plan.grid.nodes()));
    for (const Tap& tap : plan.receivers)
      for (const std::uint64_t node : tap.nodes) read[node] = true;
    for (std::size_t node = 0; node < read.size(); ++node)
      if (read[node]) nodes.push_back(node);
    return nodes;
  }
  nodes.reserve(all);
  for (const Tap& tap : plan.receivers) nodes.insert(nodes.end(), tap.nodes.begin(), tap.nodes.end());
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());  // Clang 14 cannot compile std::ranges::unique
  return nodes;
}

}  // namespace

template <class T>
void CpuPlan<T>::place_receivers(const Plan& plan) {
  const auto ends_layer = [this](const Tap& tap, std::size_t i) {
    return i + 1 == tap.nodes.size() || layout.layer_of_node(tap.nodes[i + 1]) != layout.layer_of_node(tap.nodes[i]);
  };
  const std::vector<std::uint64_t> nodes = nodes_read(plan);
  std::vector<std::size_t> tiles;
  for (const std::uint64_t node : nodes) tiles.push_back(layout.tile_of(node));
  const ByTile by_tile(tiles, layout.tiles.size());
  receiver_begin = by_tile.begin;
  std::vector<std::uint32_t> place_of(nodes.size());
  for (const std::size_t item : by_tile.items) {
    place_of[item] = static_cast<std::uint32_t>(receiver_nodes.size());
    receiver_nodes.push_back(layout.offset(nodes[item]));
  }
  const auto place = [&](std::uint64_t node) {
    return place_of[static_cast<std::size_t>(std::ranges::lower_bound(nodes, node) - nodes.begin())];
  };
  receivers.resize(plan.receivers.size());
  constexpr std::size_t few_receivers = 64;
#pragma omp parallel for schedule(static) if (receivers.size() > few_receivers)
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    receivers[r].receiver = r;
    if (!plan.receivers[r].nodes.empty()) receivers[r].place = place(plan.receivers[r].nodes[0]);
  }
  std::ranges::stable_sort(receivers, {}, &ReceiverWeights::place);
  for (ReceiverWeights& of : receivers) {  // all memory, so that no thread can fail
    const Tap& tap = plan.receivers[of.receiver];
    if (tap.nodes.size() == 1) {
      of.single = true, of.weight = tap.weights[0];
      continue;
    }
    of.weights = tap.weights;
    of.places.resize(tap.nodes.size());
    std::size_t layers = 0;
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) layers += ends_layer(tap, i) ? 1 : 0;
    of.layer_end.resize(layers);
  }
#pragma omp parallel for schedule(static) if (receivers.size() > few_receivers)
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const Tap& tap = plan.receivers[receivers[r].receiver];
    auto end = receivers[r].layer_end.begin();
    for (std::size_t i = 0; i < receivers[r].places.size(); ++i) {
      receivers[r].places[i] = place(tap.nodes[i]);
      if (ends_layer(tap, i)) *end++ = static_cast<std::uint32_t>(i + 1);
    }
  }
}

template struct CpuPlan<float>;
template struct CpuPlan<double>;

}  // namespace fdtd::cpu
