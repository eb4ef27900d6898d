// Voxelises a mesh. A voxel's centre is in air when lines between voxel centres that no facet crosses (crossings.hpp)
// connect it to a source: the orientation of facets has no effect, and neither have gaps finer than the grid.
//
// Where voxels may be cut (`MeshGrid::cut`), cut_room.hpp gives nodes their fractions of volume, passages and wall.
// Else voxels are whole, and a surface with air on both sides becomes a layer of wall one voxel thick. Each boundary
// face has the material of the facet behind it. A staircase has too much surface, and its voxels do not end at the wall.
// Therefore the area of a face is
//   |n_d| of its facet (the projections of a plane on the axes, weighted by |n_d|, sum to its area; S. Bilbao, B.
//   Hamilton, J. Botts, L. Savioja, Finite volume time domain room acoustics simulation under general impedance
//   boundary conditions, IEEE/ACM TASLP 24, 2016, use the projections),
//   times two ratios for each material and axis: area next to air before voxels near the surface became wall
//   (wall_layers.hpp) / sum over the faces, and projected area of the surface / area of the lines that cross it,
//   times volume of the air in voxels / volume between the facets, because the decay time of a room depends on volume
//   over surface.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/space/leak.hpp"
#include "engine/voxels/space/mesh_grid.hpp"
#include "engine/voxels/space/point_places.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct MeshVoxels {
  Voxels voxels;                     // no air when a source is not in air. Faces and cut voxels: of the own planes
  std::vector<PlacedPoint> sources;  // one for each source, in order
  std::vector<PlacedPoint> receivers;
  std::optional<std::size_t> leaking;  // the first source connected to the border of the grid
  double air_volume = 0.0;             // m3, between the facets
  std::vector<double> areas;           // m2, next to air, of each material of the mesh
  std::int64_t thin_voxels = 0;        // wall voxels of surfaces with air on both sides
  std::vector<MeshOpening> openings;   // of MeshGrid::openings; the widest first
  bool searched = false;               // for openings; false where the grid has too many voxels
};

// `materials`: the scene's material for each material of the mesh. Positions in metres. The result does not depend on
// the number of threads. All processes that share the grid make this call, and all have the air of the whole room, its
// sums, and where the points are. Memory besides the result: half a byte for each voxel of the own planes, and the
// crossings of the surface near them.
MeshVoxels voxelise_mesh(const Mesh& mesh, const std::vector<std::string>& materials, const MeshGrid& grid,
                         const std::vector<std::array<double, 3>>& sources,
                         const std::vector<std::array<double, 3>>& receivers);

// The leak that connects source `source` to the border of the grid, in the coordinates of the mesh (m).
struct LeakPlace {
  std::array<double, 3> position{};
  double width = 0.0;  // m, approximate
};
LeakPlace locate_leak(const Mesh& mesh, const MeshGrid& grid, const std::array<int, 3>& voxel);

}  // namespace fdtd
