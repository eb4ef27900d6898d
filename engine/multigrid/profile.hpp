// How fast multigrid converges, and what a cycle costs, for the Poisson problem on a box.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/multigrid/cycle.hpp"

namespace fdtd::multigrid {

// Single precision is reached where the residual is below half a unit in the last place.
inline constexpr double single_precision = 5.96e-8;

struct Profile {
  std::array<int, 3> grid{};  // nodes inside the box
  Cycle cycle;
  std::vector<double> residuals;  // |b - A u| / |b| after 0, 1, 2, ... cycles
  double cycle_seconds = 0.0;     // of a cycle with its residual and correction, the median
  double sweep_seconds = 0.0;     // of one fine-grid stencil computation, u and b read, one array written
  double triad_seconds = 0.0;     // of the leapfrog triad on such arrays

  // Cycles until single_precision; 0: not reached.
  int cycles_to_single() const;
  // Of the residual, the mean over the cycles to single precision.
  double convergence_factor() const;
  double sweeps_per_cycle() const { return sweep_seconds > 0.0 ? cycle_seconds / sweep_seconds : 0.0; }
};

// Right side of the measurement, in (0, 2): a constant and values of all wave numbers, the same on every device.
float profile_right_side(int x, int y, int z);

// On the CPU. Throws std::invalid_argument for a grid that cannot be halved (box_levels.hpp).
Profile profile_on_cpu(const std::array<int, 3>& nodes, const Cycle& cycle, int repeats);

}  // namespace fdtd::multigrid
