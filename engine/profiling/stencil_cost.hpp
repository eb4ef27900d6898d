// The cost of a scene with a stencil on the grid that all limits need: the one count that `stencil = "auto"` and the
// comparison of stencils share.
#pragma once

#include <string>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/choose/scene_limits.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

inline constexpr const char* wall_positions = "wall positions";

struct StencilCost {
  GridChoice choice;
  double updates = 0.0;           // of nodes, in a run of every source
  double interior_updates = 0.0;  // the same on the grid that the interior alone needs
  std::string limited_by;         // SpacingNeed::what that sets the spacing; "grid_spacing" where the scene sets it
  // The limits that this grid does not keep because they would take one more than 2.2 times as fine as the interior's,
  // as SpacingNeed::what; and wall_positions where a box's walls stand further off than dispersion_error allows.
  std::vector<std::string> missed;
};

// `limits`: the scene's. Throws as choose_grid.
StencilCost stencil_cost(const Scene& scene, const Stencil& stencil, SceneLimits& limits);

// nodes x steps x sources of a run.
double node_updates(const GridChoice& choice);

// Whether the walls of the box stand within dispersion_error of a side: further off they would spoil the accuracy of the
// stencil.
bool walls_met(const Scene& scene, const GridChoice& choice);

// Whether `missed` has nothing for which "auto" leaves a stencil out while there are others: all but transducers.
bool eligible(const StencilCost& cost);

}  // namespace fdtd
