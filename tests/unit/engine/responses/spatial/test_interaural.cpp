#include "engine/responses/spatial/interaural.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double turn = 2.0 * std::numbers::pi;

std::vector<double> noise_of(unsigned seed, std::size_t samples) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> noise(samples);
  for (double& x : noise) x = normal(random);
  return noise;
}

std::vector<double> tone(double frequency, double rate, double delay, std::size_t samples) {
  std::vector<double> x(samples);
  for (std::size_t n = 0; n < samples; ++n) x[n] = std::cos(turn * frequency * (static_cast<double>(n) / rate - delay));
  return x;
}

}  // namespace

TEST_CASE("interaural: equal ears have 1, of either sign and level, independent ones about 0") {
  const auto left = noise_of(1, 48'000);
  std::vector<double> opposite = left;
  for (double& x : opposite) x *= -3.0;
  CHECK(*interaural_coefficient(left, left, 48'000.0, 20'000.0) == Approx(1.0).margin(1e-9));
  CHECK(*interaural_coefficient(left, opposite, 48'000.0, 20'000.0) == Approx(1.0).margin(1e-9));
  // The largest of 97 values of standard deviation 1 / sqrt(48000), and those between.
  CHECK(*interaural_coefficient(left, noise_of(2, 48'000), 48'000.0, 20'000.0) < 0.03);
  CHECK_FALSE(interaural_coefficient(left, std::vector<double>(48'000, 0.0), 48'000.0, 20'000.0));
}

TEST_CASE("interaural: a part of the sound that both ears share is its coefficient") {
  const auto both = noise_of(3, 96'000), one = noise_of(4, 96'000), other = noise_of(5, 96'000);
  std::vector<double> left(both.size()), right(both.size());
  for (std::size_t i = 0; i < both.size(); ++i) {
    left[i] = both[i] + one[i];
    right[i] = i >= 30 ? both[i - 30] + other[i] : other[i];  // 30 / 48 ms later
  }
  CHECK(*interaural_coefficient(left, right, 48'000.0, 20'000.0) == Approx(0.5).margin(0.02));
}

TEST_CASE("interaural: plane waves at two microphones, between samples and beyond 1 ms") {
  // A delay within 1 ms that no sample meets: 1 but for the ends of the signals.
  const double d = 0.171, c = 343.0;  // m, m/s: 0.4985 ms
  CHECK(*interaural_coefficient(tone(1000.0, 6'000.0, 0.0, 12'000), tone(1000.0, 6'000.0, d / c, 12'000), 6'000.0,
                                1414.0) == Approx(1.0).margin(1e-3));
  // 3 ms at 100 Hz: |cos(w (tau - 3 ms))| is largest at -1 ms.
  const double expected = std::abs(std::cos(turn * 100.0 * 4e-3));
  CHECK(*interaural_coefficient(tone(100.0, 4'000.0, 0.0, 16'000), tone(100.0, 4'000.0, 3e-3, 16'000), 4'000.0,
                                141.0) == Approx(expected).margin(2e-3));
}
