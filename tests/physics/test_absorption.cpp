// Absorption of a wall at 6 and 4 points per wavelength, where large stencils are used, in ducts in the time domain.
#include <array>
#include <string>

#include "engine/materials/absorption.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/duct.hpp"
#include "tests/support/solutions/plane_wave.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

struct Absorbed {
  double recorded, theory;
};

// A wall of admittance 0.05. Oblique: the mode of k across travels at sin(theta) = k points / (2 pi).
Absorbed absorbed(Duct duct, double points, bool plain) {
  const double truth = duct.courant() * 2.0 * std::numbers::pi / points;  // omega T of the wave in air
  duct.omega = duct.map.grid(truth);
  const double sine = duct.transverse() * points / (2.0 * std::numbers::pi);
  const double k = incident_wave(duct.symbol(), duct.omega)->k;
  const auto rigid = spectrum(duct, {}, plain, {duct.omega});
  const auto lossy = spectrum(duct, {{0.0, 20.0, 0.0}}, plain, {duct.omega});
  const auto r = recorded_reflection(lossy[0], rigid[0], k, duct.receiver);
  return {1.0 - std::norm(r), theoretical_absorption(20.0, std::sqrt(1.0 - sine * sine))};
}

}  // namespace

// Where the stencil's dispersion is small: of a wave of given frequency, not wave number, the wall's fraction changes
// with the group velocity, too.
TEST_CASE("a wall of admittance 0.05 absorbs what it should at normal incidence at 6 and 4 points a wavelength") {
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "leggy-4/warp1", "compact-3"}) {
    for (double points : name == std::string("leggy-1") ? std::array{12.0, 8.0} : std::array{6.0, 4.0}) {
      Duct duct;
      duct.stencil = isotropic(name);
      duct.map = frequency_map(*find_stencil(name));
      duct.section = {4, 3};
      const Absorbed got = absorbed(duct, points, false);
      CAPTURE(name, points, got.recorded, got.theory);
      CHECK(std::abs(got.recorded / got.theory - 1.0) < 0.1);
    }
  }
}

TEST_CASE("a wall of admittance 0.05 absorbs what it should at 45 degrees at 6 and 4 points a wavelength") {
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8"}) {
    for (double points : {6.0, 4.0}) {
      Duct duct;
      duct.stencil = isotropic(name);
      duct.section = {17, 2};
      duct.mode = points == 4.0 ? 6 : 4;  // 44.9 and 44.9 degrees
      const Absorbed got = absorbed(duct, points, false);
      CAPTURE(name, points, got.recorded, got.theory);
      CHECK(std::abs(got.recorded / got.theory - 1.0) < 0.2);
    }
  }
}

TEST_CASE("weak and reactive walls absorb what they should down to 3.3 points a wavelength") {
  for (const char* name : {"leggy-4/warp1", "compact-9", "box-222"}) {
    for (const double points : {5.0, 3.6, 3.3}) {
      Duct duct;
      duct.stencil = isotropic(name);
      duct.map = frequency_map(*find_stencil(name));
      duct.section = {4, 3};
      duct.points = 2.7;
      duct.width = 60.0;
      const double truth = duct.courant() * 2.0 * std::numbers::pi / points;  // omega T of the wave in air
      duct.omega = duct.map.grid(truth);
      const double k = incident_wave(duct.symbol(), duct.omega)->k, time_step = grid_of(duct, 1).time_step;
      const auto rigid = spectrum(duct, {}, false, {duct.omega});
      // Resonance at 9.6 points a wavelength.
      const double resonance = duct.courant() * 2.0 * std::numbers::pi / 9.6 / time_step;
      const std::vector<Branch> reactive = {{4.47 / resonance, 2.0, 4.47 * resonance}};
      for (const auto& branches : {std::vector<Branch>{{0.0, 50.0, 0.0}}, {{0.0, 2.0, 0.0}}, reactive}) {
        const auto lossy = spectrum(duct, branches, false, {duct.omega});
        const double recorded = 1.0 - std::norm(recorded_reflection(lossy[0], rigid[0], k, duct.receiver));
        const std::complex<double> y = admittance(branches, truth / time_step / (2.0 * std::numbers::pi));
        CAPTURE(name, points, branches[0].D, branches[0].E, recorded, theoretical_absorption(1.0 / y));
        CHECK(std::abs(recorded / theoretical_absorption(1.0 / y) - 1.0) < 0.1);
      }
    }
  }
}
