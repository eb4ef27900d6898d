// The steady flow through a narrow opening: in the mesh, and on a grid. Well below the frequency whose wavelength is
// that of the opening its conductance is all that the sound beyond it depends on (Lord Rayleigh, The Theory of Sound,
// chapter 16): a grid whose passages there have the conductance of the mesh has the levels behind it, and the resonance
// of a cavity.
//
// Where voxels may be cut the passages through which the two parts of space meet are scaled until they have it: any
// fractions are stable (secured_cut.hpp), and no volume changes.
#pragma once

#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/openings/grid_sides.hpp"
#include "engine/voxels/openings/narrow_openings.hpp"
#include "engine/voxels/space/mesh_grid.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// Fits cut passages of a room that has been voxelised to its narrow openings, those that the grid has closed included,
// and returns what it then has of each, the widest first. All processes that share the grid make this call, and all have the whole list.
std::vector<MeshOpening> fit_openings(const Mesh& mesh, const MeshGrid& grid, const SpaceRegions& regions,
                                      const GridSides& sides, Voxels& voxels);

}  // namespace fdtd
