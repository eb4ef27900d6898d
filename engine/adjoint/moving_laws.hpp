// The laws of a material's walls on the grid of a plan as the material's branches move, and the chain rule back: from the
// derivatives by the laws' coefficients (gradient.hpp) to those by the material's.
//
// The plan's fit (walls/grid_fit.hpp) adds, removes and zeroes coefficients as it sees fit, so that it jumps as a material
// moves. Here its result keeps its form: s(x), a least squares fit of the coefficients above 0 to the waves before the
// wall, is smooth in the material x, and the law is the plan's times s(x) / s(x0). The fit is one in stages, each pulled
// towards the stage before and the first towards the plan's coefficients: a pull that holds one minimum, where branches
// resemble each other, and adds up to no bias. (R. T. Rockafellar, "Monotone operators and the proximal point algorithm",
// SIAM J. Control Optim. 14, 1976.) The derivative follows from each minimum's own equations (implicit function theorem).
#pragma once

#include <span>
#include <vector>

#include "engine/adjoint/gradient.hpp"
#include "engine/plan/boundary.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The waves that a plan fitted its laws to.
struct LawSetting {
  GridStencil stencil;  // in double
  FrequencyMap map;
  double time_step = 0.0;  // s
  double highest = 0.0;    // Hz
};

class MovingLaws {
 public:
  // `laws`: those of one material, as a plan made them of `branches`.
  MovingLaws(std::vector<WallLaw> laws, std::vector<Branch> branches, const LawSetting& setting);

  using Stages = std::vector<std::vector<double>>;  // logarithms of the coefficients at each minimum
  struct Place {
    std::vector<Branch> branches;
    std::vector<Stages> stages;  // by group of equal laws
  };
  // For other branches, as many.
  Place at(std::vector<Branch> branches) const;
  std::vector<WallLaw> laws(const Place& place) const;
  // dJ / d ln D, ln E, ln F of each branch (three a branch) of the derivatives by laws(place).
  std::vector<double> slopes(const Place& place, std::span<const LawSlopes> by_laws) const;

 private:
  // Laws with the same coefficients and taps.
  struct Group {
    std::vector<std::size_t> members;
    std::vector<WallWave> waves;
    std::vector<double> weights;  // of the waves
    std::vector<double> start;    // s(x0), logarithms
  };
  Stages fitted(const Group& group, std::span<const Branch> branches, std::vector<double> from) const;
  std::vector<double> by_logarithms(const Group& group, const std::vector<double>& now,
                                    std::span<const LawSlopes> by_laws) const;

  std::vector<WallLaw> laws_;
  std::vector<Branch> branches_;
  double time_step_;
  std::vector<Group> groups_;
};

}  // namespace fdtd
