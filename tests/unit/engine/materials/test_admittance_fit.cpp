#include "engine/materials/admittance_fit.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "engine/materials/absorption.hpp"
#include "engine/materials/material_fit.hpp"
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

Material tabulated(std::vector<double> frequencies, std::vector<Complex> values) {
  Material material;
  material.name = "table";
  material.kind = Material::Kind::impedance;
  material.impedance = {std::move(frequencies), std::move(values)};
  return material;
}

double error_at(const MaterialFit& fit, double frequency) {
  const Complex y = admittance(fit.branches, frequency), wanted = fit.law.admittance(frequency);
  return std::abs((1.0 - y) / (1.0 + y) - (1.0 - wanted) / (1.0 + wanted));
}

// The largest error over the table, at 2000 frequencies and its lines.
double worst_error(const MaterialFit& fit, double max_frequency) {
  const auto& lines = fit.law.table().frequencies;
  const double low = lines.front(), high = std::min(lines.back(), max_frequency);
  double worst = 0.0;
  for (int i = 0; i <= 2000; ++i) worst = std::max(worst, error_at(fit, low * std::pow(high / low, i / 2000.0)));
  for (const double f : lines)
    if (f <= high) worst = std::max(worst, error_at(fit, f));
  return worst;
}

// The error that the remark states; 0 if it states none.
double stated_error(const MaterialFit& fit) {
  const std::string before = "the reflection coefficient is off by ";
  const auto at = fit.remark.find(before);
  return at == std::string::npos ? 0.0 : std::stod(fit.remark.substr(at + before.size()));
}

double sharpest(const std::vector<Branch>& branches) {
  double sharpness = 0.0;
  for (const Branch& b : branches) sharpness = std::max(sharpness, std::sqrt(b.D * b.F) / b.E);
  return sharpness;
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

TEST_CASE("admittance_fit: tables of six noisy lines are judged between the lines, and the worst place is true") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  const std::vector<double> lines = {100, 200, 400, 800, 1600, 3200};
  for (int i = 0; i < 24; ++i) {
    std::vector<Complex> values;
    for (const double f : lines) {
      const double w = 2.0 * std::numbers::pi * f;
      if (i % 2 == 0)
        values.emplace_back(std::exp(4.0 * uniform(random) + 0.5), 6.0 * uniform(random));
      else  // a resonance with 10 % of noise
        values.emplace_back(2.0 + 0.2 * uniform(random), (1e-3 * w - 3000.0 / w) * (1.0 + 0.2 * uniform(random)));
    }
    const MaterialFit fit = fit_material(tabulated(lines, values), 2500.0);
    CAPTURE(i, fit.branches.size(), fit.remark);
    CHECK(sharpest(fit.branches) < 2.5);  // octaves between the lines
    const double worst = worst_error(fit, 2500.0), stated = stated_error(fit);
    if (stated > 0.0)
      CHECK(stated == Approx(worst).epsilon(0.1));  // two digits
    else
      CHECK(worst <= 1.1 * reflection_tolerance);
    for (std::size_t b = 0; b < fit.bands.size(); ++b)
      if (std::abs(fit.fitted[b] - fit.asked[b]) > std::max(0.1 * fit.asked[b], 2e-4))
        CHECK(fit.remark.find(" Hz, ") != std::string::npos);
    // No zero of absorption between the lines.
    for (double f = 110.0; f < 2500.0; f *= 1.003) {
      const double absorbed = normal_incidence_absorption(admittance(fit.branches, f));
      double nearby = 1.0;
      for (double g = f / 1.5; g < 1.5 * f; g *= 1.02)
        nearby = std::min(nearby, normal_incidence_absorption(fit.law.admittance(g)));
      CHECK(absorbed > 0.1 * nearby);
    }
  }
}

TEST_CASE("admittance_fit: resonances as sharp as a table shows are met") {
  const std::vector<Branch> truth = {{1e-3, 0.3, 1e-3 * 1200.0 * 1200.0}, {2e-4, 1.5, 2e-4 * 9000.0 * 9000.0}};
  std::vector<double> lines;
  std::vector<Complex> values;
  for (double f = 50.0; f < 4000.0; f *= std::exp2(1.0 / 12.0)) {
    lines.push_back(f);
    values.push_back(1.0 / admittance(truth, f));
  }
  const MaterialFit fit = fit_material(tabulated(lines, values), 3000.0);
  CAPTURE(fit.branches.size(), fit.remark);
  CHECK(fit.remark.empty());
  CHECK(worst_error(fit, 3000.0) < reflection_tolerance);
  CHECK(fit.branches.size() <= 4);
}

TEST_CASE("admittance_fit: low absorption of porous layers is met within 10 %, or said") {
  for (const double flow_resistivity : {5000.0, 10000.0, 20000.0, 40000.0})
    for (const double thickness : {0.02, 0.05, 0.1}) {
      const MaterialFit fit = fit_material(porous(flow_resistivity, thickness), 2000.0);
      CAPTURE(flow_resistivity, thickness, fit.remark);
      for (std::size_t b = 0; b < fit.bands.size(); ++b) {
        const double bound = std::max((fit.asked[b] < 0.05 ? 0.1 : 0.05) * fit.asked[b], 2e-4);
        if (std::abs(fit.fitted[b] - fit.asked[b]) > bound)
          CHECK(fit.remark.find(" requested at ") != std::string::npos);
      }
    }
}
