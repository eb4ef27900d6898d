#include "tests/support/catch.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "engine/transducers/source_gain.hpp"
#include "engine/transducers/taps.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

using namespace fdtd;

namespace {

constexpr double pi = std::numbers::pi;

GridStencil cubic(const char* name, double courant = 0.0) {
  const Stencil* found = find_stencil(name);
  REQUIRE(found != nullptr);
  const Stencil stencil = courant > 0.0 ? at_courant(*found, courant) : *found;
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

// kappa in direction n where the wave has numerical frequency w, by bisection.
double kappa_of(const GridStencil& s, const Vec3& n, double w) {
  double low = 0.0, high = pi * s.courant[0];
  for (int i = 0; i < 80; ++i) {
    const double kappa = (low + high) / 2.0;
    const Vec3 k{kappa * n[0] / s.courant[0], kappa * n[1] / s.courant[1], kappa * n[2] / s.courant[2]};
    (symbol(s, k) > 2.0 * std::cos(w) ? low : high) = kappa;
  }
  return low;
}

// The gain by its definition (w / sin w) / (v v_g), the group velocity by differences, over a Fibonacci sphere.
double by_definition(const GridStencil& s, double w) {
  const int count = 500;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, across = std::sqrt(1.0 - z * z),
                 angle = pi * (3.0 - std::sqrt(5.0)) * i;
    const Vec3 n{across * std::cos(angle), across * std::sin(angle), z};
    const double h = 1e-4, group = 2.0 * h / (kappa_of(s, n, w + h) - kappa_of(s, n, w - h));
    sum += std::pow(w / std::sin(w) / (w / kappa_of(s, n, w) * group), 2);
  }
  return std::sqrt(sum / count);
}

}  // namespace

TEST_CASE("source_gain: equals (w / sin w) / (v v_g), root mean square over the sphere") {
  for (const auto& stencil : {cubic("leggy-1"), cubic("leggy-4"), cubic("leggy-4", 0.3)}) {
    const auto gain = source_gain(stencil, 513);
    REQUIRE(gain.size() == 513);
    CHECK(gain[0] == 1.0);
    for (const int i : {16, 40, 64})
      CHECK(gain[static_cast<std::size_t>(i)] == Approx(by_definition(stencil, pi * i / 512.0)).epsilon(1e-4));
  }
}

TEST_CASE("source_gain: leggy-4 at its limit is superluminal by exactly the factor w / sin w") {
  const auto stencil = cubic("leggy-4");
  const auto gain = source_gain(stencil, 513);
  for (const double kh : {0.1, 0.2, 0.4}) {
    const double w = std::acos(symbol(stencil, {kh * pi, 0.0, 0.0}) / 2.0);
    CHECK(gain[static_cast<std::size_t>(std::lround(w / pi * 512))] == Approx(1.0).margin(0.01));
  }
}

// Where the map's own waves are slow, all directions' are: a table that did not know it would end at a gain of 2.
TEST_CASE("source_gain: with a radial map it is exact up to the edge of the band, far above a gain of 2") {
  for (const char* name : {"box-222/radial03", "box-111/radial1", "compact-9/radial03"}) {
    const GridStencil stencil = cubic(name);
    const FrequencyMap map = frequency_map(*find_stencil(name));
    const double edge = map.grid(rendered_omega(stencil, 0.02, map));
    const auto gain = source_gain(stencil, 513, map);
    for (const double fraction : {0.5, 0.9, 1.0}) {
      const auto i = static_cast<std::size_t>(fraction * edge / pi * 512.0);
      CAPTURE(name, fraction);
      CHECK(gain[i] == Approx(by_definition(stencil, pi * static_cast<double>(i) / 512.0)).epsilon(1e-3));
      if (fraction == 1.0) CHECK(gain[i] > 2.3);
    }
  }
}

// d/dx of a wave is omega / c times its amplitude at the frequency that is rendered, not at the grid's.
TEST_CASE("source_gain: the gain of a derivative counts wave numbers by the map") {
  Plan plan;
  plan.stencil = cubic("box-222/radial03");
  const double courant = plan.stencil.courant[0];
  plan.grid = {{40, 40, 40}, {0.1, 0.1, 0.1}, courant * 0.1 / 343.0, 343.0};
  plan.tap_wave = 2.0 * pi / 2.5;
  plan.sources = {{"S", {2.05, 2.05, 2.05}, {}, {}, {}}};
  plan.receivers = plan.sources;
  plan.receivers.push_back({"R", {2.05, 2.05, 2.05}, {}, {}, solid_harmonic(2)});
  const auto plain = channel_gain(plan, 257);
  plan.frequency_map = frequency_map(*find_stencil("box-222/radial03"));
  const auto mapped = channel_gain(plan, 257);
  for (const std::size_t i : {40U, 80U}) {  // where both tables are exact
    const double w = pi * static_cast<double>(i) / 256.0;
    CHECK(mapped[0][i] == Approx(plain[0][i]).epsilon(1e-9));
    CHECK(mapped[1][i] / plain[1][i] == Approx(w / plan.frequency_map.truth(w)).epsilon(1e-9));
    // Of waves that the weights read well the derivative is right: what remains is the scheme's own gain.
    CHECK(mapped[1][i] == Approx(mapped[0][i]).epsilon(0.02));
  }
}

TEST_CASE("source_gain: holds on a grid with three different steps") {
  const Stencil* found = find_stencil("leggy-3");
  REQUIRE(found != nullptr);
  const auto stencil = on_grid(*found, {0.38, 0.40, 0.43});
  const auto gain = source_gain(stencil, 257);
  CHECK(gain[24] == Approx(by_definition(stencil, pi * 24 / 256.0)).epsilon(1e-4));
}

TEST_CASE("source_gain: continues smoothly and stays bounded where waves end") {
  for (const auto& s : catalogue()) {
    if (s.point_count() > 63) continue;
    const auto gain = source_gain(on_grid(s, {s.courant, s.courant, s.courant}), 257);
    for (std::size_t i = 1; i < gain.size(); ++i) {
      INFO(s.name << " " << i);
      REQUIRE(gain[i] > 0.3);
      REQUIRE(gain[i] < 4.0);
      REQUIRE(std::abs(std::log(gain[i] / gain[i - 1])) < 0.08);
    }
  }
}

TEST_CASE("source_gain: taps made for a finest wave are equalised by their own weights") {
  Plan plan;
  plan.stencil = cubic("leggy-4");
  plan.grid = {{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 343.0};
  plan.tap_wave = 2.0 * pi / 2.3;
  const AirMask air(plan.grid.size);
  for (const std::array<double, 3>& at : {std::array{2.05, 1.95, 2.15}, {2.0, 1.9, 2.1}})
    plan.sources.push_back(make_tap("S", at, plan.grid, air, {}, TapWeights(plan.tap_wave)));
  plan.receivers = plan.sources;
  REQUIRE(plan.sources[1].nodes.size() == 14 * 14 * 14);
  const auto made = channel_gain(plan, 257);
  plan.tap_wave = 0.0;
  const auto polynomials = channel_gain(plan, 257);
  CHECK(made[0] == polynomials[0]);
  // 2.6 points a wavelength: what polynomials lose the weights do not.
  CHECK(made[3][110] > 0.98 * made[0][110]);
  CHECK(polynomials[3][110] < 0.95 * made[0][110]);
}

TEST_CASE("source_gain: taps on nodes change nothing, taps between nodes follow their weights") {
  Plan plan;
  plan.stencil = cubic("leggy-4");
  plan.grid.size = {40, 40, 40};
  plan.grid.spacing = {0.1, 0.1, 0.1};
  const AirMask air(plan.grid.size);
  plan.sources = {make_tap("on a node", {2.05, 1.95, 2.15}, plan.grid, air),
                  make_tap("in mid-cell", {2.0, 1.9, 2.1}, plan.grid, air)};
  plan.receivers = plan.sources;
  const auto gain = channel_gain(plan, 257);
  const auto plain = source_gain(plan.stencil, 257);
  REQUIRE(gain.of.size() == 4);
  for (std::size_t i = 0; i < plain.size(); ++i) REQUIRE(gain[0][i] == Approx(plain[i]).epsilon(1e-12));

  // |W|^2 of the tap's own nodes and weights, over a Fibonacci sphere at omega T = pi/4.
  const auto mean_power = [&](int power) {
    const int count = 500;
    double sum = 0.0;
    for (int j = 0; j < count; ++j) {
      const double z = 1.0 - (2.0 * j + 1.0) / count, across = std::sqrt(1.0 - z * z),
                   angle = pi * (3.0 - std::sqrt(5.0)) * j;
      const Vec3 n{across * std::cos(angle), across * std::sin(angle), z};
      const double k = kappa_of(plan.stencil, n, pi / 4.0) / plan.stencil.courant[0];
      std::complex<double> W = 0.0;
      const Tap& tap = plan.sources[1];
      for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
        const auto node = tap.nodes[i];
        W += std::polar(tap.weights[i],
                        k * (n[0] * static_cast<double>(node % 40) + n[1] * static_cast<double>(node / 40 % 40) +
                             n[2] * static_cast<double>(node / 1600)));
      }
      sum += std::pow(std::abs(W), power);
    }
    return sum / count;
  };
  CHECK(gain[1][64] / gain[0][64] == Approx(std::sqrt(mean_power(2))).epsilon(2e-3));
  CHECK(gain[2][64] == gain[1][64]);
  CHECK(gain[3][64] / gain[0][64] == Approx(std::sqrt(mean_power(4))).epsilon(4e-3));
  CHECK(gain[3][64] < 0.99 * gain[0][64]);
}

TEST_CASE("channel_gain: receivers of one place within a cell share a table, however many there are") {
  Plan plan;
  plan.stencil = cubic("leggy-4");
  plan.grid.size = {40, 40, 40};
  plan.grid.spacing = {0.1, 0.1, 0.1};
  const auto at = [](double x, double y, double z) { return Tap{"", {x, y, z}, {}, {}, {}}; };
  plan.sources = {at(2.05, 1.95, 2.15)};
  for (int i = 0; i < 3000; ++i)
    plan.receivers.push_back(at(0.1 * (i % 30) + (i % 2) * 0.04, 0.1 * (i / 30 % 10), 0.1 * (i / 300)));
  const ChannelGain lattice = channel_gain(plan, 33);
  CHECK(lattice.tables.size() == 2);
  REQUIRE(lattice.of.size() == 3000);
  CHECK(lattice.of[0] == lattice.of[2]);
  CHECK(lattice.of[0] != lattice.of[1]);

  // Places that all differ: beyond some thousand they are taken to the nearest of 64 parts of a cell.
  std::vector<Tap> few;
  plan.receivers.clear();
  for (int i = 0; i < 6000; ++i) {
    const auto part = [i](double turn) { return 0.5 + std::fmod(turn * i, 1.0); };
    plan.receivers.push_back(at(part(0.7548776662), part(0.5698402910), part(0.4301597090)));
    if (i % 997 == 0) few.push_back(plan.receivers.back());
  }
  const ChannelGain many = channel_gain(plan, 33);
  REQUIRE(many.of.size() == 6000);
  CHECK(many.tables.size() <= 6000);
  plan.receivers = few;
  const ChannelGain exact = channel_gain(plan, 33);
  for (std::size_t i = 0; i < few.size(); ++i)
    for (std::size_t n = 0; n <= 5; ++n)  // omega T up to 0.49, where waves have five points
      CHECK(many[997 * i][n] == Approx(exact[i][n]).epsilon(3e-4));
}
