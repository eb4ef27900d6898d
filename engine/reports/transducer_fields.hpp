// Limits of directional sources and receivers, and of receivers that move, in the JSON document of a plan.
#pragma once

#include "engine/reports/plan_report.hpp"
#include "engine/transducers/harmonic_limits.hpp"

namespace fdtd {

const JsonFields<PlanReport>& transducer_fields();

// Hz, from which on an order holds: above its rounding noise and its radial filter.
double holds_from(const HarmonicLimit& limit, double sound_speed);

}  // namespace fdtd
