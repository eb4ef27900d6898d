#include "engine/walls/fit_problem.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "engine/walls/wall_taps.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/known_dispersion.hpp"
#include "stencils/radial.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Complex = std::complex<double>;

constexpr double time_step = 1e-4;

// Of a set with a radial map: with waves at grazing incidence whose phase counts.
std::vector<Aim> radial_aims(const std::vector<Branch>& branches) {
  const Stencil& stencil = *find_stencil("box-111/radial1");
  const GridStencil cube = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const FrequencyMap map = frequency_map(stencil);
  const double highest = known_rendered_omega(cube, 0.02, map);
  std::vector<WallWave> waves = wall_waves(cube, 0, map, highest);
  load_waves(waves, cube, 0, make_wall_taps(cube, 0, highest).taps);
  return aims_of(branches, time_step, waves);
}

Eigen::VectorXd logarithms(const std::vector<double>& values) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) x[static_cast<Eigen::Index>(i)] = std::log(values[i]);
  return x;
}

}  // namespace

TEST_CASE("the error of a fit is that of its waves one by one, by complex numbers") {
  const std::vector<Aim> aims = radial_aims({{2e-4, 1.5, 500.0}, {0.0, 6.0, 3000.0}});
  const std::vector<double> values = {1.8, 1.4, 0.06, 0.02, 7.0, 0.3, 0.4};  // D, E, F of two branches, inertance
  double largest = 0.0, squares = 0.0, grazing = 0.0;
  for (const Aim& aim : aims) {
    Complex y = 0.0;
    for (const std::size_t b : {0U, 3U}) y += 1.0 / (values[b] * aim.s + values[b + 1] + values[b + 2] / aim.s);
    const Complex z = values[6] * aim.s + 1.0 / y;
    largest = std::max(largest, aim.weight * std::abs(log_ratio(aim, z)));
    if (!aim.grazing) continue;
    squares += std::pow(weighted_lag(aim, z), 2);
    grazing += 1.0;
  }
  REQUIRE(grazing > 5.0);
  CHECK(FitProblem(aims, 5.0).error(logarithms(values)) ==
        Approx(largest + std::sqrt(squares / grazing)).epsilon(1e-11));
}

// With wrong slopes it would end where the sum of squares still falls.
TEST_CASE("a solution is a least sum of squares along every coefficient") {
  const std::vector<Aim> aims = radial_aims({{2e-4, 1.5, 500.0}, {0.0, 6.0, 3000.0}});
  const FitProblem problem(aims, 5.0);
  const LeastSquaresResult found = problem.solve(logarithms({2.0, 1.5, 0.05, 0.006, 6.0, 0.3, 0.3}), 400);
  const auto cost = [&](const Eigen::VectorXd& x) { return problem.solve(x, 0).cost; };
  CHECK(cost(found.x) == found.cost);
  constexpr double step = 1e-3;
  for (Eigen::Index i = 0; i < found.x.size(); ++i) {
    if (std::abs(found.x[i]) > log_bound - 1.0) continue;  // next to a bound
    Eigen::VectorXd more = found.x, less = found.x;
    more[i] += step;
    less[i] -= step;
    CAPTURE(i, found.x[i]);
    CHECK(cost(more) > found.cost * (1.0 - 1e-4));
    CHECK(cost(less) > found.cost * (1.0 - 1e-4));
    const double curvature = cost(more) + cost(less) - 2.0 * found.cost;
    CHECK(std::abs(cost(more) - cost(less)) < 0.2 * curvature + 1e-3 * found.cost);
  }
}
