#include "engine/calibration/identify.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Values = std::vector<double>;

OctaveFit fit_of(const std::vector<Values>& rows, double spread) {
  const std::size_t n = rows.front().size();
  Values slopes, measured(rows.size(), 0.0);
  for (const Values& row : rows) slopes.insert(slopes.end(), row.begin(), row.end());
  OctaveData data{Values(n, -2.0), Values(n, spread), Values(n, -7.0),
                  Values(n, 1.0),  measured,          Values(rows.size(), 1.0)};
  OctaveFit fit(data, UncertainSlopes(slopes, n));
  fit.add_run(data.prior, measured);  // with no difference left
  for (std::size_t j = 0; j < n; ++j) {
    Values x = data.prior, figures;
    x[j] += 0.3;
    for (const Values& row : rows) figures.push_back(0.3 * row[j]);
    fit.add_run(x, figures);
  }
  return fit;
}

Identified identified(const OctaveFit& fit, const Values& areas) {
  return identify(fit.posterior(), fit.data().prior, areas);
}

}  // namespace

TEST_CASE("unknowns are logarithms of exponents", "[calibration]") {
  for (const double alpha : {0.001, 0.1, 0.5, 0.95}) {
    const double x = unknown_of(alpha);
    CHECK(alpha_of(x) == Approx(alpha));
    CHECK(alpha_slope(x) == Approx((alpha_of(x + 1e-6) - alpha_of(x - 1e-6)) / 2e-6).epsilon(1e-6));
  }
}

TEST_CASE("materials with the same effect on every figure are named, and what is known of their sum", "[calibration]") {
  // The first and the third change all figures alike; the second is seen by one pair more than by the other.
  const OctaveFit fit = fit_of({{-8.0, -2.0, -8.0}, {-8.0, -14.0, -8.0}, {-8.0, -3.0, -8.0}}, 0.4);
  const Identified found = identified(fit, {20.0, 10.0, 20.0});
  CHECK(found.unseen.empty());
  REQUIRE(found.alike.size() == 1);
  CHECK(found.alike[0].unknowns == std::vector<std::size_t>{0, 2});
  // Alone each is known to little better than the prior; together they are.
  const double alpha = alpha_of(-2.0), one = fit.posterior().deviation[0] * alpha_slope(-2.0) / alpha;
  CHECK(one > 0.25);
  CHECK(found.alike[0].deviation < 0.1);
}

TEST_CASE("materials that figures tell apart are not named", "[calibration]") {
  const Identified found = identified(fit_of({{-15.0, -3.0}, {-3.0, -15.0}}, 0.4), {20.0, 20.0});
  CHECK(found.alike.empty());
  CHECK(found.unseen.empty());
}

TEST_CASE("the same slopes tell apart where absorption may be anything, and do not where the prior is narrow",
          "[calibration]") {
  const std::vector<Values> rows = {{-10.5, -8.5}, {-8.5, -10.5}};
  CHECK(identified(fit_of(rows, 3.0), {20.0, 20.0}).alike.empty());
  CHECK(identified(fit_of(rows, 0.3), {20.0, 20.0}).alike.size() == 1);
}

TEST_CASE("a material of little area is not seen, and makes no group", "[calibration]") {
  const Identified found = identified(fit_of({{-15.0, -3.0, -0.4}, {-3.0, -15.0, -0.3}}, 0.4), {20.0, 20.0, 0.5});
  CHECK(found.unseen == std::vector<std::size_t>{2});
  CHECK(found.alike.empty());
}
