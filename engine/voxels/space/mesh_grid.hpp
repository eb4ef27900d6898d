// The grid on which a mesh is voxelised, and what is said of the mesh's narrow openings on it.
#pragma once

#include <array>
#include <cstdint>

#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd {

struct MeshGrid {
  std::array<int, 3> size{};
  std::array<double, 3> spacing{};  // m
  std::array<double, 3> corner{};   // m, of the grid in the mesh's coordinates
  // Voxels that walls cut get fractions of volume and passages (cut_room.hpp). Without it, for stencils whose walls need
  // whole voxels, voxels too near to oblique walls are wall (wall_layers.hpp).
  bool cut = false;
  // Of processes that share the grid: each looks at the mesh near its own planes alone (plane_borders.hpp chooses those
  // for like parts of the work). The result does not depend on their number.
  PlanePartition partition{};
  // Cut voxels may be linked across their edges (CutLink): for stencils that are sums over the axes.
  bool linked = true;
  // Openings that are narrow for the grid are looked for, and the passages of cut voxels fitted to them.
  bool openings = false;
};

// An opening between two parts of the room that is narrow for the grid (narrow_openings.hpp).
struct MeshOpening {
  std::array<double, 3> position{};  // m, in the coordinates of the mesh
  double width = 0.0;                // m, the shorter side
  double behind = 0.0;               // m3, of the smaller of its two parts
  // Its conductance for a steady flow on the grid over that in the mesh: 1 where the grid is right; 0: closed.
  double conductance = 1.0;
  double wave = 0.0;  // 1/m: waves up to here pass as in the mesh, within 2 dB (opening_flow.hpp)
  // 1/m: where a dead end behind it resonates with the air in its openings (Helmholtz), in the mesh and on the grid; 0:
  // nowhere.
  double resonance = 0.0, resonance_on_grid = 0.0;
  std::array<std::uint32_t, 2> parts{};  // of SpaceRegions, that it joins
};

}  // namespace fdtd
