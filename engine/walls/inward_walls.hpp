// Oblique walls read the pressure of the nodes of cut voxels, which lie before and behind them. In modes whose wave
// numbers are k_n along the wall's normal and k_t along the wall, such a wall absorbs too much, by about
// (0.065 k_n^2 + 0.02 k_t^2) h^2 for leggy stencils. Area that is moved a little inward absorbs less of waves along the
// normal, cos^2(k_n d) of a wave at depth d, so that the mean over all directions is right to this order.
#pragma once

#include <vector>

#include "engine/walls/near_wall_operator.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

// The share of a cut voxel's wall that moves to the next node inward along axis d, over the component n_d of the wall's
// normal: the wall moves inward by this share of a voxel in the mean, whatever its direction. Measured on the modes of
// slabs between parallel planes, normals (1, 2, 3), (1, 1, 1), (2, 3, 7) and (1, 0, 7), legs of 2 to 8: decays 1.3 and
// 4.4 % too fast (11 and 6 points a wavelength) come within 0.5 %; normal (3, 4, 0): from 1.6 and 6 % to 0.5 and 2 %,
// with legs of 2 from 2.3 and 14 to 1.1 and 10 %.
inline constexpr double inward_share = 0.15;
// The same for products of radius 2.
inline constexpr double inward_share_of_products = 0.08;

// `share` of the walls of all nodes with a volume other than 1, in the order of their numbers; none beyond a closed
// passage.
std::vector<MovedWall> moved_inward(const AirMask& air, const CutVoxels& cut, double share = inward_share);

}  // namespace fdtd
