// Tones that ring on, in records that can be written down.
#include "base/math/residual_tones.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Noise that falls by `decibels` over its length.
std::vector<double> fading_noise(std::size_t samples, double decibels) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> record;
  for (std::size_t n = 0; n < samples; ++n)
    record.push_back(normal(random) *
                     std::pow(10.0, -decibels / 20.0 * static_cast<double>(n) / static_cast<double>(samples)));
  return record;
}

}  // namespace

TEST_CASE("residual tones: lines under a decay are found with their frequency and amplitude") {
  auto record = fading_noise(20000, 120.0);
  for (std::size_t n = 0; n < record.size(); ++n)
    record[n] += 1e-3 * std::sin(1.3 * static_cast<double>(n)) + 1e-4 * std::sin(1.7234 * static_cast<double>(n));
  const auto tones = residual_tones(record, 1.0);
  REQUIRE(tones.size() == 2);
  CHECK(tones[0].frequency == Approx(1.3).margin(5e-4));
  CHECK(tones[0].amplitude == Approx(1e-3).epsilon(0.15));  // between two bins 1.4 dB are lost at most
  CHECK(tones[1].frequency == Approx(1.7234).margin(5e-4));
  CHECK(tones[1].amplitude == Approx(1e-4).epsilon(0.15));
  CHECK(residual_tones(record, 1.5).size() == 1);
  CHECK(residual_tones(record, 2.0).empty());
}

TEST_CASE("residual tones: decays, lasting noise, undamped modes and short records have none") {
  CHECK(residual_tones(fading_noise(20000, 120.0), 1.0).empty());
  CHECK(residual_tones(fading_noise(20000, 10.0), 1.0).empty());
  std::vector<double> modes(20000, 0.0);  // of a rigid room: nothing decays
  for (std::size_t n = 0; n < modes.size(); ++n)
    for (double w = 0.3; w < 2.0; w += 0.171) modes[n] += std::sin(w * static_cast<double>(n));
  CHECK(residual_tones(modes, 1.0).empty());
  CHECK(residual_tones(std::vector<double>(500, 1.0), 1.0).empty());
  CHECK(residual_tones(std::vector<double>(5000, 0.0), 1.0).empty());
}
