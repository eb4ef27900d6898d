// Plane waves from every measured direction of a head, as the filters of its ears hear them beside its measured responses.
#pragma once

#include <span>
#include <vector>

#include "engine/binaural/ear_filters.hpp"

namespace fdtd::test {

struct EarErrors {
  double exact_to = 0.0;                   // Hz, to which the order holds
  std::vector<std::vector<double>> level;  // dB, by octave, of both ears of each direction
  std::vector<double> time;                // µs, of each direction: by which the time between the ears is off
};

// Filters of that order; octaves about `centres` (Hz). Times by the correlation of both ears from 150 Hz to 0.7 of
// `exact_to`, to 1 µs.
EarErrors errors_in_plane_waves(const HeadResponses& head, int order, std::span<const double> centres);

}  // namespace fdtd::test
