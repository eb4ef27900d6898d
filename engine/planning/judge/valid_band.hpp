// How far a rendered response is right, in all that it depends on, and what limits it.
#pragma once

#include <string>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/choose/limit.hpp"
#include "engine/planning/judge/wall_accuracy.hpp"

namespace fdtd {

struct ValidBand {
  std::vector<Limit> limits;
  double frequency = 0.0;  // Hz, the least of the limits and max_frequency
  std::string limited_by;  // Limit::what; "max_frequency" where the scene requests no more
};

// `requested`: max_frequency is the scene's own, not what the grid_spacing yields.
ValidBand valid_band(const GridChoice& choice, const std::vector<WallAccuracy>& walls, bool requested);

}  // namespace fdtd
