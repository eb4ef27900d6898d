#include "engine/walls/near_wall_operator.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "base/parallel_sort.hpp"
#include "engine/walls/rows.hpp"

namespace fdtd {

bool is_sum_over_axes(const GridStencil& stencil) {
  return std::all_of(stencil.terms.begin(), stencil.terms.end(),
                     [](const Term& term) { return image_count(term) == 2; });
}

bool knows_cut_voxels(const GridStencil& stencil) {
  constexpr int max_radius = 2;  // products: rows of all (2 radius + 1)^3 points are nearly all different
  if (is_sum_over_axes(stencil)) return within_bounds(stencil);
  return stencil.proof == WallProof::all_mask && stencil.radius <= max_radius;
}

NearWall make_near_wall(const GridStencil& stencil, const Voxels& voxels, std::vector<MovedWall>* moved) {
  return voxels.cut.empty() ? make_near_wall(stencil, voxels.air) : cut_walls(stencil, voxels.air, voxels.cut, moved);
}

void move_walls(std::vector<BoundaryFace>& faces, const std::vector<MovedWall>& fractions) {
  constexpr double min_area = 1e-3;  // in faces; smaller areas stay
  std::vector<BoundaryFace> moved;
  auto at = fractions.begin();
  for (BoundaryFace& face : faces) {
    while (at != fractions.end() && at->from < face.node) ++at;
    double left = static_cast<double>(face.area);
    for (auto one = at; one != fractions.end() && one->from == face.node; ++one) {
      const double area = std::min(left, one->fraction * static_cast<double>(face.area));
      if (area < min_area) continue;
      moved.push_back({one->to, static_cast<float>(area), face.material, face.side});
      left -= static_cast<double>(moved.back().area);
    }
    face.area = static_cast<float>(std::max(0.0, left));
  }
  if (moved.empty()) return;
  std::erase_if(faces, [](const BoundaryFace& face) { return !(face.area > 0.0F); });
  const auto key = [](const BoundaryFace& face) { return std::tie(face.node, face.side, face.material); };
  const auto before = [&](const BoundaryFace& a, const BoundaryFace& b) { return key(a) < key(b); };
  for (std::vector<BoundaryFace>* list : {&faces, &moved})  // mostly in order
    if (!std::is_sorted(list->begin(), list->end(), before)) sort_stably(*list, before);
  std::vector<BoundaryFace> all;
  all.reserve(faces.size() + moved.size());
  std::merge(faces.begin(), faces.end(), moved.begin(), moved.end(), std::back_inserter(all), before);
  faces = std::move(all);
  std::size_t last = 0;
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (key(faces[i]) == key(faces[last]))
      faces[last].area += faces[i].area;
    else
      faces[++last] = faces[i];
  }
  faces.resize(last + 1);
}

NearWall make_near_wall(const GridStencil& stencil, const AirMask& air, WallMethod method) {
  constexpr int max_radius = 31;  // Neighbourhood holds a row in one word
  if (stencil.radius > max_radius)
    throw Error(Status::scene,
                "walls: a stencil reaches at most 31 nodes; this one has radius " + std::to_string(stencil.radius));
  if (method == WallMethod::automatic) {
    // A sum over the axes needs no certificate; in a box the axes' folds commute, and all weights are stable.
    method = is_sum_over_axes(stencil)                               ? WallMethod::run_fold
             : air.all_air() || stencil.proof == WallProof::all_mask ? WallMethod::symmetrised_fold
                                                                     : WallMethod::block;
  }
  if (method == WallMethod::run_fold) return run_fold_walls(stencil, air);
  return method == WallMethod::block ? block_walls(stencil, air) : symmetrised_fold_walls(stencil, air);
}

std::int64_t near_wall_bytes_of_box(const GridStencil& stencil, std::array<int, 3> size) {
  const int r = stencil.radius;
  const std::array<int, 3> core = core_of_box(size, {r, r, r});
  const NearWall walls = make_near_wall(stencil, AirMask(core));
  return walls.bytes() + static_cast<std::int64_t>(sizeof(WallSegment)) *
                             (inflated_segments(walls, core, size) - static_cast<std::int64_t>(walls.segments.size()));
}

}  // namespace fdtd
