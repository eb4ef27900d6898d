// The coefficients of boundary.hpp's update as both backends hold them. Plain data without inline functions: vector
// code, compiled once an instruction set, and device code read it.
#pragma once

#include <cstdint>

namespace fdtd {

template <class T>
struct BranchCoefficients {
  T beta, d, F;
  double D, E, exact_F;  // those of beta, d and F as they are, for the energies
};

template <class T>
struct LawCoefficients {
  T A_part, W_part;  // W+ for u+ = u- is A_part A + W_part W-: 1/(1 + I beta) and I beta/(1 + I beta), I the inertance
  T inertance, series;  // series = 1/(1 + I beta)
  double exact_inertance;
  std::uint32_t branch_begin, branch_end;  // of the branches of all laws
};

}  // namespace fdtd
