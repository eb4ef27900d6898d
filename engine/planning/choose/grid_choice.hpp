// From what a scene requests to a grid: spacing, time step, size, steps. Nothing is allocated here.
//
// The spacing follows from the stencil's exact symbol: the largest omega T at which the phase velocity is within
// dispersion_error in every direction and the symbol's second branch is far enough for the low-pass of rendering.
// Leggy stencils fit every box exactly, by a separate spacing along each axis (their S is a sum over axes, so
// weights and the stability proof scale axis by axis). The other families need one spacing; it is reduced by up to a tenth
// where that keeps the sides of the room better than it costs, and the remaining shift is reported wall by wall.
//
// Where max_frequency is given, the spacing is what the most demanding of four limits needs: the interior, walls, which
// read shorter waves less well than the interior carries them, sources and receivers between nodes, and walls of a mesh
// that cut voxels (scene_limits.hpp). A limit that would take a grid 2.2 times as fine as the interior's, 24 times the
// cost, does not set the spacing unless the run is a short one, and that is stated. With grid_spacing, max_frequency is what interior and walls hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/planning/choose/note.hpp"
#include "engine/planning/choose/wall_limits.hpp"
#include "engine/transducers/exchange.hpp"
#include "scenes/scene.hpp"
#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

class SceneLimits;  // scene_limits.hpp

// The Courant number at which a stencil runs where the scene names none. `oblique`: in a mesh that lowers it
// (lowers_courant).
double own_courant(const Stencil& stencil, bool oblique);

// The coarsest spacing with which one of the limits holds at max_frequency.
struct SpacingNeed {
  std::string what;      // "interior", "walls", "transducers", "geometry"
  double spacing = 0.0;  // m
  bool obeyed = true;    // false: it would take a grid that is not affordable
};

struct GridChoice {
  Stencil stencil;           // at the Courant number of the grid
  GridStencil grid_stencil;  // in double
  Grid grid;
  std::array<double, 3> offset{};      // m; grid coordinate = scene coordinate + offset
  std::array<double, 6> wall_shift{};  // m, outward, in the order of wall_names
  double max_frequency = 0.0;          // Hz, as requested; by default what interior and walls hold
  double interior_bandwidth = 0.0;     // Hz, up to which the rendered response keeps dispersion_error
  std::vector<SpacingNeed> needs;      // where max_frequency is given; geometry where it limits anything
  // Whether walls hold, and walls that cut voxels; false: on no grid up to twice as fine.
  bool walls_hold = true, geometry_holds = true;
  double dispersion_error = 0.0;  // worst direction, up to max_frequency, on this grid
  double branch_frequency = 0.0;  // Hz, where waves of other wave numbers begin: rendering passes nothing there
  FrequencyMap frequency_map;     // that rendering undoes
  std::int64_t steps = 0;
  Passes passes;
  std::vector<Note> warnings;
  double points_per_wavelength() const { return grid.sound_speed / (max_frequency * grid.mean_spacing()); }
};

// Throws Error: status scene when the stencil cannot reach the requested error or the Courant number is above its
// limit, status resource when the grid's size or the number of steps overflows its integer.
// `limits`: the scene's; null: the interior alone decides.
GridChoice choose_grid(const Scene& scene, const Stencil& stencil, SceneLimits* limits);
GridChoice choose_grid(const Scene& scene, const Stencil& stencil);

// The grid of the interior alone, and the grid that all limits need, as choose_grid but without dispersion_error, for
// comparisons of stencils; both in less time than two choices take. Needs and warnings of `interior` are those of `all`
// where both are one grid. Throw as choose_grid.
GridChoice interior_grid(const Scene& scene, const Stencil& stencil);
struct GridChoices {
  GridChoice all, interior;
};
GridChoices choose_grids(const Scene& scene, const Stencil& stencil, SceneLimits& limits);

// The steps that a record needs whose responses are right, and passed, up to `bandwidth` (Hz); at least choice.steps.
std::int64_t steps_for(const Scene& scene, const GridChoice& choice, double bandwidth);

// The fraction of max_frequency up to which walls hold on the grid of `choice` (WallLimits::valid_fraction); 1: they
// do.
double wall_fraction(const GridChoice& choice, WallLimits& walls,
                     WallLimits::Materials which = WallLimits::Materials::all);

// The same of all limits beside the interior, as fractions of the spacing: the cost of a run in which all of them hold
// grows with about its inverse to the fourth power.
double limits_fraction(const GridChoice& choice, SceneLimits& limits, WallLimits::Materials which);

// Whether walls of a mesh that cut voxels are right up to max_frequency on a grid that is affordable.
bool geometry_reachable(const GridChoice& choice, SceneLimits& limits);

}  // namespace fdtd
