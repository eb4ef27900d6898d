// The kernels that papers before DAFx-15 describe, the stencils that they are measured on, and the papers' own figure
// of merit: how often a kernel reads u1 a point (access redundancy).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/studies/gpu_profile.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::study {

struct LiteratureKernel {
  const char* kernel;
  const char* paper;
  std::vector<std::string> stencils;  // of the catalogue, or general_27
  double other_values;                // read and written a point besides u1: u0, once or twice
};

inline constexpr const char* general_27 = "general-27";

inline std::vector<LiteratureKernel> literature_kernels() {
  const std::vector<std::string> orders = {"leggy-1", "leggy-2", "leggy-3",  "leggy-4",  "leggy-5",
                                           "leggy-6", "leggy-8", "leggy-12", "leggy-16", "leggy-20"};
  return {{"shared_one_pass", "Micikevicius 2009", orders, 2.0},
          {"shared_two_pass", "Micikevicius 2009", orders, 4.0},
          {"tile_remap", "Krotkiewski & Dabrowski 2013", {"leggy-1", "compact-3", general_27}, 2.0}};
}

// The stencil of that name on a cubic grid: the catalogue's, or 27 weights without the cube's symmetries (S is positive
// and its weights sum to 2 at most).
inline GridStencil literature_stencil(const std::string& name) {
  if (name != general_27) {
    const Stencil& stencil = *find_stencil(name);
    return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  }
  GridStencil stencil;
  stencil.family = Family::user;
  stencil.radius = 1;
  stencil.centre = 0.4;
  stencil.terms = {{{1, 0, 0}, 0.11},  {{0, 1, 0}, 0.07},  {{0, 0, 1}, 0.13}, {{1, 1, 0}, 0.031},
                   {{1, 0, 1}, 0.023}, {{0, 1, 1}, 0.017}, {{1, 1, 1}, 0.037}};
  return stencil;
}

// Reads of u1 a point by the paper's formula for a tile of n x m nodes and a stencil of radius R: Micikevicius counts
// the halo without corners, (n m + k (n + m)) / (n m) with the order k = 2 R; Krotkiewski & Dabrowski count the whole
// tile with its halo, (n + 2) (m + 2) / (n m).
inline double redundancy_formula(const std::string& kernel, int radius, const Launch& tile) {
  const double k = 2.0 * radius, n = tile.x, m = tile.y;
  return kernel == "tile_remap" ? (n + k) * (m + k) / (n * m) : (n * m + k * (n + m)) / (n * m);
}

struct LiteratureProfile {
  std::string paper;
  int order = 2;  // of accuracy in space
  GpuProfile profile;
  double other_values = 2.0;

  double formula() const { return redundancy_formula(profile.kernel, order / 2, profile.tile); }
  // As the kernel declares its traffic between L2 and the multiprocessors, with the planes that a march reads besides
  // its own.
  double declared() const { return 3.0 * profile.l2_bytes / profile.declared_bytes - other_values; }
  // As Nsight Compute counts it.
  std::optional<double> counted() const {
    if (!profile.counters) return std::nullopt;
    return 3.0 * profile.counters->l2_bytes / profile.declared_bytes - other_values;
  }
};

}  // namespace fdtd::study
