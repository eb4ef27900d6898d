// Plane waves in ambisonic channels, heard by a rigid sphere with two ears: its exact responses come back.
#include "engine/binaural/ear_filters.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/math/directions.hpp"
#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/responses/render.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

using Complex = std::complex<double>;
constexpr double rate = 44100.0, pi = std::numbers::pi;
constexpr std::int64_t length = 8192;
constexpr std::size_t emission = 2800;  // the sample at which a wave is at the centre

const HeadResponses& sphere() {
  static const HeadResponses head = rigid_sphere_head(spiral(240), rate, 256, 60.0);
  return head;
}

struct Ears {
  std::vector<Complex> left, right;
};

// The radial filter of degree n with that cut.
Complex radial(int n, double hertz, double cut) {
  return std::pow(Complex(0.0, hertz / cut), n) * radial_integration(n, hertz / cut);
}

// Channels as they are rendered of a wave from `s`, of a source at `distance` m where it is above 0, with radial filters
// of `raised` times the usual cut.
std::vector<std::vector<double>> channels_of_wave(int order, const Point& s, double at, double distance = 0.0,
                                                  double raised = 1.0) {
  const std::vector<double> gains = SphericalHarmonics(order, HarmonicNorm::sn3d)(s);
  std::vector<std::vector<double>> channels;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const int n = harmonic_degree(i);
    std::vector<Complex> spectrum(static_cast<std::size_t>(length / 2 + 1));
    for (std::size_t k = n == 0 ? 0 : 1; k < spectrum.size(); ++k) {
      const double hertz = static_cast<double>(k) * at / static_cast<double>(length);
      const Complex filter = n == 0 ? 1.0 : radial(n, hertz, raised * plain_cut(n)),
                    near = distance > 0.0 ? radial(n, hertz, 343.2 / (2.0 * pi * distance)) : 1.0;
      spectrum[k] = gains[i] * filter / near *
                    std::polar(1.0, -2.0 * pi * static_cast<double>(k * emission) / static_cast<double>(length));
    }
    spectrum.back() = spectrum.back().real();
    channels.push_back(inverse_real_fft(spectrum, length));
  }
  return channels;
}

Ears spectra_of(const std::vector<double>& ears) {
  const std::span<const double> both = ears;
  return {real_fft(both.first(length), length), real_fft(both.last(length), length)};
}

// Of a wave from `s`.
Ears heard(const EarFilters& filters, const Point& s, double at = rate) {
  const std::vector<std::vector<double>> channels = channels_of_wave(filters.order, s, at);
  const std::vector<double> ears = ears_of(filters, {channels.begin(), channels.end()}, at);
  REQUIRE(ears.size() == 2 * static_cast<std::size_t>(length));
  return spectra_of(ears);
}

// As it is exactly, at the rate above.
Ears exact(const Point& s) {
  static const RigidSphere at_bins(rate / static_cast<double>(length), static_cast<std::size_t>(length / 2 + 1));
  const auto ear = [&](double side) {
    std::vector<Complex> spectrum = at_bins(cosine_at_ear(s, side));
    for (std::size_t k = 0; k < spectrum.size(); ++k)
      spectrum[k] *= std::polar(1.0, -2.0 * pi * static_cast<double>(k * emission) / static_cast<double>(length));
    return spectrum;
  };
  return {ear(1.0), ear(-1.0)};
}

// dB, the mean over a third of an octave.
double level(const std::vector<Complex>& spectrum, double centre, double at = rate) {
  double energy = 0.0, bins = 0.0;
  const double bin = at / static_cast<double>(length), third = std::exp2(1.0 / 6.0);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    if (const double f = static_cast<double>(k) * bin; f >= centre / third && f < centre * third) {
      energy += std::norm(spectrum[k]);
      bins += 1.0;
    }
  return 10.0 * std::log10(energy / bins);
}

// s, by which sound is later at the right ear: where the correlation of both is largest up to `highest` Hz.
double time_difference(const Ears& ears, double highest) {
  const double bin = rate / static_cast<double>(length);
  double best = 0.0, most = -1e300;
  const auto correlation = [&](double delay) {
    double sum = 0.0;
    for (std::size_t k = 1; static_cast<double>(k) * bin <= highest; ++k)
      if (const double f = static_cast<double>(k) * bin; f >= 150.0)
        sum += (std::conj(ears.left[k]) * ears.right[k] * std::polar(1.0, 2.0 * pi * f * delay)).real();
    return sum;
  };
  for (double step = 2e-5, from = -1e-3, to = 1e-3; step > 2e-7;
       step /= 10.0, from = best - 20.0 * step, to = best + 20.0 * step)
    for (double delay = from; delay <= to; delay += step)
      if (const double value = correlation(delay); value > most) most = value, best = delay;
  return best;
}

double percentile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

struct Heard {
  Ears is, should;
};

// From some directions of the file.
std::vector<Heard> from_all_round(const EarFilters& filters) {
  std::vector<Heard> all;
  for (std::size_t q = 3; q < sphere().directions.size(); q += 8)
    all.push_back({heard(filters, sphere().directions[q]), exact(sphere().directions[q])});
  return all;
}

// dB, by direction and ear, in a third of an octave.
std::vector<double> level_errors(const std::vector<Heard>& all, double centre) {
  std::vector<double> errors;
  for (const Heard& one : all) {
    errors.push_back(std::abs(level(one.is.left, centre) - level(one.should.left, centre)));
    errors.push_back(std::abs(level(one.is.right, centre) - level(one.should.right, centre)));
  }
  return errors;
}

}  // namespace

TEST_CASE("the common delay of a head's responses is found", "[binaural]") {
  CHECK(common_delay(sphere(), solid_angles(sphere().directions)) == Approx(60.0 / rate).margin(5e-6));
}

TEST_CASE("ears of order 3 and 5 have levels and time differences of the head up to their limit", "[binaural]") {
  for (const int order : {3, 5}) {
    const EarFilters filters = design_ear_filters(sphere(), order);
    INFO("order " << order << ", exact to " << filters.exact_to);
    CHECK(filters.exact_to == Approx(order * 436.97).epsilon(1e-3));
    const std::vector<Heard> all = from_all_round(filters);
    for (const double part : {0.25, 0.5, 0.75}) {
      const std::vector<double> errors = level_errors(all, part * filters.exact_to);
      INFO("at " << part * filters.exact_to << ": " << *std::ranges::max_element(errors));
      CHECK(percentile(errors, 0.95) < 0.5);
    }
    for (const double centre : {2000.0, 4000.0, 8000.0, 16000.0}) {
      const std::vector<double> errors = level_errors(all, centre);
      INFO("at " << centre << ": " << percentile(errors, 0.9) << ", " << percentile(errors, 0.95));
      CHECK(percentile(errors, 0.9) < 1.5);
    }
    for (const auto& [is, should] : all) {
      const double highest = 0.7 * filters.exact_to;
      CHECK(time_difference(is, highest) == Approx(time_difference(should, highest)).margin(10e-6));
    }
  }
}

TEST_CASE("a head that is turned hears what one that looks ahead hears from elsewhere", "[binaural]") {
  const EarFilters filters = design_ear_filters(sphere(), 3);
  const auto same = [](const Ears& a, const Ears& b) {
    double most = 0.0;
    for (std::size_t k = 0; k < a.left.size(); ++k)
      most = std::max({most, std::abs(a.left[k] - b.left[k]), std::abs(a.right[k] - b.right[k])});
    return most;
  };
  CHECK(same(heard(turned(filters, turned_left(*axes_of({2.0, 0.0, 0.0}, {0.0, 0.0, 3.0}), 0.0)), {0.6, 0.8, 0.0}),
             heard(filters, {0.6, 0.8, 0.0})) < 1e-9);
  // Yaw is to the left: from the left at 0 is from the front at 90.
  CHECK(same(heard(turned(filters, turned_left(*axes_of({1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}), 90.0)), {0.0, 1.0, 0.0}),
             heard(filters, {1.0, 0.0, 0.0})) < 1e-9);
  CHECK(same(heard(turned(filters, turned_left(*axes_of({0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}), 0.0)), {0.0, 0.0, 1.0}),
             heard(filters, {0.0, 0.0, 1.0})) < 1e-9);
  // On its side, the crown along y: the left ear is up where it looks along x... down, for x = up x front.
  CHECK(same(heard(turned(filters, turned_left(*axes_of({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}), 0.0)), {0.0, 0.0, -1.0}),
             heard(filters, {0.0, 1.0, 0.0})) < 1e-9);
}

TEST_CASE("filters of ears keep their levels at another sample rate", "[binaural]") {
  const EarFilters filters = design_ear_filters(sphere(), 3);
  const Point s = {0.6, 0.64, 0.48};
  const Ears is = heard(filters, s, 48000.0), was = heard(filters, s);
  for (const double centre : {500.0, 2000.0, 8000.0}) {
    CHECK(level(is.left, centre, 48000.0) == Approx(level(was.left, centre)).margin(0.2));
    CHECK(level(is.right, centre, 48000.0) == Approx(level(was.right, centre)).margin(0.2));
  }
}

TEST_CASE("a near source is heard as on the exact sphere, of responses to plane waves and of those at 1.4 m",
          "[binaural]") {
  const double bin = rate / static_cast<double>(length);
  const auto bins = static_cast<std::size_t>(length / 2 + 1);
  const RigidSphere near(bin, bins, 0.5), at_file(rate / 512.0, 257, 1.4);
  HeadResponses measured = sphere();
  measured.distance = 1.4;
  measured.samples = 512;
  measured.ears.clear();
  for (const Point& one : measured.directions)
    for (const double side : {1.0, -1.0}) {
      std::vector<Complex> spectrum = at_file(cosine_at_ear(one, side));
      for (std::size_t k = 0; k < spectrum.size(); ++k)
        spectrum[k] *= std::polar(1.0, -2.0 * pi * static_cast<double>(k) * 60.0 / 512.0);
      spectrum.back() = spectrum.back().real();
      const std::vector<double> response = inverse_real_fft(spectrum, 512);
      measured.ears.insert(measured.ears.end(), response.begin(), response.end());
    }
  for (const HeadResponses& head : {sphere(), measured}) {
    const EarFilters filters = design_ear_filters(head, 5);
    for (const Point& s : {Point{0.6, 0.8, 0.0}, Point{0.0, 1.0, 0.0}, Point{-0.48, -0.6, 0.64}}) {
      const auto channels = channels_of_wave(5, s, rate, 0.5);
      const Ears is = spectra_of(ears_of(filters, {channels.begin(), channels.end()}, rate));
      for (const double centre : {250.0, 500.0, 1000.0, 1600.0}) {
        INFO("at " << centre << ", of sources at " << head.distance);
        CHECK(level(is.left, centre) == Approx(level(near(cosine_at_ear(s, 1.0)), centre)).margin(0.5));
        CHECK(level(is.right, centre) == Approx(level(near(cosine_at_ear(s, -1.0)), centre)).margin(0.5));
      }
    }
  }
}

TEST_CASE("ears do not hear that rounding noise has raised the radial filters of their channels", "[binaural]") {
  const EarFilters filters = design_ear_filters(sphere(), 5);
  const Point s = {0.6, 0.8, 0.0};
  const Ears should = heard(filters, s);
  const auto channels = channels_of_wave(5, s, rate, 0.0, 6.0);  // three decibels down at 950 Hz for order 5
  std::vector<double> cuts;
  for (std::size_t i = 0; i < channels.size(); ++i) cuts.push_back(i == 0 ? 0.0 : 6.0 * plain_cut(harmonic_degree(i)));
  const std::vector<std::span<const double>> spans(channels.begin(), channels.end());
  const Ears is = spectra_of(ears_of(filters, spans, rate, cuts)), without = spectra_of(ears_of(filters, spans, rate));
  const auto error = [&](const Ears& of, double centre) {
    const auto k = static_cast<std::size_t>(centre * static_cast<double>(length) / rate);
    return std::max(std::abs(of.left[k] / should.left[k] - 1.0), std::abs(of.right[k] / should.right[k] - 1.0));
  };
  for (const double centre : {1000.0, 1500.0, 2000.0}) {
    INFO("at " << centre << ": " << error(is, centre) << ", without " << error(without, centre));
    CHECK(error(is, centre) < 0.15);
    CHECK(error(without, centre) > 0.15);
  }
}

TEST_CASE("ears of a head whose rings were measured early or late are those of the head", "[binaural]") {
  HeadResponses late = sphere();
  for (std::size_t q = 0; q < late.directions.size(); ++q)
    for (std::size_t ear = 0; ear < 2; ++ear) {
      constexpr std::ptrdiff_t samples[] = {0, 3, -2, 1, -3, 2, 0, -1, 3, -2};
      const auto by = samples[static_cast<std::size_t>(4.99 * (late.directions[q][2] + 1.0))];
      const auto begin = late.ears.begin() + static_cast<std::ptrdiff_t>((2 * q + ear) * late.samples);
      const auto end = begin + static_cast<std::ptrdiff_t>(late.samples);
      std::rotate(begin, by >= 0 ? end - by : begin - by, end);
    }
  const EarFilters filters = design_ear_filters(late, 5), head = design_ear_filters(sphere(), 5);
  CHECK(filters.latest > 2.0 / rate);
  CHECK(head.latest < 0.3 / rate);
  std::vector<double> errors;
  for (std::size_t q = 3; q < late.directions.size(); q += 8) {
    const Ears is = heard(filters, late.directions[q]), should = heard(head, late.directions[q]);
    for (std::size_t k = 20; static_cast<double>(k) * rate < 1500.0 * static_cast<double>(length); k += 20)
      errors.push_back(std::abs(is.left[k] - should.left[k]));
  }
  INFO(percentile(errors, 0.5) << ", " << percentile(errors, 0.9));
  CHECK(percentile(errors, 0.5) < 0.03);  // of a pressure of 1; 0.08 where rings stay early or late
}

TEST_CASE("a head with fewer directions than an order has channels is refused", "[binaural]") {
  const HeadResponses few = rigid_sphere_head(spiral(20), rate, 64, 20.0);
  CHECK_THROWS_AS(design_ear_filters(few, 4), Error);
  CHECK_NOTHROW(design_ear_filters(few, 2));
}
