// Materials on the grid: the discrete law of a face, and the list of boundary nodes with their laws.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/materials/absorption.hpp"
#include "engine/plan/boundary.hpp"
#include "engine/plan/plan.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/voxels.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The material's branches in steps (D/T, E, F T) behind the inertance of the half cell between node and wall, h/(2c),
// or 1/(2 lambda_axis) in steps: with it the wall's plane is where it should be to second order. One series inertance
// before all branches is exact for any number of them. `fit.branches` must not be empty: a rigid wall has no law. A
// branch whose resonance has 4 points a wavelength or more is prewarped, so that the discrete resonance lies where the
// material's is: the trapezoidal rule reads 2 tan(w/2) for omega T, and with time-dispersion removal the grid's w
// stands for 2 sin(w/2). Throws Error (status scene) when a branch has D = E = F = 0.
WallLaw plain_wall_law(const MaterialFit& fit, int material, int axis, const Grid& grid, bool time_dispersion_removal);

// The laws of every material in `materials` (Voxels::materials) that is not rigid, ordered by material, then axis:
// WallLaw::material is the index in `materials`. For every axis the plain law, and two that read the pressure at the
// wall's plane (wall_taps.hpp), for walls before and behind the room. `fits` are found by name, std::invalid_argument
// if one is missing.
std::vector<WallLaw> make_wall_laws(const std::vector<std::string>& materials, std::span<const MaterialFit> fits,
                                    const Grid& grid, const GridStencil& stencil, bool time_dispersion_removal);

// Boundary nodes of `voxels` with their sites: faces of one law on one node become one site of weight lambda_axis times
// the sum of their areas; faces whose material has no law are rigid and carry nothing. Masses as the near-wall operator
// has them. Which sites take the law with taps, if there is one, tap_owners.hpp says; the plain law remains in corners,
// in the narrowest gaps and on nodes of a mass of their own. Throws Error (status resource) beyond 2^32 sites.
Boundary make_boundary(const Voxels& voxels, std::vector<WallLaw> laws, const Grid& grid, const NearWall& near_wall);

// Both at once.
Boundary make_boundary(const Voxels& voxels, std::span<const MaterialFit> fits, const Grid& grid,
                       const GridStencil& stencil, const NearWall& near_wall, bool time_dispersion_removal);

}  // namespace fdtd
