// Up to which frequency sources and receivers between nodes send and read waves of all directions alike.
//
// A tap (transducers/taps.hpp) multiplies a wave by a factor that depends on its direction, the more so the shorter the
// wave; rendering equalises the mean over all directions (transducers/source_gain.hpp), and the rest cannot be
// undone. Weights made for the scene's finest wave (transducers/tap_weights.hpp) keep it within 1 dB from 2.25 points a
// wavelength on, those of third-order ambisonics from 2.4.
#pragma once

#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/planning/choose/limit.hpp"
#include "engine/transducers/taps.hpp"

namespace fdtd {

// The largest difference that counts as right: of a level from the mean of all directions, or for directional sources
// and receivers of the pattern from its own, relative to the largest value (1 - 10^(-1/20)).
inline constexpr double transducer_tolerance_db = 1.0;

// That difference of a tap at `frequency` (Hz), relative. 0 for harmonics of balls: their leakage has limits of its own
// (transducers/harmonic_limits.hpp).
double direction_error(const Tap& tap, const Grid& grid, const TapWeights& weights, double frequency);

// Radians a cell of the finest wave that taps with these operations send and read within the tolerance, wherever they
// lie between nodes, with weights made for it.
double finest_transducer_wave(const std::vector<FieldOperator>& operations);
// The same by a search, and what it finds for sources and receivers of the pressure alone.
double search_transducer_wave(const std::vector<FieldOperator>& operations);
inline constexpr double finest_pressure_wave = 2.839513020910303;

// Of all taps of the plan, up to `max_frequency` (Hz); `by`: the first of those that limit most. Of more than 256
// sources and receivers it is that of a point in mid-cell.
Limit transducer_limit(const Plan& plan, double max_frequency);

}  // namespace fdtd
