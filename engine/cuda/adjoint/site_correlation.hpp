// The derivatives by a site's law from what its wall reads in both runs of a gradient (engine/adjoint/site_filters.hpp has
// the sums), with filters of the second run alone: of two filters that act one on each history, the transpose of the first
// acts on the other history too, and that is the same filter along the second run. So the first run has no filters, and its
// history alone is kept.
//
// With a the adjoint's read, P the pressure across the branches and Y the flow of a wall that feels 1, y_b a branch and y =
// sum y_b, in the order of the second run:
//   by weight -sum delta (Y a), by an admittance beside the branches -sum delta (P^2 a), and with s = 2 (z - 1)/(z + 1) by
//   E_b sum delta (y_b^2 P^2 a), by D_b s and by F_b 1/s times that, by inertance sum delta (s y^2 P^2 a).
// A wall (stage 0) feels a, another (1) P a; each branch again (2) the flow of its own in stage 1, and each (3) the flow of
// all.
#pragma once

#include <cstdint>

#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/walls/branch_update.hpp"
#include "engine/plan/branch_equation.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t correlation_stages = 4, correlation_sums_alone = 3;  // sums besides three a branch

template <class T>
struct BranchMove {
  T mean, change, mean_G;
};

template <class T>
FDTD_HOST_DEVICE BranchMove<T> move_branch(const BranchCoefficients<T>& rule, T p, BranchValues<T>& state) {
  using Equation = BranchEquation<FreeRounding<T>>;
  const BranchValues<T> before = state;
  Equation::step(rule, Equation::pull(rule, before), p, T{1}, state, [](double, T) {});
  return {(state.V + before.V) * static_cast<T>(0.5), state.V - before.V, (state.G + before.G) * static_cast<T>(0.5)};
}

// The pressure across the branches of a wall that feels `input`.
template <class T, class Site>
FDTD_HOST_DEVICE T pressure_in(std::uint32_t stage, T input, const LawCoefficients<T>& law,
                               const BranchCoefficients<T>* rule, Site& site) {
  using Equation = BranchEquation<FreeRounding<T>>;
  BranchSums<T> sums{};
  FDTD_UNROLL
  for (std::uint32_t b = 0; b < site.branches(); ++b) {
    const BranchValues<T> state = site.state(stage, b);
    Equation::add(sums, rule[b], Equation::pull(rule[b], state), state);
  }
  return Equation::pressure(law, sums, input);
}

// A step of the second run, `answer` the adjoint's read, with delta = (u+ - u-)/2 of the same step of the first run. Site:
//   branches(); state(stage, branch), the BranchValues; and the sums terms(branch), inertance(), admittance(), weight().
template <class T, class Site>
FDTD_HOST_DEVICE void correlate_step(const LawCoefficients<T>& law, const BranchCoefficients<T>* rule, T answer,
                                     T delta, Site& site) {
  const T p = pressure_in(0, answer, law, rule, site);
  T flow{};
  FDTD_UNROLL
  for (std::uint32_t b = 0; b < site.branches(); ++b) flow += move_branch(rule[b], p, site.state(0, b)).mean;
  site.weight() += delta * flow;
  const T across = pressure_in(1, p, law, rule, site);
  site.admittance() += delta * across;
  flow = T{};
  FDTD_UNROLL
  for (std::uint32_t b = 0; b < site.branches(); ++b) {
    const T of_branch = move_branch(rule[b], across, site.state(1, b)).mean;
    flow += of_branch;
    const BranchMove<T> again = move_branch(rule[b], of_branch, site.state(2, b));
    auto&& terms = site.terms(b);
    terms.D += delta * again.change;
    terms.E += delta * again.mean;
    terms.F += delta * again.mean_G;
  }
  T change{};
  FDTD_UNROLL
  for (std::uint32_t b = 0; b < site.branches(); ++b) change += move_branch(rule[b], flow, site.state(3, b)).change;
  site.inertance() += delta * change;
}

// A site of a number of branches known at compile time, in registers.
template <class T, int B>
struct KnownSite {
  BranchValues<T> states[correlation_stages][B];
  BranchTerms<T> by_terms[B];
  T by_inertance, by_admittance, by_weight;

  FDTD_HOST_DEVICE static constexpr std::uint32_t branches() { return B; }
  FDTD_HOST_DEVICE BranchValues<T>& state(std::uint32_t stage, std::uint32_t b) { return states[stage][b]; }
  FDTD_HOST_DEVICE BranchTerms<T>& terms(std::uint32_t b) { return by_terms[b]; }
  FDTD_HOST_DEVICE T& inertance() { return by_inertance; }
  FDTD_HOST_DEVICE T& admittance() { return by_admittance; }
  FDTD_HOST_DEVICE T& weight() { return by_weight; }
};

// Any number, in memory: values and sums in the order of a CorrelationPart (correlation.hpp), `apart` from one another.
template <class T>
struct AnySite {
  BranchValues<T>* values;
  double* sums;
  std::uint32_t count, apart;

  struct Terms {
    double &D, &E, &F;
  };
  FDTD_HOST_DEVICE std::uint32_t branches() const { return count; }
  FDTD_HOST_DEVICE BranchValues<T>& state(std::uint32_t stage, std::uint32_t b) const {
    return values[(stage * count + b) * apart];
  }
  FDTD_HOST_DEVICE double& sum(std::uint32_t number) const { return sums[number * apart]; }
  FDTD_HOST_DEVICE Terms terms(std::uint32_t b) const { return {sum(3 * b), sum(3 * b + 1), sum(3 * b + 2)}; }
  FDTD_HOST_DEVICE double& inertance() const { return sum(3 * count); }
  FDTD_HOST_DEVICE double& admittance() const { return sum(3 * count + 1); }
  FDTD_HOST_DEVICE double& weight() const { return sum(3 * count + 2); }
};

// A block of both runs: row m of `first` is what walls read of u^{m - 1}, u^0 the field before the block, and of `second`
// likewise, in the order of the second run.
template <class T>
struct CorrelatedRows {
  const T *first, *second;
  std::uint64_t values;  // of a row
  std::int64_t steps;    // rows less two
};

// The reads of a place, step by step of the second run: of the adjoint, and of u- of the first run.
template <class T>
class PairedReads {
 public:
  static constexpr int ahead = 4;  // steps whose reads are on their way
  struct Some {
    T answer[ahead], before[ahead];
  };

  FDTD_HOST_DEVICE PairedReads(const CorrelatedRows<T>& rows, std::uint32_t place)
      : steps_(static_cast<int>(rows.steps)),
        values_(static_cast<std::int64_t>(rows.values)),
        answer_(rows.second + 2 * values_ + place),
        before_(rows.first + (steps_ - 1) * values_ + place),
        after_(before_[2 * values_]),
        now_(before_[values_]) {}

  FDTD_HOST_DEVICE Some load(int step) const {
    Some some{};
    FDTD_UNROLL
    for (int k = 0; k < ahead; ++k) {
      if (step + k >= steps_) continue;
      some.answer[k] = answer_[(step + k) * values_];
      some.before[k] = before_[-(step + k) * values_];
    }
    return some;
  }
  // Of the steps in their order.
  FDTD_HOST_DEVICE T delta(T before) {
    const T delta = (after_ - before) * static_cast<T>(0.5);
    after_ = now_, now_ = before;
    return delta;
  }

 private:
  int steps_;
  std::int64_t values_;
  const T *answer_, *before_;
  T after_, now_;
};

template <class T, class Site>
FDTD_HOST_DEVICE void correlate_block(const CorrelatedRows<T>& rows, std::uint32_t place, const LawCoefficients<T>& law,
                                      const BranchCoefficients<T>* rule, Site& site) {
  PairedReads<T> reads(rows, place);
  const int steps = static_cast<int>(rows.steps);
  auto next = reads.load(0);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int step = 0; step < steps; step += PairedReads<T>::ahead) {
    const auto now = next;
    next = reads.load(step + PairedReads<T>::ahead);
    FDTD_UNROLL
    for (int k = 0; k < PairedReads<T>::ahead; ++k)
      if (step + k < steps) correlate_step(law, rule, now.answer[k], reads.delta(now.before[k]), site);
  }
}

}  // namespace fdtd::cuda
