#include "engine/calibration/octave_fit.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "engine/calibration/fitted_figures.hpp"
#include "engine/calibration/identify.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Values = std::vector<double>;
using Model = std::function<Values(const Values&)>;

// Times of three pairs by Eyring's formula, in steps of T20; pair p sees a material more or less than by its area.
Values times(const Values& x, const std::vector<Values>& areas) {
  Values steps;
  for (const Values& seen : areas) {
    double exponent = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) exponent += seen[j] * std::exp(x[j]);
    steps.push_back(in_steps(0, 0.161 * 150.0 / exponent));
  }
  return steps;
}
const std::vector<Values> seen = {{60.0, 30.0, 10.0}, {40.0, 50.0, 12.0}, {30.0, 30.0, 40.0}};
Values eyring(const Values& x) { return times(x, seen); }

Values slopes_at(const Model& model, const Values& x) {
  const Values base = model(x);
  Values slopes(base.size() * x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    Values moved = x;
    moved[j] += 1e-6;
    const Values there = model(moved);
    for (std::size_t i = 0; i < base.size(); ++i) slopes[i * x.size() + j] = (there[i] - base[i]) / 1e-6;
  }
  return slopes;
}

Values unknowns_of(const Values& alpha) {
  Values x;
  for (const double one : alpha) x.push_back(unknown_of(one));
  return x;
}

OctaveData data_of(const Values& prior, double spread, const Values& measured) {
  const std::size_t n = prior.size();
  return {prior,    Values(n, spread),           Values(n, unknown_of(1e-3)), Values(n, unknown_of(0.95)),
          measured, Values(measured.size(), 1.0)};
}

void run_to_the_end(OctaveFit& fit, const Model& model, std::size_t runs) {
  while (fit.runs() < runs && !fit.settled()) {
    const Values x = fit.next();
    fit.add_run(x, model(x));
  }
}

}  // namespace

TEST_CASE("absorption 50 % off is found in six runs where figures determine it, from a Jacobian 20 % off",
          "[calibration]") {
  const Values alpha = {0.08, 0.3, 0.55}, prior = {0.04, 0.45, 0.275};
  OctaveData data = data_of(unknowns_of(prior), 20.0, eyring(unknowns_of(alpha)));
  data.deviation.assign(3, 0.05);
  Values slopes = slopes_at(eyring, unknowns_of(prior));
  for (std::size_t k = 0; k < slopes.size(); ++k) slopes[k] *= k % 2 == 0 ? 1.2 : 0.8;
  OctaveFit fit(data, UncertainSlopes(slopes, 3));
  run_to_the_end(fit, eyring, 6);
  const Values found = fit.next();
  for (std::size_t j = 0; j < alpha.size(); ++j) CHECK(alpha_of(found[j]) == Approx(alpha[j]).margin(0.02));
}

TEST_CASE("absorption beyond its bounds ends on them, and the other unknowns explain the figures as well as they can",
          "[calibration]") {
  const Values beyond = {unknown_of(0.2), unknown_of(0.97)};
  const auto two = [](const Values& x) { return times(x, {{60.0, 20.0}, {20.0, 60.0}}); };
  OctaveFit fit(data_of(unknowns_of({0.2, 0.8}), 20.0, two(beyond)),
                UncertainSlopes(slopes_at(two, unknowns_of({0.2, 0.8})), 2));
  run_to_the_end(fit, two, 6);
  const Values x = fit.next();
  CHECK(x[1] == unknown_of(0.95));
  double best = 0.0, least = std::numeric_limits<double>::infinity();
  for (double alpha = 0.05; alpha < 0.9; alpha += 0.001) {
    const Values computed = two({unknown_of(alpha), x[1]}), measured = two(beyond);
    const double squares = std::hypot(computed[0] - measured[0], computed[1] - measured[1]);
    if (squares < least) least = squares, best = alpha;
  }
  CHECK(best > 0.25);
  CHECK(alpha_of(x[0]) == Approx(best).margin(0.02));
}

TEST_CASE("fits to noisy figures spread as they state", "[calibration]") {
  // Of a linear model, whose prior is wide: 400 draws know a standard deviation to 4 %. Bound set beforehand: a factor of 1.25.
  const std::vector<Values> rows = {{-14.0, -5.0}, {-12.0, -8.0},  {-9.0, -9.0},  {-13.0, -7.0},
                                    {-6.0, -13.0}, {-10.0, -10.0}, {-8.0, -12.0}, {-11.0, -4.0}};
  const Values truth = {-2.0, -1.5};
  const auto model = [&](const Values& x) {
    Values figures;
    for (const Values& row : rows) figures.push_back(row[0] * x[0] + row[1] * x[1]);
    return figures;
  };
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  constexpr int draws = 400;
  Values sum(2), squares(2), stated(2);
  for (int draw = 0; draw < draws; ++draw) {
    Values measured = model(truth);
    for (double& one : measured) one += 0.8 * normal(random);
    OctaveData data = data_of({-2.5, -1.0}, 5.0, measured);
    data.deviation.assign(rows.size(), 0.8);
    OctaveFit fit(data, UncertainSlopes(slopes_at(model, {-2.5, -1.0}), 2));
    run_to_the_end(fit, model, 6);
    const Values x = fit.next();
    const OctavePosterior posterior = fit.posterior();
    for (std::size_t j = 0; j < 2; ++j) {
      sum[j] += x[j] / draws;
      squares[j] += x[j] * x[j] / draws;
      stated[j] += posterior.deviation[j] / draws;
    }
  }
  for (std::size_t j = 0; j < 2; ++j) {
    const double spread = std::sqrt(squares[j] - sum[j] * sum[j]);
    CHECK(stated[j] < 1.25 * spread);
    CHECK(stated[j] > spread / 1.25);
    CHECK(sum[j] == Approx(truth[j]).margin(4.0 * spread / std::sqrt(1.0 * draws)));
  }
}

TEST_CASE("without figures to speak of the prior and its spread remain", "[calibration]") {
  OctaveData data = data_of({-2.0}, 0.4, {30.0});
  data.deviation = {1e4};
  OctaveFit fit(data, UncertainSlopes({-20.0}, 1));
  const auto model = [](const Values& x) { return Values{-20.0 * x[0]}; };
  run_to_the_end(fit, model, 3);
  CHECK(fit.next()[0] == Approx(-2.0).margin(1e-3));
  CHECK(fit.posterior().deviation[0] == Approx(0.4).epsilon(1e-3));
}

TEST_CASE(
    "without figures to speak of, materials differ from the prior by their spreads and by what they have in common",
    "[calibration]") {
  OctaveData data = data_of({-2.0, -1.0}, 0.4, {30.0});
  data.spread = {0.4, 0.2};
  data.deviation = {1e4};
  data.common = 0.3;
  OctaveFit fit(data, UncertainSlopes({-20.0, -10.0}, 2));
  run_to_the_end(
      fit, [](const Values& x) { return Values{-20.0 * x[0] - 10.0 * x[1]}; }, 3);
  const OctavePosterior posterior = fit.posterior();
  CHECK(posterior.deviation[0] == Approx(0.5).epsilon(1e-3));
  CHECK(posterior.deviation[1] == Approx(std::hypot(0.2, 0.3)).epsilon(1e-3));
  CHECK(posterior.covariance[0][1] == Approx(0.09).epsilon(1e-3));
}

TEST_CASE("where all materials absorb twice as much as stated, their ratios stay", "[calibration]") {
  // Figures show a sum alone, measured to a tenth of a step. Bounds set beforehand.
  const Values prior = unknowns_of({0.05, 0.1, 0.2});
  Values truth = prior;
  for (double& one : truth) one += std::log(2.0);
  const std::vector<Values> sum = {{60.0, 30.0, 10.0}, {60.0, 30.0, 10.0}};
  const auto model = [&](const Values& x) { return times(x, sum); };
  const auto found = [&](double common) {
    OctaveData data = data_of(prior, 0.4, model(truth));
    data.deviation.assign(2, 0.1);
    data.common = common;
    OctaveFit fit(data, UncertainSlopes(slopes_at(model, prior), 3));
    run_to_the_end(fit, model, 6);
    return fit.next();
  };
  const Values alone = found(0.0), together = found(std::log(2.0));
  for (std::size_t j = 0; j < 3; ++j) CHECK(together[j] == Approx(truth[j]).margin(0.15));
  CHECK(alone[0] - alone[2] > prior[0] - prior[2] + 0.25);  // the one of which the figures show most takes most
}

TEST_CASE("a figure that a run does not give has no part in its step, and counts again when it is there",
          "[calibration]") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  OctaveFit fit(data_of({-2.0}, 5.0, {20.0, 90.0}), UncertainSlopes({-20.0, -20.0}, 1));
  fit.add_run(Values{-2.0}, Values{none, none});
  CHECK(fit.figures_used() == 0);
  CHECK(fit.settled());
  fit.add_run(Values{-2.0}, Values{40.0, none});
  CHECK(fit.best() == 1);
  CHECK(fit.figures_used() == 1);
  CHECK_FALSE(fit.settled());
  const Values x = fit.next();
  CHECK(x[0] == Approx(-1.0).margin(0.01));
  fit.add_run(x, Values{20.0, 91.0});
  CHECK(fit.best() == 2);
  CHECK(fit.figures_used() == 2);
}

TEST_CASE("what no absorption explains counts as uncertainty", "[calibration]") {
  const auto model = [](const Values& x) { return Values(4, -20.0 * x[0]); };
  const auto deviation = [&](const Values& measured) {
    OctaveFit fit(data_of({-2.0}, 5.0, measured), UncertainSlopes(Values(4, -20.0), 1));
    run_to_the_end(fit, model, 4);
    CHECK(fit.next()[0] == Approx(-2.2).margin(0.01));
    return fit.posterior().deviation[0];
  };
  const double alike = deviation({44.0, 44.0, 44.0, 44.0}), apart = deviation({34.0, 54.0, 34.0, 54.0});
  CHECK(alike == Approx(1.0 / 20.0 / 2.0).epsilon(0.03));
  CHECK(apart == Approx(alike * std::sqrt(400.0 / 3.0)).epsilon(0.05));
}

TEST_CASE("a step that made the figures worse is tried again shorter, from the best run", "[calibration]") {
  // The slope that is stated has the wrong sign at first.
  const auto model = [](const Values& x) { return Values{-20.0 * x[0], -20.0 * x[0]}; };
  OctaveFit fit(data_of({-2.0}, 20.0, {50.0, 50.0}), UncertainSlopes({8.0, 8.0}, 1));
  run_to_the_end(fit, model, 6);
  CHECK(fit.next()[0] == Approx(-2.5).margin(0.02));
}

TEST_CASE("of two materials that are stated alike the shares are found, as runs lead aside", "[calibration]") {
  // Their sum shows best, and the Jacobian that is stated shows nothing else.
  const auto two = [](const Values& x) { return times(x, {{50.0, 40.0}, {35.0, 50.0}, {45.0, 45.0}}); };
  const Values alpha = {0.06, 0.2}, prior = {0.1, 0.13};
  OctaveData data = data_of(unknowns_of(prior), 3.0, two(unknowns_of(alpha)));
  Values alike(6, -10.0);
  OctaveFit fit(data, UncertainSlopes(alike, 2));
  run_to_the_end(fit, two, 6);
  CHECK(fit.runs() > 3);
  const Values x = fit.next();
  const OctavePosterior posterior = fit.posterior();
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(alpha_of(x[j]) == Approx(alpha[j]).margin(0.02));
    CHECK(posterior.deviation[j] < 1.0);
  }
  // With runs too few to lead aside, both keep the prior's deviation, and the sum is known.
  OctaveFit short_fit(data, UncertainSlopes(alike, 2), 3);
  run_to_the_end(short_fit, two, 3);
  const OctavePosterior unsure = short_fit.posterior();
  CHECK(unsure.deviation[0] > 1.0);
  const Identified found = identify(unsure, short_fit.next(), Values{45.0, 45.0});
  REQUIRE(found.alike.size() == 1);
  CHECK(found.alike[0].unknowns == std::vector<std::size_t>{0, 1});
}

TEST_CASE("shares of two and three materials lie within two stated deviations", "[calibration]") {
  // Rooms whose nine figures see the materials by 30 to 170 % of their areas, while areas alone state the Jacobian. Bound set
  // beforehand: 90 % of the errors.
  std::mt19937 random(51);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> even(0.0, 1.0);
  std::size_t count = 0, within = 0;
  double stated = 0.0;
  for (int room = 0; room < 200; ++room) {
    const std::size_t n = room % 2 == 0 ? 2 : 3;
    Values areas, truth, prior;
    for (std::size_t j = 0; j < n; ++j) {
      areas.push_back(10.0 + 30.0 * even(random));
      truth.push_back(unknown_of(0.05 + 0.25 * even(random)));
      prior.push_back(truth[j] + std::log(1.5) * normal(random));
    }
    std::vector<Values> rows;
    for (int figure = 0; figure < 9; ++figure) {
      Values& row = rows.emplace_back();
      for (const double area : areas) row.push_back(area * (0.3 + 1.4 * even(random)));
    }
    const auto model = [&](const Values& x) { return times(x, rows); };
    Values measured = model(truth);
    for (double& one : measured) one += normal(random);
    const std::vector<Values> alike(9, areas);
    OctaveFit fit(data_of(prior, std::log(1.5), measured),
                  UncertainSlopes(slopes_at([&](const Values& x) { return times(x, alike); }, prior), n));
    std::vector<Values> made;
    while (fit.runs() < 6 && !fit.settled()) {
      made.push_back(fit.next());
      fit.add_run(made.back(), model(made.back()));
    }
    const OctavePosterior posterior = fit.posterior();
    for (std::size_t j = 0; j < n; ++j) {
      ++count;
      within += std::abs(made[fit.best()][j] - truth[j]) <= 2.0 * posterior.deviation[j];
      stated += posterior.deviation[j];
    }
  }
  INFO(within << " of " << count << ", mean deviation " << stated / static_cast<double>(count));
  CHECK(within >= 9 * count / 10);
  CHECK(stated < 0.9 * std::log(1.5) * static_cast<double>(count));  // more is known than before
}
