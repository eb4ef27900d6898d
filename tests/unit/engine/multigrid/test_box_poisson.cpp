#include <omp.h>

#include <cmath>
#include <numbers>
#include <random>

#include "engine/multigrid/box_poisson.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd::multigrid;

namespace {

// A right side of all wave numbers.
void fill(BoxPoisson& problem) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-1.0F, 1.0F);
  const NodeGrid& grid = problem.grid();
  for (int z = 0; z < grid.nodes[2]; ++z)
    for (int y = 0; y < grid.nodes[1]; ++y)
      for (int x = 0; x < grid.nodes[0]; ++x) problem.right_side()[grid.index(x, y, z)] = 1.0F + value(random);
}

struct History {
  int cycles = 0;
  double factor = 0.0;  // the worst of one cycle after the first
};
History solve(const std::array<int, 3>& nodes, const Cycle& cycle, double tolerance) {
  BoxPoisson problem(nodes, cycle);
  fill(problem);
  History history;
  double left = problem.residual();
  REQUIRE(left == 1.0);
  while (left > tolerance && history.cycles < 40) {
    problem.cycle();
    const double next = problem.residual();
    if (++history.cycles > 1) history.factor = std::max(history.factor, next / left);
    left = next;
  }
  return history;
}

}  // namespace

TEST_CASE("cycles of the Poisson problem converge at a rate that does not depend on the size", "[multigrid]") {
  double smallest = 1.0, largest = 0.0;
  for (const int n : {15, 31, 63}) {
    const History history = solve({n, n, n}, {}, 1e-7);
    INFO(n << ": " << history.cycles << " cycles, factor " << history.factor);
    CHECK(history.cycles <= 7);
    CHECK(history.factor < 0.1);
    smallest = std::min(smallest, history.factor);
    largest = std::max(largest, history.factor);
  }
  CHECK(largest < 1.6 * smallest + 0.01);
}

TEST_CASE("Jacobi, single sweeps and W-cycles converge, each as its polynomial says", "[multigrid]") {
  const double chebyshev = solve({31, 31, 31}, {}, 1e-7).factor;
  const double jacobi = solve({31, 31, 31}, {1, 2, Smoother::jacobi}, 1e-7).factor;
  CHECK(jacobi < 0.13);  // 1/2 to the fourth, and what the coarse grid leaves
  CHECK(chebyshev < jacobi);
  CHECK(solve({31, 31, 31}, {1, 1, Smoother::jacobi}, 1e-7).factor < 0.35);
  CHECK(solve({31, 31, 31}, {2, 2, Smoother::chebyshev}, 1e-7).factor <= chebyshev * 1.05);
  CHECK(solve({63, 31, 15}, {}, 1e-7).cycles <= 7);
}

TEST_CASE("the discrete Poisson problem is solved: a sine is an eigenvector of the operator", "[multigrid]") {
  constexpr int n = 31;
  const std::array<int, 3> waves = {1, 3, 2};
  const auto sine = [&](int x, int y, int z) {
    const double turn = std::numbers::pi / (n + 1);
    return std::sin(turn * waves[0] * (x + 1)) * std::sin(turn * waves[1] * (y + 1)) *
           std::sin(turn * waves[2] * (z + 1));
  };
  double value = 0.0;  // the symbol at these wave numbers
  for (unsigned d = 0; d < 3; ++d) {
    double product = 1.0;
    for (unsigned e = 0; e < 3; ++e) {
      const double cosine = std::cos(std::numbers::pi * waves[e] / (n + 1));
      product *= e == d ? 2.0 - 2.0 * cosine : (2.0 + cosine) / 3.0;
    }
    value += product;
  }
  BoxPoisson problem({n, n, n});
  const NodeGrid& grid = problem.grid();
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) problem.right_side()[grid.index(x, y, z)] = static_cast<float>(sine(x, y, z));
  for (int i = 0; i < 8; ++i) {
    (void)problem.residual();
    problem.cycle();
  }
  double worst = 0.0;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        worst = std::max(worst, std::abs(problem.solution()[grid.index(x, y, z)] * value - sine(x, y, z)));
  CHECK(worst < 1e-6);
}

TEST_CASE("residuals and solutions are the same bits for any number of threads", "[multigrid]") {
  const int before = omp_get_max_threads();
  std::vector<double> residuals, values;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    BoxPoisson problem({63, 31, 47});
    fill(problem);
    (void)problem.residual();
    problem.cycle();
    residuals.push_back(problem.residual());
    values.push_back(problem.solution()[problem.grid().index(31, 15, 20)]);
  }
  omp_set_num_threads(before);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(residuals[i] == residuals[0]);
    CHECK(values[i] == values[0]);
  }
  CHECK(residuals[0] < 0.1);
}

TEST_CASE("another right side has another norm", "[multigrid]") {
  BoxPoisson problem({15, 15, 15});
  fill(problem);
  CHECK(problem.residual() == 1.0);
  problem.cycle();
  const double left = problem.residual();
  for (float& one : problem.right_side()) one *= 4.0F;
  CHECK(problem.residual() == Approx(0.75).margin(left));
}

TEST_CASE("a grid that cannot be halved is refused, small ones are solved directly", "[multigrid]") {
  CHECK_THROWS_AS(BoxPoisson({30, 30, 30}), std::invalid_argument);
  CHECK_THROWS_AS(BoxPoisson({0, 7, 7}), std::invalid_argument);
  CHECK(solve({1, 1, 1}, {}, 1e-7).cycles <= 2);
  CHECK(solve({5, 4, 3}, {}, 1e-7).cycles <= 2);
}
