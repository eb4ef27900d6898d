// The (2,2M) family against its published numbers and its closed forms.
#include "stencils/leggy.hpp"

#include <cmath>
#include <numbers>

#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("leggy Taylor weights are the textbook ones", "[leggy]") {
  CHECK(leggy_taylor_weights(1) == std::vector<double>{1.0});
  const std::vector<double> b4{8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  const std::vector<double> computed = leggy_taylor_weights(4);
  REQUIRE(computed.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(computed[i] == Approx(b4[i]).epsilon(1e-15));
}

TEST_CASE("leggy Courant limits are the published ones and those of the symbol", "[leggy]") {
  const std::vector<double> table{.57735, .50000, .46967, .45286, .44194, .43418, .42832, .42371, .41996, .41684,
                                  .41420, .41192, .40993, .40818, .40662, .40522, .40396, .40280, .40175, .40079};
  for (int M = 1; M <= 20; ++M) {
    const Stencil& stencil = *find_stencil("leggy-" + std::to_string(M));
    INFO(stencil.name);
    CHECK(stencil.courant == Approx(table[static_cast<std::size_t>(M - 1)]).margin(5.1e-6));
    CHECK(courant_limit(stencil) == Approx(stencil.courant).epsilon(1e-13));
    CHECK(stencil.point_count() == 6 * M + 1);
  }
}

TEST_CASE("leggy Taylor is second order with time, order 2M in space alone", "[leggy]") {
  for (int M = 1; M <= 20; ++M) {
    const Stencil& stencil = *find_stencil("leggy-" + std::to_string(M));
    INFO(stencil.name);
    CHECK(order_of_accuracy(stencil, {}) == 2);
    CHECK(order_of_accuracy(stencil, FrequencyMap::time()) == 2 * M);
  }
}

TEST_CASE("leggy Taylor symbols equal the sum of powers of 4 sin^2(k/2) behind the Courant limit", "[leggy]") {
  for (int M : {1, 2, 5, 12, 20}) {
    const Stencil& stencil = *find_stencil("leggy-" + std::to_string(M));
    const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
    for (const Vec3& k : {Vec3{0.1, 0.2, 0.3}, Vec3{1.0, 2.5, 3.1}, Vec3{3.14, 0.0, 1.7}}) {
      double laplacian = 0.0;
      for (double component : k) {
        const double x = 4.0 * std::pow(std::sin(0.5 * component), 2);
        double a = 0.5, power = 1.0;  // a_j = 2 / (j^2 C(2j, j))
        double binomial = 1.0;
        for (int j = 1; j <= M; ++j) {
          binomial *= 2.0 * (2.0 * j - 1.0) / j;
          a = 2.0 / (j * j * binomial);
          power *= x;
          laplacian += a * power;
        }
      }
      CHECK(symbol(grid, k) == Approx(2.0 - stencil.courant * stencil.courant * laplacian).margin(1e-13));
    }
  }
}
