// The derivatives by a wall's law from filters of the second run alone, on the host, against those of both runs' filters.
#include "engine/cuda/adjoint/site_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/adjoint/site_filters.hpp"
#include "engine/cuda/adjoint/correlation_tables.hpp"
#include "engine/cuda/field/layout.hpp"
#include "engine/plan/law_in_precision.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr std::int64_t steps = 300;

// A site a node, one of each law.
Plan sites_of(const std::vector<WallLaw>& laws) {
  Plan plan;
  plan.precision = Precision::f64;
  Boundary& boundary = plan.boundary;
  boundary.laws = laws;
  for (std::uint32_t l = 0; l < laws.size(); ++l) {
    boundary.nodes.push_back(l);
    boundary.sites.push_back({l, 1.0});
    boundary.site_begin.push_back(l + 1);
    boundary.branch_begin.push_back(boundary.branch_begin.back() + laws[l].branches.size());
  }
  return plan;
}

// A value a node and step; two steps before them.
using Rows = std::vector<std::vector<double>>;

// The derivatives by filters of both runs, with a place a node.
WallSlopes of_both(const Plan& plan, const Rows& history, const Rows& answers) {
  const std::size_t nodes = plan.boundary.nodes.size(), lanes = SiteFilters<double>::lanes;
  std::vector<std::uint32_t> row(nodes);
  std::iota(row.begin(), row.end(), 0U);
  const auto values_of = [&](const Rows& rows) {
    std::vector<double> values(nodes * rows[0].size() + lanes);
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t n = 0; n < rows[i].size(); ++n) values[n * nodes + i] = rows[i][n];
    return values;
  };
  SiteFilters<double> filters(plan, row, 1);
  const std::vector<double> first = values_of(history), second = values_of(answers),
                            before(filters.state_values() + lanes);
  std::vector<double> answering(filters.answer_values() + lanes);
  const auto apart = static_cast<std::ptrdiff_t>(nodes);
  filters.correlate({.values = first.data(), .row = apart}, before.data(), {.values = second.data(), .row = apart},
                    static_cast<std::int64_t>(history[0].size()) - 2, answering.data());
  return filters.slopes(1.0);
}

// Histories as sound has them: oversampled.
std::vector<double> smooth_noise(std::int64_t count, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values(2, 0.0);
  double once = 0.0, twice = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    once = 0.7 * once + normal(random);
    twice = 0.7 * twice + once;
    values.push_back(twice);
  }
  return values;
}

struct Sums {
  std::vector<BranchTerms<double>> terms;
  double inertance, admittance, weight;
};

template <class T, class Site>
void follow(const WallLaw& law, const std::vector<double>& history, const std::vector<double>& answers, Site& site) {
  std::vector<BranchCoefficients<T>> rules;
  const LawCoefficients<T> coefficients = coefficients_of<T>(law, rules);
  for (std::size_t m = 2, n = history.size() - 1; m < answers.size(); ++m, --n)
    cuda::correlate_step(coefficients, rules.data(), static_cast<T>(answers[m]),
                         static_cast<T>(0.5 * (history[n] - history[n - 2])), site);
}

template <class T, int B>
Sums known(const WallLaw& law, const std::vector<double>& history, const std::vector<double>& answers) {
  cuda::KnownSite<T, B> site{};
  follow<T>(law, history, answers, site);
  Sums sums{{}, site.by_inertance, site.by_admittance, site.by_weight};
  for (const BranchTerms<T>& terms : site.by_terms) sums.terms.push_back({terms.D, terms.E, terms.F});
  return sums;
}

template <class T>
Sums any(const WallLaw& law, const std::vector<double>& history, const std::vector<double>& answers) {
  constexpr std::uint32_t apart = 3;
  const auto branches = static_cast<std::uint32_t>(law.branches.size());
  std::vector<BranchValues<T>> values(std::size_t{apart} * cuda::correlation_stages * branches);
  std::vector<double> all(std::size_t{apart} * (3 * branches + cuda::correlation_sums_alone));
  cuda::AnySite<T> site{values.data() + 1, all.data() + 1, branches, apart};
  follow<T>(law, history, answers, site);
  Sums sums{{}, site.inertance(), site.admittance(), site.weight()};
  for (std::uint32_t b = 0; b < branches; ++b)
    sums.terms.push_back({site.terms(b).D, site.terms(b).E, site.terms(b).F});
  return sums;
}

void check(const Sums& sums, const WallSlopes& exact, std::size_t site, std::uint64_t branch, double tolerance) {
  const auto near = [&](double value, double wanted) {
    CHECK(std::abs(wanted) > 0.0);
    CHECK(std::abs(value - wanted) < tolerance * std::abs(wanted));
  };
  for (std::size_t b = 0; b < sums.terms.size(); ++b) {
    const BranchTerms<double>& terms = exact.branches[branch + b];
    CAPTURE(site, b);
    near(sums.terms[b].D, terms.D), near(sums.terms[b].E, terms.E), near(sums.terms[b].F, terms.F);
  }
  near(sums.inertance, exact.inertance[site]);
  near(sums.admittance, -exact.admittance[site]);
  near(sums.weight, -exact.weight[site]);
}

}  // namespace

TEST_CASE("filters of the second run alone find the derivatives of filters of both") {
  std::vector<WallLaw> laws = some_laws();
  laws.push_back({0.6, {{1.0, 2.0, 0.02}, {0.2, 5.0, 0.5}, {3.0, 0.3, 0.01}, {0.0, 9.0, 0.0}}, 0, 0});
  const Plan plan = sites_of(laws);
  std::mt19937 random(4);
  Rows histories, all_answers;
  for (std::size_t l = 0; l < laws.size(); ++l) {
    histories.push_back(smooth_noise(steps, random));
    all_answers.push_back(smooth_noise(steps, random));
  }
  const WallSlopes exact = of_both(plan, histories, all_answers);
  for (std::size_t l = 0; l < laws.size(); ++l) {
    const std::vector<double>&history = histories[l], &answers = all_answers[l];
    const std::uint64_t branch = plan.boundary.branch_begin[l];
    check(any<double>(laws[l], history, answers), exact, l, branch, 1e-10);
    check(any<float>(laws[l], history, answers), exact, l, branch, 1e-3);
    switch (laws[l].branches.size()) {
      case 1:
        check(known<double, 1>(laws[l], history, answers), exact, l, branch, 1e-10);
        check(known<float, 1>(laws[l], history, answers), exact, l, branch, 1e-3);
        break;
      case 2:
        check(known<double, 2>(laws[l], history, answers), exact, l, branch, 1e-10);
        check(known<float, 2>(laws[l], history, answers), exact, l, branch, 1e-3);
        break;
      case 3:
        check(known<double, 3>(laws[l], history, answers), exact, l, branch, 1e-10);
        check(known<float, 3>(laws[l], history, answers), exact, l, branch, 1e-3);
        break;
      default:
        check(known<double, 4>(laws[l], history, answers), exact, l, branch, 1e-10);
        check(known<float, 4>(laws[l], history, answers), exact, l, branch, 1e-3);
    }
  }
}

namespace {

// The rows of a block as the GPU keeps them, a value a place.
template <class Value>
std::vector<double> rows_of(const std::vector<std::uint32_t>& member, std::int64_t rows, const Value& value) {
  std::vector<double> all;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const std::uint32_t node : member) all.push_back(node == cuda::no_member ? 1e30 : value(node, row));
  return all;
}

// The launches of all blocks, the last first, on the host.
WallSlopes on_host(const Plan& plan, const Rows& history, const Rows& answers, std::int64_t block) {
  const auto all_steps = static_cast<std::int64_t>(history[0].size()) - 2;
  const cuda::Layout layout(plan.grid.size, plan.stencil.radius, sizeof(double));
  const cuda::BoundaryTables<double> sites = cuda::pack_boundary<double>(plan.boundary, layout);
  const cuda::CorrelationTables tables = cuda::pack_correlation(plan.boundary, sites.member);
  std::vector<BranchValues<double>> state(tables.states);
  std::vector<double> sum(tables.sums);
  std::int64_t done = 0;
  for (std::int64_t first = (all_steps - 1) / block * block; first >= 0; first -= block) {
    const std::int64_t count = std::min(block, all_steps - first);
    const auto of_block = [&](const Rows& all, std::int64_t begin) {
      return rows_of(sites.member, count + 2, [&](std::uint32_t node, std::int64_t row) {
        return all[node][static_cast<std::size_t>(begin + row)];
      });
    };
    const std::vector<double> first_run = of_block(history, first), second_run = of_block(answers, done);
    const cuda::CorrelatedRows<double> rows{first_run.data(), second_run.data(), sites.member.size(), count};
    for (const cuda::CorrelationPart& part : tables.parts)
      for (std::uint32_t i = 0; i < part.count; ++i) {
        const LawCoefficients<double>& law = sites.laws[part.law];
        cuda::AnySite<double> site{state.data() + part.state + i, sum.data() + part.sum + i,
                                   law.branch_end - law.branch_begin, cuda::correlation_threads};
        cuda::correlate_block(rows, tables.place[part.site + i], law, sites.branches.data() + law.branch_begin, site);
      }
    done += count;
  }
  return tables.slopes(plan.boundary, sum, 1.0);
}

void check_near(const std::vector<double>& values, const std::vector<double>& exact) {
  REQUIRE(values.size() == exact.size());
  double worst = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst = std::max(worst, std::abs(values[i] - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  CHECK(largest > 0.0);
  CHECK(worst < 1e-11 * largest);
}

std::vector<double> terms_of(const WallSlopes& slopes, double LawBranch::*term) {
  std::vector<double> values;
  for (const BranchTerms<double>& branch : slopes.branches) values.push_back(branch.*term);
  return values;
}

}  // namespace

TEST_CASE("sites of all walls in the GPU's order have the derivatives of both runs' filters") {
  std::mt19937 random(8);
  RoomSpec spec;
  spec.size = {14, 11, 9};
  spec.air = random_mask(spec.size, 0.85, random);
  spec.laws = some_laws();
  const Plan plan = plan_of(spec);
  const std::size_t nodes = plan.boundary.nodes.size();
  REQUIRE(plan.boundary.sites.size() > nodes + 100);
  Rows history, answers;
  for (std::size_t i = 0; i < nodes; ++i) {
    history.push_back(smooth_noise(70, random));
    answers.push_back(smooth_noise(70, random));
  }
  const WallSlopes exact = of_both(plan, history, answers);
  for (const std::int64_t block : {70, 32, 5}) {
    CAPTURE(block);
    const WallSlopes found = on_host(plan, history, answers, block);
    for (double LawBranch::*term : {&LawBranch::D, &LawBranch::E, &LawBranch::F})
      check_near(terms_of(found, term), terms_of(exact, term));
    check_near(found.inertance, exact.inertance);
    check_near(found.admittance, exact.admittance);
    check_near(found.weight, exact.weight);
  }
}
