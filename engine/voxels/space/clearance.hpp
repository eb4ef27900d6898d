// How far a voxel is from the next surface, in voxels.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/voxels/space/space_parts.hpp"

namespace fdtd {

inline constexpr int widest_clearance = 254;

// For each voxel of the grid, x + nx (y + ny z): the chessboard distance to the next voxel with a closed link, at most
// widest_clearance (A. Rosenfeld, J. L. Pfaltz, Distance functions on digital pictures, Pattern Recognition 1, 1968).
// `open`: of all planes.
std::vector<std::uint8_t> clearances(const std::array<int, 3>& size, const OpenLinks& open);

}  // namespace fdtd
