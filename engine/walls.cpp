#include "engine/walls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/error.hpp"
#include "engine/walls_rows.hpp"

namespace fdtd {
namespace {

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(T));
}

}  // namespace

namespace {

bool sum_over_axes(const GridStencil& stencil) {
  return std::all_of(stencil.terms.begin(), stencil.terms.end(),
                     [](const Term& term) { return image_count(term) == 2; });
}

}  // namespace

bool knows_cut_voxels(const GridStencil& stencil) {
  constexpr int widest = 2;  // products: rows of all (2 radius + 1)^3 points are nearly all different
  return sum_over_axes(stencil) || (stencil.proof == WallProof::all_mask && stencil.radius <= widest);
}

NearWall make_near_wall(const GridStencil& stencil, const Voxels& voxels) {
  return voxels.cut.empty() ? make_near_wall(stencil, voxels.air) : cut_walls(stencil, voxels.air, voxels.cut);
}

std::int64_t NearWall::bytes() const {
  return bytes_of(entries) + bytes_of(pattern_begin) + bytes_of(segments) + bytes_of(masses);
}

NearWall make_near_wall(const GridStencil& stencil, const AirMask& air, WallMethod method) {
  constexpr int widest = 31;  // Neighbourhood holds a row in one word
  if (stencil.radius > widest)
    throw Error(Status::scene,
                "walls: a stencil reaches at most 31 nodes; this one has radius " + std::to_string(stencil.radius));
  if (method == WallMethod::automatic) {
    // A sum over the axes needs no certificate; in a box the axes' folds commute, and any weights are stable.
    method = sum_over_axes(stencil)                                  ? WallMethod::run_fold
             : air.all_air() || stencil.proof == WallProof::all_mask ? WallMethod::symmetrised_fold
                                                                     : WallMethod::block;
  }
  if (method == WallMethod::run_fold) return run_fold_walls(stencil, air);
  return method == WallMethod::block ? block_walls(stencil, air) : symmetrised_fold_walls(stencil, air);
}

NearWall rounded_to_float(const NearWall& walls) {
  const auto rounded = [](double weight) { return static_cast<double>(static_cast<float>(weight)); };
  NearWall out = walls;
  out.entries.clear();
  out.pattern_begin.assign(1, 0);
  for (std::size_t p = 0; p + 1 < walls.pattern_begin.size(); ++p) {
    RowEntry own;         // the weight at the node itself
    double excess = 0.0;  // of the rounded sum over the exact one
    for (std::uint64_t e = walls.pattern_begin[p]; e < walls.pattern_begin[p + 1]; ++e) {
      RowEntry entry = walls.entries[e];
      if (entry.offset == own.offset) {
        own.weight += entry.weight;
        continue;
      }
      entry.weight = rounded(entry.weight);
      excess += entry.weight - walls.entries[e].weight;
      if (entry.weight != 0.0) out.entries.push_back(entry);
    }
    const double wanted = own.weight - excess;
    float weight = static_cast<float>(wanted);
    // What is left of the additions in double is no excess: the stencil's own weights carry as much.
    if (static_cast<double>(weight) > wanted + 1e-15)
      weight = std::nextafter(weight, -std::numeric_limits<float>::infinity());
    own.weight = weight;
    if (own.weight != 0.0) out.entries.push_back(own);
    out.pattern_begin.push_back(out.entries.size());
  }
  return out;
}

std::int64_t near_wall_bytes_of_box(const GridStencil& stencil, std::array<int, 3> size) {
  const int r = stencil.radius;
  const std::array<int, 3> core = core_of_box(size, {r, r, r});
  const NearWall walls = make_near_wall(stencil, AirMask(core));
  return walls.bytes() + static_cast<std::int64_t>(sizeof(WallSegment)) *
                             (inflated_segments(walls, core, size) - static_cast<std::int64_t>(walls.segments.size()));
}

}  // namespace fdtd
