// How far a rendered response is right, in all that it depends on, and what limits it.
#pragma once

#include <string>
#include <vector>

#include "engine/planning/grid_choice.hpp"
#include "engine/planning/wall_accuracy.hpp"

namespace fdtd {

struct Limit {
  std::string what;        // "interior", "walls", "transducers", "geometry"
  double frequency = 0.0;  // Hz
  bool beyond = false;     // it was judged no further, and holds there
  std::string by;          // the materials, source, receiver or area that limits it; may be empty
};

struct ValidBand {
  std::vector<Limit> limits;
  double frequency = 0.0;  // Hz, the least of the limits and max_frequency
  std::string limited_by;  // Limit::what; "max_frequency" where the scene requests no more
};

// `requested`: max_frequency is the scene's own, not what the grid_spacing yields.
ValidBand valid_band(const GridChoice& choice, const std::vector<WallAccuracy>& walls, bool requested);

}  // namespace fdtd
