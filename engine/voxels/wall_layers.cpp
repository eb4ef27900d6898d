#include "engine/voxels/wall_layers.hpp"

#include <algorithm>
#include <cmath>

#include "engine/voxels/shared/plane_sums.hpp"

namespace fdtd {

double standoff(const std::array<float, 3>& normal) {
  const double x = normal[0], y = normal[1], z = normal[2];
  return 0.25 * std::sqrt(2.0 * std::sqrt(x * x * y * y + y * y * z * z + z * z * x * x));
}

namespace {

// Is there air beside a link, at most one plane from `plane`?
bool beside_air(const MaskPlanes& air, const std::array<int, 3>& before, const std::array<int, 3>& after, int plane) {
  for (int z = std::max(before[2] - 1, plane - 1); z <= std::min(after[2] + 1, plane + 1); ++z)
    for (int y = before[1] - 1; y <= after[1] + 1; ++y)
      for (int x = before[0] - 1; x <= after[0] + 1; ++x)
        if (air(x, y, z)) return true;
  return false;
}

}  // namespace

WallLayers wall_layers(const Mesh& mesh, const std::array<int, 3>& size, const MaskPlanes& air,
                       const std::array<AxisCrossings, 3>& crossings, const std::vector<std::array<float, 3>>& normals,
                       const PlanePartition& partition) {
  constexpr double rounding = 1e-6;  // of normals in single precision: the standoff of a wall parallel to the grid is 0
  std::vector<double> min_distance;  // of each triangle
  for (const auto& normal : normals) min_distance.push_back(standoff(normal) - rounding);
  WallLayers layers;
  const auto [begin, end] = partition.planes(size[2]);
  const auto own = [first = begin, last = end](int plane) { return first <= plane && plane < last; };
  const auto list = [&](const std::array<int, 3>& voxel, std::vector<std::array<int, 3>>& into) {
    if (own(voxel[2])) into.push_back(voxel);
  };
  PlaneSums sums(begin, end, 3 * mesh.materials.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    const auto lines_a_row = static_cast<std::uint64_t>(size[a]);
    const auto first_row = static_cast<std::uint64_t>(axis == 2 ? 0 : begin),
               last_row = static_cast<std::uint64_t>(axis == 2 ? size[1] : end);
    for (std::uint64_t l = lines_a_row * first_row; l < lines_a_row * last_row; ++l) {
      std::array<int, 3> before{};
      before[a] = static_cast<int>(l % lines_a_row);
      before[b] = static_cast<int>(l / lines_a_row);
      const auto line = crossings[axis].line(l);
      for (std::size_t i = 0; i < line.size(); ++i) {
        const Crossing& one = line[i];
        before[axis] = one.link - 1;
        auto after = before;
        ++after[axis];
        if (!own(before[2]) && !own(after[2])) continue;
        const bool below = air(before[0], before[1], before[2]), above = air(after[0], after[1], after[2]);
        const bool first = i == 0 || line[i - 1].link != one.link;
        const bool last = i + 1 == line.size() || line[i + 1].link != one.link;
        // One voxel for each link: a plate thinner than the grid is one wall, halfway between its two faces.
        if (first && below && above)
          list(0.5F * (one.at + (last ? one : line[i + 1]).at) <= 0.5F ? before : after, layers.thin);
        const double across = std::abs(static_cast<double>(normals[one.triangle][axis]));
        // A link along z is that of the plane above it; the uppermost, of the last plane.
        const int plane = std::min(after[2], size[2] - 1);
        const auto border = [&] {
          if (own(plane)) sums.at(plane, 3 * std::size_t{mesh.material[one.triangle]} + axis) += across;
        };
        // Between two surfaces on a link that reaches no centre in the air: the room's edge, or a gap finer than the grid.
        if (!below && !above && first != last && beside_air(air, before, after, plane)) border();
        // Air is adjacent to the first surface that the link crosses, unless the voxel's centre lies in the surface.
        if (below && one.at > 0.0F && first) {
          border();
          if (!above && one.at * across < min_distance[one.triangle]) list(before, layers.notches);
        }
        if (above && one.at < 1.0F && last) {
          border();
          if (!below && (1.0F - one.at) * across < min_distance[one.triangle]) list(after, layers.notches);
        }
      }
    }
  }
  const std::vector<double> total = sums.total(partition);
  for (std::size_t m = 0; m < mesh.materials.size(); ++m)
    layers.bordering.push_back({total[3 * m], total[3 * m + 1], total[3 * m + 2]});
  return layers;
}

}  // namespace fdtd
