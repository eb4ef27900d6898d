#include "tests/support/catch.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "engine/responses/render.hpp"

using namespace fdtd;

namespace {

std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(static_cast<double>(random() % 2000001) / 1e6 - 1.0);
  return x;
}

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double norm(const std::vector<double>& x) { return std::sqrt(inner(x, x)); }

Recording noise_record(std::int64_t samples, std::size_t sources, std::size_t receivers, double rate) {
  Recording recording;
  recording.sample_rate = rate;
  recording.samples = samples;
  for (std::size_t s = 0; s < sources; ++s) recording.sources.push_back("S" + std::to_string(s));
  for (std::size_t r = 0; r < receivers; ++r) recording.receivers.push_back("R" + std::to_string(r));
  recording.pressure = noise(sources * receivers * static_cast<std::size_t>(samples), 11);
  return recording;
}

// |<A x, y> - <x, A^T y>| over |A x| |y|.
double mismatch(const Recording& recording, const RenderOptions& options) {
  const std::vector<double> ir = render(recording, options).ir, y = noise(ir.size(), 5);
  const std::vector<double> back = render_transposed(recording, options, y);
  CHECK(back.size() == recording.pressure.size());
  CHECK(norm(ir) > 0.0);
  return std::abs(inner(ir, y) - inner(recording.pressure, back)) / (norm(ir) * norm(y));
}

RenderOptions plain(double output_rate) {
  RenderOptions options;
  options.output_rate = output_rate;
  return options;
}

}  // namespace

TEST_CASE("render: its transpose has the same inner products, at any rate, band, length and low cut") {
  const Recording recording = noise_record(1501, 1, 2, 13123.4);
  for (const double rate : {13123.4, 8000.0, 48000.0}) {
    RenderOptions options = plain(rate);
    CHECK(mismatch(recording, options) < 1e-12);
    options.bandwidth = 1500.0;
    CHECK(mismatch(recording, options) < 1e-12);
    options.low_cut = 0.0;
    CHECK(mismatch(recording, options) < 1e-12);
    options.duration = 0.05;
    CHECK(mismatch(recording, options) < 1e-12);
  }
}

TEST_CASE("render: its transpose undoes frequency maps and equalises gains") {
  const Recording recording = noise_record(1201, 1, 2, 9000.0);
  RenderOptions options = plain(16000.0);
  options.bandwidth = 1000.0;
  options.frequency_map = FrequencyMap::time();
  CHECK(mismatch(recording, options) < 1e-12);
  options.gain = {{{1.0, 0.9, 0.7, 0.5}, {1.0, 1.1, 1.2, 1.1}}, {1, 0}};
  CHECK(mismatch(recording, options) < 1e-12);
}

TEST_CASE("render: its transpose absorbs by air") {
  RenderOptions options = plain(16000.0);
  options.air = air_state(Air{});
  CHECK(mismatch(noise_record(2500, 1, 1, 16000.0), options) < 1e-12);
}

TEST_CASE("render: its transpose integrates directional channels and sums them") {
  const Recording recording = noise_record(1300, 2, 2, 12000.0);
  RenderOptions options = plain(16000.0);
  options.bandwidth = 1200.0;
  ChannelOptions channels;
  channels.source_orders = {0, 1};
  channels.receiver_orders = {0, 1};
  channels.source_mixes = {{0, 1, 0.3}};
  channels.receiver_mixes = {{1, 0, 0.6}, {0, 1, 0.25}};
  channels.cut = {0.0, 40.0, 60.0};
  channels.source_leads = {7, 0};
  options.channels = channels;
  CHECK(mismatch(recording, options) < 1e-12);
  options.channels->filters = {{1, 0, 50.0, {100.0, 1000.0}, {{1.0, 0.2}, {0.5, -0.3}}}};
  CHECK(mismatch(recording, options) < 1e-12);
}

TEST_CASE("render: its transpose refuses derivatives by other responses") {
  const Recording recording = noise_record(600, 1, 1, 8000.0);
  CHECK_THROWS_AS(render_transposed(recording, plain(8000.0), std::vector<double>(3)), Error);
}

TEST_CASE("fourier: transposes have the same inner products") {
  const std::int64_t length = 60;
  const std::vector<double> re = noise(31, 1), im = noise(31, 2), y = noise(60, 3);
  std::vector<std::complex<double>> spectrum;
  for (std::size_t k = 0; k < 31; ++k) spectrum.emplace_back(re[k], im[k]);
  const auto back = transposed_inverse_real_fft(y, length);
  double sum = 0.0;
  for (std::size_t k = 0; k < 31; ++k) sum += (std::conj(back[k]) * spectrum[k]).real();
  CHECK(sum == Approx(inner(inverse_real_fft(spectrum, length), y)).epsilon(1e-12));
}
