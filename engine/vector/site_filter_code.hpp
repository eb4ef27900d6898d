// The interface between the filters of wall sites apart from the field (engine/adjoint/site_filters.hpp) and their vector
// code: plain data and function pointers only, compiled once for each instruction set (isa/site_filter_isa.cpp).
#pragma once

#include <cstddef>

#include "engine/plan/branch_equation.hpp"

namespace fdtd::cpu {

inline constexpr std::ptrdiff_t filter_lanes = 8;              // sites of one law, side by side
inline constexpr std::ptrdiff_t most_filtered_branches = 128;  // of a law

struct FilteredLaw {
  const LawCoefficients<double>* law;
  const BranchCoefficients<double>* rules;  // of its branches
  std::ptrdiff_t branches;
};

// The states of a block of steps, filter_lanes values each: before every step V and G, branch by branch, then the pressure
// across the branches of that step; after the last step V and G.
constexpr std::ptrdiff_t course_values(std::ptrdiff_t branches, std::ptrdiff_t steps) {
  return filter_lanes * (2 * branches * (steps + 1) + steps);
}
// Sums of a block of sites, filter_lanes values each: of every branch by D, E and F; then by inertance, by an admittance and
// by weight.
constexpr std::ptrdiff_t sum_values(std::ptrdiff_t branches) { return filter_lanes * (3 * branches + 3); }

// signals[l][n]: of lane l. V and G: branch by branch, filter_lanes values each. Every instruction set computes the same
// bytes.
struct SiteFilterCode {
  // `course` may be null.
  void (*advance)(const FilteredLaw&, const double* const* signals, std::ptrdiff_t steps, double* V, double* G,
                  double* course);
  // Adds the products of a course with the filters' answers to `answers`, whose step m is step steps - 1 - m of the course.
  void (*correlate)(const FilteredLaw&, const double* course, const double* const* answers, std::ptrdiff_t steps,
                    double* V, double* G, double* sums);
};

#define FDTD_DECLARE_ISA(name)       \
  namespace name {                   \
  SiteFilterCode site_filter_code(); \
  }
FDTD_DECLARE_ISA(baseline)
FDTD_DECLARE_ISA(avx2)
FDTD_DECLARE_ISA(avx512)
#undef FDTD_DECLARE_ISA

// That of the best instruction set that this build has and this processor runs.
const SiteFilterCode& site_filter_code();

}  // namespace fdtd::cpu
