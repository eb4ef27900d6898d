// Which sites read the pressure at the wall's plane from several nodes (wall_taps.hpp). No node may be read or worked
// at by two sites (boundary.hpp), and beside an edge between walls the sites of both want the same nodes: in the planes
// of nodes across the edge,
//
//     z                     walls at x = 0 and z = 0 (#), o: a node of both walls' sites. Each site reads three nodes:
//     those
//     # . . .               of wall x along a row, those of wall z along a column. The 3 x 3 nodes beside the edge lie
//     in
//     # o . .               three rows and three columns.
//     # o . .
//     # o o o . .
//       # # # # #  x
//
// There the walls take turns: in one plane the sites of one wall are there alone, with the area of their like in the
// next plane too; in that one the other wall's. Two neighbouring planes so absorb together what they should, with the
// field at the wall's plane for both. Read at the last node instead, half a cell before the wall, all of these strips
// would absorb too little by as much as cos^2(k/2); in a box of 15 cells across, at 9 points a wavelength,
// reverberation times were 4 to 5 % too long by that. What is left plain: corners, where three walls meet, planes
// without a partner, and nodes of a mass other than 1.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

inline constexpr std::uint32_t no_law = std::numeric_limits<std::uint32_t>::max();

struct WallSite {
  std::uint64_t node = 0;
  std::uint32_t law = 0, wide = no_law;  // the law that reads this node alone; the one that reads several, if it may
  double weight = 0.0;                   // BoundarySite::weight
};

// Gives `sites`, ordered by node, their law: `law` becomes `wide` where the nodes it reads are air, of mass 1 and free;
// sites that have left their area to a neighbour are removed. Sums of weights by law's material and axis stay the same.
void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                       const NearWall& near_wall);

}  // namespace fdtd
