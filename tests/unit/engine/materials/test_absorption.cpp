#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "engine/materials/absorption.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

// The integrand 8 g x^2 / |x + y|^2 by tanh-sinh quadrature on 0..1: exact to rounding even where it is nearly
// singular.
double absorption_by_quadrature(Complex y) {
  const double step = 1.0 / 256.0;
  double sum = 0.0;
  for (int i = -1400; i <= 1400; ++i) {
    const double t = i * step;
    const double u = 1.5707963267948966 * std::sinh(t);
    const double x = 1.0 / (1.0 + std::exp(-2.0 * u));
    const double weight = 1.5707963267948966 * std::cosh(t) / (2.0 * std::cosh(u) * std::cosh(u));
    if (!(weight > 0.0)) continue;
    sum += weight * x * x / std::norm(x + y);
  }
  return 8.0 * y.real() * sum * step;
}

Material absorber(std::vector<double> bands, std::vector<double> alpha) {
  Material material;
  material.name = "test";
  material.kind = Material::Kind::absorption;
  material.bands = std::move(bands);
  material.alpha = std::move(alpha);
  return material;
}

const std::vector<double> octaves = {125, 250, 500, 1000, 2000, 4000};

double worst_over_tolerance(const MaterialFit& fit, double limit) {
  double worst = 0.0;
  for (std::size_t i = 0; i < fit.bands.size(); ++i) {
    if (fit.bands[i] > limit) continue;
    const double error = std::abs(fit.fitted[i] - std::min(fit.asked[i], largest_random_incidence_absorption()));
    worst = std::max(worst, error / std::max(0.01, 0.05 * fit.asked[i]));
  }
  return worst;
}

}  // namespace

TEST_CASE("random-incidence absorption equals its integral for every passive admittance") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-6.0, 4.0), phase(-1.5707, 1.5707);
  for (int i = 0; i < 2000; ++i) {
    const Complex y = std::polar(std::pow(10.0, exponent(random)), phase(random));
    CAPTURE(y);
    CHECK(random_incidence_absorption(y) == Approx(absorption_by_quadrature(y)).epsilon(2e-11));
  }
  for (double modulus : {1e-6, 0.01, 0.5, 0.9999, 1.0, 1.0001, 3.999, 4.0, 4.001, 30.0}) {
    for (double imaginary : {0.0, 1e-300, 1e-12, 1e-8, 1e-5, 2e-4, 0.1}) {
      const Complex y(modulus, imaginary * modulus);
      CAPTURE(y);
      CHECK(random_incidence_absorption(y) == Approx(absorption_by_quadrature(y)).epsilon(2e-11));
      CHECK(random_incidence_absorption(y) == random_incidence_absorption(std::conj(y)));
    }
  }
}

TEST_CASE("random-incidence absorption stays finite at the ends of the range") {
  CHECK(random_incidence_absorption(0.0) == 0.0);
  CHECK(random_incidence_absorption(Complex(0.0, 0.3)) == 0.0);
  CHECK(random_incidence_absorption(1e-200) == Approx(8e-200));
  CHECK(random_incidence_absorption(1e-12) == Approx(8e-12).epsilon(1e-9));
  CHECK(random_incidence_absorption(1e12) == Approx(8.0 / 3.0 * 1e-12));
  CHECK(random_incidence_absorption(Complex(1e-9, 1e9)) == Approx(8.0 / 3.0 * 1e-27));
  CHECK(largest_random_incidence_absorption() == Approx(0.9512).margin(5e-5));
}

TEST_CASE("normal-incidence absorption is one minus the reflected power") {
  for (const Complex y : {Complex(0.05, 0.0), Complex(1.0, 0.0), Complex(0.3, -0.7), Complex(12.0, 5.0)}) {
    CHECK(normal_incidence_absorption(y) == Approx(1.0 - std::norm((1.0 - y) / (1.0 + y))).epsilon(1e-12));
  }
}

TEST_CASE("the admittance of an absorption coefficient gives that coefficient") {
  for (double alpha : {1e-12, 1e-6, 0.01, 0.05, 0.3, 0.7, 0.9, 0.95, 0.9511}) {
    CHECK(random_incidence_absorption(admittance_of_absorption(alpha)) == Approx(alpha).epsilon(1e-12));
  }
  CHECK(admittance_of_absorption(0.0) == 0.0);
  CHECK(admittance_of_absorption(1.0) == Approx(0.638).margin(2e-3));
}

TEST_CASE("ordinary materials are fitted within 0.01 or five per cent by passive branches") {
  struct Case {
    const char* name;
    std::vector<double> alpha;
    std::size_t most_branches;
  };
  const std::array<Case, 9> cases = {{{"plaster", {0.10, 0.06, 0.05, 0.04, 0.04, 0.05}, 3},
                                      {"concrete", {0.01, 0.01, 0.015, 0.02, 0.02, 0.02}, 1},
                                      {"flat", {0.3, 0.3, 0.3, 0.3, 0.3, 0.3}, 1},
                                      {"carpet", {0.02, 0.06, 0.14, 0.37, 0.60, 0.65}, 3},
                                      {"carpet on felt", {0.08, 0.24, 0.57, 0.69, 0.71, 0.73}, 3},
                                      {"panel", {0.28, 0.22, 0.17, 0.09, 0.10, 0.11}, 3},
                                      {"resonator", {0.10, 0.45, 0.80, 0.40, 0.15, 0.08}, 3},
                                      {"curtain", {0.14, 0.35, 0.55, 0.72, 0.70, 0.65}, 3},
                                      {"audience", {0.39, 0.57, 0.80, 0.94, 0.92, 0.87}, 3}}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MaterialFit fit = fit_material(absorber(octaves, c.alpha), 8000.0);
    CAPTURE(fit.branches.size(), fit.remark);
    CHECK(worst_over_tolerance(fit, 8000.0) <= 1.0);
    CHECK(fit.branches.size() <= c.most_branches);
    CHECK(fit.remark.empty());
    for (const Branch& branch : fit.branches) {
      CHECK(branch.D >= 0.0);
      CHECK(branch.E >= 0.0);
      CHECK(branch.F >= 0.0);
    }
    for (std::size_t i = 0; i < octaves.size(); ++i) {
      CHECK(fit.fitted[i] == octave_band_absorption(fit.branches, octaves[i]));
    }
  }
}

TEST_CASE("a material made of branches is found again from its own absorption") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> resistance(0.5, 3.0), centre(5.0, 8.3), quality(-0.7, 0.9);
  for (int i = 0; i < 20; ++i) {
    std::vector<Branch> branches;
    for (int b = 0; b < 2; ++b) {
      const double E = std::exp(resistance(random)), omega = 6.2832 * std::exp(centre(random)),
                   q = std::exp(quality(random));
      branches.push_back({q * E / omega, E, q * E * omega});
    }
    std::vector<double> alpha;
    for (double band : octaves) alpha.push_back(octave_band_absorption(branches, band));
    const MaterialFit fit = fit_material(absorber(octaves, alpha), 8000.0);
    CAPTURE(i, fit.branches.size(), fit.remark, alpha);
    CHECK(worst_over_tolerance(fit, 8000.0) <= 1.0);
    CHECK(fit.branches.size() <= 3);
  }
}

TEST_CASE("absorption beyond what a locally reacting wall can do is met as far as possible, and reported") {
  const MaterialFit fit = fit_material(absorber(octaves, {0.5, 0.8, 0.99, 1.0, 0.98, 0.96}), 8000.0);
  CHECK(worst_over_tolerance(fit, 8000.0) <= 1.0);
  CHECK(fit.remark.find("0.990 at 500 Hz") != std::string::npos);
  CHECK(fit.asked[2] == 0.99);
}

TEST_CASE("bands above the grid's highest frequency do not count but are reported") {
  const MaterialFit fit = fit_material(absorber(octaves, {0.1, 0.1, 0.1, 0.1, 0.9, 0.1}), 1000.0);
  CHECK(fit.branches.size() == 1);
  CHECK(fit.fitted.size() == 6);
  CHECK(worst_over_tolerance(fit, 1000.0) <= 1.0);
  CHECK(fit.remark.empty());
  const MaterialFit none = fit_material(absorber({4000}, {0.4}), 500.0);
  CHECK(none.branches.size() == 1);
  CHECK(none.remark.find("above 500 Hz") != std::string::npos);
}

TEST_CASE("a misfit beyond the tolerance is reported") {
  // Too narrow for octave-band means of smooth resonators.
  const MaterialFit fit = fit_material(absorber(octaves, {0.9, 0.01, 0.9, 0.01, 0.9, 0.01}), 8000.0);
  CHECK((worst_over_tolerance(fit, 8000.0) <= 1.0) == fit.remark.empty());
  CHECK(fit.branches.size() <= 6);
}

TEST_CASE("materials given as admittance, branches or nothing pass through") {
  Material material;
  material.kind = Material::Kind::admittance;
  material.admittance = 0.05;
  const MaterialFit real = fit_material(material, 1000.0);
  REQUIRE(real.branches.size() == 1);
  CHECK(real.branches[0] == Branch{0.0, 20.0, 0.0});
  CHECK(real.bands == std::vector<double>{63, 125, 250, 500, 1000});
  CHECK(real.fitted[0] == Approx(random_incidence_absorption(0.05)));
  material.admittance = 0.0;
  CHECK(fit_material(material, 1000.0).branches.empty());
  material.kind = Material::Kind::branches;
  material.branches = {{1e-3, 0.8, 120.0}};
  CHECK(fit_material(material, 1000.0).branches == material.branches);
  material.kind = Material::Kind::rigid;
  CHECK(fit_material(material, 1000.0).branches.empty());
  CHECK(fit_material(material, 1000.0).fitted[0] == 0.0);
}

TEST_CASE("a silent material has no branches and a fit without bands is refused") {
  CHECK(fit_material(absorber(octaves, {0, 0, 0, 0, 0, 0}), 8000.0).branches.empty());
  CHECK_THROWS(fit_material(absorber({}, {}), 8000.0));
}
