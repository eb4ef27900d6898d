// A mesh as voxels. A voxel is air when its centre can be reached from a source's along links between centres that no
// facet crosses (crossings.hpp): what is inside, which way facets are turned and whether the mesh is closed below the
// grid's scale never matters. A surface with air on both sides becomes a layer of wall one voxel thick, the voxels
// next to it on the lattice; boundary faces know the facet behind them.
//
// Staircases have too much surface, and voxels end where the wall does not: a face's area is
//   |n_d| of its facet (a plane's projections on the axes, weighed by |n_d|, sum to its area; S. Bilbao, B. Hamilton, J. Botts, L.
//   Savioja, Finite volume time domain room acoustics simulation under general impedance boundary conditions, IEEE/ACM
//   TASLP 24, 2016, have the projections),
//   times, a material and axis, what borders on air before voxels near to it became wall (wall_layers.hpp) over what the
//   faces add up to, and the surface's projected area over that of the lines that hit it,
//   times the air's volume in voxels, cut or whole, over its volume between the facets: a room's decay goes with surface over volume.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenes/leak.hpp"
#include "scenes/mesh.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

struct MeshGrid {
  std::array<int, 3> size{};
  std::array<double, 3> spacing{};  // m
  std::array<double, 3> corner{};   // m, of the grid in the mesh's coordinates
  // Voxels that oblique walls cut are told as such (cut_voxels.hpp). Without it they are whole, and those too near to
  // such walls are wall (wall_layers.hpp): for stencils whose walls know whole voxels alone.
  bool cut = false;
};

// A source or a receiver, and where it was found.
struct PlacedPoint {
  enum class Where {
    air,      // of the room that is simulated
    outside,  // from here the grid's rim is reached
    apart,    // in a closed part of space without a source: inside an object, or another room
    hidden    // too close between surfaces: no voxel's centre is in sight
  };
  Where where = Where::hidden;
  std::array<int, 3> voxel{};  // in sight, the nearest; of `air` an air voxel
  std::int64_t part = 0;       // of space; the same number: one can hear the other
  double part_volume = 0.0;    // m3; of `apart`
};

struct MeshVoxels {
  Voxels voxels;                     // `materials` as asked for; no air when a source is not placed in air
  std::vector<PlacedPoint> sources;  // one a source, in order
  std::vector<PlacedPoint> receivers;
  std::optional<std::size_t> leaking;  // the first source from which the grid's rim is reached
  double air_volume = 0.0;             // m3, between the facets
  std::vector<double> areas;           // m2, one a material of the mesh: what borders on air
  std::int64_t thin_voxels = 0;        // made wall for surfaces with air on both sides
};

// `materials` names the material of each of the mesh's. Positions in metres. The same for any number of threads; takes
// half a byte a voxel beside the result, and what the surface takes.
MeshVoxels voxelise_mesh(const Mesh& mesh, const std::vector<std::string>& materials, const MeshGrid& grid,
                         const std::vector<std::array<double, 3>>& sources,
                         const std::vector<std::array<double, 3>>& receivers);

// The leak by which source `source` reaches the rim, in the mesh's metres.
struct LeakPlace {
  std::array<double, 3> position{};
  double width = 0.0;  // m, about
};
LeakPlace locate_leak(const Mesh& mesh, const MeshGrid& grid, const std::array<int, 3>& voxel);

}  // namespace fdtd
