// Chooses the sites that read the pressure in the wall's plane from several nodes (wall_taps.hpp). At an edge between
// walls the sites of both read the same nodes; in the planes of nodes perpendicular to the edge,
//
//     z                     walls at x = 0 and z = 0 (#), o: a node of both walls' sites. Each site reads three nodes,
//     # . . .               those of wall x along a row, those of wall z along a column. The 3 x 3 nodes at the edge
//     # o . .               lie in three rows and three columns.
//     # o . .
//     # o o o . .
//       # # # # #  x
//
// These sites form a group, as those of three walls in a corner do, and are solved together (plan/coupled_walls.hpp);
// docs/explanation/impedance.md, section 3, has the errors of other ways.
//
// At a step of less height than the taps read sites of two parallel walls may belong together; there walls do take
// turns from plane to plane. Sites that have no room for their taps, or whose nodes are read by others in any other way
// (narrow gaps, obstacles, planes without a partner), read few_wall_taps nodes, and where these have no room either, or
// a node's mass is not 1, one.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/walls/near_wall_operator.hpp"

namespace fdtd {

inline constexpr std::uint32_t no_law = std::numeric_limits<std::uint32_t>::max(), no_group = no_law;

struct WallSite {
  std::uint64_t node = 0;
  std::uint32_t law = 0;  // the one that reads only this node
  // Laws of several nodes, the most nodes first; no_law where there are none, or fewer than two.
  std::array<std::uint32_t, 2> wide{no_law, no_law};
  double weight = 0.0;             // BoundarySite::weight
  std::uint32_t group = no_group;  // sites with the same number are solved together
};

// Chooses the law of `sites`, ordered by node: `law` becomes the first of `wide` whose nodes are air, of mass 1, joined
// by whole passages and not read by another site but those of its group; sites that have passed their area to another
// are removed. Sums of weights by material and axis of the law do not change.
void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                       const CutVoxels& cut, const NearWall& near_wall);

// ---- step by step, for processes that hold the sites of some planes each (shared_walls.cpp)
// Sites, by node and law, give up laws whose nodes are not air of mass 1, joined by whole passages.
void give_up_without_room(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const AirMask& air,
                          const CutVoxels& cut, const NearWall& near_wall);
// The nodes that sites with laws of several nodes would read, each once, ascending.
std::vector<std::uint64_t> nodes_of_wide(const std::vector<WallSite>& sites, const std::vector<WallLaw>& laws,
                                         const std::array<int, 3>& size);
// The sites that others may concern: with laws of several nodes, or at a node of `read`.
std::vector<WallSite> contested(const std::vector<WallSite>& sites, const std::vector<std::uint64_t>& read);
// Chooses among `sites` alone, all contested ones of a room of that size; keeps those without area.
void choose_tap_owners(std::vector<WallSite>& sites, const std::vector<WallLaw>& laws, const std::array<int, 3>& size);
// Takes over contested sites (`before`, by node and law) as they are `settled`; sites without area go.
void take_settled(std::vector<WallSite>& sites, const std::vector<WallSite>& before,
                  const std::vector<WallSite>& settled);

}  // namespace fdtd
