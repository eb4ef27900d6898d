// From what a scene requests to a grid: spacing, time step, size, steps. Nothing is allocated here.
//
// The spacing follows from the stencil's exact symbol: the largest omega T at which the phase velocity is within
// dispersion_error in every direction and the symbol's second branch is far enough for the low-pass of rendering.
// Leggy stencils fit every box exactly, by a separate spacing along each axis (their S is a sum over axes, so
// weights and the stability proof scale axis by axis). The other families need one spacing; it is reduced a little
// where that fits the walls better, and the remaining shift is reported wall by wall.
//
// Walls read shorter waves less well than the interior carries them: where max_frequency is given, the spacing is then
// what the walls need; with grid_spacing, max_frequency is what both hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/planning/wall_limits.hpp"
#include "scenes/scene.hpp"
#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct GridChoice {
  Stencil stencil;           // at the Courant number of the grid
  GridStencil grid_stencil;  // in double
  Grid grid;
  std::array<double, 3> offset{};      // m; grid coordinate = scene coordinate + offset
  std::array<double, 6> wall_shift{};  // m, outward, in the order of wall_names
  double max_frequency = 0.0;          // Hz, as requested; by default what interior and walls hold
  double interior_bandwidth = 0.0;     // Hz, up to which the rendered response keeps dispersion_error
  bool walls_hold = true;              // by the walls' limits; false: they hold on no grid up to twice as fine
  double dispersion_error = 0.0;       // worst direction, up to max_frequency, on this grid
  double branch_frequency = 0.0;       // Hz, where waves of other wave numbers begin: rendering passes nothing there
  FrequencyMap frequency_map;          // that rendering undoes
  std::int64_t steps = 0;
  std::vector<std::string> warnings;
  double points_per_wavelength() const { return grid.sound_speed / (max_frequency * grid.mean_spacing()); }
};

// Throws Error: status scene when the stencil cannot reach the requested error or the Courant number is above its
// limit, status resource when the grid's size or the number of steps overflows its integer.
// `walls`: the scene's; null: the interior alone decides.
GridChoice choose_grid(const Scene& scene, const Stencil& stencil, WallLimits* walls);
GridChoice choose_grid(const Scene& scene, const Stencil& stencil);

// The share of max_frequency up to which walls hold on the grid of `choice` (WallLimits::share); 1: they do.
double wall_share(const GridChoice& choice, WallLimits& walls,
                  WallLimits::Materials which = WallLimits::Materials::all);

}  // namespace fdtd
