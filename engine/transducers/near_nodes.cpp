#include "engine/transducers/near_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/transducers/taps.hpp"

namespace fdtd {
namespace {

// Whether a layer of voxels beside a box of air is wall, all of it.
bool all_wall(const AirMask& air, std::array<NodeRange, 3> layer) {
  for (int z = layer[2].first; z < layer[2].end(); ++z)
    for (int y = layer[1].first; y < layer[1].end(); ++y)
      for (int x = layer[0].first; x < layer[0].end(); ++x)
        if (air(x, y, z)) return false;
  return true;
}

}  // namespace

std::vector<Derivative> derivatives_of(const FieldOperator& operation) {
  if (operation.empty()) return {{}};
  std::vector<Derivative> found;
  for (const DerivativeTerm& term : operation) found.push_back({term.powers, term.coefficient});
  return found;
}

Nodes free_nodes(const Tap& tap, const Grid& grid, const TapWeights& weights, const Voxel& zero) {
  const int points = weights.points(tap.operation);
  Nodes nodes;
  for (const Derivative& term : derivatives_of(tap.operation)) {
    std::array<AxisWeights, 3> axes;
    double scale = term.coefficient;
    for (std::size_t d = 0; d < 3; ++d) {
      axes[d] = weights(tap.position[d] / grid.spacing[d] - 0.5, points, term.powers[d]);
      scale /= std::pow(grid.spacing[d], term.powers[d]);
    }
    for (std::size_t z = 0; z < axes[2].weights.size(); ++z)
      for (std::size_t y = 0; y < axes[1].weights.size(); ++y)
        for (std::size_t x = 0; x < axes[0].weights.size(); ++x) {
          nodes.at.push_back({axes[0].first + static_cast<int>(x) - zero[0],
                              axes[1].first + static_cast<int>(y) - zero[1],
                              axes[2].first + static_cast<int>(z) - zero[2]});
          nodes.weights.push_back(scale * axes[0].weights[x] * axes[1].weights[y] * axes[2].weights[z]);
        }
  }
  return nodes;
}

Nodes with_images(Nodes nodes, const Voxel& zero, const Images& images) {
  for (std::size_t d = 0; d < 3; ++d) {
    const Nodes all = std::move(nodes);
    nodes = {};
    for (const Image& image : images[d])
      for (std::size_t i = 0; i < all.at.size(); ++i) {
        nodes.at.push_back(all.at[i]);
        nodes.at.back()[d] = image.node(all.at[i][d] + zero[d]) - zero[d];
        nodes.weights.push_back(all.weights[i]);
      }
  }
  return nodes;
}

Voxel home_of(const Tap& tap, const Grid& grid) {
  Voxel home{};
  for (std::size_t d = 0; d < 3; ++d)
    home[d] = std::clamp(static_cast<int>(std::floor(tap.position[d] / grid.spacing[d])), 0, grid.size[d] - 1);
  return home;
}

Mirrors mirrors_of(const Plan& plan, const Tap& source, const Tap& receiver, int reach, int depth) {
  constexpr int endless = 64;  // cells of a torus that stands for endless air
  const Grid& grid = plan.grid;
  const Voxel from = home_of(source, grid), to = home_of(receiver, grid);
  std::array<NodeRange, 3> wanted;
  for (std::size_t d = 0; d < 3; ++d) {
    const int low = std::min(from[d], to[d]), high = std::max(from[d], to[d]);
    wanted[d] = {low - reach, high - low + 1 + 2 * reach};
  }
  const std::array<NodeRange, 3> box = air_box({plan.air, nullptr}, from, wanted, 0);
  Mirrors found;
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<int> faces;
    for (const bool low : {true, false}) {
      if (low ? box[d].first == wanted[d].first : box[d].end() == wanted[d].end()) continue;
      std::array<NodeRange, 3> layer = box;
      layer[d] = {low ? box[d].first - 1 : box[d].end(), 1};
      if (!all_wall(plan.air, layer)) continue;
      const int face = low ? box[d].first : box[d].end();
      const int a = std::abs(2 * from[d] + 1 - 2 * face) / 2, b = std::abs(2 * to[d] + 1 - 2 * face) / 2;
      if (a + b <= reach || std::min(a, b) < max_tap_points / 2 + depth) faces.push_back(face);
    }
    found.images[d] = {{}};
    found.period[d] = faces.size() == 2 ? 2 * (faces[1] - faces[0]) : endless;
    if (!faces.empty()) found.images[d].push_back({true, 2 * faces[0]});
    found.faces[d] = std::move(faces);
  }
  return found;
}

bool sees_mirrors(const Plan& plan, const Tap& tap, const TapWeights& weights, const std::array<WallLayer, 3>& layers,
                  const Mirrors& mirrors) {
  const Grid& grid = plan.grid;
  const Voxel home = home_of(tap, grid);
  const Nodes nodes = nodes_of(tap, grid, {0, 0, 0});
  // The space of the nodes and of the layers before walls.
  std::array<NodeRange, 3> region;
  for (std::size_t d = 0; d < 3; ++d) {
    const int points = weights.points(tap.operation), margin = tap.operation.empty() ? 0 : layers[d].depth();
    int low = first_tap_node(tap.position[d] / grid.spacing[d] - 0.5, points), high = low + points;
    for (const auto& at : nodes.at) {
      low = std::min(low, at[d]);
      high = std::max(high, at[d] + 1);
    }
    low = std::min(low - margin, home[d]);
    high = std::max(high + margin, home[d] + 1);
    for (const int face : mirrors.faces[d]) {
      if (home[d] < face)
        high = std::min(high, face);
      else
        low = std::max(low, face);
    }
    region[d] = {low, high - low};
  }
  if (air_box({plan.air, nullptr}, home, region, 0) != region) return false;
  const Tap open = make_tap(tap.channel, tap.position, grid, plan.air, tap.operation, weights, nullptr, layers);
  if (open.nodes != tap.nodes) return false;
  double largest = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < tap.weights.size(); ++i) {
    largest = std::max(largest, std::abs(tap.weights[i]));
    difference = std::max(difference, std::abs(tap.weights[i] - open.weights[i]));
  }
  return difference <= 1e-6 * largest;
}

Nodes nodes_of(const Tap& tap, const Grid& grid, const Voxel& zero) {
  Nodes nodes;
  nodes.weights = tap.weights;
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  for (const std::uint64_t node : tap.nodes)
    nodes.at.push_back({static_cast<int>(node % nx) - zero[0], static_cast<int>(node / nx % ny) - zero[1],
                        static_cast<int>(node / nx / ny) - zero[2]});
  return nodes;
}

}  // namespace fdtd
