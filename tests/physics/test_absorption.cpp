// Absorption of a wall at 6 and 4 points per wavelength, where large stencils are used, in ducts in the time domain.
#include "tests/support/catch.hpp"
#include "tests/support/duct.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

struct Absorbed {
  double recorded, theory;
};

// A wall of admittance 0.05. Oblique: the mode of k across travels at sin(theta) = k points / (2 pi).
Absorbed absorbed(Duct duct, double points, bool plain) {
  const double truth = duct.courant() * 2.0 * std::numbers::pi / points;  // omega T of the wave in air
  duct.omega = duct.removal ? 2.0 * std::asin(truth / 2.0) : truth;
  const double sine = duct.transverse() * points / (2.0 * std::numbers::pi);
  const double k = incident_wave(duct.symbol(), duct.omega)->k;
  const auto rigid = spectrum(duct, {}, plain, {duct.omega});
  const auto lossy = spectrum(duct, {{0.0, 20.0, 0.0}}, plain, {duct.omega});
  const auto r = recorded_reflection(lossy[0], rigid[0], k, duct.receiver);
  return {1.0 - std::norm(r), theoretical_absorption(20.0, std::sqrt(1.0 - sine * sine))};
}

}  // namespace

TEST_CASE("a wall of admittance 0.05 absorbs what it should at normal incidence at 6 and 4 points a wavelength") {
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "leggy-4/warp1", "compact-3"}) {
    for (double points : {6.0, 4.0}) {
      Duct duct;
      duct.stencil = isotropic(name);
      duct.removal = find_stencil(name)->time_dispersion_removal;
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

TEST_CASE("a wall that reads its last node alone absorbs half at 4 points a wavelength") {
  Duct duct;
  duct.stencil = isotropic("leggy-8");
  const Absorbed got = absorbed(duct, 4.0, true);
  CHECK(got.recorded / got.theory == Approx(0.511).margin(0.003));
}
