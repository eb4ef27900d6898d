// A box of 4.2 x 3.3 x 2.6 m for tests of the part above the waves' band.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd::test {

// Walls of one admittance; scattering of 0: none is stated. Receivers are R0, R1, ...
inline Scene above_box(double admittance, double scattering, const std::vector<std::array<double, 3>>& receivers) {
  Scene scene;
  scene.above.method = Above::Method::rays;
  scene.room.box = {4.2, 3.3, 2.6};
  scene.room.walls.fill("wall");
  Material wall;
  wall.name = "wall";
  wall.kind = Material::Kind::admittance;
  wall.admittance = admittance;
  if (scattering > 0.0) wall.scattering = {scattering};
  scene.materials["wall"] = wall;
  SourceSpec source;
  source.name = "S";
  source.position = {1.0, 1.2, 1.3};
  scene.sources = {source};
  for (const auto& place : receivers) {
    ReceiverSpec receiver;
    receiver.name = "R" + std::to_string(scene.receivers.size());
    receiver.position = place;
    scene.receivers.push_back(receiver);
  }
  return scene;
}

}  // namespace fdtd::test
