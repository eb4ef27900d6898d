#include <cmath>
#include <numbers>
#include <random>

#include "engine/multigrid/masked.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd::multigrid;

namespace {

Elements filled(std::array<int, 3> cells, double h) {
  return {cells, {h, h, h}, std::vector<float>(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]), 1.0F)};
}

// A ball with a hole: no part of its surface is smooth. `parted`: by a wall of one cell across it that leaves a door.
Elements ragged(int n, bool parted = false) {
  Elements all = filled({n, n + 3, n - 2}, 1.0);
  std::size_t i = 0;
  for (int z = 0; z < all.cells[2]; ++z)
    for (int y = 0; y < all.cells[1]; ++y)
      for (int x = 0; x < all.cells[0]; ++x, ++i) {
        const double dx = x - 0.5 * n, dy = y - 0.5 * n, dz = z - 0.5 * n;
        const double r = std::sqrt(dx * dx + dy * dy + dz * dz) / n;
        const bool wall = parted && x == n / 2 && !(std::abs(dy) < 0.1 * n && dz < 0.0);
        if (r > 0.49 || r < 0.15 || wall) all.coefficient[i] = 0.0F;
      }
  return all;
}

std::vector<double> random_values(const MaskedMultigrid& solver, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  const NodeGrid& grid = solver.grid();
  std::vector<double> values(grid.size, 0.0);
  for (int z = 0; z < grid.nodes[2]; ++z)
    for (int y = 0; y < grid.nodes[1]; ++y)
      for (int x = 0; x < grid.nodes[0]; ++x) {
        const double one = value(random);
        if (solver.active(grid.index(x, y, z))) values[grid.index(x, y, z)] = one;
      }
  return values;
}

std::vector<double> weak_diagonal(const MaskedMultigrid& solver, double value) {
  std::vector<double> diagonal(solver.grid().size, 0.0);
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    if (solver.active(i)) diagonal[i] = value;
  return diagonal;
}

}  // namespace

TEST_CASE("the operator on a mask is symmetric, and constants have no gradient", "[multigrid]") {
  MaskedMultigrid solver(ragged(14, true));
  const auto none = weak_diagonal(solver, 0.0);
  std::vector<double> diagonal = none;
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    if (solver.active(i)) diagonal[i] = 1e-3 * static_cast<double>(i % 7);
  solver.set_diagonal(diagonal);
  const auto u = random_values(solver, 1), v = random_values(solver, 2);
  std::vector<double> Au(u.size(), 0.0), Av(u.size(), 0.0);
  solver.product(u, Au);
  solver.product(v, Av);
  CHECK(std::abs(dot(solver.grid(), v, Au) - dot(solver.grid(), u, Av)) < 1e-12 * dot(solver.grid(), u, Au) + 1e-10);

  const auto one = weak_diagonal(solver, 1.0);
  solver.product(one, Au);
  double worst = 0.0;
  for (std::size_t i = 0; i < Au.size(); ++i) worst = std::max(worst, std::abs(Au[i] - diagonal[i] * one[i]));
  CHECK(worst < 1e-12);
}

namespace {

int iterations(const Elements& elements, double diagonal) {
  MaskedMultigrid solver(elements);
  solver.set_diagonal(weak_diagonal(solver, diagonal));
  const auto b = random_values(solver, 3);
  std::vector<double> u(b.size(), 0.0), Au(b.size(), 0.0);
  const Solution solution = solver.solve(b, u, 1e-6);
  CHECK(solution.converged);
  solver.product(u, Au);
  for (std::size_t i = 0; i < Au.size(); ++i) Au[i] -= b[i];
  CHECK(std::sqrt(dot(solver.grid(), Au, Au) / dot(solver.grid(), b, b)) < 2e-6);
  return solution.iterations;
}

}  // namespace

TEST_CASE("conjugate gradients take few iterations on ragged masks, whatever their size", "[multigrid]") {
  for (const int n : {12, 24, 49})
    for (const double diagonal : {1e-4, 1e-2, 1.0}) {
      INFO(n << ", diagonal " << diagonal);
      CHECK(iterations(ragged(n), diagonal) <= 6);
    }
}

TEST_CASE("a wall of one cell with a door takes few more, at any size", "[multigrid]") {
  CHECK(iterations(ragged(12, true), 1e-4) <= 6);
  CHECK(iterations(ragged(24, true), 1e-4) <= 7);
  CHECK(iterations(ragged(49, true), 1e-4) <= 7);
  CHECK(iterations(ragged(49, true), 1e-6) <= 8);
}

TEST_CASE("so do oblique walls, crossed walls with doors, random walls and boards", "[multigrid]") {
  constexpr int n = 40;
  std::mt19937 random(5);
  std::vector<std::array<int, 5>> boards(40);
  const auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
  for (auto& one : boards) one = {below(n), below(n), below(n), 1 + below(8), 1 + below(6)};
  const auto masked = [&](const auto& is_wall) {
    Elements all = filled({n, n, n}, 1.0);
    std::size_t i = 0;
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x, ++i)
          if (is_wall(x, y, z)) all.coefficient[i] = 0.0F;
    return all;
  };
  CHECK(iterations(masked([](int x, int y, int z) {
                     const int p = x + y / 2;
                     return (p == 26 || p == 27) && !(std::abs(z - n / 2) < 5 && y > 13 && y < 20);
                   }),
                   1e-4) <= 10);
  CHECK(iterations(masked([](int x, int y, int z) {
                     const bool door_x = (y == 6 || y == 7 || y == 26) && z < n / 2;
                     const bool door_y = (x == 10 || x == 30) && z < n / 2;
                     return (x == n / 2 && !door_x) || (y == n / 3 && !door_y);
                   }),
                   1e-4) <= 14);
  // Pockets of air that nothing joins keep their own nodes, and their own values.
  CHECK(iterations(masked([&](int, int, int) { return random() % 10 < 5; }), 1e-4) <= 10);
  CHECK(iterations(masked([&](int x, int y, int z) {
                     for (const auto& b : boards)
                       if (x >= b[0] && x < b[0] + b[3] && y >= b[1] && y < b[1] + b[4] && z == b[2]) return true;
                     return false;
                   }),
                   1e-4) <= 6);
}

// One behind the other, 4 cells wide, with openings at alternate ends: the way through is 20 times as long as the cube.
TEST_CASE("corridors in series take as few iterations at any size", "[multigrid]") {
  const auto corridors = [](int n) {
    Elements all = filled({n, n, n}, 1.0);
    std::size_t i = 0;
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x, ++i)
          if (x % 5 == 4 && !(x / 5 % 2 == 0 ? y >= n - 4 : y < 4)) all.coefficient[i] = 0.0F;
    return all;
  };
  CHECK(iterations(corridors(24), 1e-6) <= 10);
  CHECK(iterations(corridors(48), 1e-6) <= 10);
  CHECK(iterations(corridors(98), 1e-6) <= 10);
}

TEST_CASE("cycles alone converge on a box at a rate that does not depend on the size", "[multigrid]") {
  for (const int n : {8, 16, 32}) {
    MaskedMultigrid solver(filled({n, n, 2 * n}, 0.25));
    solver.set_diagonal(weak_diagonal(solver, 0.01 / n / n));
    const auto b = random_values(solver, 4);
    std::vector<double> u(b.size(), 0.0), r = b, z(b.size());
    const double first = std::sqrt(dot(solver.grid(), r, r));
    double left = first;
    int cycles = 0;
    for (; left > 1e-9 * first && cycles < 100; ++cycles) {
      solver.precondition(r, z);
      for (std::size_t i = 0; i < u.size(); ++i) u[i] += z[i];
      solver.product(u, z);
      for (std::size_t i = 0; i < u.size(); ++i) r[i] = b[i] - z[i];
      left = std::sqrt(dot(solver.grid(), r, r));
    }
    INFO(n << ": " << cycles << " cycles");
    CHECK(left <= 1e-9 * first);
    CHECK(std::pow(left / first, 1.0 / cycles) < 0.1);
  }
}

TEST_CASE("one cell, a plate and a line of cells are solved", "[multigrid]") {
  for (const std::array<int, 3> cells : {std::array<int, 3>{1, 1, 1}, {40, 33, 1}, {1, 1, 700}, {3, 1, 2}}) {
    MaskedMultigrid solver(filled(cells, 0.5));
    solver.set_diagonal(weak_diagonal(solver, 0.1));
    const auto b = random_values(solver, 5);
    std::vector<double> u(b.size(), 0.0);
    const Solution solution = solver.solve(b, u, 1e-8);
    INFO(cells[0] << " x " << cells[1] << " x " << cells[2] << ": " << solution.iterations);
    CHECK(solution.converged);
    CHECK(solution.iterations <= 15);
  }
}

TEST_CASE("sizes that do not match and empty masks are refused", "[multigrid]") {
  Elements elements = filled({3, 3, 3}, 1.0);
  elements.coefficient.pop_back();
  CHECK_THROWS_AS(MaskedMultigrid(elements), std::invalid_argument);
  elements = filled({2, 2, 2}, 1.0);
  elements.coefficient.assign(8, 0.0F);
  CHECK_THROWS_AS(MaskedMultigrid(elements), std::invalid_argument);
}
