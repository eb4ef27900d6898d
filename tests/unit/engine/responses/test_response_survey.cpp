// The offset that a recording may have, and the onset under noise.
#include "engine/responses/response_survey.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "engine/responses/metrics.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 48000.0;

// A direct sound of 1 and a decaying noise after so many samples of silence.
std::vector<double> response(std::size_t silence, double time, double seconds, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> ir(static_cast<std::size_t>(seconds * rate), 0.0);
  for (std::size_t i = silence; i < ir.size(); ++i)
    ir[i] = 0.25 * normal(random) * std::pow(10.0, -3.0 * static_cast<double>(i - silence) / rate / time);
  ir[silence] = 1.0;
  return ir;
}

void add_noise(std::vector<double>& ir, double below, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const double level = std::pow(10.0, -below / 20.0);
  for (double& x : ir) x += level * normal(random);
}

double offset_of(const std::vector<double>& ir) {
  StaticEnd end(ir.size());
  for (std::size_t i = 0; i < ir.size(); ++i) end.add(ir[i], i);
  return end.offset();
}

}  // namespace

TEST_CASE("response survey: an offset is the mean of the end, and nothing else is taken for one", "[metrics]") {
  for (const double offset : {0.006, -0.02, 1e-4})
    for (const double below : {40.0, 70.0, 200.0})
      for (const std::size_t silence : {0UL, 5000UL}) {
        std::vector<double> ir = response(silence, 0.5, 1.5, 3);
        add_noise(ir, below, 4);
        CAPTURE(offset, below, silence);
        CHECK(std::abs(offset_of(ir)) < 2e-4 * std::pow(10.0, (40.0 - below) / 20.0) + 1e-9);
        for (double& x : ir) x += offset;
        // One that the noise hides is none: at 40 dB the end's mean is uncertain by 1.2e-4.
        if (std::abs(offset) < 1e-3 && below < 50.0) continue;
        CHECK(offset_of(ir) == Approx(offset).margin(3e-4 * std::pow(10.0, (40.0 - below) / 20.0) + 1e-8));
      }
  // A pressure that begins with the sound is a room's, and a low tone that has not decayed is no offset.
  std::vector<double> closed = response(5000, 0.5, 1.5, 3), tone = closed;
  for (std::size_t i = 0; i < tone.size(); ++i) {
    if (i >= 5000) closed[i] += 0.05;
    tone[i] += 0.05 * std::sin(2.0 * 3.14159265 * 23.0 * static_cast<double>(i) / rate);
  }
  CHECK(offset_of(closed) == 0.0);
  CHECK(offset_of(tone) == 0.0);
}

TEST_CASE("response survey: an offset changes no figure", "[metrics]") {
  for (const double offset : {0.006, -0.03})
    for (const std::size_t silence : {0UL, 4800UL}) {
      std::vector<double> ir = response(silence, 0.8, 2.0, 5);
      add_noise(ir, 75.0, 6);
      MetricsOptions options;
      options.valid_bandwidth = 20000.0;
      const Metrics wanted = measure(ir, rate, options);
      for (double& x : ir) x += offset;
      const Metrics found = measure(ir, rate, options);
      CAPTURE(offset, silence);
      CHECK(wanted.offset == 0.0);
      CHECK(found.offset == Approx(offset).margin(1e-5));
      CHECK(found.low_cut == 0.0);
      CHECK(found.onset == wanted.onset);
      REQUIRE(found.bands.size() == wanted.bands.size());
      REQUIRE(found.bands.front().centre == 31.5);
      const auto check = [](const BandMetrics& a, const BandMetrics& b) {
        CAPTURE(b.centre);
        for (const Figure BandMetrics::*figure : {&BandMetrics::C50, &BandMetrics::C80})
          CHECK((a.*figure).value.value() == Approx((b.*figure).value.value()).margin(0.1));
        for (const Figure BandMetrics::*figure : {&BandMetrics::EDT, &BandMetrics::T20, &BandMetrics::T30})
          if ((b.*figure).value) CHECK((a.*figure).value.value() == Approx(*(b.*figure).value).epsilon(0.01));
      };
      for (std::size_t b = 0; b < found.bands.size(); ++b) check(found.bands[b], wanted.bands[b]);
      check(found.broadband, wanted.broadband);
    }
}

// Without a look at the noise the onset is the first of its peaks within 20 dB: anywhere in the silence.
TEST_CASE("response survey: the onset does not lie in the noise ahead of the sound", "[metrics]") {
  for (const double below : {15.0, 18.0, 21.0, 25.0, 40.0})
    for (unsigned seed = 1; seed <= 6; ++seed) {
      std::vector<double> ir = response(4800, 0.8, 1.5, seed);
      add_noise(ir, below, seed + 50);
      CAPTURE(below, seed);
      CHECK(measure(ir, rate).onset == Approx(0.1).margin(below < 18.0 ? 4e-3 : 1e-4));
    }
}
