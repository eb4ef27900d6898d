// The room from above, to scale, with axes in metres.
#pragma once

#include <array>
#include <string>

#include "engine/reports/plot.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// A plot of the edges of the room's surface seen from above; without curves where the result has no surface. `low` and
// `high`: m, shown as well. `bar`: whether it keeps room for a colour bar.
Plot floor_plan(const Result& result, const std::string& title, std::array<double, 2> low, std::array<double, 2> high,
                bool bar = false);

// The same with the positions of sources and receivers.
Plot places_plan(const Result& result);

}  // namespace fdtd
