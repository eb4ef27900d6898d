#include "engine/materials/admittance_fit.hpp"

#include <cmath>
#include <numbers>

#include "engine/materials/absorption.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

Material porous(double flow_resistivity, double thickness, double air_gap = 0.0) {
  Material material;
  material.name = "wool";
  material.kind = Material::Kind::porous;
  material.porous = {flow_resistivity, thickness, air_gap};
  return material;
}

}  // namespace

TEST_CASE("admittance_fit: a porous layer has Miki's impedance before a rigid wall") {
  // Z = -i Z_c cot(k d): 10 kPa s/m2, 50 mm, at 1 kHz in air of 343 m/s; X = 1e3 f / sigma = 100.
  const PorousLayer layer{10000.0, 0.05, 0.0};
  const Complex zc(1.0 + 5.50 * std::pow(100.0, -0.632), -8.43 * std::pow(100.0, -0.632));
  const Complex k = 2.0 * std::numbers::pi * 1000.0 / 343.0 *
                    Complex(1.0 + 7.81 * std::pow(100.0, -0.618), -11.41 * std::pow(100.0, -0.618));
  const Complex expected = Complex(0.0, -1.0) * zc * std::cos(k * 0.05) / std::sin(k * 0.05);
  CHECK(std::abs(1.0 / porous_admittance(layer, 1000.0, 343.0) - expected) < 1e-12);
  // An infinitely thick one shows its characteristic impedance.
  CHECK(std::abs(1.0 / porous_admittance({10000.0, 5.0, 0.0}, 1000.0, 343.0) - zc) < 1e-9);
  // A thin layer before an air gap is nearly a resistance in series with the gap's stiffness: at a quarter wave of the
  // gap its reactance vanishes and the resistance is the flow resistance, sigma d / (rho c), to Miki's accuracy.
  const Complex z = 1.0 / porous_admittance({50000.0, 0.005, 0.1}, 343.0 / 0.4, 343.0);
  CHECK(std::abs(z.imag()) < 0.15);
  CHECK(z.real() == Approx(50000.0 * 0.005 / 413.0).epsilon(0.25));
}

TEST_CASE("admittance_fit: porous layers are met within the tolerance, and stay passive") {
  for (const Material& material :
       {porous(10000, 0.05), porous(40000, 0.1), porous(5000, 0.02), porous(20000, 0.03, 0.1)}) {
    const MaterialFit fit = fit_material(material, 2000.0);
    INFO(material.porous.flow_resistivity << " Pa s/m2, " << material.porous.thickness
                                          << " m: " << fit.branches.size());
    // Parallel branches cannot follow the half-wave resonance of a gap: that is reported.
    const double limit = material.porous.air_gap > 0.0 ? 0.05 : reflection_tolerance;
    CHECK(fit.remark.empty() == (material.porous.air_gap == 0.0));
    CHECK(fit.branches.size() <= 10);
    for (const Branch& branch : fit.branches) {
      CHECK(branch.D >= 0.0);
      CHECK(branch.E >= 0.0);
      CHECK(branch.F >= 0.0);
    }
    REQUIRE(fit.asked.size() == fit.fitted.size());
    REQUIRE(fit.bands.size() >= 5);
    for (std::size_t b = 0; b < fit.bands.size(); ++b)
      CHECK(fit.fitted[b] == Approx(fit.asked[b]).margin(0.01).epsilon(0.05));
    for (std::size_t i = 0; i < fit.frequencies.size(); ++i) {
      const Complex y = admittance(fit.branches, fit.frequencies[i]);
      CHECK(std::abs((1.0 - y) / (1.0 + y) - fit.reflection[i]) <= limit);
    }
  }
}

TEST_CASE("admittance_fit: a table made of branches is met by branches") {
  const std::vector<Branch> truth = {{1e-3, 0.8, 3000.0}, {0.0, 12.0, 0.0}};
  Material material;
  material.kind = Material::Kind::impedance;
  for (double f = 50.0; f < 5000.0; f *= 1.2) {
    material.impedance.frequencies.push_back(f);
    material.impedance.values.push_back(1.0 / admittance(truth, f));
  }
  const MaterialFit fit = fit_material(material, 4000.0);
  CHECK(fit.remark.empty());
  CHECK(fit.branches.size() <= 4);
  for (double f = 60.0; f < 4000.0; f *= 1.3)
    CHECK(std::abs(admittance(fit.branches, f) - admittance(truth, f)) < 0.06 * (1.0 + std::abs(admittance(truth, f))));
}

TEST_CASE("admittance_fit: odd tables have a fit too") {
  Material material;
  material.kind = Material::Kind::impedance;
  material.impedance = {{500.0}, {{3.0, 0.0}}};
  MaterialFit fit = fit_material(material, 2000.0);  // one line stands for all frequencies
  CHECK(std::abs(admittance(fit.branches, 500.0) - 1.0 / 3.0) < 0.02);
  material.impedance = {{4000.0, 8000.0}, {{2.0, 1.0}, {2.0, 3.0}}};
  fit = fit_material(material, 1000.0);  // all above what counts: the lowest
  CHECK(std::abs(admittance(fit.branches, 4000.0) - 1.0 / Complex(2.0, 1.0)) < 0.05);
  material.impedance = {{100.0, 1000.0}, {{0.0, 0.0}, {0.0, 0.0}}};
  CHECK_NOTHROW(fit_material(material, 1000.0));  // sound-soft: no infinity
  // A reactance that no passive network has, falling with frequency: reported.
  material.impedance = {{100.0, 200.0, 400.0, 800.0}, {{0.1, 20.0}, {0.1, 5.0}, {0.1, -5.0}, {0.1, -20.0}}};
  fit = fit_material(material, 1000.0);
  CHECK(fit.remark.find("reflection") != std::string::npos);
}
