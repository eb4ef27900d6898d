#include "engine/modes/common_poles.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

using Complex = std::complex<double>;

TEST_CASE("exponentials that channels share are found with their shapes and excitations") {
  const std::vector<Complex> z = {std::polar(0.97, 0.4), std::polar(0.95, -1.1), std::polar(0.99, 1.7)};
  BandRecords records{60, 2, 3, {}};
  const auto value = [&](std::int64_t m, std::size_t s, std::size_t r) {
    Complex sum = 0.0;
    for (std::size_t k = 0; k < z.size(); ++k)
      sum += (1.0 + double(k) * double(s)) * Complex(1.0, double(r) - double(k)) * std::pow(z[k], double(m));
    return sum;
  };
  for (std::int64_t m = 0; m < 60; ++m)
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t r = 0; r < 3; ++r) records.values.push_back(value(m, s, r));
  const CommonPoles found = common_poles(records, {5, 60, 40});
  REQUIRE(found.z.size() == 3);
  CHECK(found.residual < 1e-8);
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t r = 0; r < 3; ++r) {
      Complex sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) sum += found.drives[k][s] * found.shapes[k][r];
      CHECK(std::abs(sum - value(5, s, r)) < 1e-6);  // at the first sample that is used
    }
  for (const Complex& one : z)
    CHECK(std::ranges::any_of(found.z, [&](const Complex& other) { return std::abs(one - other) < 1e-7; }));
}

TEST_CASE("silence and short records have no exponentials") {
  CHECK(common_poles({40, 1, 1, std::vector<Complex>(40)}, {0, 40}).z.empty());
  CHECK(common_poles({4, 1, 1, std::vector<Complex>(4, 1.0)}, {0, 4}).z.empty());
}

TEST_CASE("the part of a shape in a span of others") {
  const std::vector<Complex> x = {1.0, 0.0, 0.0}, y = {0.0, Complex(0.0, 2.0), 0.0}, both = {3.0, 4.0, 0.0};
  CHECK(part_within(both, {x}) == Approx(9.0 / 25.0));
  CHECK(part_within(both, {x, y}) == Approx(1.0));
  CHECK(part_within(both, {}) == 0.0);
}
