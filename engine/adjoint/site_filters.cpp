#include "engine/adjoint/site_filters.hpp"

#include <algorithm>

#include "engine/plan/law_in_precision.hpp"

namespace fdtd {
namespace {

constexpr std::size_t L = SiteFilters::lanes;

}  // namespace

// V and G after every step of a block (before the first at index 0), and the pressure across the branches.
struct SiteFilters::Course {
  std::vector<Lanes> input, V, G, p;
  std::vector<Lanes> pulls;

  // `V` and `G` hold `branches` values for each of steps + 1 times; the first are set.
  void run(const LawCoefficients<double>& law, const BranchCoefficients<double>* rules, std::size_t branches,
           std::size_t steps) {
    p.resize(steps), pulls.resize(branches);
    for (std::size_t n = 0; n < steps; ++n) {
      const Lanes *v = V.data() + n * branches, *g = G.data() + n * branches;
      Lanes *after = V.data() + (n + 1) * branches, *moved = G.data() + (n + 1) * branches;
      Lanes A{}, W{};
      for (std::size_t b = 0; b < branches; ++b) {
        const BranchCoefficients<double> rule = rules[b];
        for (std::size_t l = 0; l < L; ++l) {
          pulls[b].of[l] = rule.d * v[b].of[l] - rule.F * g[b].of[l];
          A.of[l] += rule.beta * pulls[b].of[l];
          W.of[l] += v[b].of[l];
        }
      }
      for (std::size_t l = 0; l < L; ++l)
        p[n].of[l] = (input[n].of[l] - law.inertance * (A.of[l] - W.of[l])) * law.series;
      for (std::size_t b = 0; b < branches; ++b) {
        for (std::size_t l = 0; l < L; ++l) {
          after[b].of[l] = rules[b].beta * (pulls[b].of[l] + p[n].of[l]);
          moved[b].of[l] = g[b].of[l] + 0.5 * (after[b].of[l] + v[b].of[l]);
        }
      }
    }
  }

  void begin(const States& states, std::size_t first, std::size_t branches, std::size_t steps) {
    V.resize((steps + 1) * branches), G.resize(V.size());
    for (std::size_t b = 0; b < branches; ++b)
      for (std::size_t l = 0; l < L; ++l) {
        V[b].of[l] = states.V[first + b * L + l];
        G[b].of[l] = states.G[first + b * L + l];
      }
  }

  void end(States& states, std::size_t first, std::size_t branches, std::size_t steps) const {
    for (std::size_t b = 0; b < branches; ++b)
      for (std::size_t l = 0; l < L; ++l) {
        states.V[first + b * L + l] = V[steps * branches + b].of[l];
        states.G[first + b * L + l] = G[steps * branches + b].of[l];
      }
  }
};

SiteFilters::SiteFilters(const Plan& plan) : plan_(plan) {
  const Boundary& boundary = plan.boundary;
  for (const WallLaw& law : boundary.laws)
    laws_.push_back(coefficients_of<double>(plan.precision == Precision::f32 ? law_in<float>(law) : law_in<double>(law),
                                            branches_));
  std::vector<std::vector<Batch>> by_law(boundary.laws.size());
  for (std::uint32_t i = 0; i < boundary.nodes.size(); ++i)
    for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s) {
      const std::uint32_t law = boundary.sites[s].law;
      std::vector<Batch>& batches = by_law[law];
      if (batches.empty() || batches.back().count == L) {
        Batch batch;  // places without a site repeat the first
        batch.law = law;
        batch.site.fill(s), batch.read.fill(i);
        batches.push_back(batch);
      }
      Batch& batch = batches.back();
      batch.site[batch.count] = s, batch.read[batch.count] = i;
      ++batch.count;
    }
  for (std::vector<Batch>& batches : by_law)
    for (Batch& batch : batches) {
      batch.state = states_;
      states_ += L * boundary.laws[batch.law].branches.size();
      batches_.push_back(batch);
    }
  branch_sums_.resize(states_);
  site_sums_.resize(batches_.size());
}

SiteFilters::States SiteFilters::at_rest() const {
  return {std::vector<double>(states_, 0.0), std::vector<double>(states_, 0.0)};
}

void SiteFilters::gather(const Batch& batch, const double* signals, std::int64_t steps,
                         std::vector<Lanes>& into) const {
  const auto count = static_cast<std::size_t>(steps);
  into.resize(count);
  for (std::size_t l = 0; l < L; ++l) {
    const double* const signal = signals + batch.read[l] * count;
    for (std::size_t n = 0; n < count; ++n) into[n].of[l] = signal[n];
  }
}

void SiteFilters::advance(const double* deltas, std::int64_t steps, States& states) const {
  const auto count = static_cast<std::size_t>(steps);
#pragma omp parallel
  {
    Course course;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const Batch& batch = batches_[i];
      const LawCoefficients<double>& law = laws_[batch.law];
      const std::size_t branches = law.branch_end - law.branch_begin;
      gather(batch, deltas, steps, course.input);
      course.begin(states, batch.state, branches, count);
      course.run(law, branches_.data() + law.branch_begin, branches, count);
      course.end(states, batch.state, branches, count);
    }
  }
}

// Step n of the first run is step m of the second, which goes backwards.
void SiteFilters::add_products(const Course& first, const Course& second, std::size_t branches, std::size_t steps,
                               BranchTerms<double>* of_branches, SiteSums& of_sites) {
  for (std::size_t n = 0; n < steps; ++n) {
    const std::size_t m = steps - 1 - n;
    Lanes mean{}, change{}, answer{};  // (W+ + W-)/2, W+ - W-, and the mean of the second run
    for (std::size_t b = 0; b < branches; ++b) {
      const Lanes &v0 = first.V[n * branches + b], &v1 = first.V[(n + 1) * branches + b];
      const Lanes &g0 = first.G[n * branches + b], &g1 = first.G[(n + 1) * branches + b];
      const Lanes &r0 = second.V[m * branches + b], &r1 = second.V[(m + 1) * branches + b];
      BranchTerms<double>* const terms = of_branches + b * L;
      for (std::size_t l = 0; l < L; ++l) {
        const double back = 0.5 * (r1.of[l] + r0.of[l]), v = 0.5 * (v1.of[l] + v0.of[l]);
        terms[l].D += (v1.of[l] - v0.of[l]) * back;
        terms[l].E += v * back;
        terms[l].F += 0.5 * (g1.of[l] + g0.of[l]) * back;
        mean.of[l] += v, change.of[l] += v1.of[l] - v0.of[l], answer.of[l] += back;
      }
    }
    for (std::size_t l = 0; l < L; ++l) {
      of_sites.inertance.of[l] += change.of[l] * answer.of[l];
      of_sites.admittance.of[l] += first.p[n].of[l] * second.p[m].of[l];
      of_sites.weight.of[l] += mean.of[l] * second.input[m].of[l];
    }
  }
}

void SiteFilters::correlate(const double* deltas, const States& before, const double* answers, States& answering,
                            std::int64_t steps) {
  const auto count = static_cast<std::size_t>(steps);
#pragma omp parallel
  {
    Course first, second;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const Batch& batch = batches_[i];
      const LawCoefficients<double>& law = laws_[batch.law];
      const std::size_t branches = law.branch_end - law.branch_begin;
      gather(batch, deltas, steps, first.input);
      first.begin(before, batch.state, branches, count);
      first.run(law, branches_.data() + law.branch_begin, branches, count);
      gather(batch, answers, steps, second.input);
      second.begin(answering, batch.state, branches, count);
      second.run(law, branches_.data() + law.branch_begin, branches, count);
      second.end(answering, batch.state, branches, count);
      add_products(first, second, branches, count, branch_sums_.data() + batch.state, site_sums_[i]);
    }
  }
}

WallSlopes SiteFilters::slopes(double scale) const {
  const Boundary& boundary = plan_.boundary;
  WallSlopes slopes;
  slopes.branches.resize(boundary.branch_begin.back());
  slopes.inertance.resize(boundary.sites.size());
  slopes.admittance.resize(boundary.sites.size());
  slopes.weight.resize(boundary.sites.size());
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Batch& batch = batches_[i];
    for (std::size_t l = 0; l < batch.count; ++l) {
      const std::size_t site = batch.site[l];
      const double by_weight = scale * boundary.sites[site].weight;
      const std::uint64_t first = boundary.branch_begin[site], count = boundary.branch_begin[site + 1] - first;
      for (std::uint64_t b = 0; b < count; ++b) {
        const BranchTerms<double>& sums = branch_sums_[batch.state + b * L + l];
        slopes.branches[first + b] = {by_weight * sums.D, by_weight * sums.E, by_weight * sums.F};
      }
      slopes.inertance[site] = by_weight * site_sums_[i].inertance.of[l];
      slopes.admittance[site] = -by_weight * site_sums_[i].admittance.of[l];
      slopes.weight[site] = -scale * site_sums_[i].weight.of[l];
    }
  }
  return slopes;
}

}  // namespace fdtd
