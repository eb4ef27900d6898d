#include "scenes/wall_layers.hpp"

#include <cmath>

namespace fdtd {

double standoff(const std::array<float, 3>& normal) {
  const double x = normal[0], y = normal[1], z = normal[2];
  return 0.25 * std::sqrt(2.0 * std::sqrt(x * x * y * y + y * y * z * z + z * z * x * x));
}

WallLayers wall_layers(const Mesh& mesh, const AirMask& air, const std::array<AxisCrossings, 3>& crossings,
                       const std::vector<std::array<float, 3>>& normals) {
  constexpr double rounding = 1e-6;  // of normals in single precision: the standoff of a wall parallel to the grid is 0
  std::vector<double> min_distance;  // of each triangle
  for (const auto& normal : normals) min_distance.push_back(standoff(normal) - rounding);
  WallLayers layers;
  layers.bordering.assign(mesh.materials.size(), std::array<double, 3>{});
  const auto size = air.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    for (std::size_t l = 0; l + 1 < crossings[axis].line_begin.size(); ++l) {
      std::array<int, 3> before{};
      before[a] = static_cast<int>(l % static_cast<std::size_t>(size[a]));
      before[b] = static_cast<int>(l / static_cast<std::size_t>(size[a]));
      const auto line = crossings[axis].line(l);
      for (std::size_t i = 0; i < line.size(); ++i) {
        const Crossing& one = line[i];
        before[axis] = one.link - 1;
        auto after = before;
        ++after[axis];
        const bool below = air(before[0], before[1], before[2]), above = air(after[0], after[1], after[2]);
        const bool first = i == 0 || line[i - 1].link != one.link;
        const bool last = i + 1 == line.size() || line[i + 1].link != one.link;
        // One voxel for each link: a plate thinner than the grid is one wall, halfway between its two faces.
        if (first && below && above)
          layers.thin.push_back(0.5F * (one.at + (last ? one : line[i + 1]).at) <= 0.5F ? before : after);
        const double across = std::abs(static_cast<double>(normals[one.triangle][axis]));
        double& bordering = layers.bordering[mesh.material[one.triangle]][axis];
        // Air is adjacent to the first surface that the link crosses, unless the voxel's centre lies in the surface.
        if (below && one.at > 0.0F && first) {
          bordering += across;
          if (!above && one.at * across < min_distance[one.triangle]) layers.notches.push_back(before);
        }
        if (above && one.at < 1.0F && last) {
          bordering += across;
          if (!below && (1.0F - one.at) * across < min_distance[one.triangle]) layers.notches.push_back(after);
        }
      }
    }
  }
  return layers;
}

}  // namespace fdtd
