#include "engine/materials/material_law.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "engine/materials/absorption.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

TEST_CASE("material_law: a table has its lines, and is passive between them") {
  // A resonance, an anti-resonance, a lossless line, and soft ones.
  const ImpedanceTable table{{100.0, 200.0, 400.0, 800.0, 1600.0},
                             {{0.1, -20.0}, {0.1, 5.0}, {0.2, -6.0}, {0.0, 3.0}, {0.01, 0.02}}};
  for (std::size_t i = 0; i < table.values.size(); ++i)
    CHECK(std::abs(1.0 / interpolated_admittance(table, table.frequencies[i]) - table.values[i]) < 1e-9);
  for (double f = 20.0; f < 10000.0; f *= 1.01) CHECK(interpolated_admittance(table, f).real() >= 0.0);
  // Reactance that rises through 0 is a resonance, where the wall is soft; one that falls, where it is hard.
  double softest = 0.0, hardest = 1e9;
  for (double f = 100.0; f < 200.0; f *= 1.001)
    softest = std::max(softest, std::abs(interpolated_admittance(table, f)));
  for (double f = 200.0; f < 400.0; f *= 1.001)
    hardest = std::min(hardest, std::abs(interpolated_admittance(table, f)));
  CHECK(softest == Approx(10.0).epsilon(0.01));  // 1 / 0.1
  CHECK(hardest < 0.01);
}

TEST_CASE("material_law: outside a table resistance is held, and reactance a spring's or a mass's") {
  const ImpedanceTable table{{100.0, 200.0}, {{2.0, -8.0}, {1.0, 3.0}}};
  CHECK(std::abs(1.0 / interpolated_admittance(table, 50.0) - Complex(2.0, -16.0)) < 1e-9);
  CHECK(std::abs(1.0 / interpolated_admittance(table, 400.0) - Complex(1.0, 6.0)) < 1e-9);
  const ImpedanceTable line{{500.0}, {{3.0, 0.0}}};
  for (const double f : {20.0, 500.0, 9000.0}) CHECK(std::abs(interpolated_admittance(line, f) - 1.0 / 3.0) < 1e-12);
}

TEST_CASE("material_law: the stated absorption is that of the bands, between them by log frequency, beyond them held") {
  Material material;
  material.kind = Material::Kind::absorption;
  material.bands = {500.0, 125.0};
  material.alpha = {0.4, 0.2};
  CHECK(stated_absorption(material, 63.0) == 0.2);
  CHECK(stated_absorption(material, 125.0) == 0.2);
  CHECK(stated_absorption(material, 250.0) == Approx(0.3));
  CHECK(stated_absorption(material, 8000.0) == 0.4);
  material.kind = Material::Kind::admittance;
  material.admittance = 0.05;
  CHECK(stated_absorption(material, 1000.0) == Approx(random_incidence_absorption(0.05)));
  material.kind = Material::Kind::impedance;
  material.impedance = {{100.0, 1000.0}, {{20.0, 0.0}, {20.0, 0.0}}};
  CHECK(stated_absorption(material, 4000.0) == Approx(random_incidence_absorption(0.05)));
  material.kind = Material::Kind::rigid;
  CHECK(stated_absorption(material, 1000.0) == 0.0);
}
