// The laws of a material's walls on the grid of a plan as the material's branches move (walls/smooth_grid_fit.hpp), and the
// chain rule back: from the derivatives by the laws' coefficients (gradient.hpp) to those by the material's.
#pragma once

#include <span>
#include <vector>

#include "engine/adjoint/gradient.hpp"
#include "engine/plan/boundary.hpp"
#include "engine/walls/smooth_grid_fit.hpp"
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

// The waves that meet the wall of a law, with what else loads them; none across an axis of one cell.
std::vector<WallWave> waves_at(const WallLaw& law, const LawSetting& setting);

class MovingLaws {
 public:
  // `laws`: those of one material with `smooth_law`, as a plan made them.
  MovingLaws(std::vector<WallLaw> laws, const LawSetting& setting);

  struct Place {
    std::vector<Branch> branches;
    std::vector<FitStages> stages;  // by group of equal laws
  };
  // Of a plan whose material has these branches.
  Place at(std::vector<Branch> branches) const;
  std::vector<WallLaw> laws(const Place& place) const;
  // dJ / d ln D, ln E, ln F of each branch (three a branch) of the derivatives by laws(place).
  std::vector<double> slopes(const Place& place, std::span<const LawSlopes> by_laws) const;

 private:
  // Laws with the same coefficients and taps.
  struct Group {
    std::vector<std::size_t> members;
    std::vector<WallWave> waves;
  };

  std::vector<WallLaw> laws_;
  double time_step_;
  std::vector<Group> groups_;
};

}  // namespace fdtd
