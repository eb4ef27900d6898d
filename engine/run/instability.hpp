// Why a run's energy grew: what in the plan can make it grow, looked at only after it did.
#pragma once

#include <string>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct Diagnosis {
  std::string cause;  // "wall law 2 has a negative resistance: ..."
  std::string remedy;
};

// The first of these that the plan shows: a weight, a law or a mass that is not finite; a law with a negative term, which gives
// energy instead of taking it (numerics: 4.2); a symbol of S beyond -2..2 somewhere on a scan of wavenumbers (von Neumann).
// If none: the near-wall rows, of which no plan made by make_plan has unstable ones.
Diagnosis diagnose(const Plan& plan);

}  // namespace fdtd
