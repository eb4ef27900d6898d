// The wall laws as filters, apart from the field: from b^T (u+ - u-)/2 at a site to the states of its branches, and the
// correlations of two such histories that are the derivatives by the law (gradient.hpp).
//
// With y = sum_b 1/(D_b s + E_b + F_b/s), s = 2 (z - 1)/(z + 1), behind the inertance I a site answers delta with
//   W = Y delta,  Y = y/(1 + I s y),   and branch b with  v_b = H_b delta,  H_b = y_b/(1 + I s y),
// v_b = (V+ + V-)/2. So dY/dE_b = -H_b^2, dY/dD_b = -s H_b^2, dY/dF_b = -H_b^2/s, dY/dI = -s Y^2, and for an admittance
// g that is added to y, dY/dg = 1/(1 + I s y)^2 = P^2 with the pressure across the branches p = P delta. All are products
// of two filters: one acts on delta as time goes, its transpose on q as time runs backwards.
//
// In the second run the walls feel delta' = (z - 1/z)/2 q. The factor is that of a difference and a mean over a step; with
// the mean moved to the other history, what remains are the states of the branches in both runs, V and G after a step of
// the first run, V' and G' after the step of the second run that comes at the same time:
//   dJ/dD = sum V V',  dJ/dE = sum V G',  dJ/dF = sum G G',  dJ/dI = sum W W'   (W the sum of V),
//   dJ/dg = -sum p p',  p' - p' of two steps before = 2 P delta',   dJ/dweight = -sum W (q + q of the step before)/2,
// the first five times the site's weight, sums over all steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/wall_correlation.hpp"
#include "engine/plan/plan.hpp"
#include "engine/vector/site_filter_code.hpp"

namespace fdtd {

// Where a history keeps the deltas of a block, by place of a row: one of both, or none. `row`: from a step to the next.
struct KeptDeltas {
  float* f32 = nullptr;
  std::int16_t* i16 = nullptr;
  float* scales = nullptr;  // of i16: a row for cpu::steps_of_scale steps
  std::ptrdiff_t row = 0;
};

// T: the precision of the run, in which the filters work.
template <class T>
class SiteFilters {
 public:
  static constexpr std::size_t lanes = static_cast<std::size_t>(cpu::filter_lanes<T>);

  // `row`: the node of each place of a row of samples, as Backend::wall_row(); nodes whose sites have the same laws are
  // best side by side. Rows are read up to `lanes` places beyond their end. The plan must outlive the filters. Throws Error
  // (status scene) for a law of more than cpu::most_filtered_branches branches.
  SiteFilters(const Plan& plan, const std::vector<std::uint32_t>& row, int threads);

  std::size_t state_values() const { return states_; }    // of the first run
  std::size_t answer_values() const { return answers_; }  // of the second run
  // Takes `state` through a block of steps, and keeps its deltas.
  void advance(const cpu::WallRows<T>& rows, std::int64_t steps, T* state, const KeptDeltas& kept) const;
  // Adds the correlations of a block: `rows` and `before` of the first run, the state before its first step; `answers` of
  // the second, whose step m is step steps - 1 - m of the block, with its state, which goes on.
  void correlate(const cpu::WallRows<T>& rows, const T* before, const cpu::WallRows<T>& answers, std::int64_t steps,
                 T* answering);
  // `scale` times the sums so far.
  WallSlopes slopes(double scale) const;

 private:
  // Nodes side by side in a row whose sites have the same laws, and the filters of their sites.
  struct Chunk {
    std::uint32_t node = 0;   // the first
    std::uint32_t count = 0;  // nodes
    std::size_t place = 0, filters = 0, end = 0;
  };
  struct Filter {
    std::uint32_t law = 0;
    std::size_t state = 0, answer = 0, sum = 0;  // first of its values
  };
  void place(const std::vector<std::uint32_t>& row);
  void add_filters(Chunk& chunk);
  bool same_laws(std::uint32_t a, std::uint32_t b) const;
  cpu::FilteredLaw<T> law_of(const Filter& filter) const;

  const Plan& plan_;
  int threads_;
  std::vector<std::uint32_t> row_;
  std::vector<LawCoefficients<T>> laws_;
  std::vector<BranchCoefficients<T>> branches_;
  std::vector<Chunk> chunks_;
  std::vector<Filter> filters_;
  std::size_t states_ = 0, answers_ = 0;
  std::size_t most_branches_ = 0;        // of a law
  std::vector<std::vector<T>> courses_;  // by thread
  std::vector<double> sums_;             // by filter: cpu::sum_values
};

// Values of state_values(), answer_values() and of the sums where the nodes of equal laws are side by side.
struct FilterSizes {
  std::int64_t states = 0, answers = 0, sums = 0;
};
FilterSizes filter_sizes(const Boundary& boundary, Precision precision);

}  // namespace fdtd
