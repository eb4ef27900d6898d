// Spherical harmonics of order 4 to 9 by balls of nodes: what they read of plane waves, in the open and beside walls.
#include "engine/transducers/harmonic_ball.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

std::vector<Tap> harmonics_at(const Point& place, int lowest, int highest) {
  std::vector<Tap> taps;
  for (int acn = lowest * lowest; acn < (highest + 1) * (highest + 1); ++acn)
    taps.push_back({ChannelId("R", ChannelKind::ambisonic, acn), place, {}, {}, solid_harmonic(acn)});
  return taps;
}

double in_db(double ratio) { return 20.0 * std::log10(ratio); }

}  // namespace

TEST_CASE("harmonic_ball: orders read plane waves, others at -20 dB or less up to 2.5 points a wavelength") {
  const Grid grid{{40, 40, 40}, {0.1, 0.105, 0.098}, 1e-4, 343.0};
  const AirMask air(grid.size);
  const double wave = 2.5, finest = wave / 0.105;
  // The highest order alone takes most of the time; 4 stands for the others.
  for (const int order : {4, 9}) {
    std::vector<Tap> taps = harmonics_at({2.03, 2.2, 1.77}, order, order);
    fill_ball(taps, grid, {air, nullptr}, wave);
    CHECK(taps.front().nodes.size() > 1000);
    CHECK(static_cast<double>(taps.front().nodes.size()) < ball_nodes(wave));
    for (const std::size_t m : {std::size_t{0}, static_cast<std::size_t>(order), static_cast<std::size_t>(2 * order)}) {
      CHECK(taps[m].reach == Approx(full_reach(order, grid, wave)));
      INFO("order " << order << ", channel " << taps[m].channel.name);
      CHECK(in_db(ball_leakage(taps[m], grid, finest)) < -20.0);
      CHECK(in_db(ball_leakage(taps[m], grid, 0.6 * finest)) < -25.0);
      CHECK(in_db(ball_leakage(taps[m], grid, 0.1 * finest)) < -45.0);
    }
  }
}

TEST_CASE("harmonic_ball: many points a wavelength take a larger ball") {
  const Grid grid{{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 343.0};
  const AirMask air(grid.size);
  std::vector<Tap> taps = harmonics_at({2.03, 2.0, 1.97}, 5, 5);
  fill_ball(taps, grid, {air, nullptr}, 1.0);
  CHECK(taps[0].nodes.size() > 2500);
  CHECK(taps[0].reach == Approx(0.9));
  for (const double number : {1.0, 5.0, 10.0}) CHECK(in_db(ball_leakage(taps[3], grid, number)) < -30.0);
}

TEST_CASE("harmonic_ball: beside walls the ball is smaller, in the air alone, and refused where it is too small") {
  const Grid grid{{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 343.0};
  AirMask air(grid.size);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) air.set(x, y, 14, false);  // a wall from z = 1.4 to 1.5
  std::vector<Tap> taps = harmonics_at({2.03, 2.0, 1.97}, 4, 5);
  fill_ball(taps, grid, {air, nullptr}, 2.2);
  for (const Tap& tap : taps)
    for (const std::uint64_t node : tap.nodes) CHECK(node / 1600 > 14);
  CHECK(taps[0].nodes.size() < 600);
  CHECK(in_db(ball_leakage(taps[4], grid, 10.0)) < -20.0);
  std::vector<Tap> high = harmonics_at({2.03, 2.0, 1.97}, 4, 9);
  try {
    fill_ball(high, grid, {air, nullptr}, 2.2);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status == Status::scene);
    CHECK(std::string(error.what()).find("R: order 9") == 0);
    CHECK(std::string(error.what()).find("0.6 m of air") != std::string::npos);
    CHECK(std::string(error.what()).find("0.47 m away") != std::string::npos);
  }
}

TEST_CASE("harmonic_ball: as near to a wall as an order may be it reads waves, and nearer it is refused") {
  const Grid grid{{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 343.0};
  AirMask air(grid.size);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) air.set(x, y, 9, false);  // air begins at z = 1
  const double wave = 2.2;
  for (int order = lowest_ball_order; order <= highest_ball_order; ++order) {
    for (const double cells : {1.0, 2.0, least_ball_cells(order) - 0.01}) {
      std::vector<Tap> taps = harmonics_at({2.03, 2.0, 1.0 + 0.1 * cells}, order, order);
      CHECK_THROWS_AS(fill_ball(taps, grid, {air, nullptr}, wave), Error);
    }
    std::vector<Tap> taps = harmonics_at({2.03, 2.0, 1.0 + 0.1 * (least_ball_cells(order) + 0.01)}, order, order);
    fill_ball(taps, grid, {air, nullptr}, wave);
    const std::size_t count = taps.size();
    for (const std::size_t m : {std::size_t{0}, count / 2, count - 1}) {
      for (const std::uint64_t node : taps[m].nodes) REQUIRE(node / 1600 > 9);
      INFO("order " << order << ", channel " << m << " at 6, 4 and 3 points a wavelength: "
                    << in_db(ball_leakage(taps[m], grid, 10.5)) << ", " << in_db(ball_leakage(taps[m], grid, 15.7))
                    << ", " << in_db(ball_leakage(taps[m], grid, 20.9)) << " dB");
      CHECK(in_db(ball_leakage(taps[m], grid, 10.5)) < -20.0);
    }
  }
}

TEST_CASE("harmonic_ball: the profile is the radial function of the kernel") {
  for (const int order : {4, 9}) {
    CHECK(ball_profile(order, 0.0) == 1.0);
    CHECK(ball_profile(order, 0.011) == Approx(1.0).epsilon(1e-4));
    // The integral of r^(n+2) (1 - r^2)^2 j_n(xr) over 0..1, relative to its limit.
    for (const double x : {1.0, 6.0}) {
      double sum = 0.0, limit = 0.0;
      for (int i = 0; i < 4000; ++i) {
        const double r = (i + 0.5) / 4000, window = std::pow(1.0 - r * r, 2) * std::pow(r, order + 2);
        double odd = 1.0;
        for (int k = 3; k <= 2 * order + 1; k += 2) odd *= k;
        sum += window * spherical_bessel(order, x * r);
        limit += window * std::pow(x * r, order) / odd;
      }
      CHECK(ball_profile(order, x) == Approx(sum / limit).epsilon(1e-4));
    }
  }
}
