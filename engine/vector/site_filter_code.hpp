// The interface between the filters of wall sites apart from the field (engine/adjoint/site_filters.hpp) and their vector
// code: plain data and function pointers only, compiled once for each instruction set (isa/site_filter_isa.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/plan/branch_equation.hpp"

namespace fdtd::cpu {

// Wall nodes side by side whose sites have the same law.
template <class T>
inline constexpr std::ptrdiff_t filter_lanes = static_cast<std::ptrdiff_t>(64 / sizeof(T));
inline constexpr std::ptrdiff_t most_filtered_branches = 128;  // of a law
inline constexpr std::ptrdiff_t steps_of_scale = 16;           // of samples in 16 bits

template <class T>
struct FilteredLaw {
  const LawCoefficients<T>* law;
  const BranchCoefficients<T>* rules;  // of its branches
  std::ptrdiff_t branches;
};

// The states of a block of steps, filter_lanes values each: after every step V and G of each branch, then the pressure
// across the branches in that step.
template <class T>
constexpr std::ptrdiff_t course_values(std::ptrdiff_t branches, std::ptrdiff_t steps) {
  return filter_lanes<T> * (2 * branches + 1) * steps;
}
// The state of the filters at filter_lanes nodes: V and G of each branch; of the second run, then p' of the last step and
// of the one before.
template <class T>
constexpr std::ptrdiff_t state_values(std::ptrdiff_t branches) {
  return filter_lanes<T> * 2 * branches;
}
template <class T>
constexpr std::ptrdiff_t answer_values(std::ptrdiff_t branches) {
  return state_values<T>(branches) + 2 * filter_lanes<T>;
}
// Their sums: of every branch by D, E and F; then by inertance, by an admittance and by weight.
template <class T>
constexpr std::ptrdiff_t sum_values(std::ptrdiff_t branches) {
  return filter_lanes<T> * (3 * branches + 3);
}

// A chain of steps at filter_lanes nodes: its deltas, filter_lanes values a step, its state, which goes on, and, where it is
// not null, its course.
template <class T>
struct FilterCourse {
  const T* delta = nullptr;
  T *state = nullptr, *course = nullptr;
};

// Samples of a block at the first of filter_lanes nodes, a row of nodes a step; `row`: from a row to the next.
template <class T>
struct WallRows {
  const T* values = nullptr;  // u of two steps before the block, then of its steps; null: deltas, in one of
  const float* f32 = nullptr;
  const std::int16_t* i16 = nullptr;  // these formats, the last with
  const float* scales = nullptr;      // a row for steps_of_scale steps
  std::ptrdiff_t row = 0;
};

// Every instruction set computes the same bytes. Denormals are flushed.
template <class T>
struct SiteFilterCode {
  // (u+ - u-)/2 of every step, and, where `mean` is not null, (u+ + u)/2, filter_lanes values each.
  void (*read)(const WallRows<T>&, std::ptrdiff_t steps, T* delta, T* mean);
  // Keeps the first `count` lanes of deltas as float, or in 16 bits, in rows.
  void (*keep_f32)(const T* delta, std::ptrdiff_t steps, std::ptrdiff_t count, float* to, std::ptrdiff_t row);
  void (*keep_i16)(const T* delta, std::ptrdiff_t steps, std::ptrdiff_t count, std::int16_t* to, float* scales,
                   std::ptrdiff_t row);
  // Takes two states through the steps, both with their courses or without; the second may be room for nothing.
  void (*advance)(const FilteredLaw<T>&, const FilterCourse<T>& one, const FilterCourse<T>& other,
                  std::ptrdiff_t steps);
  // Adds the products of a course and that of the second run, whose step m is step steps - 1 - m of the first. `mean`: as
  // read() gives it of the second run; `pressure`: p' of its last step and of the one before, which go on.
  void (*correlate)(std::ptrdiff_t branches, const T* course, const T* answers, const T* mean, std::ptrdiff_t steps,
                    T* pressure, double* sums);
};

#define FDTD_DECLARE_ISA(name)                   \
  namespace name {                               \
  SiteFilterCode<float> site_filter_code_f32();  \
  SiteFilterCode<double> site_filter_code_f64(); \
  }
FDTD_DECLARE_ISA(baseline)
FDTD_DECLARE_ISA(avx2)
FDTD_DECLARE_ISA(avx512)
#undef FDTD_DECLARE_ISA

// That of the best instruction set that this build has and this processor runs; T: float or double.
template <class T>
const SiteFilterCode<T>& site_filter_code();

}  // namespace fdtd::cpu
