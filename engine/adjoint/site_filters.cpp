#include "engine/adjoint/site_filters.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "engine/plan/law_in_precision.hpp"

namespace fdtd {
namespace {

constexpr std::size_t L = SiteFilters::lanes;

}  // namespace

SiteFilters::SiteFilters(const Plan& plan) : plan_(plan) {
  const Boundary& boundary = plan.boundary;
  for (const WallLaw& law : boundary.laws) {
    most_branches_ = std::max(most_branches_, law.branches.size());
    laws_.push_back(coefficients_of<double>(plan.precision == Precision::f32 ? law_in<float>(law) : law_in<double>(law),
                                            branches_));
  }
  if (most_branches_ > static_cast<std::size_t>(cpu::most_filtered_branches))
    throw Error(Status::scene,
                fmt::format("a wall's law has {} branches, and a gradient takes up to {}", most_branches_,
                            cpu::most_filtered_branches),
                "describe the material by fewer branches");
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
      const std::size_t branches = boundary.laws[batch.law].branches.size();
      batch.state = states_, batch.sum = sums_.size();
      states_ += L * branches;
      sums_.resize(sums_.size() + static_cast<std::size_t>(cpu::sum_values(static_cast<std::ptrdiff_t>(branches))));
      batches_.push_back(batch);
    }
}

SiteFilters::States SiteFilters::at_rest() const {
  return {std::vector<double>(states_, 0.0), std::vector<double>(states_, 0.0)};
}

SiteFilters::Signals SiteFilters::signals_of(const Batch& batch, const double* signals, std::int64_t steps) {
  Signals of{};
  for (std::size_t l = 0; l < L; ++l) of[l] = signals + batch.read[l] * static_cast<std::size_t>(steps);
  return of;
}

cpu::FilteredLaw SiteFilters::law_of(const Batch& batch) const {
  const LawCoefficients<double>& law = laws_[batch.law];
  return {&law, branches_.data() + law.branch_begin, static_cast<std::ptrdiff_t>(law.branch_end - law.branch_begin)};
}

void SiteFilters::advance(const double* deltas, std::int64_t steps, States& states) const {
  const cpu::SiteFilterCode& code = cpu::site_filter_code();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Batch& batch = batches_[i];
    code.advance(law_of(batch), signals_of(batch, deltas, steps).data(), steps, states.V.data() + batch.state,
                 states.G.data() + batch.state, nullptr);
  }
}

void SiteFilters::correlate(const double* deltas, States& before, const double* answers, States& answering,
                            std::int64_t steps) {
  const cpu::SiteFilterCode& code = cpu::site_filter_code();
  const auto values = static_cast<std::size_t>(cpu::course_values(static_cast<std::ptrdiff_t>(most_branches_), steps));
  courses_.resize(values * static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Batch& batch = batches_[i];
    const cpu::FilteredLaw law = law_of(batch);
    double* const course = courses_.data() + values * static_cast<std::size_t>(omp_get_thread_num());
    code.advance(law, signals_of(batch, deltas, steps).data(), steps, before.V.data() + batch.state,
                 before.G.data() + batch.state, course);
    code.correlate(law, course, signals_of(batch, answers, steps).data(), steps, answering.V.data() + batch.state,
                   answering.G.data() + batch.state, sums_.data() + batch.sum);
  }
}

WallSlopes SiteFilters::slopes(double scale) const {
  const Boundary& boundary = plan_.boundary;
  WallSlopes slopes;
  slopes.branches.resize(boundary.branch_begin.back());
  slopes.inertance.resize(boundary.sites.size());
  slopes.admittance.resize(boundary.sites.size());
  slopes.weight.resize(boundary.sites.size());
  for (const Batch& batch : batches_) {
    for (std::size_t l = 0; l < batch.count; ++l) {
      const std::size_t site = batch.site[l];
      const double by_weight = scale * boundary.sites[site].weight;
      const std::uint64_t first = boundary.branch_begin[site], count = boundary.branch_begin[site + 1] - first;
      const double* sum = sums_.data() + batch.sum + l;
      const auto next = [&] { return *std::exchange(sum, sum + L); };
      for (std::uint64_t b = 0; b < count; ++b)
        each_term([&](double& term) { term = by_weight * next(); }, slopes.branches[first + b]);
      slopes.inertance[site] = by_weight * next();
      slopes.admittance[site] = -by_weight * next();
      slopes.weight[site] = -scale * next();
    }
  }
  return slopes;
}

}  // namespace fdtd
