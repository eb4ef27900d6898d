// The reflection of a wall at the end of a duct, simulated step by step, against the exact discrete half-space and
// theory.
#include "engine/walls/half_space.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/duct.hpp"
#include "tests/support/solutions/plane_wave.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Complex = std::complex<double>;

namespace {

const std::vector<Branch> real_wall = {{0.0, 3.0, 0.0}};
// A resonator and a spring with losses; in seconds and 1/seconds of the duct's grid (0.1 m, T of the order of 1e-4 s).
const std::vector<Branch> resonant_wall = {{4e-4, 1.5, 900.0}, {0.0, 6.0, 3000.0}};

WallLaw law_of(const Duct& duct, const std::vector<Branch>& branches, bool plain) {
  MaterialFit fit;
  fit.name = "end";
  fit.branches = branches;
  const auto laws = make_wall_laws(std::vector<MaterialFit>{fit}, grid_of(duct, 1), duct.stencil, duct.map);
  for (const WallLaw& law : laws)
    if (law.axis == duct.axis && law.inward == (plain ? 0 : 1)) return law;
  throw std::logic_error("no law");
}

// Largest difference between the recorded and the exact discrete reflection around the pulse's frequency, over a real
// and a resonant wall, with one tap and with several.
double worst_difference(const Duct& duct) {
  const std::vector<double> omegas = {0.97 * duct.omega, duct.omega, 1.02 * duct.omega};
  const auto rigid = spectrum(duct, {}, true, omegas);
  double worst = 0.0;
  for (const auto& branches : {real_wall, resonant_wall}) {
    for (bool plain : {true, false}) {
      const auto lossy = spectrum(duct, branches, plain, omegas);
      const WallLaw law = law_of(duct, branches, plain);
      for (std::size_t i = 0; i < omegas.size(); ++i) {
        const auto space = half_space(duct.symbol(), omegas[i], law.taps);
        const Complex exact = reflection(*space, discrete_impedance(law, omegas[i]));
        worst = std::max(worst, std::abs(recorded_reflection(lossy[i], rigid[i], space->k, duct.receiver) - exact));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("the recorded reflection equals the exact discrete half-space") {
  for (const char* name : {"leggy-1", "leggy-2", "leggy-4", "leggy-8", "leggy-20"}) {
    for (double points : {12.0, 5.0}) {
      Duct duct;
      duct.stencil = isotropic(name, 0.999);
      duct.omega = duct.courant() * 2.0 * std::numbers::pi / points;
      CAPTURE(name, points);
      CHECK(worst_difference(duct) < 1e-9);
    }
  }
}

TEST_CASE("the recorded reflection is exact along every axis and at oblique incidence") {
  for (int axis : {0, 1, 2}) {
    Duct duct;
    duct.stencil = isotropic("leggy-4");
    duct.axis = axis;
    duct.section = {5, 1};
    duct.mode = 1;
    duct.width = 40.0;
    duct.omega = duct.courant() * 2.0 * std::numbers::pi / 5.0;
    CAPTURE(axis);
    CHECK(worst_difference(duct) < 1e-9);
  }
}

TEST_CASE("at 20 points a wavelength the reflection is theory's within 0.02") {
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "leggy-20"}) {
    Duct duct;
    duct.stencil = isotropic(name, 0.999);
    duct.omega = duct.courant() * 2.0 * std::numbers::pi / 20.0;
    const double k = incident_wave(duct.symbol(), duct.omega)->k;
    const auto rigid = spectrum(duct, {}, true, {duct.omega});
    for (double impedance : {20.0, 3.0, 1.0}) {
      CAPTURE(name, impedance);
      for (bool plain : {true, false}) {
        const auto lossy = spectrum(duct, {{0.0, impedance, 0.0}}, plain, {duct.omega});
        const Complex r = recorded_reflection(lossy[0], rigid[0], k, duct.receiver);
        CHECK(std::abs(r - theoretical_reflection(impedance)) <= 0.02);
      }
    }
  }
}
