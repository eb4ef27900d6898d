#include "engine/reports/result_page/dry_sample.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

double level_of(const std::vector<double>& sound, double rate, double from, double to) {
  double sum = 0.0;
  for (auto i = static_cast<std::size_t>(from * rate); i < static_cast<std::size_t>(to * rate); ++i)
    sum += sound[i] * sound[i];
  return 10.0 * std::log10(sum / ((to - from) * rate) + 1e-30);
}

}  // namespace

TEST_CASE("the dry sample has its sounds at their times, at every rate, and ends in silence") {
  for (const double rate : {4000.0, 44100.0, 48000.0}) {
    const std::vector<double> sound = dry_sample(rate);
    CHECK(sound == dry_sample(rate));
    CHECK(sound.size() == static_cast<std::size_t>(2.6 * rate));
    const auto [low, high] = std::ranges::minmax(sound);
    CHECK(std::max(-low, high) == Approx(1.0));
    // Each is above the silence before the next: clap, two wood blocks, drum, strings.
    for (const double at : {0.02, 0.35, 0.55, 0.8, 1.25}) {
      CAPTURE(rate, at);
      CHECK(level_of(sound, rate, at, at + 0.04) > -40.0);
    }
    CHECK(level_of(sound, rate, 0.0, 0.019) < -200.0);
    CHECK(level_of(sound, rate, 0.2, 0.34) < -60.0);
    CHECK(level_of(sound, rate, 2.5, 2.6) < -60.0);
  }
}

TEST_CASE("the first string of the dry sample is an A of 110 Hz") {
  const double rate = 48000.0;
  const std::vector<double> sound = dry_sample(rate);
  // The lag of the largest autocorrelation over the time in which it sounds alone.
  double best = 0.0, at = 0.0;
  for (std::size_t lag = 380; lag < 500; ++lag) {
    double sum = 0.0;
    for (auto i = static_cast<std::size_t>(1.21 * rate); i < static_cast<std::size_t>(1.32 * rate); ++i)
      sum += sound[i] * sound[i + lag];
    if (sum > best) best = sum, at = static_cast<double>(lag);
  }
  CHECK(rate / at == Approx(110.0).epsilon(0.005));
}

}  // namespace fdtd::test
