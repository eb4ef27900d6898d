// Trial grids of one stencil in a scene's box: how far each carries waves, and which is the coarsest that reaches a
// bandwidth.
#pragma once

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"
#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// Size, spacings and time step for one trial spacing h.
struct Trial {
  Grid grid;
  GridStencil stencil;
};

// Leggy: every side is divided exactly, by the number of cells that makes the spacing nearest to `h` (m). Others: one
// spacing h for all axes. Throw Error(resource) for more cells than an int counts.
Trial leggy_trial(const Scene& scene, const Stencil& stencil, double h);
Trial cubic_trial(const Scene& scene, const Stencil& stencil, double h);

// How far a stencil carries waves, omega T: within the tolerance, and up to its second branch.
struct Reach {
  double usable = 0.0, branch = 0.0;
  double rendered() const;  // rendered_omega
};

// The reaches of one stencil at the Courant numbers of grids, each found once: of a cubic grid they never change.
class Reaches {
 public:
  // `cube`: the stencil at equal Courant numbers. The tolerance is kept strictly where that costs little bandwidth:
  // usable_omega lets minimax weights exceed it a little at their ripples. `map` must outlive this.
  Reaches(const GridStencil& cube, double tolerance, const FrequencyMap& map);
  double tolerance() const { return tolerance_; }  // of the phase velocity
  Reach of(const GridStencil& stencil);
  // Whether the reach of `stencil` is rendered up to omega T; in less time than of() takes where it is not.
  bool at_least(const GridStencil& stencil, double omega);

 private:
  const FrequencyMap& map_;
  double tolerance_ = 0.0;
  std::vector<std::pair<std::array<double, 3>, Reach>> known_;
};

// The bandwidth that the search must reach.
struct Goal {
  Reaches& reaches;
  double frequency;                                          // Hz
  FrequencyMap map;                                          // frequencies are those after it is undone
  double spacing = std::numeric_limits<double>::infinity();  // m, the largest of an axis that the other limits allow
};

double bandwidth(const Trial& trial, const Goal& goal);  // Hz

// The coarsest grid near `h` that divides the box exactly and reaches the goal. Throws Error(scene) if there is none.
Trial fit_leggy(const Scene& scene, const Stencil& stencil, double h, const Goal& goal);
// Of spacings from `h` to a tenth less the one whose cost, and error of the sides of the room, are least together.
Trial fit_cubic(const Scene& scene, const Stencil& stencil, double h);

}  // namespace fdtd
