// Real spherical harmonics against their integrals, closed forms and sums; spherical Bessel functions against theirs.
#include "base/math/spherical_harmonics.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "base/math/quadrature.hpp"
#include "base/vectors.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double pi = std::numbers::pi;

struct SphereNode {
  Point direction{};
  double weight = 0.0;  // of the mean
};

// Exact for harmonics up to `degree`.
std::vector<SphereNode> sphere_quadrature(int degree) {
  std::vector<SphereNode> nodes;
  const int turns = degree + 1;
  for (const QuadratureNode& height : gauss_legendre(degree / 2 + 1)) {
    const double z = 2.0 * height.x - 1.0, across = std::sqrt(1.0 - z * z);
    for (int i = 0; i < turns; ++i) {
      const double angle = 2.0 * pi * (i + 0.25) / turns;
      nodes.push_back({{across * std::cos(angle), across * std::sin(angle), z}, height.weight / turns});
    }
  }
  return nodes;
}

double largest_product_error(int order, HarmonicNorm norm) {
  const SphericalHarmonics harmonics(order, norm);
  const std::size_t count = harmonics.count();
  std::vector<double> sums(count * count, 0.0), values(count);
  for (const SphereNode& node : sphere_quadrature(2 * order)) {
    harmonics(node.direction, values);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j <= i; ++j) sums[i * count + j] += node.weight * values[i] * values[j];
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double square = norm == HarmonicNorm::n3d ? 1.0 : 1.0 / (2.0 * harmonic_degree(i) + 1.0);
      largest = std::max(largest, std::abs(sums[i * count + j] - (i == j ? square : 0.0)));
    }
  return largest;
}

double legendre(int n, double x) {
  double before = 1.0, here = x;
  if (n == 0) return 1.0;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
    before = here;
    here = next;
  }
  return here;
}

}  // namespace

TEST_CASE("spherical_harmonics: channels are orthogonal and of their norm's strength") {
  CHECK(largest_product_error(12, HarmonicNorm::n3d) < 1e-13);
  CHECK(largest_product_error(12, HarmonicNorm::sn3d) < 1e-13);
}

TEST_CASE("spherical_harmonics: closed forms of AmbiX to order 3, in all octants and at the poles") {
  const SphericalHarmonics harmonics(3, HarmonicNorm::sn3d);
  for (const Point& s : {Point{0.48, 0.6, 0.64}, Point{-0.48, 0.6, -0.64}, Point{0.36, -0.48, 0.8}, Point{0, 0, 1},
                         Point{0, 0, -1}, Point{-1, 0, 0}}) {
    const auto [x, y, z] = s;
    const double r3 = std::sqrt(3.0), r15 = std::sqrt(15.0), a = std::sqrt(3.0 / 8.0), b = std::sqrt(5.0 / 8.0);
    const std::vector<double> closed = {1.0,
                                        y,
                                        z,
                                        x,
                                        r3 * x * y,
                                        r3 * y * z,
                                        (3 * z * z - 1) / 2,
                                        r3 * x * z,
                                        r3 / 2 * (x * x - y * y),
                                        b * y * (3 * x * x - y * y),
                                        r15 * x * y * z,
                                        a * y * (5 * z * z - 1),
                                        z * (5 * z * z - 3) / 2,
                                        a * x * (5 * z * z - 1),
                                        r15 / 2 * z * (x * x - y * y),
                                        b * x * (x * x - 3 * y * y)};
    const std::vector<double> values = harmonics(scaled(7.0, s));  // of any length
    REQUIRE(values.size() == closed.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO("channel " << i);
      CHECK(values[i] == Approx(closed[i]).margin(1e-14));
    }
  }
}

TEST_CASE("spherical_harmonics: the addition theorem holds to order 40, close to the poles too") {
  constexpr int order = 40;
  const SphericalHarmonics harmonics(order, HarmonicNorm::sn3d);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  for (int trial = 0; trial < 40; ++trial) {
    const bool polar = trial % 4 == 0;
    const Point a = unit({one(random) * (polar ? 1e-9 : 1.0), one(random) * (polar ? 1e-9 : 1.0), one(random)});
    const Point b = trial % 8 == 0 ? a : unit({one(random), one(random), one(random)});
    const std::vector<double> left = harmonics(a), right = harmonics(b);
    for (int n = 0; n <= order; ++n) {
      double sum = 0.0;
      for (std::size_t i = n > 0 ? harmonic_count(n - 1) : 0; i < harmonic_count(n); ++i) sum += left[i] * right[i];
      INFO("order " << n);
      CHECK(sum == Approx(legendre(n, dot(a, b))).margin(2e-13));
    }
  }
}

TEST_CASE("spherical_harmonics: degrees of channels, and refused arguments") {
  CHECK(harmonic_count(9) == 100);
  for (int n = 0; n <= 100; ++n) {
    CHECK(harmonic_degree(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) == n);
    CHECK(harmonic_degree(harmonic_count(n) - 1) == n);
  }
  CHECK_THROWS_AS(SphericalHarmonics(-1, HarmonicNorm::n3d), std::invalid_argument);
  CHECK_THROWS_AS(SphericalHarmonics(101, HarmonicNorm::n3d), std::invalid_argument);
  std::vector<double> few(8);
  CHECK_THROWS_AS(SphericalHarmonics(2, HarmonicNorm::n3d)({1, 0, 0}, few), std::invalid_argument);
}

TEST_CASE("spherical_harmonics: a plane wave is its sum over orders of Bessel functions") {
  const SphericalHarmonics harmonics(30, HarmonicNorm::n3d);
  const Point s = unit({0.3, -0.5, 0.7}), place = {0.4, 0.9, -0.2};
  const std::complex<double> i(0.0, 1.0);
  const double k = 8.0, r = norm(place);
  const std::vector<double> from = harmonics(s), at = harmonics(place);
  std::complex<double> sum = 0.0;
  for (std::size_t acn = 0; acn < harmonics.count(); ++acn) {
    const int n = harmonic_degree(acn);
    sum += std::pow(i, n) * spherical_bessel(n, k * r) * from[acn] * at[acn];
  }
  CHECK(std::abs(sum - std::exp(i * k * dot(s, place))) < 1e-12);
}

TEST_CASE("spherical_harmonics: Bessel and Hankel functions, their slopes, and their Wronskian") {
  for (const double x : {1e-3, 0.3, 2.0, 17.0, 130.0}) {
    const std::complex<double> i(0.0, 1.0);
    CHECK(std::abs(spherical_hankel(0, x) - i * std::exp(-i * x) / x) < 1e-12 / x);
    CHECK(spherical_bessel(1, x) == Approx(std::sin(x) / (x * x) - std::cos(x) / x).epsilon(1e-9));
    for (int n = 0; n <= 12; ++n) {
      // j y' - j' y = 1 / x^2
      const double j = spherical_bessel(n, x), y = -spherical_hankel(n, x).imag();
      const double wronskian = j * -spherical_hankel_slope(n, x).imag() - spherical_bessel_slope(n, x) * y;
      INFO("order " << n << " at " << x);
      CHECK(wronskian * x * x == Approx(1.0).epsilon(1e-10));
      CHECK(spherical_hankel(n, x).real() == j);
      CHECK(spherical_hankel_slope(n, x).real() ==
            Approx(spherical_bessel_slope(n, x)).epsilon(1e-9).margin(1e-11 * std::abs(y)));
    }
  }
  CHECK(spherical_bessel_slope(1, 0.0) == Approx(1.0 / 3.0));
  CHECK(spherical_bessel_slope(2, 0.0) == 0.0);
  // The first zero of j_5: M. Abramowitz & I. Stegun, table 10.6.
  CHECK(std::abs(spherical_bessel(5, 9.355812)) < 1e-7);
}
