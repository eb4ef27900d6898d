#include "engine/voxels/space/point_places.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;

bool in_grid(const MeshGrid& grid, const Voxel& v) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (v[d] < 0 || v[d] >= grid.size[d]) return false;
  }
  return true;
}

constexpr std::size_t points_a_pass = 256;  // over the mesh: the triangles near all of them are in memory

// Whether a point lies within a voxel of the grid.
bool at_grid(const MeshGrid& grid, const Point& at) {
  for (std::size_t d = 0; d < 3; ++d) {
    const double voxels = std::floor((at[d] - grid.corner[d]) / grid.spacing[d]);
    if (!(voxels >= -1.0 && voxels <= grid.size[d])) return false;
  }
  return true;
}

std::vector<Voxel> seen_from(const Mesh& mesh, const MeshGrid& grid, const Point& at,
                             const std::vector<std::uint32_t>& near) {
  const Voxel home = voxel_around(grid, at);
  std::vector<std::pair<double, Voxel>> seen;
  for (int i = 0; i < 27; ++i) {
    const Voxel v = {home[0] + i % 3 - 1, home[1] + i / 3 % 3 - 1, home[2] + i / 9 - 1};
    const Point centre = centre_of(grid, v);
    if (!in_grid(grid, v) || !free_between(mesh, near, at, centre)) continue;
    seen.emplace_back(std::hypot(centre[0] - at[0], centre[1] - at[1], centre[2] - at[2]), v);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<Voxel> voxels;
  for (const auto& [distance, v] : seen) voxels.push_back(v);
  return voxels;
}

}  // namespace

Point centre_of(const MeshGrid& grid, const Voxel& v) {
  Point p{};
  for (std::size_t d = 0; d < 3; ++d) p[d] = grid.corner[d] + (v[d] + 0.5) * grid.spacing[d];
  return p;
}

std::array<int, 3> voxel_around(const MeshGrid& grid, const Point& at) {
  Voxel voxel{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double voxels = std::floor((at[d] - grid.corner[d]) / grid.spacing[d]);
    voxel[d] = static_cast<int>(std::clamp(voxels, -2.0, grid.size[d] + 1.0));
  }
  return voxel;
}

std::vector<std::vector<Voxel>> voxels_in_sight(const Mesh& mesh, const MeshGrid& grid,
                                                const std::vector<Point>& points) {
  std::vector<std::vector<Voxel>> all(points.size());
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (at_grid(grid, points[i])) numbers.push_back(i);
  for (std::size_t first = 0; first < numbers.size(); first += points_a_pass) {
    const std::size_t last = std::min(numbers.size(), first + points_a_pass);
    std::vector<AxisBox> boxes;
    for (std::size_t n = first; n < last; ++n) {
      AxisBox& box = boxes.emplace_back();
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = points[numbers[n]][d] - 2.0 * grid.spacing[d];
        box.high[d] = points[numbers[n]][d] + 2.0 * grid.spacing[d];
      }
    }
    const std::vector<std::vector<std::uint32_t>> near = triangles_near(mesh, boxes);
    for (std::size_t n = first; n < last; ++n)
      all[numbers[n]] = seen_from(mesh, grid, points[numbers[n]], near[n - first]);
  }
  return all;
}

std::vector<std::vector<std::int64_t>> parts_of(const SpaceParts& parts,
                                                const std::vector<std::vector<Voxel>>& voxels) {
  std::vector<Voxel> all;
  for (const std::vector<Voxel>& some : voxels) all.insert(all.end(), some.begin(), some.end());
  const std::vector<std::int64_t> found = parts.parts_at(all);
  std::vector<std::vector<std::int64_t>> lists;
  auto next = found.begin();
  for (const std::vector<Voxel>& some : voxels) {
    const auto end = next + static_cast<std::ptrdiff_t>(some.size());
    lists.emplace_back(next, end);
    next = end;
  }
  return lists;
}

PlacedPoint place(const std::vector<Voxel>& in_sight, const std::vector<std::int64_t>& parts) {
  PlacedPoint point;
  for (std::size_t i = 0; i < in_sight.size(); ++i) {
    const std::int64_t part = parts[i];
    if (part == SpaceParts::none) continue;
    if (point.where != PlacedPoint::Where::hidden && part == SpaceParts::outside) continue;
    point = {part == SpaceParts::outside ? PlacedPoint::Where::outside : PlacedPoint::Where::apart, in_sight[i], part,
             0.0};
    if (part != SpaceParts::outside) break;
  }
  return point;
}

}  // namespace fdtd
