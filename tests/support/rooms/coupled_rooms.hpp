// Two box rooms that a rectangular channel joins, or a hole in a wall without thickness.
#pragma once

#include <array>

#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {

struct CoupledRooms {
  double first = 1.2, second = 1.0;  // m, lengths of the rooms along x
  double width = 1.1, height = 0.9;  // m, of both
  double wall = 0.3;                 // m, between them: the channel's length
  std::array<double, 2> low, high;   // m, of the channel, in y and z
  Place in_first() const { return {0.45 * first, 0.4 * width, 0.55 * height}; }
  Place in_second() const { return {first + wall + 0.55 * second, 0.6 * width, 0.45 * height}; }
};

// A wall at `x` with the channel's mouth left out, of quads that share no vertices with those around.
inline void add_pierced_wall(Mesh& mesh, const CoupledRooms& rooms, double x, const Turn& turn) {
  const auto quad = [&](double y_low, double y_high, double z_low, double z_high) {
    if (y_high > y_low && z_high > z_low)
      add_quad(mesh, {Place{x, y_low, z_low}, {x, y_high, z_low}, {x, y_high, z_high}, {x, y_low, z_high}}, "wall",
               turn);
  };
  quad(0.0, rooms.width, 0.0, rooms.low[1]);
  quad(0.0, rooms.width, rooms.high[1], rooms.height);
  quad(0.0, rooms.low[0], rooms.low[1], rooms.high[1]);
  quad(rooms.high[0], rooms.width, rooms.low[1], rooms.high[1]);
}

inline Mesh coupled_rooms(const CoupledRooms& rooms, const Turn& turn = unturned) {
  Mesh mesh;
  const double x = rooms.first + rooms.wall, end = x + rooms.second;
  add_box(mesh, {0, 0, 0}, {rooms.first, rooms.width, rooms.height}, {"wall", "", "wall", "wall", "wall", "wall"},
          turn);
  add_box(mesh, {x, 0, 0}, {end, rooms.width, rooms.height}, {"", "wall", "wall", "wall", "wall", "wall"}, turn);
  add_pierced_wall(mesh, rooms, rooms.first, turn);
  if (rooms.wall > 0.0) {
    add_pierced_wall(mesh, rooms, x, turn);
    add_box(mesh, {rooms.first, rooms.low[0], rooms.low[1]}, {x, rooms.high[0], rooms.high[1]},
            {"", "", "wall", "wall", "wall", "wall"}, turn);
  }
  merge_vertices(mesh);
  return mesh;
}

}  // namespace fdtd::test
