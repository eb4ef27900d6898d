// Oblique walls read the pressure of the nodes of cut voxels, which lie before and behind them. In modes whose wave
// numbers are k_n along the wall's normal and k_t along the wall, such a wall absorbs too much, by about
// (0.065 k_n^2 + 0.02 k_t^2) h^2 for leggy stencils. Area that is moved a little inward absorbs less of waves along the
// normal, cos^2(k_n d) of a wave at depth d, so that the mean over all directions is right to this order.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/walls/near_wall_operator.hpp"

namespace fdtd {

// The fraction of a cut voxel's wall that moves to the next node inward along axis d, over the component n_d of the
// wall's normal: the wall moves inward by this fraction of a voxel in the mean, whatever its direction. Of waves
// between planes (oblique_slab.hpp of the tests), ten normals, 6 points a wavelength, legs of 2 and more at 0.98 of the
// Courant limit:
// without it decays are 6 to 8 % too fast along the normal and 2 % at 70 degrees, with it 4 to 5 % too slow and right,
// which leaves the T20 of turned boxes within 2.4 % (bench/rooms/turned_box.py).
inline constexpr double inward_fraction = 0.15;
// The same for products of radius 2: 6 % too fast along the normal without it, 1 % with it.
inline constexpr double inward_fraction_of_products = 0.08;
// Of radial sets of radius 2.
inline constexpr double inward_fraction_of_radial = 0.15;

// Walls along the grid, of products. A voxel with less than half of its air has its node behind the wall, loosely coupled
// to the next one, and the field is too large there: waves between two such walls decay 10 to 30 % too fast at 4 points a
// wavelength where a quarter or less is air. This fraction of the wall reads the next node, and none where half or more is
// air: decays are within 8 % up to 0.7 (tests/physics/test_oblique_walls.cpp). `volume`: of the voxel's air.
inline double inward_fraction_along_grid(double volume) {
  constexpr double slope = 1.15;
  return slope * std::max(0.0, 0.5 - volume);
}

struct InwardFractions {
  double oblique = inward_fraction;  // of walls along no plane of the grid, and of all others
  bool along_grid = false;           // whether walls along the grid have their own
};

// Parts of the walls of all nodes with a volume other than 1, in the order of their numbers; none beyond a closed
// passage.
std::vector<MovedWall> moved_inward(const AirMask& air, const CutVoxels& cut, const InwardFractions& fractions = {});

}  // namespace fdtd
