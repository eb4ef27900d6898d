#include "engine/cpu/room.hpp"

#include <algorithm>

namespace fdtd::cpu {
namespace {

std::size_t tile_of_node(const Layout& layout, std::uint64_t node) {
  const std::uint64_t row = node / static_cast<std::uint64_t>(layout.size[0]);
  const auto ny = static_cast<std::uint64_t>(layout.size[1]);
  return layout.tile_of(static_cast<int>(row % ny), static_cast<int>(row / ny));
}

double mass_of(const NearWall& walls, std::uint64_t node) {
  const auto at = std::lower_bound(walls.masses.begin(), walls.masses.end(), node,
                                   [](const NodeMass& m, std::uint64_t n) { return m.node < n; });
  return at != walls.masses.end() && at->node == node ? at->mass : 1.0;
}

// begins[t] = number of items in tiles before t, from each item's tile in order.
std::vector<std::size_t> begins(const std::vector<std::size_t>& tile_of_item, std::size_t tiles) {
  std::vector<std::size_t> begin(tiles + 1, 0);
  for (const std::size_t tile : tile_of_item) ++begin[tile + 1];
  for (std::size_t t = 0; t < tiles; ++t) begin[t + 1] += begin[t];
  return begin;
}

}  // namespace

template <class T>
Room<T>::Room(const Plan& plan)
    : layout(plan.grid.size, plan.stencil.radius, sizeof(T)),
      stencil(plan.stencil, layout),
      walls(plan.near_wall, layout),
      boundary(plan.boundary, layout, Batches<T>::Reach::within_tile),
      wide(plan.boundary, layout, Batches<T>::Reach::beyond) {
  find_runs(plan);
  place_sources(plan);
  place_masses(plan);
  for (const Tap& tap : plan.receivers) {
    Listener listener;
    for (const std::uint64_t node : tap.nodes) listener.offsets.push_back(layout.offset(node));
    listener.weights = tap.weights;
    listeners.push_back(std::move(listener));
  }
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
void Room<T>::place_sources(const Plan& plan) {
  std::vector<std::pair<std::size_t, Driven>> placed;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) {
    const Tap& tap = plan.sources[s];
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
      const double weight = plan.drive_scale * tap.weights[i];
      placed.push_back({tile_of_node(layout, tap.nodes[i]),
                        {layout.offset(tap.nodes[i]), s, weight / mass_of(plan.near_wall, tap.nodes[i]), weight}});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> tiles;
  for (const auto& [tile, node] : placed) {
    tiles.push_back(tile);
    driven.push_back(node);
  }
  driven_begin = begins(tiles, layout.tiles.size());
}

template <class T>
void Room<T>::place_masses(const Plan& plan) {
  std::vector<std::size_t> tiles;
  for (const NodeMass& m : plan.near_wall.masses) {
    tiles.push_back(tile_of_node(layout, m.node));
    heavy.push_back({layout.offset(m.node), m.mass - 1.0});
  }
  heavy_begin = begins(tiles, layout.tiles.size());
}

template struct Room<float>;
template struct Room<double>;

}  // namespace fdtd::cpu
