// From what a user asks for to a grid: spacing, time step, size, steps; nothing is allocated here.
//
// The spacing comes from the stencil's exact symbol: the largest omega T at which no direction's phase velocity is off by
// more than dispersion_error. Leggy stencils meet every box exactly, by a spacing of its own along each axis (their S is a
// sum over axes, so weights and the stability proof scale axis by axis). The other families need one spacing; it is
// shrunk a little where the walls are then met better, and what remains is told wall by wall.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct GridChoice {
  Stencil stencil;           // at the Courant number of the grid
  GridStencil grid_stencil;  // in double
  Grid grid;
  std::array<double, 3> offset{};      // m; grid coordinate = scene coordinate + offset
  std::array<double, 6> wall_shift{};  // m, outward, in the order of wall_names
  double max_frequency = 0.0;          // Hz, as asked; without it the valid bandwidth
  double valid_bandwidth = 0.0;        // Hz, up to which dispersion_error holds on this grid
  double dispersion_error = 0.0;       // worst direction, up to max_frequency, on this grid
  bool time_dispersion_removal = false;
  std::int64_t steps = 0;
  std::vector<std::string> warnings;
  double points_per_wavelength() const { return grid.sound_speed / (max_frequency * grid.mean_spacing()); }
};

// Throws Error: status scene when the stencil cannot reach the asked error or the Courant number is above its limit,
// status resource when the grid's size or the number of steps cannot be counted.
GridChoice choose_grid(const Scene& scene, const Stencil& stencil);

}  // namespace fdtd
