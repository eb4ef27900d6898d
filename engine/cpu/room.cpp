#include "engine/cpu/room.hpp"

#include <algorithm>

namespace fdtd::cpu {
namespace {

double mass_of(const NearWall& walls, std::uint64_t node) {
  const auto at = std::lower_bound(walls.masses.begin(), walls.masses.end(), node,
                                   [](const NodeMass& m, std::uint64_t n) { return m.node < n; });
  return at != walls.masses.end() && at->node == node ? at->mass : 1.0;
}

// How many times as long a node of air takes as one of 7 points: sums on top of what memory takes, shared ones less. Between
// what a machine says whose cores wait for memory and one whose cores do not (bench/results/cpu-tried.md).
double work_of(const GridStencil& stencil) {
  if (stencil.family == Family::leggy) return 1.0 + 0.2 * (stencil.radius - 1);
  return 1.0 + stencil.point_count() / 80.0;
}

}  // namespace

template <class T>
Room<T>::Room(const Plan& plan, const Slab& slab)
    : mirror(images_pay(plan.stencil) ? image_walls_of(plan, slab) : ImageWalls{}),
      layout(plan.grid.size, plan.stencil.radius, sizeof(T), slab.ghosts_below, slab.ghosts_above, mirror.sides),
      stencil(plan.stencil, layout),
      all_air(plan.air.all_air()),
      images(layout, plan.stencil, mirror),
      walls(mirror.sides ? NearWall{} : plan.near_wall, layout),
      boundary(plan.boundary, layout, Batches<T>::Reach::within_tile),
      wide(plan.boundary, layout, Batches<T>::Reach::beyond) {
  find_runs(plan);
  find_costs(work_of(plan.stencil));
  place_sources(plan);
  place_masses(plan);
  place_receivers(plan);
  for (std::size_t t = 0; t < layout.tiles.size(); ++t)
    heeded.push_back(driven_begin[t] < driven_begin[t + 1] || heard_begin[t] < heard_begin[t + 1] ? 1 : 0);
}

template <class T>
void Room<T>::find_runs(const Plan& plan) {
  const auto [nx, ny, nz] = layout.size;
  row_begin.reserve(static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz) + 1);
  row_begin.push_back(0);
  std::vector<AirMask::Run> air;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      if (plan.air.all_air()) {
        runs.push_back({0, nx});
      } else {
        air.clear();
        plan.air.runs(y, z, air);
        for (const AirMask::Run& run : air) runs.push_back({run.begin, run.end});
      }
      row_begin.push_back(runs.size());
    }
  }
}

template <class T>
void Room<T>::find_costs(double work) {
  costs.assign(layout.tiles.size(), 0.0);
  for (std::size_t t = 0; t < costs.size(); ++t) {
    const Tile& tile = layout.tiles[t];
    for (int z = tile.z_begin; z < tile.z_end; ++z)
      for (int y = tile.y_begin; y < tile.y_end; ++y)
        for (const Run& run : runs_of(y, z)) costs[t] += run.end - run.begin;
    costs[t] +=
        (walls.cost(t) + boundary.cost(t) + wide.cost(t)) / work + 1.0;  // a tile without air takes its time too
  }
}

template <class T>
void Room<T>::place_sources(const Plan& plan) {
  std::vector<Driven> placed;
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
void Room<T>::place_masses(const Plan& plan) {
  std::vector<std::size_t> tiles;
  for (const NodeMass& m : plan.near_wall.masses) tiles.push_back(layout.tile_of(m.node));
  const ByTile by_tile(tiles, layout.tiles.size());
  for (const std::size_t item : by_tile.items) {
    const NodeMass& m = plan.near_wall.masses[item];
    heavy.push_back({layout.offset(m.node), m.mass - 1.0});
  }
  heavy_begin = by_tile.begin;
}

template <class T>
void Room<T>::place_receivers(const Plan& plan) {
  std::vector<std::size_t> tiles;
  std::vector<std::uint64_t> nodes;
  for (const Tap& tap : plan.receivers) {
    for (const std::uint64_t node : tap.nodes) {
      nodes.push_back(node);
      tiles.push_back(layout.tile_of(node));
    }
  }
  const ByTile by_tile(tiles, layout.tiles.size());
  heard_begin = by_tile.begin;
  std::vector<std::size_t> place_of(nodes.size());
  for (const std::size_t item : by_tile.items) {
    place_of[item] = heard.size();
    heard.push_back(layout.offset(nodes[item]));
  }
  auto next = place_of.begin();
  for (const Tap& tap : plan.receivers) {
    const auto end = next + static_cast<std::ptrdiff_t>(tap.nodes.size());
    Listener listener{{next, end}, tap.weights, {}};
    for (std::size_t i = 1; i <= tap.nodes.size(); ++i) {
      if (i == tap.nodes.size() || layout.layer_of_node(tap.nodes[i]) != layout.layer_of_node(tap.nodes[i - 1]))
        listener.layer_end.push_back(i);
    }
    listeners.push_back(std::move(listener));
    next = end;
  }
}

template struct Room<float>;
template struct Room<double>;

}  // namespace fdtd::cpu
