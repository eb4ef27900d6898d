// Materials on the grid: the discrete law of a face, and the list of boundary nodes with their laws.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/materials/material_fit.hpp"
#include "engine/plan/boundary.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/wall_taps.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The branches of a material in steps (D/T, E, F T) behind the inertance of the half cell between node and wall,
// h/(2c), or 1/(2 lambda_axis) in steps, for a law that reads one node. It is the law of materials that are not fitted
// to the grid, because they have no losses. `fit.branches` must not be empty: a rigid wall has no law. A branch
// whose resonance has 4 points per wavelength or more is prewarped, so that the discrete resonance has the material's
// frequency: the trapezoidal rule yields 2 tan(w/2) for omega T, and where rendering undoes a map of frequencies the grid's w
// corresponds to 2 sin(w/2). Throws Error (status scene) when a branch has D = E = F = 0.
WallLaw plain_wall_law(const MaterialFit& fit, int material, int axis, const Grid& grid, const FrequencyMap& map);

// The laws of every material of `fits`, in the order of Voxels::materials, that is not rigid, ordered by material, then
// axis: WallLaw::material is the index in `fits`. For every axis the plain law, which reads one node, and two that read
// the pressure at the wall's plane (wall_taps.hpp), for the walls at either end of the axis; where these read more than
// few_wall_taps nodes, two more that read so many, for places without room for the others. Their branches are fitted
// on the grid's own frequency axis (grid_fit.hpp) up to `max_frequency` (Hz); 0: up to four points a wavelength. How
// many nodes that is follows from `wall_error` and from the room (room_for_taps).
std::vector<WallLaw> make_wall_laws(std::span<const MaterialFit> fits, const Grid& grid, const GridStencil& stencil,
                                    const FrequencyMap& map, double max_frequency = 0.0,
                                    double wall_error = TapNeed{}.wall_error);

// Without the laws that a wall has only where there is no room for others.
std::vector<WallLaw> widest_laws(std::vector<WallLaw> laws);

// Boundary nodes of `voxels` with their sites: faces of one law on one node become one site of weight lambda_axis times
// the sum of their areas; faces whose material has no law are rigid and have no site. Masses are those of the near-wall
// operator. tap_owners.hpp chooses the sites that have a law with taps; the plain law remains in some corners, in the
// narrowest gaps and on nodes whose mass is not 1. Throws Error (status resource) beyond 2^32 sites.
Boundary make_boundary(const Voxels& voxels, std::vector<WallLaw> laws, const Grid& grid, const NearWall& near_wall);

// Fractions of the area of walls with losses, by the number of nodes that they read, ascending; empty without such
// walls.
struct TapFraction {
  int taps = 0;
  double fraction = 0.0;
};
std::vector<TapFraction> tap_fractions(const Boundary& boundary);
std::vector<TapFraction> fractions_of(const std::map<int, double>& areas);  // by taps, in any unit

// Laws and boundary in one call; `fits` in the order of Voxels::materials.
Boundary make_boundary(const Voxels& voxels, std::span<const MaterialFit> fits, const Grid& grid,
                       const GridStencil& stencil, const NearWall& near_wall, const FrequencyMap& map,
                       double max_frequency = 0.0);

}  // namespace fdtd
