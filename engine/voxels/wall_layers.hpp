// Voxels that become wall although their centres are in the air, and the area of surface next to air before that.
//
// A surface with air on both sides becomes a layer of wall one voxel thick, so that nodes on its two sides are not
// neighbours. Next to an oblique surface of unit normal n a voxel is air only if its centre is farther than
//   h/4 sqrt(2 sqrt(nx^2 ny^2 + ny^2 nz^2 + nz^2 nx^2))
// from it: 0 for a surface parallel to the grid, h/4 at 45 degrees to two axes. Why, and how it is fitted:
// docs/explanation/walls.md, section 6, whole voxels. Areas are corrected for the smaller volume (voxelise_mesh.hpp), so
// that decay times do not change.
#pragma once

#include <array>
#include <vector>

#include "engine/voxels/shared/plane_partition.hpp"
#include "engine/voxels/shared/shared_mask.hpp"
#include "engine/voxels/space/crossings.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// In units of the spacing; `normal` of length 1, or zero: 0.
double standoff(const std::array<float, 3>& normal);

struct WallLayers {
  // Voxels of the own planes:
  std::vector<std::array<int, 3>> thin;     // of surfaces with air on both sides
  std::vector<std::array<int, 3>> notches;  // next to oblique surfaces without air behind them
  // By material of the mesh and axis d: sum over links and sides of |n_d| of the facets next to air, those between which
  // the air is narrower than a link included. Of the whole room.
  std::vector<std::array<double, 3>> bordering;
};

// `air`: the voxels that links reach, of the own planes and one more on both sides; `crossings`: of the own planes;
// `normals`: one for each triangle. A voxel may be listed more than once. All processes that share the room make this
// call.
WallLayers wall_layers(const Mesh& mesh, const std::array<int, 3>& size, const MaskPlanes& air,
                       const std::array<AxisCrossings, 3>& crossings, const std::vector<std::array<float, 3>>& normals,
                       const PlanePartition& partition);

}  // namespace fdtd
