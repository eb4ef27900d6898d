// Warnings of a source and a receiver before a run: the sound of a pair that is too far apart, or too near.
#pragma once

#include <string>

#include "engine/plan/plan.hpp"
#include "engine/transducers/harmonic_limits.hpp"

namespace fdtd {

// The pair whose orders are most wrong at low frequencies because source and receiver are near each other and a wall
// (near_field_doubts), and the number of others; empty if there is none.
std::string near_field_warning(const Plan& plan, bool exchanged);

// The receiver whose direct sound is the farthest from 1/r because a source is near (direct_level.hpp), and the number
// of others; empty where none may be off by direct_tolerance dB in any octave. `bandwidth`, `rate`: Hz, of the responses.
inline constexpr double direct_tolerance = 1.0;
std::string direct_warning(const Plan& plan, double bandwidth, double rate);

// From which to which frequency ambisonic orders hold that are read by a ball of nodes, and a source inside one; empty
// without such orders.
std::string harmonic_remark(const HarmonicLimits& limits, double sound_speed);
// The same of the orders that measured sources send by a ball of nodes, up to `bandwidth` Hz.
std::string source_harmonic_remark(const Plan& plan, double bandwidth);

// The pair whose sound arrives last, after the `duration` (s) of the response, and the number of such responses; empty
// if there is none.
std::string flight_warning(const Plan& plan, double duration);

}  // namespace fdtd
