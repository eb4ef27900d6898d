// The search for the fastest order of tiles: which orders are timed, how often, and which is chosen. The caller
// supplies the times.
#pragma once

#include <functional>
#include <vector>

#include "engine/cpu/schedule/tile_order.hpp"

namespace fdtd::cpu {

struct SearchSpace {
  std::vector<TileOrder> single;                // one step a sweep
  std::vector<std::vector<TileOrder>> several;  // a group for each number of steps a sweep, ascending
  std::vector<TileOrder> all() const;
};

// Seconds a step of an order, measured at each call.
using SecondsPerStep = std::function<double(const TileOrder&)>;

// The fastest order of a space, which must not be empty.
TileOrder fastest(const SearchSpace& space, const SecondsPerStep& seconds_per_step);

}  // namespace fdtd::cpu
