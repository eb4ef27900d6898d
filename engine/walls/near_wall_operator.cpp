#include "engine/walls/near_wall_operator.hpp"

#include <algorithm>
#include <string>

#include "engine/error.hpp"
#include "engine/walls/rows.hpp"

namespace fdtd {
namespace {

bool sum_over_axes(const GridStencil& stencil) {
  return std::all_of(stencil.terms.begin(), stencil.terms.end(),
                     [](const Term& term) { return image_count(term) == 2; });
}

}  // namespace

bool knows_cut_voxels(const GridStencil& stencil) {
  constexpr int max_radius = 2;  // products: rows of all (2 radius + 1)^3 points are nearly all different
  if (sum_over_axes(stencil)) return within_bounds(stencil);
  return stencil.proof == WallProof::all_mask && stencil.radius <= max_radius;
}

NearWall make_near_wall(const GridStencil& stencil, const Voxels& voxels) {
  return voxels.cut.empty() ? make_near_wall(stencil, voxels.air) : cut_walls(stencil, voxels.air, voxels.cut);
}

NearWall make_near_wall(const GridStencil& stencil, const AirMask& air, WallMethod method) {
  constexpr int max_radius = 31;  // Neighbourhood holds a row in one word
  if (stencil.radius > max_radius)
    throw Error(Status::scene,
                "walls: a stencil reaches at most 31 nodes; this one has radius " + std::to_string(stencil.radius));
  if (method == WallMethod::automatic) {
    // A sum over the axes needs no certificate; in a box the axes' folds commute, and all weights are stable.
    method = sum_over_axes(stencil)                                  ? WallMethod::run_fold
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
