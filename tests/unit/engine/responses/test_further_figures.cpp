#include "engine/responses/further_figures.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "engine/responses/metrics.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate_of_further = 48'000.0;
constexpr std::size_t onset_of_further = 4'800;

// Direct sound of 1, and from `begin` s on noise whose energy falls by 60 dB in `time` s: `level` at the onset.
std::vector<double> direct_and_decay(double begin, double level, double time, unsigned seed = 3) {
  std::vector<double> ir(onset_of_further + static_cast<std::size_t>(1.5 * rate_of_further), 0.0);
  std::mt19937 random(seed);
  for (std::size_t i = onset_of_further + static_cast<std::size_t>(begin * rate_of_further); i < ir.size(); ++i)
    ir[i] = (random() % 2 == 0 ? level : -level) *
            std::pow(10.0, -3.0 * static_cast<double>(i - onset_of_further) / rate_of_further / time);
  ir[onset_of_further] = 1.0;
  return ir;
}

// The energy of that decay between two times.
double decay_energy(double from, double to, double level, double time) {
  const double rate = std::log(1e6) / time;
  return level * level * rate_of_further / rate * (std::exp(-rate * from) - std::exp(-rate * to));
}

const BandMetrics& band_at(const Metrics& metrics, double centre) {
  const auto at = std::ranges::find(metrics.bands, centre, &BandMetrics::centre);
  REQUIRE(at != metrics.bands.end());
  return *at;
}

// The value of a figure that is there.
double value_of_figure(const Figure& figure) {
  INFO(figure.reason);
  REQUIRE(figure.value);
  return *figure.value;
}

double decibels_of(double ratio) { return 10.0 * std::log10(ratio); }

}  // namespace

TEST_CASE("further figures: the direct-to-reverberant ratio of an impulse and an exponential decay") {
  const double level = 0.02, time = 0.8;
  const Metrics metrics = measure(direct_and_decay(0.005, level, time), rate_of_further);
  const double expected = decibels_of(1.0 / decay_energy(0.005, 9.0, level, time));
  REQUIRE(metrics.broadband.DRR.value);
  CHECK(*metrics.broadband.DRR.value == Approx(expected).margin(0.02));
  double mean = 0.0;
  for (const double centre : {2000.0, 4000.0, 8000.0}) mean += value_of_figure(band_at(metrics, centre).DRR) / 3.0;
  CHECK(mean == Approx(expected).margin(0.5));  // octaves of noise vary
  CHECK(band_at(metrics, 500.0).DRR.value);
  CHECK_FALSE(band_at(metrics, 250.0).DRR.value);
  CHECK(band_at(metrics, 250.0).DRR.reason == "a period of the octave is longer than the 2.5 ms of the direct sound");
  // One echo at 20 ms, without noise in the octaves: exact, though the filter of 500 Hz rings for 18 ms.
  std::vector<double> echo = direct_and_decay(0.02, 0.0, 1.0);
  for (int k = 1; k < 14; ++k) echo[onset_of_further + static_cast<std::size_t>(1920 * k)] = std::pow(0.7, k);
  const double rest = 0.49 / (1.0 - 0.49);  // the sum of 0.7^2k
  const Metrics pulses = measure(echo, rate_of_further);
  for (const double centre : {1000.0, 2000.0, 4000.0})
    CHECK(value_of_figure(band_at(pulses, centre).DRR) == Approx(decibels_of(1.0 / rest)).margin(0.1));
}

TEST_CASE("further figures: stage support of an impulse and an exponential decay, 1 m from the source alone") {
  const double level = 0.003, time = 0.7;
  const auto ir = direct_and_decay(0.015, level, time);
  MetricsOptions options;
  options.with.distance = 1.0;
  double early = 0.0, late = 0.0;
  const Metrics metrics = measure(ir, rate_of_further, options);
  const std::vector<double> octaves{250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0};
  for (const double centre : octaves) {
    early += value_of_figure(band_at(metrics, centre).ST_early) / 6.0;
    late += value_of_figure(band_at(metrics, centre).ST_late) / 6.0;
  }
  CHECK(early == Approx(decibels_of(decay_energy(0.02, 0.1, level, time))).margin(0.6));
  CHECK(late == Approx(decibels_of(decay_energy(0.1, 1.0, level, time))).margin(0.6));
  CHECK(average_of(metrics.bands, averaged_figures[3]).has_value());
  CHECK_FALSE(band_at(metrics, 63.0).ST_early.value);
  CHECK(band_at(metrics, 63.0).ST_early.reason == "octaves from 125 Hz on have it");
  // A strong reflection at 105 ms is no early energy in any octave: filters, which ring for longer, come after the cut.
  std::vector<double> later = ir;
  later[onset_of_further + 5'040] = 0.5;
  const Metrics reflected = measure(later, rate_of_further, options);
  for (const double centre : {125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0}) {
    const BandMetrics &with = band_at(reflected, centre), &before = band_at(metrics, centre);
    CHECK(value_of_figure(with.ST_early) == Approx(value_of_figure(before.ST_early)).margin(0.01));
    CHECK(value_of_figure(with.ST_late) == Approx(decibels_of(0.25)).margin(0.5));
  }
  options.with.distance = 1.2;
  CHECK(band_at(measure(ir, rate_of_further, options), 500.0).ST_late.reason ==
        "source and receiver are 1.2 m apart, stage support is that at 0.9 to 1.1 m");
  CHECK(band_at(measure(ir, rate_of_further), 500.0).ST_early.reason ==
        "the distance of source and receiver is not known");
}

TEST_CASE("further figures: late support of a response that ends before a second counts its exponential rest") {
  const double level = 0.02, time = 0.4;
  auto ir = direct_and_decay(0.015, level, time, 5);
  MetricsOptions options;
  options.with.distance = 1.0;
  const double whole = value_of_figure(band_at(measure(ir, rate_of_further, options), 4000.0).ST_late);
  ir.resize(onset_of_further + static_cast<std::size_t>(0.45 * rate_of_further));
  CHECK(value_of_figure(band_at(measure(ir, rate_of_further, options), 4000.0).ST_late) == Approx(whole).margin(0.1));
}

TEST_CASE("further figures: lateral energy fractions and late lateral level beside C80 and G") {
  const auto ir = direct_and_decay(0.006, 0.02, 0.8);
  auto lateral = ir;
  for (double& x : lateral) x *= 0.5;
  lateral[onset_of_further] = 0.0;  // the direct sound comes from the front
  MetricsOptions options;
  options.scale = 1.0;
  options.with.lateral = lateral;
  options.with.lateral_from = 60.0;
  const Metrics metrics = measure(ir, rate_of_further, options);
  for (const double centre : {2000.0, 4000.0}) {
    const BandMetrics& band = band_at(metrics, centre);
    const double early = std::pow(10.0, 0.1 * *band.C80.value), late_part = 1.0 / (1.0 + early);
    // The direct sound is 1 in all octaves; the rest of the early energy is lateral by a quarter, in LFC by a half.
    const double direct = std::pow(10.0, -0.1 * (*band.G.value - 20.0)), part = early * late_part;
    CHECK(*band.LF.value == Approx(0.25 * (part - direct) / part).epsilon(0.08));
    CHECK(*band.LFC.value == Approx(0.5 * (part - direct) / part).epsilon(0.08));
    CHECK(*band.LJ.value == Approx(*band.G.value + decibels_of(late_part * 0.25)).margin(0.05));
  }
  CHECK_FALSE(band_at(metrics, 63.0).LF.value);  // its lower edge is at 45 Hz
  CHECK(band_at(metrics, 63.0).LF.reason == "the figure-of-eight is valid from 60 Hz on");
  REQUIRE(average_of(metrics.bands, averaged_figures[0]));
  double sum = 0.0, energy = 0.0;
  for (const double centre : {125.0, 250.0, 500.0, 1000.0}) {
    sum += value_of_figure(band_at(metrics, centre).LF);
    energy += std::pow(10.0, 0.1 * value_of_figure(band_at(metrics, centre).LJ));
  }
  CHECK(*average_of(metrics.bands, averaged_figures[0]) == Approx(sum / 4.0));
  CHECK(*average_of(metrics.bands, averaged_figures[2]) == Approx(decibels_of(energy / 4.0)));

  // Silent to the side: no lateral energy, and no level of it.
  std::fill(lateral.begin(), lateral.end(), 0.0);
  const Metrics frontal = measure(ir, rate_of_further, options);
  CHECK(value_of_figure(band_at(frontal, 1000.0).LF) == 0.0);
  CHECK_FALSE(band_at(frontal, 1000.0).LJ.value);
  options.scale.reset();
  CHECK(band_at(measure(ir, rate_of_further, options), 1000.0).LJ.reason == "the scale of the response is not known");
  lateral.pop_back();
  options.with.lateral = lateral;
  CHECK_THROWS_AS(measure(ir, rate_of_further, options), std::invalid_argument);
}

TEST_CASE("further figures: interaural coefficients of equal and of independent late sound") {
  const auto left = direct_and_decay(0.08, 0.02, 0.8, 1), other = direct_and_decay(0.08, 0.02, 0.8, 2);
  MetricsOptions options;
  options.with.right_ear = left;
  for (const BandMetrics& band : measure(left, rate_of_further, options).bands)
    if (band.IACC.value) CHECK(*band.IACC.value == Approx(1.0).margin(1e-6));
  // The direct sound is common, what follows 80 ms later is not.
  options.with.right_ear = other;
  const Metrics apart = measure(left, rate_of_further, options);
  for (const double centre : {1000.0, 2000.0, 4000.0, 8000.0}) {
    CHECK(value_of_figure(band_at(apart, centre).IACC_early) > 0.97);
    CHECK(value_of_figure(band_at(apart, centre).IACC_late) < 0.25);
  }
  // The ear that sound reaches first has the onset.
  std::vector<double> sooner(left.begin() + 20, left.end());
  sooner.resize(left.size(), 0.0);
  options.with.right_ear = sooner;
  const Metrics aside = measure(left, rate_of_further, options);
  CHECK(aside.onset == Approx((onset_of_further - 20.0) / rate_of_further));
  CHECK(value_of_figure(band_at(aside, 1000.0).IACC) > 0.97);
  CHECK(band_at(measure(left, rate_of_further), 1000.0).IACC.reason ==
        "the two channels of a binaural response are needed");
}
