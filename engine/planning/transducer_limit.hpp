// Up to which frequency sources and receivers between nodes send and read waves of all directions alike.
//
// A tap (transducers/taps.hpp) multiplies a wave by a factor that depends on its direction, the more so the shorter the
// wave; rendering equalises the mean over all directions (transducers/source_gain.hpp), and what remains cannot be
// undone. In mid-cell, eight nodes an axis keep it within 1 dB from 2.9 points a wavelength on, within 3 dB from 2.45.
#pragma once

#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/planning/valid_band.hpp"

namespace fdtd {

// The largest difference that counts as right: of a level from the mean of all directions, or for directional sources
// and receivers of the pattern from its own, relative to the largest value (1 - 10^(-3/20)).
inline constexpr double transducer_tolerance_db = 3.0;

// That difference of a tap at `frequency` (Hz), relative.
double direction_error(const Tap& tap, const Grid& grid, double frequency);

// Of all taps of the plan, up to `max_frequency` (Hz); `by`: the first of those that limit most. Of more than 256
// sources and receivers it is that of a point in mid-cell.
Limit transducer_limit(const Plan& plan, double max_frequency);

}  // namespace fdtd
