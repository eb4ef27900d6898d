#include "engine/images/edge_diffraction.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/solutions/wedge.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;
constexpr double degrees = pi / 180.0, sound_speed = 343.2;

EdgeBend bend_of(const test::WedgePair& pair) {
  const double across = pair.source_radius + pair.receiver_radius, length = std::hypot(across, pair.along);
  EdgeBend bend;
  bend.opening = pair.opening;
  bend.source = pair.source_angle;
  bend.receiver = pair.receiver_angle;
  bend.distance = pair.source_radius * pair.receiver_radius / length;
  return bend;
}

double length_of(const test::WedgePair& pair) {
  return std::hypot(pair.source_radius + pair.receiver_radius, pair.along);
}

// dB: the largest difference of levels from the exact ones, of rigid faces.
double level_error(const test::WedgePair& pair, const std::vector<double>& frequencies) {
  double worst = 0.0;
  for (const double f : frequencies) {
    const double k = 2.0 * pi * f / sound_speed;
    const double exact = std::abs(test::wedge_diffraction(pair, k)),
                 found = std::abs(edge_factor(bend_of(pair), k, {1.0, 1.0})) / length_of(pair);
    worst = std::max(worst, std::abs(20.0 * std::log10(found / exact)));
  }
  return worst;
}

const std::vector<double> audible = {500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0};

}  // namespace

TEST_CASE("edge_diffraction: the transition function has its values and limits") {
  // exp(i x) erfc(exp(i pi / 4) sqrt(x)), computed with 30 digits.
  CHECK(std::abs(edge_transition(0.01) - Complex(0.9206955889764711, -0.07031841202890619)) < 1e-14);
  CHECK(std::abs(edge_transition(1.0) - Complex(0.4155880959078487, -0.2303197875549106)) < 1e-14);
  CHECK(std::abs(edge_transition(3.99) - Complex(0.2143306543893711, -0.1713918280360392)) < 1e-13);
  CHECK(std::abs(edge_transition(4.01) - Complex(0.2137661474831649, -0.1711002928428719)) < 1e-13);
  CHECK(std::abs(edge_transition(25.0) - Complex(0.08128042419423137, -0.07810757777633648)) < 1e-14);
  // For large arguments 1 / (sqrt(pi) z).
  CHECK(std::abs(edge_transition(0.0) - 1.0) < 1e-15);
  CHECK(std::abs(edge_transition(1e8) * std::sqrt(pi) * std::polar(1e4, 0.25 * pi) - 1.0) < 1e-8);
  for (const double x : {0.3, 1.0, 3.9, 4.0, 4.1, 7.0, 30.0}) {
    // The derivative of exp(z^2) erfc(z) by z is 2 z exp(z^2) erfc(z) - 2 / sqrt(pi).
    const double h = 1e-4 * std::min(x, 1.0);
    const Complex slope = (-edge_transition(x + 2 * h) + 8.0 * edge_transition(x + h) - 8.0 * edge_transition(x - h) +
                           edge_transition(x - 2 * h)) /
                          (12.0 * h);
    const Complex z = std::polar(std::sqrt(x), 0.25 * pi);
    const Complex due = (2.0 * z * edge_transition(x) - 2.0 / std::sqrt(pi)) * Complex(0.0, 1.0) / (2.0 * z);
    CHECK(std::abs(slope - due) < 1e-9 * (1.0 + std::abs(due)));
  }
}

TEST_CASE("edge_diffraction: sound in the shadow of a half-plane is Macdonald's within 1 dB from 500 Hz on") {
  // Direct sound goes out at the shadow's boundary, and the edge's sound makes up for it: the exact solution is one.
  const double k = 2.0 * pi * 1000.0 / sound_speed;
  const test::WedgePair dark = {2.0 * pi, 2.0, 3.0, 40.0 * degrees, 220.01 * degrees, 1.0};
  test::WedgePair light = dark;
  light.receiver_angle = 219.99 * degrees;
  const Complex jump = test::wedge_diffraction(dark, k) - test::wedge_diffraction(light, k);
  const double length = length_of(dark);
  CHECK(std::abs(jump * length * std::polar(1.0, k * length) - 1.0) < 0.01);

  double worst = 0.0;
  for (const double source : {5.0, 30.0, 60.0, 100.0, 150.0})
    for (const double past : {0.5, 2.0, 10.0, 30.0, 60.0, 120.0, 175.0}) {
      if (source + 180.0 + past > 360.0) continue;
      for (const auto& [a, b] : {std::pair{1.0, 1.0}, {0.5, 4.0}, {3.0, 2.0}})
        for (const double along : {0.0, 2.0})
          worst = std::max(
              worst,
              level_error({2.0 * pi, a, b, source * degrees, (source + 180.0 + past) * degrees, along}, audible));
    }
  CAPTURE(worst);
  CHECK(worst < 1.0);
}

TEST_CASE("edge_diffraction: sound in the shadow of rigid wedges is the exact one within 1 dB from 500 Hz on") {
  double worst = 0.0;
  for (const double opening : {200.0, 240.0, 270.0, 300.0, 330.0})
    for (const double source : {3.0, 20.0, 45.0, 80.0})
      for (const double past : {1.0, 10.0, 40.0, 80.0}) {
        if (source + 180.0 + past > opening) continue;
        worst = std::max(
            worst, level_error({opening * degrees, 1.0, 1.5, source * degrees, (source + 180.0 + past) * degrees, 0.7},
                               audible));
      }
  CAPTURE(worst);
  CHECK(worst < 1.0);
}

TEST_CASE("edge_diffraction: half of direct sound at the shadow's boundary, and source and receiver may be exchanged") {
  EdgeBend bend;
  bend.opening = 1.5 * pi;
  bend.source = 0.6;
  bend.receiver = 0.6 + pi;
  bend.distance = 0.8;
  // Of faces without any reflected sound; exactly at the boundary, and just past it.
  CHECK(std::abs(edge_factor(bend, 200.0, {0.0, 0.0}) - 0.5) < 0.02);
  bend.receiver += 1e-9;
  CHECK(std::abs(edge_factor(bend, 200.0, {0.0, 0.0}) - 0.5) < 0.02);
  bend.receiver = 4.2;
  const Complex first(0.7, 0.1), second(-0.4, 0.3);
  EdgeBend back = bend;
  back.source = bend.opening - bend.receiver;
  back.receiver = bend.opening - bend.source;
  const Complex there = edge_factor(bend, 37.0, {first, second}), and_back = edge_factor(back, 37.0, {second, first});
  CHECK(std::abs(there - and_back) < 1e-13 * std::abs(there));
  CHECK(std::abs(there - edge_factor(bend, 37.0, {second, first})) > 1e-3 * std::abs(there));
}

}  // namespace fdtd
