#include "base/math/quotient.hpp"

#include "tests/support/catch.hpp"

#include <complex>
#include <vector>

using namespace fdtd;
using Complex = std::complex<double>;

TEST_CASE("quotients of complex numbers are those of the compiler's division") {
  const std::vector<double> parts = {-1e3, -2.5, -0.3, -1e-6, 1e-6, 0.01, 0.7, 1.0, 3.0, 4e4};
  for (const double a : parts)
    for (const double b : parts)
      for (const double c : parts)
        for (const double d : parts) {
          const Complex found = quotient({a, b}, {c, d}), known = Complex(a, b) / Complex(c, d);
          REQUIRE(std::abs(found - known) <= 4e-16 * std::abs(known));
        }
  CHECK(quotient(1.0, {0.0, 2.0}) == Complex(0.0, -0.5));
  CHECK(quotient({3.0, 4.0}, 2.0) == Complex(1.5, 2.0));
}
