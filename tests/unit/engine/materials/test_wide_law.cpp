#include "engine/materials/wide_law.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "base/error.hpp"
#include "base/math/quadrature.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/material_fit.hpp"
#include "scenes/toml/material_library.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

Material octaves(std::vector<double> bands, std::vector<double> alpha) {
  Material material;
  material.name = "test";
  material.kind = Material::Kind::absorption;
  material.bands = std::move(bands);
  material.alpha = std::move(alpha);
  return material;
}

Material layer_with(double flow_resistivity) {
  Material material;
  material.kind = Material::Kind::porous;
  material.porous = {flow_resistivity, 0.05, 0.02};
  return material;
}

double absorbed(const WideLaw& law, double centre) { return 1.0 - wall_octave(law, centre).kept_when_scattered; }

// 1 - |R|^2 over a diffuse field: twice the integral by the cosine, weighted with it.
double diffuse_absorption(const WallOctave& wall) {
  double sum = 0.0;
  for (const QuadratureNode& node : gauss_legendre(200))
    sum += node.weight * 2.0 * node.x * (1.0 - reflected_energy(wall, node.x));
  return sum;
}

// The mean of |R|^2 over the octave, by many frequencies.
double mean_energy(const WideLaw& law, double centre, double cosine) {
  constexpr int points = 2000;
  double sum = 0.0;
  for (int j = 0; j < points; ++j)
    sum += std::norm(reflection(law.admittance(centre * std::exp2((j + 0.5) / points - 0.5)), cosine));
  return sum / points;
}

}  // namespace

TEST_CASE("wide_law: the octaves of the library absorb what is stated, and above the highest what that absorbs") {
  for (const LibraryMaterial& entry : material_library()) {
    const WideLaw law(octaves(entry.bands, entry.alpha), 343.2);
    const double border = entry.bands.back() * std::sqrt(2.0);
    CHECK(law.extended_from() == Approx(border));
    for (double centre = 125.0; centre <= 16000.0; centre *= 2.0) {
      const auto band = std::ranges::find(entry.bands, centre) - entry.bands.begin();
      const double stated = std::min(entry.alpha[std::min(static_cast<std::size_t>(band), entry.alpha.size() - 1)],
                                     largest_random_incidence_absorption());
      INFO(entry.name << " at " << centre << " Hz: " << absorbed(law, centre) << " of " << stated);
      CHECK(std::abs(absorbed(law, centre) - stated) <= (centre > border ? 0.02 : 0.05) * stated);
    }
  }
}

TEST_CASE("wide_law: a jump in the highest band is not carried on beyond it") {
  for (const Material& material :
       {octaves({250.0, 500.0, 1000.0}, {0.05, 0.05, 0.6}), octaves({250.0, 500.0, 1000.0}, {0.8, 0.7, 0.1}),
        octaves({63.0}, {0.3}), octaves({500.0, 1000.0}, {0.0, 0.4}), octaves({500.0, 1000.0}, {0.9, 1.0})}) {
    const WideLaw law(material, 343.2);
    const double last = material.bands.back(), border = last * std::sqrt(2.0);
    const double held = std::min(material.alpha.back(), largest_random_incidence_absorption());
    for (double centre = 4.0 * last; centre <= 16000.0; centre *= 2.0)
      CHECK(absorbed(law, centre) == Approx(held).epsilon(1e-9));
    CHECK(absorbed(law, 2.0 * last) == Approx(held).epsilon(0.05));
    // Continuous, and passive on the way.
    for (double f = border / 1.1; f < 2.0 * border; f *= 1.001) {
      CHECK(std::abs(law.admittance(f * 1.001) - law.admittance(f)) < 0.02 * std::abs(law.admittance(f)));
      CHECK(law.admittance(f).real() > 0.0);
    }
    // Up to the border it is the law of the wave part.
    CHECK(law.admittance(border / 1.01) == MaterialLaw(material).admittance(border / 1.01));
  }
  CHECK(absorbed(WideLaw(octaves({500.0, 1000.0}, {0.4, 0.0}), 343.2), 8000.0) == 0.0);
  CHECK(WideLaw(octaves({8000.0, 16000.0}, {0.1, 0.2}), 343.2).extended_from() == 0.0);
}

TEST_CASE("wide_law: the mean energy of five points is that of the octave") {
  // Up to a 1 kHz octave in which absorption grows sixfold.
  const WideLaw steep(octaves({250.0, 500.0, 1000.0, 2000.0}, {0.02, 0.06, 0.36, 0.9}), 343.2);
  for (const WideLaw& law : {steep, WideLaw(layer_with(12000.0), 343.2)})
    for (const double centre : {500.0, 1000.0, 4000.0, 16000.0})
      for (const double cosine : {0.02, 0.1, 0.3, 0.7, 1.0})
        CHECK(reflected_energy(wall_octave(law, centre), cosine) ==
              Approx(mean_energy(law, centre, cosine)).margin(0.01));
}

TEST_CASE("wide_law: what a scattered reflection keeps is what specular ones keep in a diffuse field") {
  for (const double centre : {125.0, 1000.0, 16000.0}) {
    for (const WideLaw& law :
         {WideLaw(octaves({125.0, 1000.0, 8000.0}, {0.3, 0.05, 0.8}), 343.2), WideLaw(layer_with(8000.0), 343.2)}) {
      const WallOctave wall = wall_octave(law, centre);
      CHECK(1.0 - wall.kept_when_scattered == Approx(diffuse_absorption(wall)).epsilon(1e-6));
    }
  }
}

TEST_CASE("wide_law: rigid walls reflect everything, at grazing incidence too") {
  for (const WideLaw& law : {WideLaw(), WideLaw(octaves({500.0}, {0.0}), 343.2)}) {
    const WallOctave wall = wall_octave(law, 1000.0);
    CHECK(wall.kept_when_scattered == 1.0);
    for (const double cosine : {0.0, 1e-9, 0.5, 1.0}) {
      CHECK(reflected_energy(wall, cosine) == 1.0);
      CHECK(reflection(law.admittance(1000.0), cosine) == 1.0);
    }
  }
  CHECK(WideLaw().extended_from() == 0.0);
  // Every other wall turns the sign of pressure at grazing incidence.
  CHECK(reflection(0.2, 0.0) == -1.0);
  CHECK(reflection({0.2, 0.1}, 1.0) == (1.0 - Complex(0.2, 0.1)) / (1.0 + Complex(0.2, 0.1)));
}

TEST_CASE("wide_law: tables and porous layers keep their model, and say where their data end") {
  Material table;
  table.kind = Material::Kind::impedance;
  table.impedance = {{100.0, 1000.0, 4000.0}, {{20.0, -30.0}, {8.0, 0.0}, {5.0, 6.0}}};
  const WideLaw law(table, 343.2);
  CHECK(law.extended_from() == 4000.0);
  for (const double f : {60.0, 700.0, 16000.0, 22000.0})
    CHECK(law.admittance(f) == interpolated_admittance(table.impedance, f));
  table.impedance = {{500.0}, {{3.0, 0.0}}};
  CHECK(WideLaw(table, 343.2).extended_from() == 0.0);
  CHECK(WideLaw(layer_with(8000.0), 340.0).admittance(9000.0) ==
        porous_admittance(layer_with(8000.0).porous, 9000.0, 340.0));
  CHECK(WideLaw(layer_with(8000.0), 340.0).extended_from() == 8000.0);
  CHECK(WideLaw(layer_with(30000.0), 340.0).extended_from() == 0.0);
  Material real;
  real.kind = Material::Kind::admittance;
  real.admittance = 0.1;
  CHECK(std::abs(WideLaw(real, 343.2).admittance(20000.0) - 0.1) < 1e-15);
  CHECK(WideLaw(real, 343.2).extended_from() == 0.0);
  Material wrong = octaves({500.0, 1000.0}, {0.1});
  CHECK_THROWS_AS(WideLaw(wrong, 343.2), Error);
}
