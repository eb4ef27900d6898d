// Chooses the sites that read the pressure in the wall's plane from several nodes (wall_taps.hpp). No node may be read
// by two sites (boundary.hpp), and at an edge between walls the sites of both request the same nodes: in the planes of
// nodes perpendicular to the edge,
//
//     z                     walls at x = 0 and z = 0 (#), o: a node of both walls' sites. Each site reads three nodes,
//     # . . .               those of wall x along a row, those of wall z along a column. The 3 x 3 nodes at the edge
//     # o . .               lie in three rows and three columns.
//     # o . .
//     # o o o . .
//       # # # # #  x
//
// There the walls alternate: in one plane only the sites of one wall remain, which also take over the area of their
// counterparts in the next plane; in that plane only those of the other wall. So two neighbouring planes together
// absorb the right amount, with the field in the wall's plane for both. If they read the last node instead, half a cell
// in front of the wall, all of these strips would absorb too little by up to cos^2(k/2); in a box of 15 cells across,
// at 9 points per wavelength, that made reverberation times 4 to 5 % too long.
//
// In a corner of three walls that read T > few_wall_taps nodes the T x T sites of each wall become one of four: those
// of wall x in rows of even y and even z, those of wall y in columns of even x and odd z, those of wall z of odd x and
// odd y, counted from the corner. Sites that have no room for their taps, or whose nodes are read by others in any
// other way (narrow gaps, obstacles, planes without a partner), read few_wall_taps nodes, and where these have no room
// either, or a node's mass is not 1, one.
#pragma once

#include <array>
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
  std::uint32_t law = 0;  // the one that reads only this node
  // Those that read several, the most first; no_law where there are none, or fewer than two.
  std::array<std::uint32_t, 2> wide{no_law, no_law};
  double weight = 0.0;  // BoundarySite::weight
};

// Chooses the law of `sites`, ordered by node: `law` becomes the first of `wide` whose nodes are air, of mass 1, joined
// by whole passages and not read by another site; sites that have passed their area to another are removed. Sums of weights by material and axis
// of the law do not change.
void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                       const CutVoxels& cut, const NearWall& near_wall);

}  // namespace fdtd
