#include "engine/small_rooms/level_bands.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("levels are those of the power averaged over a sixth of an octave") {
  const std::vector<double> centres = level_centres(40.0, 80.0);
  REQUIRE(centres.size() == 25);
  CHECK(centres.back() == Approx(80.0));
  // A response of one mode: known in closed form as a function of frequency.
  constexpr double rate = 2000.0, decay = 9.0, frequency = 57.0;
  std::vector<double> record(4000);
  const auto h = [](int n) {
    return n < 0 ? 0.0 : std::exp(-decay * n / rate) * std::sin(2.0 * std::numbers::pi * frequency * n / rate);
  };
  for (int n = 0; n < 4000; ++n) record[static_cast<std::size_t>(n)] = h(n) - h(n - 1);
  // A channel of twice the gain: 6.02 dB above the response.
  for (double& value : record) value *= 2.0;
  const std::vector<double> levels = record_levels(record, rate, {}, centres, {2.0, 2.0, 2.0, 2.0});
  for (std::size_t i = 0; i < centres.size(); ++i) {
    double sum = 0.0;
    constexpr int lines = 400;
    for (int k = 0; k < lines; ++k) {
      const double f =
          centres[i] * (std::exp2(-1.0 / 12.0) + (std::exp2(1.0 / 12.0) - std::exp2(-1.0 / 12.0)) * (k + 0.5) / lines);
      const std::complex<double> z = std::polar(1.0, -2.0 * std::numbers::pi * f / rate);
      const std::complex<double> p = std::polar(std::exp(-decay / rate), 2.0 * std::numbers::pi * frequency / rate);
      sum += std::norm((p * z / (1.0 - p * z) - std::conj(p) * z / (1.0 - std::conj(p) * z)) / 2.0) / lines;
    }
    CHECK(levels[i] == Approx(10.0 * std::log10(sum)).margin(0.15));
  }
}

TEST_CASE("a tone near half the rate that rings on at the end of a record leaves the levels as they are") {
  const std::vector<double> centres = level_centres(40.0, 80.0);
  constexpr double rate = 2000.0, two_pi = 2.0 * std::numbers::pi;
  const auto levels_with = [&](double tone) {
    std::vector<double> record(2000);
    for (int n = 0; n < 2000; ++n)
      record[static_cast<std::size_t>(n)] =
          std::exp(-0.01 * n) * std::cos(two_pi * 57.0 * n / rate) + tone * std::sin(two_pi * 960.0 * n / rate);
    return record_levels(record, rate, {}, centres, {1.0, 1.0, 1.0, 1.0});
  };
  const std::vector<double> without = levels_with(0.0), with = levels_with(0.1);
  for (std::size_t i = 0; i < centres.size(); ++i) CHECK(with[i] == Approx(without[i]).margin(0.02));
}
