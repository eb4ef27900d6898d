#include "engine/voxels/shared/plane_borders.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {

std::vector<int> plane_borders(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
                               const std::array<double, 3>& corner, int count) {
  constexpr double a_voxel =
      0.01;  // the work for a voxel, in that for a face of wall: from bench/results/voxelise.json
  const auto planes = static_cast<std::size_t>(size[2]);
  std::vector<double> work(planes, a_voxel * size[0] * size[1]);
  const double face = std::pow(spacing[0] * spacing[1] * spacing[2], 2.0 / 3.0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const auto [low, high] = std::minmax({mesh.vertices[a][2], mesh.vertices[b][2], mesh.vertices[c][2]});
    const auto plane = [&](double z) {
      return static_cast<std::size_t>(std::clamp(std::floor((z - corner[2]) / spacing[2]), 0.0, size[2] - 1.0));
    };
    const std::size_t first = plane(low), last = plane(high);
    const auto v = area_vector(mesh, t);
    const double area = 0.5 * std::hypot(v[0], v[1], v[2]) / face / static_cast<double>(last - first + 1);
    for (std::size_t p = first; p <= last; ++p) work[p] += area;
  }
  double total = 0.0, sum = 0.0;
  for (const double one : work) total += one;
  std::vector<int> borders = {0};
  for (std::size_t p = 0; p < planes; ++p) {
    sum += work[p];
    while (static_cast<int>(borders.size()) < count &&
           sum >= total * static_cast<double>(borders.size()) / static_cast<double>(count))
      borders.push_back(static_cast<int>(p) + 1);
  }
  while (static_cast<int>(borders.size()) < count) borders.push_back(size[2]);
  borders.push_back(size[2]);
  return borders;
}

}  // namespace fdtd
