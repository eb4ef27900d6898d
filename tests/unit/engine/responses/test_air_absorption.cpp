#include "engine/responses/air_absorption.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct Tabulated {
  double temperature, humidity;
  int third;  // exact midband frequency 1000 * 10^(third / 10) Hz
  double decibels_a_kilometre;
};

double magnitude(const std::vector<double>& x, double frequency, double rate) {
  std::complex<double> sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n)
    sum += x[n] * std::polar(1.0, -2.0 * std::numbers::pi * frequency * static_cast<double>(n) / rate);
  return std::abs(sum);
}

}  // namespace

TEST_CASE("air: ISO 9613-1, table 1, to its three digits", "[air]") {
  const std::vector<Tabulated> table = {
      {-20, 10, -13, 0.589}, {-20, 70, -13, 0.125}, {-20, 15, -9, 1.43}, {-20, 100, -9, 0.344}, {-20, 50, 0, 9.14},
      {-20, 70, 6, 20.2},    {-20, 100, 9, 41.1},   {-15, 50, 0, 13.2},  {-15, 70, 6, 37.9},    {-10, 70, -9, 0.332},
      {-10, 100, 0, 5.91},   {-10, 70, 9, 86.2},    {-5, 50, 0, 9.68},   {-5, 70, 6, 65.0},     {0, 30, -9, 0.469},
      {0, 10, 0, 14.0},      {0, 15, 0, 18.3},      {0, 100, 0, 3.37},   {0, 10, 9, 26.4},      {5, 50, 0, 5.08},
      {10, 70, -9, 0.411},   {10, 20, 0, 11.0},     {10, 70, 6, 32.8},   {10, 10, 9, 69.4},     {15, 10, 6, 87.3},
      {20, 10, -13, 0.270},  {20, 50, -9, 0.445},   {20, 70, -9, 0.339}, {20, 70, -8, 0.518},   {20, 100, -7, 0.591},
      {20, 70, 0, 4.98},     {20, 80, 0, 5.15},     {20, 10, 6, 109.0},  {20, 15, 8, 175.0},    {20, 80, 10, 105.0},
      {25, 70, 0, 6.19},     {30, 10, 6, 96.0},     {30, 70, 6, 23.1},   {35, 10, 0, 7.71},     {40, 70, 0, 8.66},
      {50, 50, 0, 10.0},     {50, 10, 9, 155.0},    {50, 70, 9, 80.3}};
  for (const Tabulated& one : table) {
    const AirState air{one.temperature, one.humidity, 101.325, 343.2};
    const double frequency = 1000.0 * std::pow(10.0, one.third / 10.0);
    INFO(one.temperature << " degrees, " << one.humidity << " %, " << frequency << " Hz");
    CHECK(1000.0 * air_attenuation(air, frequency) == Approx(one.decibels_a_kilometre).epsilon(0.006));
  }
}

TEST_CASE("air: pressure moves the relaxations, and what the standard does not vouch for is said", "[air]") {
  // At one humidity by volume, attenuation over pressure depends on frequency over pressure alone; the molar fraction
  // of water at a given relative humidity is inverse to the pressure.
  const AirState sea{20.0, 40.0, 101.325, 343.2}, high{20.0, 20.0, 50.6625, 343.2};
  for (const double f : {100.0, 1000.0, 10000.0})
    CHECK(air_attenuation(high, f / 2.0) == Approx(air_attenuation(sea, f) / 2.0).epsilon(1e-12));
  CHECK(outside_standard(sea, 10000.0).empty());
  CHECK(outside_standard({60.0, 40.0, 101.325, 343.2}, 1000.0).find("60") != std::string::npos);
  CHECK(outside_standard({20.0, 0.0, 101.325, 343.2}, 1000.0).find("water") != std::string::npos);
  CHECK(outside_standard({20.0, 40.0, 250.0, 343.2}, 1000.0).find("250") != std::string::npos);
  CHECK(outside_standard({20.0, 2.0, 5.0, 343.2}, 60000.0).find("pascal") != std::string::npos);
  CHECK(air_attenuation({20.0, 0.0, 101.325, 343.2}, 0.0) == 0.0);
}

TEST_CASE("air: an arrival loses what its path costs, at every frequency and any rate", "[air]") {
  const double rate = GENERATE(8000.0, 48000.0, 192000.0);
  for (const AirState& air : {AirState{20.0, 50.0, 101.325, 343.2}, AirState{-10.0, 10.0, 101.325, 325.0}}) {
    for (const double time : {0.0, 0.0103, 0.31, 0.9}) {
      std::vector<double> response(static_cast<std::size_t>(rate), 0.0);
      const auto at = static_cast<std::size_t>(std::llround(time * rate));
      response[at] = 1.0;
      absorb_by_air(response, rate, air);
      const double path = air.sound_speed * static_cast<double>(at) / rate;
      for (const double f : {63.0, 500.0, 2000.0, 3900.0, 9000.0, 20000.0}) {
        if (f > 0.49 * rate) continue;
        const double lost = air_attenuation(air, f) * path;
        if (lost > 80.0) continue;
        INFO(rate << " Hz, " << time << " s, " << f << " Hz: " << lost << " dB");
        CHECK(-20.0 * std::log10(magnitude(response, f, rate)) == Approx(lost).epsilon(0.005).margin(0.012));
      }
      // No phase: the arrival stays where it was.
      CHECK(std::max_element(response.begin(), response.end()) - response.begin() == static_cast<std::ptrdiff_t>(at));
    }
  }
}

TEST_CASE("air: the filter is linear, and nothing before the emission comes back", "[air]") {
  const AirState air{20.0, 50.0, 101.325, 343.2};
  std::vector<double> a(4800, 0.0), b(4800, 0.0), both(4800, 0.0);
  a[700] = 1.0;
  b[3100] = -0.7;
  both[700] = 1.0;
  both[3100] = -0.7;
  absorb_by_air(a, 48000.0, air);
  absorb_by_air(b, 48000.0, air);
  absorb_by_air(both, 48000.0, air);
  for (std::size_t n = 0; n < both.size(); ++n) CHECK(both[n] == Approx(a[n] + b[n]).margin(1e-13));
  std::vector<double> none;
  absorb_by_air(none, 48000.0, air);
  CHECK(none.empty());
}
