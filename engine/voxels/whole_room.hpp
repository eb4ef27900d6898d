// The faces of a room of whole voxels, with the areas of the surface that they stand for, and its volume: what a mesh
// makes of voxels that no wall cuts.
//
// Processes that share the room each have the faces of their own planes; sums over the room go plane by plane, so that
// they do not depend on the number of processes.
#pragma once

#include <array>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/space/crossings.hpp"
#include "engine/voxels/space/mesh_grid.hpp"
#include "engine/voxels/space/space_parts.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct WholeRoom {
  std::vector<BoundaryFace> faces;  // of the own planes, by node and side; material: of the mesh
  std::vector<double> areas;        // m2 of each material of the mesh, in the whole room
  double volume = 0.0;              // m3 of the whole room, between the facets
};

// Planes beyond the own ones whose crossings are looked at: of a wall voxel beside the last plane, the links around it.
inline constexpr int planes_beside_walls = 4;

// `crossings`: of the own planes and of planes_beside_walls more on both sides, with the hits of the own planes. `air`:
// of the whole room; `parts`: into which it is divided. `normals`: unit normals of the triangles. `bordering`: of
// wall_layers. All processes make this call.
WholeRoom whole_room(const Mesh& mesh, const MeshGrid& grid, const std::array<AxisCrossings, 3>& crossings,
                     const AirMask& air, const SpaceParts& parts, const std::vector<std::array<float, 3>>& normals,
                     const std::vector<std::array<double, 3>>& bordering, const PlanePartition& partition);

}  // namespace fdtd
