#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <numbers>

#include "engine/walls/half_space.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/plane_wave.hpp"

using namespace fdtd;
using fdtd::test::theoretical_absorption, fdtd::test::theoretical_reflection;
using Complex = std::complex<double>;

namespace {

GridStencil leggy(int M, double scale = 0.999) {
  const Stencil& stencil = *find_stencil("leggy-" + std::to_string(M));
  const double courant = scale * stencil.courant_limit;
  return on_grid(at_courant(stencil, courant), {courant, courant, courant});
}

// The same half-space cut off where the evanescent waves have died, as one dense linear system: the folded rows of
// nodes 0..n-1, then the incoming and the outgoing wave from there on. Node i lies at i + 1/2 before the wall.
Complex reflection_by_solve(const NormalSymbol& symbol, double omega, double k, Complex wall_impedance) {
  const int M = static_cast<int>(symbol.weights.size()), n = 50 + 5 * M;
  const Complex j(0.0, 1.0);
  Eigen::MatrixXcd A = Eigen::MatrixXcd::Zero(n + 1, n + 1);
  Eigen::VectorXcd rhs = Eigen::VectorXcd::Zero(n + 1);
  for (int i = 0; i < n; ++i) {
    A(i, i) += 2.0 * std::cos(omega) - symbol.centre;
    for (int m = -M; m <= M; ++m) {
      if (m == 0) continue;
      const double weight = symbol.weights[static_cast<std::size_t>(std::abs(m) - 1)];
      const int at = i + m < 0 ? -1 - (i + m) : i + m;
      if (at < n) {
        A(i, at) -= weight;
      } else {
        rhs[i] += weight * std::exp(j * (k * (at + 0.5)));
        A(i, n) -= weight * std::exp(-j * (k * (at + 0.5)));
      }
    }
  }
  A(0, 0) += symbol.courant * j * std::sin(omega) / wall_impedance;
  A(n, n - 1) = 1.0;
  A(n, n) = -std::exp(-j * (k * (n - 0.5)));
  rhs[n] = std::exp(j * (k * (n - 0.5)));
  return A.partialPivLu().solve(rhs)[n];
}

}  // namespace

TEST_CASE("the half-space's reflection equals the dense solve for every leggy stencil and any wall") {
  for (int M = 1; M <= 20; ++M) {
    const NormalSymbol symbol = normal_symbol(leggy(M), 2);
    for (double ppw : {40.0, 10.0, 6.0, 4.0, 3.0}) {
      const double omega = symbol.courant * 2.0 * std::numbers::pi / ppw;
      const auto space = half_space(symbol, omega);
      REQUIRE(space);
      for (const Complex z : {Complex(20.0, 0.0), Complex(3.0, 0.0), Complex(1.0, 2.0), Complex(0.2, -0.7)}) {
        CAPTURE(M, ppw, z);
        CHECK(std::abs(reflection(*space, z) - reflection_by_solve(symbol, omega, space->k, z)) <
              (M <= 8 ? 2e-12 : 1e-11));
        CHECK(absorption(*space, z) == Approx(1.0 - std::norm(reflection(*space, z))).margin(1e-12));
      }
    }
  }
}

TEST_CASE("oblique incidence equals the dense solve at the same transverse wave numbers") {
  for (int M : {1, 2, 4, 8, 20}) {
    const GridStencil stencil = leggy(M);
    const std::array<double, 2> transverse = {0.7, 0.3};
    const NormalSymbol symbol = normal_symbol(stencil, 1, transverse);
    for (double k : {0.0, 0.4, 2.0, 3.1}) {  // the symbol along the normal is the stencil's own
      CHECK(symbol(k) == Approx(fdtd::symbol(stencil, {0.7, k, 0.3})).margin(1e-13));
    }
    const auto space = half_space(symbol, symbol.courant * 1.2);
    REQUIRE(space);
    CHECK(std::abs(reflection(*space, {5.0, 1.0}) - reflection_by_solve(symbol, space->omega, space->k, {5.0, 1.0})) <
          1e-12);
    CHECK_FALSE(half_space(symbol, symbol.courant * 0.7));  // below the cut-off of (0.7, 0.3)
  }
}

TEST_CASE("a Z + iX reflects as theory says exactly") {
  for (int M : {1, 2, 5, 8, 13}) {
    const auto space = half_space(normal_symbol(leggy(M), 0), 0.5);
    REQUIRE(space);
    CHECK(space->impedance.real() == Approx(space->coupling).epsilon(1e-13));
    for (const Complex z : {Complex(20.0, 0.0), Complex(0.7, 3.0)}) {
      const Complex wall = space->coupling * z - Complex(0.0, space->impedance.imag());
      CHECK(std::abs(reflection(*space, wall) - theoretical_reflection(z)) < 1e-13);
    }
  }
}

TEST_CASE("the coefficients of leggy-8 are those of the measured table") {
  const double ppw[] = {40, 20, 10, 6, 4, 3};
  const double a[] = {.9933, .9734, .8971, .7353, .4867, .2586}, x[] = {.0922, .1820, .3464, .5127, .6085, .5843};
  const NormalSymbol symbol = normal_symbol(leggy(8), 0);
  for (int i = 0; i < 6; ++i) {
    const auto space = half_space(symbol, symbol.courant * 2.0 * std::numbers::pi / ppw[i]);
    REQUIRE(space);
    CHECK(space->coupling == Approx(a[i]).margin(6e-5));
    CHECK(-space->impedance.imag() == Approx(x[i]).margin(6e-5));
  }
}

TEST_CASE("the reactance of a half-space of M = 1 is that of half a cell") {
  const auto space = half_space(normal_symbol(leggy(1), 0), 0.02);
  REQUIRE(space);
  CHECK(-space->impedance.imag() == Approx(space->k / 2.0).epsilon(1e-3));
}

TEST_CASE("a law's discrete impedance is its branches under the trapezoidal rule") {
  const WallLaw law{0.5, {{2.0, 3.0, 0.1}, {0.0, 4.0, 0.0}}, 0, 0};
  const double omega = 0.4;
  const Complex s(0.0, 2.0 * std::tan(0.2));
  CHECK(std::abs(discrete_impedance(law, omega) - (0.5 * s + 1.0 / (1.0 / (2.0 * s + 3.0 + 0.1 / s) + 0.25))) < 1e-14);
}

TEST_CASE("theory: reflection and absorption agree") {
  for (double cosine : {1.0, 0.7071, 0.2}) {
    const Complex z(3.0, -2.0);
    CHECK(theoretical_absorption(z, cosine) == Approx(1.0 - std::norm(theoretical_reflection(z, cosine))));
  }
}
