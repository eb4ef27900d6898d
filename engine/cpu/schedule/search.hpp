// The search for the fastest march: which of those worth trying are timed, how often, and which is chosen. No stepper here:
// what a march takes is asked for.
#pragma once

#include <functional>
#include <vector>

#include "engine/cpu/schedule/tile_order.hpp"

namespace fdtd::cpu {

struct SearchSpace {
  std::vector<March> single;                // one step a sweep
  std::vector<std::vector<March>> several;  // a group for each number of steps a sweep, in order
  std::vector<March> all() const;
};

// Seconds a step of a march, timed anew at each call.
using SecondsPerStep = std::function<double(const March&)>;

// The fastest of a space that has one at least.
March fastest(const SearchSpace& space, const SecondsPerStep& seconds_per_step);

}  // namespace fdtd::cpu
