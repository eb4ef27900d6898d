// A material's branches on the grid's own frequency axis.
//
// The trapezoidal rule gives a branch of a law the frequency 2 tan(w/2) where the material has omega T, so that a
// material whose branches are put on the grid as they are has another admittance there, the more so the shorter the
// wave; the wall's taps do not read short waves whole, and the half-space before the wall has a reactance of its own.
// Here branches and a series inertance are fitted to the waves of a wall (wall_waves.hpp) so that absorption and
// reflection over all angles are those of the requested admittance at the frequency that is rendered; with a radial map
// the phase at grazing incidence, too, on which the decay of grazing modes depends. Coefficients are
// found by their logarithms and so are above 0: the wall is passive and the scheme stable, as it was.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// So many fits take longer than threads that have begun wait for the next work: fewer are made one after another.
inline constexpr std::size_t fits_worth_threads = 4;

struct GridFit {
  double inertance = 0.0;           // in steps
  std::vector<LawBranch> branches;  // in steps
};

// The most branches that fit_on_grid makes of `count`: two more while walls have fast kernels for them (CUDA: five).
constexpr std::size_t branch_limit(std::size_t count) {
  return count == 0 || count >= 5 ? count : count + 2 < 5 ? count + 2 : 5;
}

// Whether fit_on_grid is for such branches. A wall without losses keeps its own: there is no absorption to be right. So
// do branches that generate energy, which are reported elsewhere.
bool fits_on_grid(std::span<const Branch> branches);

// Branches 1/(D s + E + F/s), D in s, F in 1/s, as a law for waves with `load`; `time_step` in s. `branches` and
// `waves` must not be empty; no coefficient may be negative, and one E at least must be above 0. `near`: a fit of the
// same branches to nearly the same waves, from which a few steps lead to this one. Deterministic. Found once in a process
// for the same arguments, by search_on_grid.
GridFit fit_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves,
                    const GridFit* near = nullptr);
// All that it depends on.
std::vector<double> arguments_of_fit(std::span<const Branch> branches, double time_step,
                                     const std::vector<WallWave>& waves, const GridFit* near = nullptr);
// `accepts`: ends the search at the first fit on its way that is taken, before it is the best.
using AcceptFit = std::function<bool(const GridFit&)>;
GridFit search_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves,
                       const GridFit* near, const AcceptFit& accepts = {});

}  // namespace fdtd
