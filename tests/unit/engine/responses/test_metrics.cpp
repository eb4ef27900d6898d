// Figures of merit against the exact ones of decays that can be written down.
#include "engine/responses/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/responses/octave_filter.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 48000.0;
const double sixty = std::log(1e6);  // energy falls by e^-sixty in the reverberation time

// Squared, it falls by 60 dB in `time`; it starts at `start`.
std::vector<double> exponential(double time, double seconds, std::size_t start = 0, double amplitude = 1.0) {
  std::vector<double> ir(start, 0.0);
  for (double t = 0.0; t < seconds; t += 1.0 / rate) ir.push_back(amplitude * std::exp(-0.5 * sixty * t / time));
  return ir;
}

std::vector<double> decaying_noise(double time, double seconds, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  auto ir = exponential(time, seconds);
  for (double& x : ir) x *= normal(random);
  return ir;
}

}  // namespace

TEST_CASE("metrics: an exponential decay has the figures of the formula", "[metrics]") {
  const double T = GENERATE(0.3, 1.0, 2.5);
  const double tau = T / sixty;
  // Ended after 70 dB, and after 48: what is missing is extrapolated.
  const double length = GENERATE(70.0, 48.0) / 60.0 * T;
  MetricsOptions options;
  options.scale = 1.0;
  options.valid_bandwidth = rate / 2.0;
  const Metrics metrics = measure(exponential(T, length, 480), rate, options);
  const BandMetrics& all = metrics.broadband;
  INFO("T " << T << ", range " << all.range);
  CHECK(metrics.onset == Approx(0.01));
  CHECK(all.EDT.value.value() == Approx(T).epsilon(1e-4));
  CHECK(all.T20.value.value() == Approx(T).epsilon(1e-4));
  CHECK(all.T30.value.value() == Approx(T).epsilon(1e-4));
  CHECK(all.curvature.value.value() == Approx(0.0).margin(0.01));
  CHECK(all.nonlinearity_T30.value.value() < 0.01);
  CHECK(all.C50.value.value() == Approx(10.0 * std::log10(std::exp(0.05 / tau) - 1.0)).margin(1e-3));
  CHECK(all.C80.value.value() == Approx(10.0 * std::log10(std::exp(0.08 / tau) - 1.0)).margin(1e-3));
  CHECK(all.D50.value.value() == Approx(1.0 - std::exp(-0.05 / tau)).epsilon(1e-4));
  CHECK(all.Ts.value.value() == Approx(tau).margin(1.0 / rate));
  // Energy of the samples: 1 / (1 - e^{-1/(rate tau)}), against a hundredth of a unit sample's.
  CHECK(all.G.value.value() == Approx(10.0 * std::log10(100.0 / (1.0 - std::exp(-1.0 / (rate * tau))))).margin(1e-3));
}

TEST_CASE("metrics: a direct sound before a decay shifts clarity and centre time as the energies say", "[metrics]") {
  const double T = 1.2, tau = T / sixty;
  auto ir = exponential(T, 1.5);
  const double decay_energy = 1.0 / (1.0 - std::exp(-1.0 / (rate * tau)));
  ir[0] += std::sqrt(decay_energy);  // as much energy as all the rest, and a little by the product
  const double direct = ir[0] * ir[0] - 1.0;
  const Metrics metrics = measure(ir, rate);
  const double early = direct + decay_energy * (1.0 - std::exp(-0.08 / tau));
  CHECK(metrics.broadband.C80.value.value() ==
        Approx(10.0 * std::log10(early / (decay_energy * std::exp(-0.08 / tau)))).margin(1e-3));
  CHECK(metrics.broadband.T20.value.value() == Approx(T).epsilon(1e-3));
  CHECK(metrics.broadband.Ts.value.value() == Approx(tau * decay_energy / (decay_energy + direct)).epsilon(1e-3));
}

TEST_CASE("metrics: each octave has its own decay", "[metrics]") {
  // Damped tones at the midband frequencies, 0.4 s for the lowest, three octaves from each other: filters leak.
  std::vector<double> ir(static_cast<std::size_t>(1.6 * rate), 0.0);
  const std::vector<double> centres = {125, 1000, 8000};
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const double T = 0.4 + 0.3 * static_cast<double>(i);
    for (std::size_t n = 0; n < ir.size(); ++n) {
      const double t = static_cast<double>(n) / rate;
      ir[n] += std::exp(-0.5 * sixty * t / T) * std::cos(2.0 * std::numbers::pi * exact_midband(centres[i]) * t);
    }
  }
  MetricsOptions options;
  options.valid_bandwidth = 12000.0;
  const Metrics metrics = measure(ir, rate, options);
  REQUIRE(metrics.bands.size() == 9);  // 31.5 ... 8000: an octave around 16 kHz is not below 12 kHz
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const BandMetrics& band = metrics.bands[3 * i + 2];
    INFO(band.centre << " Hz");
    CHECK(band.centre == centres[i]);
    CHECK(band.T20.value.value() == Approx(0.4 + 0.3 * static_cast<double>(i)).epsilon(0.002));
  }
}

TEST_CASE("metrics: noise under a decay is truncated and made up for", "[metrics]") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const double T = 0.8;
    auto quiet = decaying_noise(T, 2.0, seed);
    auto noisy = quiet;
    std::mt19937 random(seed + 100);
    std::normal_distribution<double> normal;
    for (double& x : noisy) x += std::pow(10.0, -50.0 / 20.0) * normal(random);
    const Metrics clean = measure(quiet, rate), metrics = measure(noisy, rate);
    INFO("seed " << seed << ", range " << metrics.broadband.range);
    CHECK(clean.broadband.T30.value.value() == Approx(T).epsilon(0.02));
    CHECK(metrics.broadband.T20.value.value() == Approx(clean.broadband.T20.value.value()).epsilon(0.01));
    CHECK(metrics.broadband.T30.value.value() == Approx(clean.broadband.T30.value.value()).epsilon(0.02));
    CHECK(metrics.broadband.C80.value.value() == Approx(clean.broadband.C80.value.value()).margin(0.01));
    CHECK(metrics.broadband.range == Approx(50.0).margin(2.5));
    // Untruncated, the noise alone would be -23 dB of energy: T30 would be far off.
    for (std::size_t b = 4; b < metrics.bands.size(); ++b)
      CHECK(metrics.bands[b].T20.value.value() == Approx(clean.bands[b].T20.value.value()).epsilon(0.03));
  }
}

// Without dither a decay below half a step is silence, which passes for a steep end of it.
TEST_CASE("metrics: what samples were rounded to whole numbers hides is not reported", "[metrics]") {
  // Bass 30 dB above the treble, as most sources have it.
  const double T = 1.0;
  std::vector<double> ir = decaying_noise(T, 2.0, 11);
  double low = 0.0;
  for (double& x : ir) {
    low += 0.02 * (x - low);
    x = 0.02 * low + 1e-4 * x;
  }
  double peak = 0.0;
  for (const double x : ir) peak = std::max(peak, std::abs(x));
  for (const int bits : {8, 16, 24}) {
    MetricsOptions options;
    options.step = std::ldexp(1.0, 1 - bits);
    std::vector<double> rounded = ir;
    for (double& x : rounded) x = std::nearbyint(0.9 * x / peak / options.step) * options.step;
    const Metrics metrics = measure(rounded, rate, options);
    int reported = 0;
    for (const BandMetrics& band : metrics.bands) {
      INFO(bits << " bits, " << band.centre << " Hz, range " << band.range);
      if (band.centre < 250.0) continue;  // few independent samples
      if (band.T30.value) ++reported;
      if (band.T30.value) CHECK(*band.T30.value == Approx(T).epsilon(0.08));
      if (!band.T30.value) CHECK_FALSE(band.T30.reason.empty());
      if (bits == 8 && band.centre >= 4000.0) CHECK_FALSE(band.T30.value);
    }
    if (bits == 24) CHECK(reported >= 6);
  }
}

TEST_CASE("metrics: what the range cannot carry is null, with the reason", "[metrics]") {
  auto ir = decaying_noise(1.0, 2.0, 7);
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  for (double& x : ir) x += 0.01 * normal(random);  // -40 dB
  const BandMetrics all = measure(ir, rate).broadband;
  CHECK(all.T20.value);
  REQUIRE_FALSE(all.T30.value);
  CHECK(all.T30.reason.find("45 dB are needed") != std::string::npos);
  CHECK_FALSE(all.curvature.value);
  CHECK(all.G.reason.find("scale") != std::string::npos);
  CHECK(all.reasons().size() == 2);

  const BandMetrics noise = measure(decaying_noise(1e6, 1.0, 9), rate).broadband;
  for (const NamedFigure& one : named_figures) CHECK_FALSE((noise.*one.figure).value);
  CHECK(noise.T20.reason.find("noise") != std::string::npos);

  for (const std::vector<double>& silent : {std::vector<double>{}, std::vector<double>(1000, 0.0)}) {
    const Metrics none = measure(silent, rate);
    CHECK(none.bands.empty());
    CHECK_FALSE(none.broadband.EDT.value);
    CHECK(none.broadband.EDT.reason == "there is no energy");
  }
  // One sample is no decay, and no crash.
  CHECK_FALSE(measure(std::vector<double>{1.0}, rate).broadband.T20.value);
  std::vector<double> click(48000, 0.0);
  click[100] = 1.0;
  CHECK_FALSE(measure(click, rate).broadband.T20.value);
}

TEST_CASE("metrics: a response cut off before it has decayed has no T30 in any band, whatever the filters ring",
          "[metrics]") {
  const Metrics metrics = measure(decaying_noise(2.0, 0.9, 7), rate, {});  // 27 dB of it
  REQUIRE(metrics.bands.size() >= 7);
  for (const BandMetrics& band : metrics.bands) {
    CAPTURE(band.centre, band.range);
    CHECK_FALSE(band.T30.value);
    CHECK_FALSE(band.T20.value);
    CHECK_THAT(band.T30.reason, Catch::Contains("45 dB are needed"));
    if (band.centre >= 125.0) CHECK(band.EDT.value.value() == Approx(2.0).epsilon(0.25));
  }
}

TEST_CASE("metrics: a response too short for any decay says so, and how long it has to be", "[metrics]") {
  MetricsOptions options;
  options.valid_bandwidth = 8000.0;
  const Metrics cut_off = measure(decaying_noise(2.0, 0.28, 3), rate, options);
  const std::string& reason = cut_off.broadband.T20.reason;
  INFO(reason);
  CHECK_FALSE(cut_off.broadband.T20.value);
  const std::size_t needed = reason.find("T20 takes some ");
  REQUIRE(needed != reason.npos);
  CHECK(reason.find("ends before it has decayed") != reason.npos);
  CHECK(std::stod(reason.substr(needed + 15)) == Approx(35.0 / 60.0 * 2.0).epsilon(0.2));
  // Noise that goes on falls by nothing.
  const Metrics noise = measure(decaying_noise(1e6, 0.28, 4), rate, options);
  CHECK(noise.broadband.T20.reason == "no decay exceeds the noise by 10 dB");
}

TEST_CASE("metrics: a decay as short as the filter's ringing is not reported", "[metrics]") {
  std::vector<double> ir = decaying_noise(0.03, 1.0, 4);
  const Metrics metrics = measure(ir, rate);
  REQUIRE(metrics.bands.size() >= 9);
  CHECK_FALSE(metrics.bands[2].T20.value);  // 125 Hz: the filter alone takes 70 ms
  CHECK(metrics.bands[2].T20.reason.find("ringing") != std::string::npos);
  CHECK(metrics.bands[7].T20.value.value() == Approx(0.03).epsilon(0.3));  // few independent samples: 10 % at random
}

TEST_CASE("metrics: a sample a tenth high, as from 10 m, is 0 dB strong in every band", "[metrics]") {
  // A decay of known energy follows, since strength needs one: three times the direct sound's.
  std::vector<double> ir(96000, 0.0);
  ir[200] = 0.1;
  const OctaveBands filters(ir, rate);
  for (const double centre : {63.0, 1000.0, 8000.0}) {
    const OctaveSignal octave = filters.octave(exact_midband(centre), 200);
    double energy = 0.0;
    for (const double x : octave.samples) energy += x * x;
    CHECK(energy == Approx(0.01 * octave.flat_energy).epsilon(1e-9));
  }
}

TEST_CASE("metrics: the valid bandwidth is found from the spectrum", "[metrics]") {
  // Low-passed by a windowed sinc at 1.5 kHz.
  auto noise = decaying_noise(0.6, 1.0, 11);
  noise.insert(noise.begin(), 2400, 0.0);  // room for what the filter rings ahead
  std::vector<double> filtered(noise.size(), 0.0);
  const int half = 400;
  for (std::size_t n = 0; n < noise.size(); ++n)
    for (int k = -half; k <= half; ++k) {
      const auto at = static_cast<std::int64_t>(n) - k;
      if (at < 0 || at >= static_cast<std::int64_t>(noise.size())) continue;
      const double x = 2.0 * std::numbers::pi * 1500.0 * k / rate;
      const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * k / half);
      filtered[n] += noise[static_cast<std::size_t>(at)] * window * (k == 0 ? 1.0 : std::sin(x) / x) / 16.0;
    }
  const Metrics metrics = measure(filtered, rate);
  CHECK(metrics.valid_bandwidth > 1400.0);
  CHECK(metrics.valid_bandwidth < 1800.0);
  CHECK(metrics.bands.back().centre == 1000.0);
}

// The filter itself, at the signal's own rate.
std::vector<double> direct_octave(const std::vector<double>& signal, double midband, std::int64_t lead) {
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(signal.size()) + 2 * lead);
  std::vector<double> padded(static_cast<std::size_t>(lead), 0.0);
  padded.insert(padded.end(), signal.begin(), signal.end());
  auto spectrum = real_fft(padded, length);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= octave_magnitude(midband, static_cast<double>(k) * rate / static_cast<double>(length));
  return inverse_real_fft(spectrum, length);
}

TEST_CASE("octave_filter: low octaves at a low rate are those at the signal's own, aligned at any sample",
          "[metrics]") {
  const auto ir = decaying_noise(0.4, 0.5, 21);
  const OctaveBands filters(ir, rate);
  for (const double centre : {31.5, 125.0, 500.0, 1000.0, 4000.0}) {
    const double midband = exact_midband(centre);
    const auto lead = static_cast<std::int64_t>(3.0 * octave_ringing(midband) * rate);
    const std::vector<double> whole = direct_octave(ir, midband, lead);
    for (const std::size_t aligned : {0U, 1U, 777U}) {
      const OctaveSignal octave = filters.octave(midband, aligned);
      CAPTURE(centre, aligned, octave.decimation);
      CHECK(octave.decimation == (centre < 40 ? 32 : centre < 200 ? 8 : centre < 700 ? 2 : 1));
      double largest = 0.0, difference = 0.0, energy = 0.0, of_whole = 0.0;
      for (const double x : whole) largest = std::max(largest, std::abs(x)), of_whole += x * x;
      const auto step = static_cast<std::int64_t>(octave.decimation);
      for (std::size_t i = 0; i < octave.samples.size(); ++i) {
        const std::int64_t at = lead + static_cast<std::int64_t>(aligned) +
                                (static_cast<std::int64_t>(i) - static_cast<std::int64_t>(octave.aligned)) * step;
        energy += octave.samples[i] * octave.samples[i];
        if (at < 0 || at >= static_cast<std::int64_t>(whole.size())) continue;
        const double expected = whole[static_cast<std::size_t>(at)] * std::sqrt(static_cast<double>(step));
        difference = std::max(difference, std::abs(octave.samples[i] - expected));
      }
      CHECK(difference < 2e-3 * largest * std::sqrt(static_cast<double>(step)));  // white noise up to 24 kHz
      CHECK(energy == Approx(of_whole).epsilon(1e-5));
    }
  }
}

TEST_CASE("octave_filter: within class 1 of IEC 61260-1, and 3 dB down at the edges", "[metrics]") {
  const auto loss = [](double octaves) {
    return -20.0 * std::log10(octave_magnitude(1000.0, 1000.0 * std::exp2(octaves)));
  };
  CHECK(loss(0.0) == Approx(0.0).margin(1e-12));
  for (const double sign : {-1.0, 1.0}) {
    CHECK(loss(0.5 * sign) == Approx(3.01).margin(0.01));
    CHECK(loss(0.25 * sign) < 0.6);
    CHECK(loss(1.0 * sign) > 16.6);
    CHECK(loss(2.0 * sign) > 40.5);
    CHECK(loss(3.0 * sign) > 60.0);
    CHECK(loss(4.0 * sign) > 70.0);
  }
  CHECK(exact_midband(63.0) == Approx(63.0957).margin(1e-3));
  CHECK(exact_midband(31.5) == Approx(31.6228).margin(1e-3));
  CHECK(exact_midband(16000.0) == Approx(15848.9).margin(0.1));
}

TEST_CASE("metrics: static pressure is removed, whether stated or recognised", "[metrics]") {
  // A decaying noise, and what a source leaves in a closed room: a ramp from the arrival on, far above it in the end.
  auto ir = decaying_noise(0.6, 1.2, 4);
  auto closed = ir;
  for (std::size_t n = 0; n < closed.size(); ++n) closed[n] += 1e-6 * static_cast<double>(n);
  MetricsOptions options;
  options.valid_bandwidth = 12000.0;
  options.static_pressure = true;
  const Metrics wanted = measure(ir, rate, options);  // the same high-pass
  CHECK(wanted.low_cut == analysis_low_cut);
  for (const bool stated : {true, false}) {
    options.static_pressure = stated;
    const Metrics found = measure(closed, rate, options);
    INFO((stated ? "stated" : "recognised"));
    CHECK(found.low_cut == analysis_low_cut);
    CHECK(found.onset == wanted.onset);
    REQUIRE(found.bands.size() == wanted.bands.size());
    for (std::size_t b = 2; b < found.bands.size(); ++b) {
      REQUIRE(found.bands[b].T20.value);
      CHECK(*found.bands[b].T20.value == Approx(wanted.bands[b].T20.value.value()).epsilon(0.01));
      REQUIRE(found.bands[b].T30.value);
      CHECK(*found.bands[b].T30.value == Approx(wanted.bands[b].T30.value.value()).epsilon(0.01));
      CHECK(*found.bands[b].C80.value == Approx(wanted.bands[b].C80.value.value()).margin(0.05));
    }
  }
  // Decays without an offset are analysed as they are.
  options.static_pressure = false;
  CHECK(measure(ir, rate, options).low_cut == 0.0);
  CHECK(measure(exponential(0.5, 1.0), rate, options).low_cut == 0.0);
}

TEST_CASE("metrics: the onset is not ahead of the sound", "[metrics]") {
  // An arrival at sample 2000 (plus a fraction) and a weaker echo, ideally band-limited at 1000 Hz: ringing within
  // 20 dB of the peak begins three lobes earlier.
  const double band = 1000.0, arrival = 2000.4;
  std::vector<double> ir(9600);
  const auto pulse = [&](double n) {
    const double x = 2.0 * std::numbers::pi * band / rate * n;
    return std::abs(x) < 1e-9 ? 1.0 : std::sin(x) / x;
  };
  for (std::size_t n = 0; n < ir.size(); ++n) {
    const double t = static_cast<double>(n) - arrival;
    ir[n] = pulse(t) * std::exp(-std::pow(t / 400.0, 2)) -
            0.5 * pulse(t - 900.0) * std::exp(-std::pow((t - 900.0) / 400.0, 2));
  }
  MetricsOptions options;
  options.valid_bandwidth = band;
  // Not known: within the arrival's own main lobe, half a period of the band limit to each side.
  const double foot = measure(ir, rate, options).onset * rate;
  CHECK(foot > arrival - 24.0);
  CHECK(foot <= arrival);
  // Known: not before.
  options.earliest = arrival / rate;
  const double known = measure(ir, rate, options).onset * rate;
  CHECK(known >= arrival);
  CHECK(known < arrival + 2.0);
  // Hidden behind an obstacle sound comes later than the straight line has it.
  options.earliest = 1000.0 / rate;
  CHECK(measure(ir, rate, options).onset * rate == Approx(foot).margin(1e-6));
}

TEST_CASE("metrics: a response shorter than the ringing of a band's filter has no figures there", "[metrics]") {
  MetricsOptions options;
  options.scale = 1.0;
  options.valid_bandwidth = 24000.0;
  const double seconds = 0.1;  // the filter of 63 Hz rings for 0.14 s, that of 125 Hz for 0.07 s
  const Metrics metrics = measure(decaying_noise(0.05, seconds, 3), rate, options);
  REQUIRE(metrics.bands.size() == 10);
  for (const BandMetrics& band : metrics.bands) {
    INFO(band.centre);
    if (band.centre < 100.0) {
      CHECK(!band.C80.value);
      CHECK(band.G.reason.find("no longer than the ringing of the band's filter") != std::string::npos);
    } else {
      CHECK(band.G.reason.find("no longer than the ringing") == std::string::npos);
    }
  }
  CHECK(metrics.bands[7].T20.value.value() == Approx(0.05).epsilon(0.3));
}
