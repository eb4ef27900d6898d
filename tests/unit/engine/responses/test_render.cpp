#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/render_filter.hpp"

using namespace fdtd;

namespace {

constexpr double pi = std::numbers::pi;

// The record of a filter h (its response to a unit sample): h[n] - h[n-1].
Recording record_of(const std::vector<double>& h, double rate) {
  Recording recording;
  recording.sample_rate = rate;
  recording.samples = static_cast<std::int64_t>(h.size());
  recording.sources = {"S"};
  recording.receivers = {"R"};
  for (std::size_t n = 0; n < h.size(); ++n) recording.pressure.push_back(h[n] - (n > 0 ? h[n - 1] : 0.0));
  return recording;
}

std::complex<double> spectrum_at(const std::vector<double>& x, double hertz, double rate) {
  std::complex<double> sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n)
    sum += x[n] * std::polar(1.0, -2.0 * pi * hertz / rate * static_cast<double>(n));
  return sum;
}

double sum(const std::vector<double>& x) {
  double s = 0.0;
  for (const double v : x) s += v;
  return s;
}

double decibels(double x) { return 20.0 * std::log10(x); }

// A record of length n whose spectrum at numerical frequency w is `value`(w), by an inverse DFT; value must be smooth.
template <class Function>
std::vector<double> with_spectrum(std::int64_t n, Function value) {
  std::vector<std::complex<double>> spectrum;
  for (std::int64_t k = 0; k <= n / 2; ++k)
    spectrum.push_back(value(2.0 * pi * static_cast<double>(k) / static_cast<double>(n)));
  return inverse_real_fft(spectrum, n);
}

}  // namespace

TEST_CASE("render: the spectrum sampler equals the direct sum at any frequency") {
  std::mt19937_64 random(7);
  for (const std::int64_t samples : {1, 2, 31, 1000, 4097}) {
    std::vector<double> record, frequencies = {0.0, pi};
    double norm = 0.0;
    for (std::int64_t n = 0; n < samples; ++n) {
      record.push_back(static_cast<double>(random() % 2000) / 1000.0 - 1.0);
      norm += std::abs(record.back());
    }
    for (int i = 0; i < 200; ++i) frequencies.push_back(pi * static_cast<double>(random() % 1000003) / 1000003.0);
    const auto fast = SpectrumSampler(samples, frequencies)(record);
    double worst = 0.0;
    for (std::size_t i = 0; i < frequencies.size(); ++i)
      worst = std::max(worst, std::abs(fast[i] - spectrum_at(record, frequencies[i], 2.0 * pi)));
    CHECK(worst <= 1e-12 * norm);
  }
}

TEST_CASE("render: an arrival over r metres sums to 1/r at any rate") {
  const double r = 3.0, rate = 13123.4;
  std::vector<double> h(4000, 0.0);
  h[2000] = 1.0 / r;
  for (const double output_rate : {8000.0, 44100.0, 48000.0}) {
    RenderOptions options;
    options.output_rate = output_rate;
    options.low_cut = 0.0;
    options.bandwidth = 1500.0;
    const auto out = render(record_of(h, rate), options);
    CHECK(sum(out.ir) == Approx(1.0 / r).epsilon(1e-6));
    CHECK(out.samples == static_cast<std::int64_t>(3999 / rate * output_rate) + 1);
    CHECK(out.sample_rate == output_rate);
    CHECK(out.remarks.empty());
  }
}

TEST_CASE("render: delays are exact to a thousandth of a sample, whole or not") {
  const double rate = 13123.4, output_rate = 48000.0;
  for (const double delay : {600.0, 777.37}) {
    // A delayed, band-limited pulse: Gaussian spectrum, linear phase.
    const auto h = with_spectrum(4000, [&](double w) { return std::polar(std::exp(-2.0 * w * w), -w * delay); });
    RenderOptions options;
    options.low_cut = 0.0;
    options.bandwidth = 2500.0;
    const auto out = render(record_of(h, rate), options);
    double first = 0.0;  // centre of mass of a symmetric pulse
    for (std::size_t j = 0; j < out.ir.size(); ++j) first += out.ir[j] * static_cast<double>(j);
    CHECK(first / sum(out.ir) == Approx(delay / rate * output_rate).margin(1e-3));
    for (const double f : {100.0, 700.0, 2000.0}) {
      const auto shift = spectrum_at(out.ir, f, output_rate) * std::polar(1.0, 2.0 * pi * f * delay / rate);
      CHECK(std::abs(std::arg(shift)) / (2.0 * pi * f) * output_rate <= 1e-3);
    }
  }
}

TEST_CASE("render: the low-pass is flat up to the bandwidth and 90 dB down at 1.2 times it") {
  std::vector<double> h(6000, 0.0);
  h[3000] = 1.0;
  RenderOptions options;
  options.low_cut = 0.0;
  options.bandwidth = 2000.0;
  const auto out = render(record_of(h, 20000.0), options);
  for (const double f : {0.0, 500.0, 1500.0, 1900.0, 2000.0})
    CHECK(std::abs(decibels(std::abs(spectrum_at(out.ir, f, 48000.0)))) <= 1e-3);
  for (const double f : {2400.0, 2700.0, 5000.0, 12000.0, 23000.0})
    CHECK(decibels(std::abs(spectrum_at(out.ir, f, 48000.0))) <= -90.0);
}

TEST_CASE("render: the low-cut is a causal 4th-order Butterworth high-pass") {
  std::vector<double> h(40000, 0.0);
  h[2000] = 1.0;
  RenderOptions options;
  options.bandwidth = 2000.0;
  options.low_cut = 40.0;
  const auto out = render(record_of(h, 20000.0), options);
  for (const double f : {5.0, 20.0, 40.0, 80.0, 400.0}) {
    const double ratio = std::pow(40.0 / f, 8);
    CHECK(std::abs(spectrum_at(out.ir, f, 48000.0)) == Approx(1.0 / std::sqrt(1.0 + ratio)).epsilon(1e-3));
  }
  for (std::size_t j = 0; j < 4000; ++j)
    REQUIRE(std::abs(out.ir[j]) < 1e-6);  // the arrival is at 4800, the low-pass reaches 11 ms
}

TEST_CASE("render: a closed room's static pressure leaves no ramp behind the low-cut") {
  // The response of a rigid room to a unit sample grows as b n for ever: its record tends to the constant b.
  std::vector<double> h(60000, 0.0);
  for (std::size_t n = 500; n < h.size(); ++n) h[n] = 1e-2 * static_cast<double>(n - 500);
  RenderOptions options;
  options.bandwidth = 2000.0;
  options.duration = 2.9;
  const auto out = render(record_of(h, 20000.0), options);
  double late = 0.0, largest = 0.0;
  for (std::size_t j = 0; j < out.ir.size(); ++j) {
    largest = std::max(largest, std::abs(out.ir[j]));
    if (j > out.ir.size() / 2) late = std::max(late, std::abs(out.ir[j]));
  }
  CHECK(largest > 1e-3);
  CHECK(late < 1e-9 * largest);
  // A constant record has not decayed; this is reported where its end is heard.
  CHECK(out.remarks.empty());
  options.duration = 0.0;
  CHECK(render(record_of(h, 20000.0), options).remarks.size() == 1);
}

TEST_CASE("render: time-dispersion removal undoes the warp of an analytic arrival") {
  // A scheme exact in space delays the wave of numerical frequency w by 2 sin(w/2) t/T radians: the exact arrival at t.
  const double rate = 10000.0, output_rate = 48000.0, t = 0.15;
  const auto envelope = [](double omega) { return std::exp(-omega * omega * 8.0); };  // omega: radians a step
  const auto h = with_spectrum(6000, [&](double w) {
    const double omega = 2.0 * std::sin(w / 2.0);
    return std::polar(envelope(omega), -omega * rate * t);
  });
  RenderOptions options;
  options.low_cut = 0.0;
  options.bandwidth = 0.0;
  options.frequency_map = FrequencyMap::time();
  const auto out = render(record_of(h, rate), options);
  double worst = 0.0, largest = 0.0;
  for (std::size_t j = 0; j < out.ir.size(); ++j) {
    // Exact: inverse transform of exp(-8 (omega/rate)^2) at time s, sampled at the output rate.
    const double s = (static_cast<double>(j) / output_rate - t) * rate;
    const double exact = rate / output_rate * std::exp(-s * s / 32.0) / (2.0 * std::sqrt(8.0 * pi));
    worst = std::max(worst, std::abs(out.ir[j] - exact));
    largest = std::max(largest, exact);
  }
  CHECK(worst <= 1e-7 * largest);  // what the low-pass and the envelope's cut leave
  // In its pass band, the spectrum is exact.
  for (const double f : {10.0, 300.0, 900.0}) {
    const double omega = 2.0 * pi * f / rate;
    const auto exact = std::polar(envelope(omega), -omega * rate * t);
    CHECK(std::abs(spectrum_at(out.ir, f, output_rate) - exact) <= 3e-5);
  }
  // Without removal the same record arrives too early.
  options.frequency_map = {};
  const auto raw = render(record_of(h, rate), options);
  const double f = 900.0, omega = 2.0 * pi * f / rate;
  const double early = std::arg(spectrum_at(raw.ir, f, output_rate) * std::polar(1.0, omega * rate * t));
  CHECK(std::abs(early) > 0.1);
}

TEST_CASE("render: the scheme's gain is divided out at the numerical frequency") {
  const double rate = 10000.0;
  std::vector<double> gain;
  for (int i = 0; i <= 512; ++i) gain.push_back(1.0 + 0.5 * (1.0 - std::cos(pi * i / 512.0)));
  const auto h =
      with_spectrum(4000, [&](double w) { return std::polar(1.0 + 0.5 * (1.0 - std::cos(w)), -w * 1500.0); });
  for (const bool removal : {false, true}) {
    RenderOptions options;
    options.low_cut = 0.0;
    options.bandwidth = 2000.0;
    options.gain = {{gain}, {0}};
    options.frequency_map = removal ? FrequencyMap::time() : FrequencyMap();
    const auto out = render(record_of(h, rate), options);
    for (const double f : {50.0, 800.0, 1900.0})
      CHECK(std::abs(spectrum_at(out.ir, f, 48000.0)) == Approx(1.0).epsilon(5e-5));
  }
}

TEST_CASE("render: channels keep their order and the duration is obeyed") {
  Recording recording = record_of(std::vector<double>(3000, 0.0), 10000.0);
  recording.sources = {"A", "B"};
  recording.receivers = {"X", "Y", "Z"};
  recording.pressure.assign(6 * 3000, 0.0);
  for (std::size_t c = 0; c < 6; ++c) {
    recording.pressure[c * 3000 + 1000] = static_cast<double>(c + 1);
    recording.pressure[c * 3000 + 1001] = -static_cast<double>(c + 1);
  }
  RenderOptions options;
  options.low_cut = 0.0;
  options.bandwidth = 2000.0;
  options.duration = 0.25;
  const auto out = render(recording, options);
  REQUIRE(out.samples == 12000);
  for (std::size_t c = 0; c < 6; ++c) {
    const std::vector<double> channel(out.ir.begin() + static_cast<std::ptrdiff_t>(c * 12000),
                                      out.ir.begin() + static_cast<std::ptrdiff_t>((c + 1) * 12000));
    CHECK(sum(channel) == Approx(static_cast<double>(c + 1)).epsilon(1e-6));
  }
  CHECK(render(recording, options).ir == out.ir);
}

TEST_CASE("render: a record that has not decayed is faded and reported") {
  std::vector<double> h;
  for (int n = 0; n < 5000; ++n) h.push_back(std::sin(0.3 * n));
  RenderOptions options;
  options.bandwidth = 2000.0;
  options.low_cut = 0.0;
  const auto out = render(record_of(h, 10000.0), options);
  REQUIRE(out.remarks.size() == 1);
  CHECK(out.remarks[0].find("has not decayed") != std::string::npos);
  // Where neither the onset nor the fade reaches, the sine is there: 0.3 * 10000 / 2 pi = 477 Hz.
  for (double time : {0.2, 0.3, 0.4}) {
    const auto j = static_cast<std::size_t>(time * 48000.0);
    CHECK(out.ir[j] == Approx(10000.0 / 48000.0 * std::sin(0.3 * 10000.0 * time)).margin(2e-3));
  }
}

TEST_CASE("render: a bandwidth beyond the rates is reported, nonsense is refused") {
  std::vector<double> h(1000, 0.0);
  h[500] = 1.0;
  auto recording = record_of(h, 10000.0);
  RenderOptions options;
  options.bandwidth = 6000.0;
  CHECK(render(recording, options).remarks.size() == 1);
  options.bandwidth = 2000.0;
  options.duration = 5.0;
  CHECK(render(recording, options).remarks.size() == 1);
  options.duration = 0.0;
  options.low_cut = 30000.0;
  CHECK_THROWS_AS(render(recording, options), Error);
  options.low_cut = 20.0;
  options.gain = {{{1.0, 0.0, 1.0}}, {0}};
  CHECK_THROWS_AS(render(recording, options), Error);
  options.gain = {{{1.0, 1.0}}, {0, 0}};
  CHECK_THROWS_AS(render(recording, options), Error);
  options.gain = {{{1.0, 1.0}}, {1}};
  CHECK_THROWS_AS(render(recording, options), Error);
  options.gain = {};
  recording.pressure[123] = std::numeric_limits<double>::quiet_NaN();
  try {
    render(recording, options);
    FAIL("a record that is not finite was rendered");
  } catch (const Error& error) {
    CHECK(error.status == Status::numerical);
    CHECK(std::string(error.what()).find("step 123") != std::string::npos);
  }
}

TEST_CASE("render: resampling keeps sample 0, amplitude and delay at irrational ratios") {
  const double from = 13123.4, to = 48000.0, centre = 812.25;
  std::vector<double> x;
  for (int n = 0; n < 2000; ++n) x.push_back(std::exp(-std::pow((n - centre) / 12.0, 2)));
  const auto y = resample(x, from, to);
  REQUIRE(y.size() == static_cast<std::size_t>(std::ceil(2000 * to / from)));
  double worst = 0.0;
  for (std::size_t j = 0; j < y.size(); ++j)
    worst =
        std::max(worst, std::abs(y[j] - std::exp(-std::pow((static_cast<double>(j) * from / to - centre) / 12.0, 2))));
  CHECK(worst < 1e-6);  // 0.01 sample would show as 2e-4
  CHECK(sum(y) * from / to == Approx(sum(x)).epsilon(1e-6));
  CHECK(resample(x, from, from) == x);
  CHECK_THROWS_AS(resample(x, 0.0, to), Error);
  CHECK_THROWS_AS(resample(x, 1.0, 1e7), Error);  // no memory is taken for it
}

TEST_CASE("render: nothing passes from the second branch on, and a tone that passes is reported") {
  const double rate = 8000.0;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  // A decay of 60 dB in 0.15 s, and a tone of the second branch 40 dB below it that does not decay.
  const auto with_tone = [&](double hertz) {
    std::vector<double> h;
    for (int n = 0; n < 16000; ++n)
      h.push_back(normal(random) * std::exp(-std::log(1e3) * n / rate / 0.15) +
                  1e-2 * std::sin(2.0 * pi * hertz / rate * n));
    return record_of(h, rate);
  };
  const auto late = [](const Rendered& out) {
    double largest = 0.0, after = 0.0;
    for (std::size_t j = 0; j < out.ir.size(); ++j) {
      largest = std::max(largest, std::abs(out.ir[j]));
      if (j > out.ir.size() / 2) after = std::max(after, std::abs(out.ir[j]));
    }
    return decibels(after / largest);
  };
  RenderOptions options;
  options.bandwidth = 1000.0;
  options.duration = 1.8;
  const auto recording = with_tone(1065.0);
  const auto open = render(recording, options);
  CHECK(late(open) > -45.0);
  REQUIRE(open.tones.size() == 1);
  REQUIRE(open.tones[0].size() == 1);
  CHECK(open.tones[0][0].frequency == Approx(1065.0).margin(1.0));
  CHECK_FALSE(open.tones[0][0].removed);
  CHECK(std::any_of(open.remarks.begin(), open.remarks.end(),
                    [](const std::string& r) { return r.find("a tone at 1065") != std::string::npos; }));
  options.branch = 1060.0;
  const auto closed = render(recording, options);
  CHECK(late(closed) < -80.0);
  REQUIRE(closed.tones[0].size() == 1);
  CHECK(closed.tones[0][0].removed);
  CHECK(closed.tones[0][0].level > -60.0);
  CHECK(std::none_of(closed.remarks.begin(), closed.remarks.end(),
                     [](const std::string& r) { return r.find("tone") != std::string::npos; }));
  // Ringing above the band does not make a record that has not decayed.
  options.duration = 0.0;
  CHECK(render(recording, options).remarks.empty());
  options.duration = 1.8;
  // Where the branch leaves no room for the low-pass the response ends lower, and says so.
  options.branch = 1020.0;
  const auto narrow = render(recording, options);
  CHECK(std::any_of(narrow.remarks.begin(), narrow.remarks.end(), [](const std::string& r) {
    return r.find("flat up to 971.429 Hz, not 1000 Hz: the second branch") != std::string::npos;
  }));
}

TEST_CASE("render: radial filters are B_n's, high-pass, and their corners are where they say") {
  for (int n = 1; n <= 4; ++n) {
    const double corner = radial_corner(n);
    CHECK(std::norm(radial_integration(n, corner)) * std::pow(corner, 2 * n) == Approx(0.5).epsilon(1e-6));
    CHECK(std::abs(radial_integration(n, 1e-9)) ==
          Approx(std::array<double, 5>{1.0, 1.0, 1.0 / 3.0, 1.0 / 15.0, 1.0 / 105.0}[static_cast<std::size_t>(n)]));
    // The order n of a point source at the filter's distance becomes that of a plane wave.
    const std::complex<double> x(0.0, 0.7);
    std::complex<double> near = 0.0;  // sum (n + k)! / ((n - k)! k!) (2x)^-k
    for (int k = 0; k <= n; ++k)
      near += std::tgamma(n + k + 1.0) / (std::tgamma(n - k + 1.0) * std::tgamma(k + 1.0)) * std::pow(2.0 * x, -k);
    CHECK(std::abs(near * std::pow(x, n) * radial_integration(n, 0.7) - 1.0) < 1e-12);
  }
}

TEST_CASE("weights multiply the responses of their receivers, of every source") {
  std::vector<double> ir = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};  // two sources, two receivers, two samples
  weigh_receivers(ir, 2, {1.0, -0.5});
  CHECK(ir == std::vector{1.0, 2.0, -1.5, -2.0, 5.0, 6.0, -3.5, -4.0});
  weigh_receivers(ir, 2, {});
  CHECK(ir[2] == -1.5);
}
