// A box room with a Helmholtz trap: a rectangular neck in its wall at the end of x, and a box cavity behind it.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {

struct RoomWithTrap {
  Place room{};                    // m, its sides
  Place cavity{};                  // m, its sides
  std::array<double, 2> neck{};    // m, its sides along y and z
  double length = 0.0;             // m, of the neck; 0: a hole in a sheet
  std::array<double, 2> middle{};  // m, of neck and cavity, in y and z
  Place in_room() const { return {0.45 * room[0], 0.4 * room[1], 0.55 * room[2]}; }
  Place in_cavity() const { return {room[0] + length + 0.5 * cavity[0], middle[0], middle[1]}; }
  double volume() const { return cavity[0] * cavity[1] * cavity[2]; }
};

inline Mesh room_with_trap(const RoomWithTrap& trap, const Turn& turn = unturned) {
  Mesh mesh;
  std::array<double, 2> low{}, high{}, cavity_low{}, cavity_high{};
  for (std::size_t i = 0; i < 2; ++i) {
    low[i] = trap.middle[i] - 0.5 * trap.neck[i], high[i] = trap.middle[i] + 0.5 * trap.neck[i];
    cavity_low[i] = trap.middle[i] - 0.5 * trap.cavity[i + 1],
    cavity_high[i] = trap.middle[i] + 0.5 * trap.cavity[i + 1];
  }
  const auto pierced = [&](double x, const std::array<double, 2>& from, const std::array<double, 2>& to) {
    const auto quad = [&](double y_low, double y_high, double z_low, double z_high) {
      add_quad(mesh, {Place{x, y_low, z_low}, {x, y_high, z_low}, {x, y_high, z_high}, {x, y_low, z_high}}, "wall",
               turn);
    };
    quad(from[0], to[0], from[1], low[1]);
    quad(from[0], to[0], high[1], to[1]);
    quad(from[0], low[0], low[1], high[1]);
    quad(high[0], to[0], low[1], high[1]);
  };
  const double x = trap.room[0] + trap.length;
  add_box(mesh, {0, 0, 0}, trap.room, {"wall", "", "wall", "wall", "wall", "wall"}, turn);
  add_box(mesh, {x, cavity_low[0], cavity_low[1]}, {x + trap.cavity[0], cavity_high[0], cavity_high[1]},
          {"", "wall", "wall", "wall", "wall", "wall"}, turn);
  if (trap.length > 0.0) {
    pierced(trap.room[0], {0.0, 0.0}, {trap.room[1], trap.room[2]});
    pierced(x, cavity_low, cavity_high);
    add_box(mesh, {trap.room[0], low[0], low[1]}, {x, high[0], high[1]}, {"", "", "wall", "wall", "wall", "wall"},
            turn);
  } else {
    pierced(x, {0.0, 0.0}, {trap.room[1], trap.room[2]});
  }
  merge_vertices(mesh);
  return mesh;
}

// Of square necks, each end's correction in parts of the side: in a wide wall, and less where the cavity's wall is `wide`
// times as wide (U. Ingard, On the theory and design of acoustic resonators, JASA 25, 1953: 1 - 1.25 of the ratio).
inline double helmholtz_wave_number(const RoomWithTrap& trap) {
  const double side = std::sqrt(trap.neck[0] * trap.neck[1]);
  const double ratio = side / std::sqrt(trap.cavity[1] * trap.cavity[2]);
  const double conductance = trap.neck[0] * trap.neck[1] / (trap.length + 0.458 * side * (1.0 + (1.0 - 1.25 * ratio)));
  const double room = trap.room[0] * trap.room[1] * trap.room[2];
  return std::sqrt(conductance * (1.0 / trap.volume() + 1.0 / room));
}

}  // namespace fdtd::test
