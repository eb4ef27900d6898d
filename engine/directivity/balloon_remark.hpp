#pragma once

#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// The fraction of the energy that harmonics may leave out where they hold, 1 %: some half a dB in a source's main
// directions.
inline constexpr double held_left_out = 0.01;
// Hz, the edges of the lowest octaves in succession that hold; 0: none does.
struct HeldBand {
  double from = 0.0, to = 0.0;
};
HeldBand held_band(const Balloon& balloon);

// One for each measured source: what its harmonics are made of, and what they leave out of the octaves up to
// `bandwidth` Hz.
std::vector<std::string> balloon_remarks(const std::vector<SourceSpec>& sources, double bandwidth);

}  // namespace fdtd
