// A backend's share of the grid: planes z_begin..z_end-1. One GPU, or the CPU, takes the slab without neighbours.
#pragma once

#include "engine/plan.hpp"

namespace fdtd {

struct Slab {
  int z_begin = 0, z_end = 0;
  bool below = false, above = false;  // is there a neighbour whose planes must be fetched?
};

inline Slab whole(const Plan& plan) { return {0, plan.grid.size[2], false, false}; }

}  // namespace fdtd
