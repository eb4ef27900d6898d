// Levels of a record in overlapping bands of a sixth of an octave.
#pragma once

#include <span>
#include <vector>

#include "stencils/frequency_map.hpp"

namespace fdtd {

// Hz: 24 an octave, the first at `from`, none above `to`.
std::vector<double> level_centres(double from, double to);

// dB at each centre: the mean power of the response, from a twelfth of an octave below to one above, re the free field of
// the source at 1 m. `record`: the answer to the drive (1, -1) at `rate`, decayed at its end; `gain`: of its channel
// (transducers/source_gain.hpp), which is divided out.
std::vector<double> record_levels(std::span<const double> record, double rate, const FrequencyMap& map,
                                  const std::vector<double>& centres, const std::vector<double>& gain);

}  // namespace fdtd
