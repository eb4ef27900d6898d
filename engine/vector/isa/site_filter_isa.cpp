// The filters of wall sites apart from the field, compiled once an instruction set, which FDTD_ISA names. Up to most_known
// branches are compiled for their number, so that their states stay in registers.
#include "engine/vector/isa/branch_vectors.hpp"
#include "engine/vector/site_filter_code.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

using Eight = Simd<double, double, 64>;
using V8 = Eight::V;
using SiteEquation = VectorEquation<double>;
constexpr std::ptrdiff_t lanes = filter_lanes, most_known = 4;

FDTD_INLINE V8 signals_at(const double* const* signals, std::ptrdiff_t n) {
  return V8{signals[0][n], signals[1][n], signals[2][n], signals[3][n],
            signals[4][n], signals[5][n], signals[6][n], signals[7][n]};
}

// The branches of a law; Known: their number, or 0.
template <int Known>
struct Branches {
  static constexpr std::ptrdiff_t room = Known > 0 ? Known : most_filtered_branches;
  const std::ptrdiff_t count;
  BranchValues<V8> state[room];

  FDTD_INLINE std::ptrdiff_t number() const { return Known > 0 ? Known : count; }

  FDTD_INLINE Branches(std::ptrdiff_t branches, const double* V, const double* G) : count(branches) {
    for (std::ptrdiff_t b = 0; b < number(); ++b) state[b] = {Eight::load(V + b * lanes), Eight::load(G + b * lanes)};
  }
  FDTD_INLINE void store(double* V, double* G) const {
    for (std::ptrdiff_t b = 0; b < number(); ++b) {
      Eight::store(V + b * lanes, state[b].V);
      Eight::store(G + b * lanes, state[b].G);
    }
  }
  // A step; returns the pressure across the branches.
  FDTD_INLINE V8 step(const FilteredLaw& of, V8 input) {
    V8 pull[room];
    pull[0] = SiteEquation::pull(of.rules[0], state[0]);
    BranchSums<V8> sums = SiteEquation::first(of.rules[0], pull[0], state[0]);
    for (std::ptrdiff_t b = 1; b < number(); ++b) {
      pull[b] = SiteEquation::pull(of.rules[b], state[b]);
      SiteEquation::add(sums, of.rules[b], pull[b], state[b]);
    }
    const V8 p = SiteEquation::pressure(*of.law, sums, input);
    for (std::ptrdiff_t b = 0; b < number(); ++b)
      SiteEquation::step(of.rules[b], pull[b], p, 1.0, state[b], [](double, V8) __attribute__((always_inline)){});
    return p;
  }
};

template <int Known>
void advance_some(const FilteredLaw& of, const double* const* signals, std::ptrdiff_t steps, double* V, double* G,
                  double* course) {
  Branches<Known> branches(of.branches, V, G);
  const std::ptrdiff_t apart = branches.number() * lanes;
  for (std::ptrdiff_t n = 0; n < steps; ++n) {
    if (course != nullptr) branches.store(course, course + apart);
    const V8 p = branches.step(of, signals_at(signals, n));
    if (course == nullptr) continue;
    Eight::store(course + 2 * apart, p);
    course += 2 * apart + lanes;
  }
  if (course != nullptr) branches.store(course, course + apart);
  branches.store(V, G);
}

FDTD_INLINE void add_to(double* sum, V8 value) { Eight::store(sum, Eight::load(sum) + value); }

template <int Known>
void correlate_some(const FilteredLaw& of, const double* course, const double* const* answers, std::ptrdiff_t steps,
                    double* V, double* G, double* sums) {
  Branches<Known> branches(of.branches, V, G);
  const std::ptrdiff_t number = branches.number(), apart = number * lanes, next = 2 * apart + lanes;
  double* const of_site = sums + 3 * apart;
  for (std::ptrdiff_t m = 0; m < steps; ++m) {
    const double* const before = course + (steps - 1 - m) * next;
    const V8 input = signals_at(answers, m);
    V8 last[Branches<Known>::room];
    for (std::ptrdiff_t b = 0; b < number; ++b) last[b] = branches.state[b].V;
    const V8 p = branches.step(of, input);
    V8 mean{}, change{}, answer{};  // (W+ + W-)/2, W+ - W-, and the mean of the answer
    for (std::ptrdiff_t b = 0; b < number; ++b) {
      const double *const v = before + b * lanes, *const g = v + apart;
      const V8 v0 = Eight::load(v), v1 = Eight::load(v + next), g0 = Eight::load(g), g1 = Eight::load(g + next);
      const V8 back = (branches.state[b].V + last[b]) * 0.5, v_mean = (v1 + v0) * 0.5, moved = v1 - v0;
      double* const terms = sums + 3 * b * lanes;
      add_to(terms, moved * back);
      add_to(terms + lanes, v_mean * back);
      add_to(terms + 2 * lanes, (g1 + g0) * 0.5 * back);
      mean += v_mean, change += moved, answer += back;
    }
    add_to(of_site, change * answer);
    add_to(of_site + lanes, Eight::load(before + 2 * apart) * p);
    add_to(of_site + 2 * lanes, mean * input);
  }
  branches.store(V, G);
}

void advance(const FilteredLaw& of, const double* const* signals, std::ptrdiff_t steps, double* V, double* G,
             double* course) {
  constexpr decltype(&advance_some<0>) by_number[] = {advance_some<0>, advance_some<1>, advance_some<2>,
                                                      advance_some<3>, advance_some<4>};
  by_number[of.branches <= most_known ? of.branches : 0](of, signals, steps, V, G, course);
}

void correlate(const FilteredLaw& of, const double* course, const double* const* answers, std::ptrdiff_t steps,
               double* V, double* G, double* sums) {
  constexpr decltype(&correlate_some<0>) by_number[] = {correlate_some<0>, correlate_some<1>, correlate_some<2>,
                                                        correlate_some<3>, correlate_some<4>};
  by_number[of.branches <= most_known ? of.branches : 0](of, course, answers, steps, V, G, sums);
}

}  // namespace

namespace FDTD_ISA {
SiteFilterCode site_filter_code() { return {advance, correlate}; }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
