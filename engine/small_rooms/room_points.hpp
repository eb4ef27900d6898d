// Nodes of a room at even distances, as places of receivers and sources.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

// A lattice of nodes, `stride` apart along each axis; only those whose 26 neighbours are air as well.
struct RoomPoints {
  std::array<int, 3> size{};                     // of the lattice
  std::array<std::vector<int>, 3> nodes;         // along each axis: node of the grid
  std::vector<std::int64_t> index;               // of each point, in the lattice: x + size[0] (y + size[1] z)
  std::vector<std::array<double, 3>> positions;  // m, in the scene
  std::vector<std::uint64_t> node;               // of the grid
};

// A box of the scene, m: [low, high] along each axis.
struct PlaceBox {
  std::array<double, 3> low{}, high{};
};

// Points `step` m apart or up to half a cell off, inside `box` where one is given, `from_wall` m from walls at least along
// each axis. `offset`: grid coordinate less scene coordinate.
RoomPoints room_points(const Plan& plan, const std::array<double, 3>& offset, double step,
                       const PlaceBox* box = nullptr, double from_wall = 0.0);

// The largest number of points that room_points returns, before it is called.
double most_points(const Plan& plan, double step, const PlaceBox* box = nullptr);

// The air nodes with 26 neighbours of air nearest to a corner of the grid, where the modes of a box have no nodal planes,
// and to two places that excite equal modes of a cube differently; each once.
inline constexpr std::size_t sender_count = 3;
std::vector<std::uint64_t> sender_nodes(const Plan& plan);

// `count` air nodes with 26 neighbours of air, or fewer where the room is small, all over the room in no symmetry: nodes
// nearest to the additive sequence of M. Roberts ("The unreasonable effectiveness of quasirandom sequences", 2018). Even
// shapes of modes, as (2 0 0) and (0 2 0) of a cube, are one and the same at a lattice of two nodes an axis.
std::vector<std::uint64_t> scattered_nodes(const Plan& plan, int count);

// A single node as a source or receiver.
Tap node_tap(const Plan& plan, const std::string& name, std::uint64_t node);

}  // namespace fdtd
