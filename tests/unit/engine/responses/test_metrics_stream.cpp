// Figures block by block against those of the whole response in memory.
#include "engine/responses/metrics_stream.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 16000.0;

class VectorStream : public SampleStream {
 public:
  explicit VectorStream(std::vector<double> all) : all_(std::move(all)) {}
  const std::vector<double>& all() const { return all_; }
  std::uint64_t samples() const override { return all_.size(); }
  void restart() override { next_ = 0; }
  std::size_t read(std::span<double> to) override {
    most_ = std::max(most_, to.size());
    const std::size_t count = std::min(to.size(), all_.size() - next_);
    std::copy_n(all_.begin() + static_cast<std::ptrdiff_t>(next_), count, to.begin());
    next_ += count;
    return count;
  }
  std::size_t most() const { return most_; }  // samples in one read

 private:
  std::vector<double> all_;
  std::size_t next_ = 0, most_ = 0;
};

// Silence, then noise that decays by 60 dB in `time` s, over a floor, in all `seconds`.
std::vector<double> recorded(double seconds, double start, double time, double floor, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> ir(static_cast<std::size_t>(seconds * rate));
  for (std::size_t i = 0; i < ir.size(); ++i) {
    const double t = static_cast<double>(i) / rate - start;
    ir[i] = (t >= 0.0 ? normal(random) * std::pow(10.0, -3.0 * t / time) : 0.0) + floor * normal(random);
  }
  ir[static_cast<std::size_t>(start * rate)] = 4.0;
  return ir;
}

void check_band(const BandMetrics& found, const BandMetrics& expected, double tolerance, double of_range = 0.0) {
  INFO(expected.centre << " Hz");
  CHECK(found.centre == expected.centre);
  CHECK(found.reasons() == expected.reasons());
  // Beyond 150 dB the ringing of filters in silence counts, which is cut in both.
  CHECK(std::min(found.range, 150.0) == Approx(std::min(expected.range, 150.0)).epsilon(std::max(tolerance, of_range)));
  for (const NamedFigure& one : std::span(named_figures).first(figures_of_decay)) {
    INFO(one.name);
    const Figure& a = found.*one.figure;
    const Figure& b = expected.*one.figure;
    REQUIRE(a.value.has_value() == b.value.has_value());
    // How straight a decay is: a small difference of figures, in % and per mille.
    const bool straightness = &one - named_figures >= static_cast<std::ptrdiff_t>(main_figures);
    const double margin = straightness ? 200.0 * tolerance : tolerance;
    if (b.value) CHECK(*a.value == Approx(*b.value).epsilon(tolerance).margin(margin));
  }
  CHECK_FALSE(found.DRR.value);  // they need the response in memory
  CHECK_FALSE(found.DRR.reason.empty());
}

void check_same(VectorStream& stream, const MetricsOptions& options, const StreamSizes& sizes, double tolerance) {
  const Metrics found = measure_stream(stream, rate, options, sizes), expected = measure(stream.all(), rate, options);
  CHECK(found.duration == expected.duration);
  CHECK(found.onset == expected.onset);
  CHECK(found.valid_bandwidth == expected.valid_bandwidth);
  CHECK(found.low_cut == expected.low_cut);
  CHECK(found.offset == Approx(expected.offset).epsilon(1e-9));
  REQUIRE(found.bands.size() == expected.bands.size());
  check_band(found.broadband, expected.broadband, tolerance);
  for (std::size_t b = 0; b < found.bands.size(); ++b) check_band(found.bands[b], expected.bands[b], tolerance);
}

// Blocks of the least length that the lowest octave allows at this rate, 90 000 samples, and longer ones.
constexpr StreamSizes short_blocks{1, 24000, 1000}, longer_blocks{200000, 24000, 300};

}  // namespace

TEST_CASE("metrics_stream: blocks give the figures of the whole response", "[metrics]") {
  MetricsOptions options;
  options.scale = 1.0;
  const StreamSizes sizes = GENERATE(short_blocks, longer_blocks);
  SECTION("over a floor of noise, found bandwidth") {
    VectorStream stream(recorded(15.0, 0.013, 0.7, 1e-3, 1));
    check_same(stream, options, sizes, 1e-8);
    CHECK(stream.most() < 120'000);  // never the whole, 240 000
  }
  SECTION("late in a recording, given bandwidth, integers") {
    VectorStream stream(recorded(12.0, 7.1234, 0.5, 2e-4, 2));
    options.valid_bandwidth = 5700.0;
    options.step = 1e-4;
    options.earliest = 7.0;
    check_same(stream, options, sizes, 1e-8);
  }
  SECTION("before digital silence, which is skipped") {
    std::vector<double> ir = recorded(1.5, 0.2, 0.9, 0.0, 3);
    ir.resize(400'000, 0.0);
    VectorStream stream(ir);
    options.valid_bandwidth = 8000.0;
    check_same(stream, options, sizes, 1e-6);
  }
  SECTION("with an offset, and noise near the arrival's level") {
    std::vector<double> ir = recorded(9.0, 0.5, 0.6, 0.1, 4);
    for (double& x : ir) x += 0.05;
    VectorStream stream(ir);
    CHECK(measure(ir, rate).offset == Approx(0.05).margin(1e-2));
    check_same(stream, options, sizes, 1e-4);
  }
  SECTION("with a static pressure at its end") {
    std::vector<double> ir = recorded(9.0, 0.1, 0.6, 1e-4, 4);
    for (std::size_t i = 1600; i < ir.size(); ++i) ir[i] += 0.05;
    VectorStream stream(ir);
    CHECK(measure(ir, rate).low_cut > 0.0);
    check_same(stream, options, sizes, 1e-7);
  }
  SECTION("a band limit that rings ahead of the onset") {
    std::vector<double> ir = recorded(8.0, 0.3, 0.6, 1e-4, 5);
    for (double& x : ir) x *= 0.05;
    for (int n = -400; n < 400; ++n)
      ir[static_cast<std::size_t>(8000 + n)] += n == 0 ? 1.0 : std::sin(0.2 * n) / (0.2 * n);
    VectorStream stream(ir);
    options.valid_bandwidth = 0.1 / 3.14159265358979 * rate;
    check_same(stream, options, sizes, 1e-8);
  }
}

TEST_CASE("metrics_stream: a decay that lasts longer than energies are kept one by one is measured in bins",
          "[metrics]") {
  MetricsOptions options;
  options.scale = 1.0;
  options.valid_bandwidth = 8000.0;
  VectorStream stream(recorded(20.0, 0.05, 6.0, 1e-3, 6));
  const StreamSizes sizes{1, 8000, 4000};  // half a second; bins of 80 samples
  const Metrics found = measure_stream(stream, rate, options, sizes), expected = measure(stream.all(), rate, options);
  REQUIRE(found.bands.size() == expected.bands.size());
  for (std::size_t b = 0; b <= found.bands.size(); ++b)
    check_band(b == 0 ? found.broadband : found.bands[b - 1], b == 0 ? expected.broadband : expected.bands[b - 1], 1e-3,
               0.01);
  CHECK(found.broadband.T30.value.value() == Approx(6.0).epsilon(0.03));
}

TEST_CASE("metrics_stream: a louder event after the onset's time is found as in memory", "[metrics]") {
  std::vector<double> ir = recorded(18.0, 0.05, 0.4, 1e-4, 7);
  const std::vector<double> second = recorded(10.0, 0.0, 1.1, 0.0, 8);
  for (std::size_t i = 0; i < second.size(); ++i) ir[96'000 + i] += 3.0 * second[i];
  VectorStream stream(ir);
  MetricsOptions options;
  options.valid_bandwidth = 8000.0;
  const Metrics found = measure_stream(stream, rate, options, {1, 8000, 8000}), expected = measure(ir, rate, options);
  CHECK(found.onset == expected.onset);
  CHECK(found.broadband.range == Approx(expected.broadband.range).margin(0.2));
  REQUIRE(found.broadband.EDT.value.has_value() == expected.broadband.EDT.value.has_value());
  CHECK(found.broadband.EDT.value.value() == Approx(expected.broadband.EDT.value.value()).epsilon(0.02));
}

TEST_CASE("metrics_stream: nothing, silence and what is not finite", "[metrics]") {
  for (const std::size_t samples : {0, 1, 100, 100'000}) {
    VectorStream stream(std::vector<double>(samples, 0.0));
    const Metrics found = measure_stream(stream, rate, {}, short_blocks);
    CHECK(found.bands.empty());
    CHECK(found.broadband.reasons() == measure(stream.all(), rate).broadband.reasons());
  }
  VectorStream one({1.0});
  check_same(one, {}, short_blocks, 1e-9);
  VectorStream infinite({0.0, 1.0 / 0.0});
  CHECK_THROWS_AS(measure_stream(infinite, rate), std::invalid_argument);
  CHECK_THROWS_AS(measure_stream(one, 0.0), std::invalid_argument);
}
