// Points, Courant numbers, grids, float rounding.
#include <algorithm>
#include <cmath>
#include <set>

#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

double weight_sum(const GridStencil& grid) {
  double sum = grid.centre;
  for (const Term& term : grid.terms) sum += image_count(term) * term.weight;
  return sum;
}

GridStencil cubic(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

}  // namespace

TEST_CASE("a shell holds all permutations and sign changes of its point, each once", "[stencil]") {
  const std::vector<std::pair<Shell, int>> known{{{1, 0, 0}, 6},  {{1, 1, 0}, 12}, {{1, 1, 1}, 8},
                                                 {{2, 1, 0}, 24}, {{2, 2, 1}, 24}, {{3, 2, 1}, 48}};
  for (const auto& [shell, count] : known) {
    const auto all = points(shell);
    CHECK(static_cast<int>(all.size()) == count);
    CHECK(point_count(shell) == count);
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK(std::set<std::array<int, 3>>(all.begin(), all.end()).size() == all.size());
    for (const auto& p : all) {
      CHECK(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] == shell.q1 * shell.q1 + shell.q2 * shell.q2 + shell.q3 * shell.q3);
    }
  }
}

TEST_CASE("terms and their images are exactly the points of the shells", "[stencil]") {
  for (const Stencil& stencil : catalogue()) {
    const GridStencil grid = cubic(stencil);
    INFO(stencil.name);
    CHECK(grid.point_count() == stencil.point_count());
    CHECK(grid.radius == stencil.radius());
    int terms = 0;
    for (const Shell& shell : stencil.shells) terms += point_count(shell);
    int images = 0;
    for (const Term& term : grid.terms) images += image_count(term);
    CHECK(images == terms);
  }
}

TEST_CASE("a leggy grid's terms run x, y, z of m = 1, then of m = 2", "[stencil]") {
  const GridStencil grid = cubic(*find_stencil("leggy-3"));
  REQUIRE(grid.terms.size() == 9);
  for (std::size_t t = 0; t < 9; ++t) {
    std::array<int, 3> expected{};
    expected[t % 3] = static_cast<int>(t / 3) + 1;
    CHECK(grid.terms[t].offset == expected);
  }
}

TEST_CASE("a lower Courant number scales K, a higher one than the limit is refused", "[stencil]") {
  const Stencil& leggy = *find_stencil("leggy-4");
  const Stencil slow = at_courant(leggy, 0.5 * leggy.courant);
  CHECK(slow.courant == 0.5 * leggy.courant);
  CHECK(2.0 - slow.centre == Approx(0.25 * (2.0 - leggy.centre)).epsilon(1e-15));
  for (std::size_t i = 0; i < slow.weights.size(); ++i) CHECK(slow.weights[i] == 0.25 * leggy.weights[i]);
  CHECK_THROWS_AS(at_courant(leggy, 1.001 * leggy.courant_limit), std::invalid_argument);
  CHECK_THROWS_AS(at_courant(leggy, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(at_courant(leggy, std::nan("")), std::invalid_argument);
  CHECK_NOTHROW(at_courant(leggy, leggy.courant_limit));
}

TEST_CASE("three Courant numbers scale a leggy stencil axis by axis, and keep it stable up to the mean square's limit",
          "[stencil]") {
  const Stencil& leggy = *find_stencil("leggy-6");
  const double limit = leggy.courant_limit;
  const GridStencil grid = on_grid(leggy, {0.9 * limit, 0.8 * limit, 0.7 * limit});
  for (std::size_t t = 0; t < grid.terms.size(); ++t) {
    const double ratio = t % 3 == 0 ? 0.9 : t % 3 == 1 ? 0.8 : 0.7;
    CHECK(grid.terms[t].weight == Approx(ratio * ratio * leggy.weights[t / 3]).epsilon(1e-14));
  }
  CHECK(weight_sum(grid) == Approx(2.0).epsilon(1e-15));

  const double wide = std::sqrt(3.0 - 2.0 * 0.8 * 0.8);
  const SymbolRange range = symbol_range(on_grid(leggy, {wide * limit, 0.8 * limit, 0.8 * limit}));
  CHECK(range.min == Approx(-2.0).epsilon(1e-12));
  CHECK_THROWS_AS(on_grid(leggy, {1.001 * wide * limit, 0.8 * limit, 0.8 * limit}), std::invalid_argument);
}

TEST_CASE("float weights sum short of 2 by the margin, and by less than one ulp of the centre more", "[stencil]") {
  for (const Stencil& stencil : catalogue()) {
    INFO(stencil.name);
    const GridStencil rounded = rounded_to_float(cubic(stencil));
    const double sum = weight_sum(rounded);
    CHECK(sum <= 2.0 - float_sum_margin);
    const auto centre = static_cast<float>(rounded.centre);
    CHECK(static_cast<double>(centre) == rounded.centre);
    const double higher = static_cast<double>(std::nextafter(centre, 4.0F)) - rounded.centre;
    CHECK(sum + higher > 2.0 - float_sum_margin);
    for (const Term& term : rounded.terms) CHECK(static_cast<double>(static_cast<float>(term.weight)) == term.weight);
  }
}
