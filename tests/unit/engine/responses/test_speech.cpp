// The speech transmission index of responses: exponential decays, whose modulation is known.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "engine/responses/band_figures.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/metrics_stream.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double speech_rate = 48'000.0;

double modulation_of_decay(double frequency, double decay_time) {
  const double x = 2.0 * std::numbers::pi * frequency * decay_time / std::log(1e6);
  return 1.0 / std::sqrt(1.0 + x * x);
}

// The index of equal decays in all octaves, as the standard's steps give it.
double index_of_decay(double decay_time, double factor = 1.0) {
  double sum = 0.0;
  for (const double frequency : modulation_frequencies) {
    const double m = factor * modulation_of_decay(frequency, decay_time);
    sum += (std::clamp(10.0 * std::log10(m / (1.0 - m)), -15.0, 15.0) + 15.0) / 30.0;
  }
  return sum / 14.0;
}

// Pulses whose squares decay: every octave has the decay, exactly.
std::vector<double> decay_of_pulses(double decay_time, double seconds) {
  std::vector<double> ir(static_cast<std::size_t>(seconds * speech_rate), 0.0);
  std::mt19937 random(3);
  for (std::size_t n = 480; n < ir.size(); n += 1)
    ir[n] = (random() % 2 == 0 ? 1.0 : -1.0) *
            std::exp(-std::log(1e3) * static_cast<double>(n - 480) / speech_rate / decay_time);
  return ir;
}

class HeldStream : public SampleStream {
 public:
  explicit HeldStream(std::vector<double> samples) : samples_(std::move(samples)) {}
  std::uint64_t samples() const override { return samples_.size(); }
  void restart() override { at_ = 0; }
  std::size_t read(std::span<double> to) override {
    const std::size_t count = std::min(to.size(), samples_.size() - at_);
    std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(at_), count, to.begin());
    at_ += count;
    return count;
  }

 private:
  std::vector<double> samples_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("speech: an exponential decay has its modulation transfer function, to 0.001") {
  for (const double decay_time : {0.3, 1.0, 3.0}) {
    // Energy sample by sample, without a filter; cut off at 22 dB, the rest is known from the decay.
    const double rate = 8000.0;
    std::vector<double> energy(static_cast<std::size_t>(0.37 * decay_time * rate));
    for (std::size_t i = 0; i < energy.size(); ++i)
      energy[i] = std::exp(-std::log(1e6) * static_cast<double>(i) / rate / decay_time);
    const BandMetrics band = measure_band({{energy, {}, 1, 0, 0.0, 0}, 0.0, rate, 1, 1.0}, 1000.0, 0.0, {});
    REQUIRE(band.modulation);
    for (std::size_t k = 0; k < modulation_count; ++k) {
      INFO(decay_time << " s, " << modulation_frequencies[k] << " Hz");
      CHECK((*band.modulation)[k] == Approx(modulation_of_decay(modulation_frequencies[k], decay_time)).margin(0.001));
    }
  }
}

TEST_CASE("speech: responses of decaying noise have the index of their decay") {
  for (const double decay_time : {0.8, 2.0}) {
    const auto ir = decay_of_pulses(decay_time, 1.2 * decay_time);
    const Metrics metrics = measure(ir, speech_rate);
    REQUIRE(metrics.STI.value);
    CHECK(metrics.STI.reason.empty());
    // Noise modulates by itself: m(F) of one response of bandwidth B spreads by about 1 / sqrt(B T).
    CHECK(*metrics.STI.value == Approx(index_of_decay(decay_time)).margin(0.02));
    HeldStream stream(ir);
    const Metrics streamed = measure_stream(stream, speech_rate, {}, {100'000, 20'000, 4000});
    REQUIRE(metrics.STIPA.value);
    CHECK(*metrics.STIPA.value == Approx(*metrics.STI.value).margin(0.03));
    CHECK(metrics.U50.reason == "the level of speech is needed");
    REQUIRE(streamed.STI.value);
    CHECK(*streamed.STI.value == Approx(*metrics.STI.value).margin(0.001));
  }
}

TEST_CASE("speech: a pulse has an index of 1, and known cases of level and noise to 0.005") {
  std::vector<double> pulse(96'000, 0.0);
  pulse[100] = 1.0;
  CHECK(*measure(pulse, speech_rate).STI.value == Approx(1.0).margin(0.005));

  // The pulse at 1 m of speech of 60 dB(A) in noise of its own spectrum and level: m = 1/2 but for masking and threshold.
  MetricsOptions options;
  options.scale = 1.0;
  options.speech.emplace().level = 60.0;
  SpeechLevels levels;
  for (std::size_t k = 0; k < 7; ++k) levels.speech[k] = 60.0 + speech_spectrum[k];
  options.speech->noise = levels.noise = levels.speech;
  SpeechOctaves mti{};
  const SpeechOctaves factors = level_factors(levels);
  for (std::size_t k = 0; k < 7; ++k) mti[k] = (10.0 * std::log10(factors[k] / (1.0 - factors[k])) + 15.0) / 30.0;
  const Metrics metrics = measure(pulse, speech_rate, options);
  REQUIRE(metrics.STI.value);
  CHECK(*metrics.STI.value == Approx(speech_transmission_index(mti)).margin(0.005));
  CHECK(*metrics.STI.value == Approx(0.49).margin(0.02));  // 0.5 without masking and threshold
  // All speech is early, and the noise as loud.
  REQUIRE(metrics.U50.value);
  CHECK(*metrics.U50.value == Approx(0.0).margin(0.05));
  // 20 dB farther, speech is 20 dB below the noise: nothing is understood.
  for (double& x : pulse) x *= 0.1;
  CHECK(*measure(pulse, speech_rate, options).STI.value < 0.05);
}

TEST_CASE("speech: an index that a response does not give is missing, with the reason") {
  const auto ir = decay_of_pulses(0.5, 0.7);
  MetricsOptions low;
  low.valid_bandwidth = 1000.0;
  const Metrics metrics = measure(ir, speech_rate, low);
  CHECK(!metrics.STI.value);
  CHECK(metrics.STI.reason == "the response is valid up to 1000 Hz, the octave of 8000 Hz reaches to 11233 Hz");
  REQUIRE(metrics.bands.size() == 5);
  CHECK(metrics.bands[3].centre == 250.0);
  CHECK(metrics.bands[3].MTI);   // octaves that are there have theirs
  CHECK(!metrics.bands[0].MTI);  // 31.5 Hz is none of speech
  MetricsOptions loud;
  loud.speech.emplace();
  CHECK(measure(ir, speech_rate, loud).STI.reason ==
        "the level of speech is not known, for G is not: the scale of the response is not known");
  CHECK(measure(ir, speech_rate, loud).U50.reason == "the octave of 125 Hz has no D50 or no G");
  CHECK(metrics.STIPA.reason == metrics.STI.reason);
  CHECK(!measure(std::vector<double>(4800, 0.0), speech_rate).STI.reason.empty());
  CHECK(!measure({}, speech_rate).STI.reason.empty());
}
