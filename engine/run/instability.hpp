// Diagnoses why the energy of a run grows: which part of the plan can cause it. Called only after it has grown.
#pragma once

#include <string>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct Diagnosis {
  std::string cause;  // "wall law 2 has a negative resistance: ..."
  std::string remedy;
};

// The first of these that the plan shows: a weight, a law or a mass that is not finite; a law with a negative term,
// which supplies energy instead of dissipating it (docs/explanation/impedance.md, section 2); a symbol of S outside
// -2..2 on a scan of wavenumbers (von Neumann). If none: the near-wall rows, which are stable in every plan of
// make_plan.
Diagnosis diagnose(const Plan& plan);

}  // namespace fdtd
