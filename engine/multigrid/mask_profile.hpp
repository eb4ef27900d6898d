// Iterations and times of conjugate gradients with multigrid on masks that are hard for it, for any device.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/multigrid/masked.hpp"

namespace fdtd::multigrid {

// "ball": with a hole, parted by a wall of one cell with a door; "rooms": four, with three doors; "random": a third of
// the cells wall. Throws std::invalid_argument for other names.
inline constexpr std::array<const char*, 3> mask_names = {"ball", "rooms", "random"};
Elements named_mask(const std::string& name, const std::array<int, 3>& cells);

// Bytes that mask_levels and a solver take at most where walls are few; more where each cell has its own.
double mask_bytes(const std::array<int, 3>& cells);

struct MaskProfile {
  std::string mask;
  std::array<int, 3> cells{};
  std::int64_t nodes = 0;          // that have elements
  std::int64_t further_nodes = 0;  // of all coarser levels
  std::size_t levels = 0;
  Solution solution;              // to a tolerance of 1e-6
  double levels_seconds = 0.0;    // to make the levels, on the CPU
  double ready_seconds = 0.0;     // to make the solver and set the diagonal
  double solution_seconds = 0.0;  // the median
};

// d is 1e-4 of an element's side at every node, b random values.
MaskProfile profile_mask(const std::string& mask, const std::array<int, 3>& cells, const MakeSolver& make_solver,
                         int repeats);

}  // namespace fdtd::multigrid
