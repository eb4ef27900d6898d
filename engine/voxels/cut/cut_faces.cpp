#include "engine/voxels/cut/cut_faces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/parallel_sort.hpp"

namespace fdtd {
namespace {

// The areas of a part's walls, in m2: as sampled by lines, corrected least so that their vectors sum to the true one.
std::vector<double> wall_areas(std::span<const CutCells::Wall> walls, const std::array<double, 3>& outward) {
  std::vector<double> areas;
  std::array<std::array<double, 3>, 3> matrix{};
  std::array<double, 3> missing = outward;
  double trace = 0.0;
  for (const CutCells::Wall& wall : walls) {
    areas.push_back(static_cast<double>(wall.area));
    if (!(wall.area > 0.0F)) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      missing[d] -= static_cast<double>(wall.outward[d]);
      for (std::size_t e = 0; e < 3; ++e)
        matrix[d][e] += static_cast<double>(wall.outward[d]) * static_cast<double>(wall.outward[e]) /
                        static_cast<double>(wall.area);
      trace +=
          static_cast<double>(wall.outward[d]) * static_cast<double>(wall.outward[d]) / static_cast<double>(wall.area);
    }
  }
  if (!(trace > 0.0)) return areas;
  for (std::size_t d = 0; d < 3; ++d) matrix[d][d] += 1e-6 * trace;
  const std::array<double, 3> factor = solve_symmetric(matrix, missing);
  for (std::size_t w = 0; w < walls.size(); ++w) {
    double change = 0.0;
    for (std::size_t d = 0; d < 3; ++d) change += factor[d] * static_cast<double>(walls[w].outward[d]);
    areas[w] = std::max(0.0, areas[w] + change);
  }
  return areas;
}

auto key(const FaceArea& one) { return std::tie(one.node, one.side, one.material); }

}  // namespace

void add_walls(const CutCells::Layer& layer, const CutCells::Part& part, std::uint64_t node,
               const std::array<double, 3>& face_areas, std::vector<FaceArea>& into) {
  const std::span<const CutCells::Wall> walls(layer.walls.data() + part.wall_begin, part.wall_end - part.wall_begin);
  std::array<double, 3> outward{};
  for (std::size_t d = 0; d < 3; ++d)
    outward[d] = (static_cast<double>(part.face[2 * d]) - static_cast<double>(part.face[2 * d + 1])) * face_areas[d];
  const std::vector<double> areas = wall_areas(walls, outward);
  for (std::size_t w = 0; w < walls.size(); ++w)
    if (areas[w] > 0.0) into.push_back({node, walls[w].material, walls[w].side, areas[w]});
}

std::vector<BoundaryFace> make_faces(std::vector<FaceArea>& areas, const std::array<double, 3>& face_areas,
                                     std::uint64_t nodes_a_plane, std::vector<MaterialArea>& of_material) {
  constexpr double min_area = 1e-3;  // in faces
  sort_stably(areas, [](const FaceArea& a, const FaceArea& b) { return key(a) < key(b); });
  std::vector<BoundaryFace> faces;
  std::map<std::pair<std::uint64_t, std::uint16_t>, double> sums;  // by plane and material
  for (std::size_t i = 0; i < areas.size();) {
    FaceArea one = areas[i];
    one.area = 0.0;
    for (; i < areas.size() && key(areas[i]) == key(one); ++i) one.area += areas[i].area;
    double fraction = one.area / face_areas[one.side / 2U];
    if (fraction < min_area) continue;
    if (std::abs(fraction - 1.0) < 2.0 * min_volume) fraction = 1.0;
    const std::uint64_t plane = one.node / nodes_a_plane;
    sums[{plane, one.material}] += fraction * face_areas[one.side / 2U];
    faces.push_back({one.node, static_cast<float>(fraction), one.material, one.side});
  }
  for (const auto& [key_of_sum, area] : sums) of_material.push_back({key_of_sum.first, key_of_sum.second, area});
  return faces;
}

}  // namespace fdtd
