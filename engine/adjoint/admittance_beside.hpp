// How the law of a wall on the grid takes up a real admittance beside the material's own: what a site's derivatives by its
// law say of the material (sensitivity_map.hpp).
//
// A wave with b(k) at the taps and time stretched by rendering meets the material's admittance y as y stretch / b(k)^2
// (walls/wall_waves.hpp): a factor that falls with frequency where a radial map stretches time. The law's coefficients,
// and an admittance beside its branches, change as a linear least squares fit over these waves says, with the weights of
// the plan's fit.
#pragma once

#include <span>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// By the admittance of the material, over that of air.
struct LawChange {
  std::vector<LawBranch> branches;
  double inertance = 0.0;
  double admittance = 0.0;  // beside the branches
};

// Of a law as it is: the whole of it beside the branches.
LawChange beside_as_it_is(const WallLaw& law);

// Between two laws of one form, whose materials are apart by an admittance.
LawChange difference_of(const WallLaw& up, const WallLaw& down, double apart);

// `branches`: of the material that the law was fitted to, for which fits_on_grid() holds; `waves` as they are loaded for
// its taps, not empty. `time_step` in s.
LawChange admittance_beside(const WallLaw& law, std::span<const Branch> branches, double time_step,
                            const std::vector<WallWave>& waves);

}  // namespace fdtd
