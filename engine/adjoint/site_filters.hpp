// The wall laws as filters, apart from the field: from b^T (u+ - u-)/2 at a site to the velocities of its branches, and
// the correlations of two such histories that are the derivatives by the law (gradient.hpp).
//
// With y = sum_b 1/(D_b s + E_b + F_b/s), s = 2 (z - 1)/(z + 1), behind the inertance I a site answers delta with
//   W = Y delta,  Y = y/(1 + I s y),   and branch b with  v_b = H_b delta,  H_b = y_b/(1 + I s y),
// v_b = (V+ + V-)/2. So dY/dE_b = -H_b^2, dY/dD_b = -s H_b^2, dY/dF_b = -H_b^2/s, dY/dI = -s Y^2, and for an admittance
// g that is added to y, dY/dg = 1/(1 + I s y)^2 = P^2 with the pressure across the branches p = P delta. All are products
// of two filters: one acts on delta as time goes, its transpose on q as time runs backwards, which is the same filter
// along the second run. With v, G, W and p of delta, and v', W' and p' of q,
//   dJ/dE = sum v v',  dJ/dD = sum (V+ - V-) v',  dJ/dF = sum (G+ + G-)/2 v',  dJ/dI = sum (W+ - W-) W',
//   dJ/dg = -sum p p',  dJ/dweight = -sum W q   (the first five times the site's weight), sums over all steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/wall_correlation.hpp"
#include "engine/plan/plan.hpp"
#include "engine/vector/site_filter_code.hpp"

namespace fdtd {

class SiteFilters {
 public:
  static constexpr std::size_t lanes = cpu::filter_lanes;  // sites of one law, side by side
  // V and G of all branches, batch after batch: branch by branch, `lanes` values each.
  using States = BranchValues<std::vector<double>>;

  // The laws as they run in the plan's precision. The plan must outlive the filters. Throws Error (status scene) for a
  // law of more than cpu::most_filtered_branches branches.
  explicit SiteFilters(const Plan& plan);

  std::size_t state_values() const { return states_; }  // of V, and of G
  States at_rest() const;
  // Takes `states` through so many steps; deltas[i * steps + n]: of Boundary::nodes[i].
  void advance(const double* deltas, std::int64_t steps, States& states) const;
  // Adds the correlations of a block: `deltas` of its steps, with `before` the states before its first, which go on to its
  // end; answers[i * steps + m] is q of its step steps - 1 - m, and `answering` the states of the second run, which go on.
  void correlate(const double* deltas, States& before, const double* answers, States& answering, std::int64_t steps);
  // `scale` times the sums so far.
  WallSlopes slopes(double scale) const;

 private:
  struct Batch {
    std::uint32_t law = 0, count = 0;
    std::array<std::uint32_t, lanes> site{}, read{};
    std::size_t state = 0, sum = 0;  // first of its values in States and in sums_
  };
  using Signals = std::array<const double*, lanes>;
  static Signals signals_of(const Batch& batch, const double* signals, std::int64_t steps);
  cpu::FilteredLaw law_of(const Batch& batch) const;

  const Plan& plan_;
  std::vector<LawCoefficients<double>> laws_;
  std::vector<BranchCoefficients<double>> branches_;
  std::vector<Batch> batches_;
  std::size_t states_ = 0;
  std::size_t most_branches_ = 0;  // of a law
  std::vector<double> courses_;    // by thread
  std::vector<double> sums_;       // by batch: cpu::sum_values
};

}  // namespace fdtd
