// A material's branches on the grid as a smooth function of them: for walls that move (adjoint/moving_laws.hpp) and for
// the plan of a material with `smooth_law`, whose walls are the same.
//
// fit_on_grid adds, removes and zeroes coefficients as it sees fit, so that it jumps as a material moves. Here all
// coefficients stay above 0, and there are always as many. The fit is one in stages, each a least squares fit pulled
// towards the stage before and the first towards the branches in steps: a pull that seldom leaves more than one
// minimum where branches resemble each other, and adds up to no bias. (R. T. Rockafellar, "Monotone operators and the proximal point algorithm",
// SIAM J. Control Optim. 14, 1976.) The derivative follows from each minimum's own equations (implicit function theorem).
#pragma once

#include <span>
#include <vector>

#include "engine/walls/grid_fit.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Logarithms of D, E, F of each branch in steps, then of the inertance, at each stage's minimum.
using FitStages = std::vector<std::vector<double>>;

// Of branches for which fits_on_grid() holds; where a few meet waves whose time rendering stretches, more of them.
// Deterministic.
FitStages smooth_fit_stages(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves);
GridFit smooth_fit(const FitStages& stages);

// dJ / d ln D, ln E, ln F of each branch, three a branch, of the derivatives `by` the logarithms of the last stage.
std::vector<double> slopes_of_smooth_fit(const FitStages& stages, std::span<const Branch> branches, double time_step,
                                         const std::vector<WallWave>& waves, std::span<const double> by);

// smooth_fit, found once in a process for the same arguments.
GridFit smooth_fit_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves);

}  // namespace fdtd
