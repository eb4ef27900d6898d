// A room as a box of its mean chords: along an axis on which all its surfaces together project the area P, straight lines
// through the volume V are 2 V / P long on average. Of a box these are its sides; in every room whose walls lie along the
// axes, sound that is reflected as by mirrors keeps the magnitudes of its direction's components, and meets the surfaces of
// each axis as often as in that box.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/estimate/room.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct MeanChords {
  std::array<double, 3> sides{};             // m
  std::array<std::vector<double>, 6> areas;  // m2, projected on x_min, x_max, ...: by material of the DiffusionRoom
  bool box = false;                          // the room is this box
};

// `room`: of the scene, for its materials, volume and areas.
MeanChords mean_chords(const Scene& scene, const DiffusionRoom& room);

}  // namespace fdtd
