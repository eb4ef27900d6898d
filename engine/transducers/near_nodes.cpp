#include "engine/transducers/near_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

Images images_of(const Plan& plan, const Tap& source, const Tap& receiver, int reach) {
  const Grid& grid = plan.grid;
  const Voxel from = home_of(source, grid), to = home_of(receiver, grid);
  std::array<NodeRange, 3> wanted;
  for (std::size_t d = 0; d < 3; ++d) {
    const int low = std::min(from[d], to[d]), high = std::max(from[d], to[d]);
    wanted[d] = {low - reach, high - low + 1 + 2 * reach};
  }
  const std::array<NodeRange, 3> box = air_box({plan.air, nullptr}, from, wanted, 0);
  Images images;
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<int> faces;
    for (const bool low : {true, false}) {
      if (low ? box[d].first == wanted[d].first : box[d].end() == wanted[d].end()) continue;
      std::array<NodeRange, 3> layer = box;
      layer[d] = {low ? box[d].first - 1 : box[d].end(), 1};
      if (all_wall(plan.air, layer)) faces.push_back(low ? box[d].first : box[d].end());
    }
    images[d] = {{}};
    for (const int face : faces) {
      const int a = std::abs(2 * from[d] + 1 - 2 * face) / 2, b = std::abs(2 * to[d] + 1 - 2 * face) / 2;
      if (a + b <= reach || std::min(a, b) < most_tap_points / 2) images[d].push_back({true, 2 * face});
    }
  }
  return images;
}

bool folded(const Tap& tap, const Nodes& free, const Grid& grid, const Voxel& zero, const Images& images) {
  const Voxel home = home_of(tap, grid);
  std::map<std::uint64_t, double> weights;
  double largest = 0.0;
  for (std::size_t i = 0; i < free.at.size(); ++i) {
    Voxel at{};
    for (std::size_t d = 0; d < 3; ++d) {
      at[d] = free.at[i][d] + zero[d];
      for (const Image& image : images[d])
        if (image.mirrored && (2 * home[d] < image.shift) != (2 * at[d] < image.shift)) at[d] = image.node(at[d]);
      if (at[d] < 0 || at[d] >= grid.size[d]) return false;
    }
    const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
    weights[static_cast<std::uint64_t>(at[0]) +
            nx * (static_cast<std::uint64_t>(at[1]) + ny * static_cast<std::uint64_t>(at[2]))] += free.weights[i];
    largest = std::max(largest, std::abs(free.weights[i]));
  }
  for (std::size_t i = 0; i < tap.nodes.size(); ++i) weights[tap.nodes[i]] -= tap.weights[i];
  return std::ranges::all_of(weights, [&](const auto& one) { return std::abs(one.second) < 1e-6 * largest; });
}

}  // namespace fdtd
