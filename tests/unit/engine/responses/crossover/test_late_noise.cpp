#include "engine/responses/crossover/late_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <thread>

#include "base/math/fourier.hpp"
#include "engine/responses/crossover/octave_bank.hpp"
#include "engine/responses/octave_filter.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double late_rate = 48'000.0;
const std::vector<double> eight_octaves = {125, 250, 500, 1000, 2000, 4000, 8000, 16'000};

// Energy of `value` per second in each of eight octaves, in bins of 1 ms.
std::vector<double> flat_energy(double seconds, double value) {
  return std::vector<double>(8 * static_cast<std::size_t>(1000.0 * seconds), 1e-3 * value);
}

LateArrivals flat_arrivals(const std::vector<double>& energy, std::uint64_t receiver, double volume = 38.0) {
  LateSettings settings;
  settings.volume = volume;
  settings.seed = 5;
  settings.receiver = receiver;
  return LateArrivals({8, energy.size() / 8, 1e-3, {}, energy}, settings);
}

std::vector<double> late_pressure(const LateArrivals& arrivals, double seconds) {
  const std::int64_t length = smooth_length(static_cast<std::int64_t>((seconds + 0.2) * late_rate));
  return inverse_real_fft(late_spectrum(arrivals, eight_octaves, late_rate, length), length);
}

double energy_between(const std::vector<double>& x, double rate, double from, double to) {
  double sum = 0.0;
  for (auto i = static_cast<std::size_t>(from * rate); i < static_cast<std::size_t>(to * rate); ++i) sum += x[i] * x[i];
  return sum;
}

// The vertices of a cube: cells are octants.
std::vector<std::array<double, 3>> octants() {
  std::vector<std::array<double, 3>> middles;
  for (int i = 0; i < 8; ++i) {
    const double side = 1.0 / std::sqrt(3.0);
    middles.push_back({i & 1 ? side : -side, i & 2 ? side : -side, i & 4 ? side : -side});
  }
  return middles;
}

}  // namespace

TEST_CASE("late noise: a flat histogram has its energy within 2 % in 1 s") {
  // The level of arrivals of 1 / r at r = 2 m, one a second.
  const auto energy = flat_energy(1.1, 0.25);
  for (const std::uint64_t receiver : {0, 1, 2}) {
    const auto x = late_pressure(flat_arrivals(energy, receiver), 1.1);
    CHECK(energy_between(x, late_rate, 0.06, 1.06) == Approx(0.25).epsilon(0.02));
  }
}

TEST_CASE("late noise: every octave has the energy that a pulse of the same height has in it, borders too") {
  // Of a flat pulse as much as of noise; by chance the energy of a band B in a time T spreads by 1 / sqrt(B T): bounds of
  // four of them, of the mean over all receivers.
  constexpr std::size_t receivers = 8;
  const auto energy = flat_energy(1.1, 1.0);
  std::vector<double> sums(eight_octaves.size(), 0.0), at_border(eight_octaves.size(), 0.0);
  for (std::size_t r = 0; r < receivers; ++r) {
    const auto x = late_pressure(flat_arrivals(energy, r), 1.1);
    const OctaveBands bands(x, late_rate);
    for (std::size_t b = 0; b < eight_octaves.size(); ++b)
      for (const bool border : {false, true}) {
        const double midband = exact_midband(eight_octaves[b]) * (border ? std::sqrt(2.0) : 1.0);
        if (midband > 15e3) continue;
        const OctaveSignal octave = bands.octave(midband, 0);
        const double from = static_cast<double>(octave.aligned) / octave.rate + 0.06;
        (border ? at_border : sums)[b] +=
            energy_between(octave.samples, octave.rate, from, from + 1.0) / octave.flat_energy / receivers;
      }
  }
  for (std::size_t b = 0; b + 1 < eight_octaves.size(); ++b) {
    const double bandwidth = eight_octaves[b] / std::sqrt(2.0), chance = 1.0 / std::sqrt(bandwidth * receivers);
    INFO(eight_octaves[b]);
    CHECK(sums[b] == Approx(1.0).margin(4.0 * chance));
    CHECK(at_border[b] == Approx(1.0).margin(4.0 * chance));
  }
}

TEST_CASE("late noise: octaves have their own decays") {
  // 60 dB in 0.4 s at 500 Hz, in 0.8 s in all others.
  constexpr std::size_t bins = 1000;
  std::vector<double> energy(8 * bins);
  for (std::size_t b = 0; b < 8; ++b)
    for (std::size_t i = 0; i < bins; ++i)
      energy[b * bins + i] = std::pow(10.0, -6.0 * 1e-3 * static_cast<double>(i) / (b == 2 ? 0.4 : 0.8));
  // Mean power between two frequencies of 200 ms under a Hann window, over receivers.
  const auto power = [&](double seconds, double low, double high) {
    double sum = 0.0;
    for (std::uint64_t receiver = 0; receiver < 12; ++receiver) {
      const auto x = late_pressure(flat_arrivals(energy, receiver), 1.0);
      std::vector<double> part(9600);
      for (std::size_t i = 0; i < part.size(); ++i)
        part[i] = x[i + static_cast<std::size_t>(seconds * late_rate)] *
                  std::pow(std::sin(std::numbers::pi * static_cast<double>(i) / 9600.0), 2);
      const auto spectrum = real_fft(part, 9600);
      for (auto k = static_cast<std::size_t>(low / 5.0); k <= static_cast<std::size_t>(high / 5.0); ++k)
        sum += std::norm(spectrum[k]);
    }
    return sum;
  };
  // In the middles of octaves, where the others have no part.
  const double fast = 10.0 * std::log10(power(0.25, 430, 580) / power(0.05, 430, 580));
  const double slow = 10.0 * std::log10(power(0.25, 1720, 2320) / power(0.05, 1720, 2320));
  CHECK(fast == Approx(-30.0).margin(1.5));
  CHECK(slow == Approx(-15.0).margin(0.6));
}

TEST_CASE("late noise: after 60 ms octaves have the kurtosis of Gaussian noise") {
  const auto energy = flat_energy(2.1, 1.0);
  std::vector<double> kurtosis(8, 0.0);
  constexpr std::size_t receivers = 4;
  for (std::size_t r = 0; r < receivers; ++r) {
    const auto x = late_pressure(flat_arrivals(energy, r), 2.1);
    const OctaveBands bands(x, late_rate);
    for (std::size_t b = 2; b < 8; ++b) {
      const OctaveSignal octave = bands.octave(exact_midband(eight_octaves[b]), 0);
      const auto from = octave.aligned + static_cast<std::size_t>(0.06 * octave.rate);
      const auto to = octave.aligned + static_cast<std::size_t>(2.06 * octave.rate);
      double second = 0.0, fourth = 0.0;
      for (std::size_t i = from; i < to; ++i) {
        const double squared = octave.samples[i] * octave.samples[i];
        second += squared;
        fourth += squared * squared;
      }
      kurtosis[b] += fourth * static_cast<double>(to - from) / (second * second) / receivers;
    }
  }
  for (std::size_t b = 2; b < 8; ++b) {
    INFO(eight_octaves[b]);
    CHECK(kurtosis[b] == Approx(3.0).margin(0.2));
  }
}

TEST_CASE("late noise: arrivals come at the room's density, from the direct sound on") {
  const auto energy = flat_energy(1.0, 1.0);
  LateSettings settings;
  settings.volume = 2000.0;
  settings.start = 0.0123;
  const LateArrivals arrivals({8, 1000, 1e-3, {}, energy}, settings);
  const auto& all = arrivals.all();
  REQUIRE(!all.empty());
  CHECK(all.front().time >= 0.0123);
  CHECK(all.back().time < 1.0);
  CHECK(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; }));
  // 4 pi c^3 t^3 / (3 V), from where the density is 500 / s (44.4 ms) to 150 ms: 834 arrivals; 500 / s before.
  const auto between = [&](double from, double to) {
    return static_cast<double>(
        std::count_if(all.begin(), all.end(), [&](const auto& a) { return a.time >= from && a.time < to; }));
  };
  const double growth = 4.0 * std::numbers::pi * std::pow(343.2, 3) / 2000.0;
  const double rising = growth / 3.0 * (std::pow(0.15, 3) - std::pow(0.0444, 3));
  CHECK(between(0.0444, 0.15) == Approx(rising).margin(4.0 * std::sqrt(rising)));
  CHECK(between(0.0123, 0.0444) == Approx(16.05).margin(4.0 * std::sqrt(16.05)));
  CHECK(between(0.6, 1.0) == Approx(12'800.0).margin(4.0 * std::sqrt(12'800.0)));
  const double positive =
      static_cast<double>(std::count_if(all.begin(), all.end(), [](const auto& a) { return a.weight > 0.0; }));
  const double n = static_cast<double>(all.size());
  CHECK(positive == Approx(0.5 * n).margin(2.0 * std::sqrt(n)));
}

TEST_CASE("late noise: energy ahead of the direct sound counts in the first bin with arrivals, to its amount") {
  // Sums over arrivals of amplitude^2 have the energy of the histogram in the mean, wherever in a bin the sound begins.
  for (const double start : {0.0100, 0.0104, 0.0108}) {
    constexpr std::size_t bins = 13;
    std::vector<double> energy(bins, 0.0);
    energy[9] = 2.0;
    energy[10] = energy[11] = energy[12] = 1.0;
    double sum = 0.0;
    constexpr int pairs = 400;
    for (int pair = 0; pair < pairs; ++pair) {
      LateSettings settings;
      settings.volume = 1.0;
      settings.start = start;
      settings.source = static_cast<std::uint64_t>(pair);
      const LateArrivals arrivals({1, bins, 1e-3, {}, energy}, settings);
      for (const auto& arrival : arrivals.all()) sum += std::pow(arrivals.amplitude(arrival, 0), 2) / pairs;
    }
    INFO(start);
    CHECK(sum == Approx(5.0).epsilon(0.05));
  }
}

TEST_CASE("late noise: directions of arrival have the energies of the histogram, octave by octave") {
  const auto middles = octants();
  constexpr std::size_t bins = 400;
  // Two octaves: from octant 0 and 1 in parts that differ by octave, and nothing from elsewhere but octant 7.
  std::vector<double> energy(2 * bins * 8, 0.0);
  const double shares[2][8] = {{0.7, 0.2, 0, 0, 0, 0, 0, 0.1}, {0.1, 0.6, 0, 0, 0, 0, 0, 0.3}};
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t i = 0; i < bins; ++i)
      for (std::size_t d = 0; d < 8; ++d) energy[(b * bins + i) * 8 + d] = 1e-3 * shares[b][d];
  LateSettings settings;
  settings.volume = 1.0;
  const LateArrivals arrivals({2, bins, 1e-3, middles, energy}, settings);
  double sums[2][8] = {}, mean[3] = {};
  std::size_t in_first = 0;
  bool inside = true;
  for (const auto& arrival : arrivals.all()) {
    for (std::size_t b = 0; b < 2; ++b) sums[b][arrival.cell] += std::pow(arrivals.amplitude(arrival, b), 2) / 0.4;
    const auto& towards = arrival.towards;
    for (std::size_t x = 0; x < 3; ++x) inside = inside && towards[x] * middles[arrival.cell][x] >= 0.0;
    if (arrival.cell != 1) continue;
    ++in_first;
    for (std::size_t x = 0; x < 3; ++x) mean[x] += std::abs(towards[x]);
  }
  CHECK(inside);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t d = 0; d < 8; ++d) CHECK(sums[b][d] == Approx(shares[b][d]).margin(0.04));
  // Uniform over an octant: each coordinate is uniform in 0..1.
  for (const double x : mean) CHECK(x / static_cast<double>(in_first) == Approx(0.5).margin(0.02));
}

TEST_CASE("late noise: a receiver's pattern weighs arrivals by their direction") {
  const auto energy = flat_energy(0.2, 1.0);
  const auto arrivals = flat_arrivals(energy, 3);
  const std::vector<double> half(arrivals.all().size(), -0.5);
  const auto plain = late_spectrum(arrivals, eight_octaves, late_rate, 12'000);
  const auto weighed = late_spectrum(arrivals, eight_octaves, late_rate, 12'000, half);
  double worst = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < plain.size(); ++k) {
    worst = std::max(worst, std::abs(weighed[k] + 0.5 * plain[k]));
    largest = std::max(largest, std::abs(plain[k]));
  }
  CHECK(worst < 1e-12 * largest);
  CHECK_THROWS_AS(late_spectrum(arrivals, eight_octaves, late_rate, 12'000, std::span(half).first(3)),
                  std::invalid_argument);
}

TEST_CASE("late noise: the same bytes in every thread, others for each seed, source and receiver") {
  const auto energy = flat_energy(0.3, 1.0);
  const auto of = [&](std::uint64_t seed, std::uint64_t source, std::uint64_t receiver) {
    LateSettings settings;
    settings.volume = 38.0;
    settings.seed = seed;
    settings.source = source;
    settings.receiver = receiver;
    return late_pressure(LateArrivals({8, 300, 1e-3, {}, energy}, settings), 0.3);
  };
  const auto alone = of(1, 2, 3);
  std::vector<std::vector<double>> beside(3);
  std::vector<std::thread> threads;
  for (auto& one : beside) threads.emplace_back([&] { one = of(1, 2, 3); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : beside) {
    REQUIRE(one.size() == alone.size());
    CHECK(std::memcmp(one.data(), alone.data(), alone.size() * sizeof(double)) == 0);
  }
  // Incoherent with the late sound of every other pair.
  for (const auto& other : {of(2, 2, 3), of(1, 3, 3), of(1, 2, 4), of(1, 3, 2)}) {
    double product = 0.0, one = 0.0, two = 0.0;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      product += alone[i] * other[i];
      one += alone[i] * alone[i];
      two += other[i] * other[i];
    }
    CHECK(std::abs(product) / std::sqrt(one * two) < 4.0 / std::sqrt(0.3 * late_rate));
  }
}

TEST_CASE("late noise: arrivals are the same at every sample rate, and histograms of wrong sizes are refused") {
  const auto energy = flat_energy(0.1, 1.0);
  const auto arrivals = flat_arrivals(energy, 0);
  // Far below both rates the spectra agree: a sum of unit samples at nearly the same times.
  const auto high = late_spectrum(arrivals, eight_octaves, 96'000.0, 12'000);
  const auto low = late_spectrum(arrivals, eight_octaves, 48'000.0, 6000);
  double difference = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < 50; ++k) {
    difference += std::norm(high[k] - low[k]);
    sum += std::norm(high[k]);
  }
  CHECK(difference < 1e-3 * sum);
  LateSettings settings;
  settings.volume = 38.0;
  CHECK_THROWS_AS(LateArrivals({8, 99, 1e-3, {}, energy}, settings), std::invalid_argument);
  settings.volume = 0.0;
  CHECK_THROWS_AS(LateArrivals({8, 100, 1e-3, {}, energy}, settings), std::invalid_argument);
  settings.volume = 38.0;
  settings.start = 0.2;  // after the last bin
  CHECK(LateArrivals({8, 100, 1e-3, {}, energy}, settings).all().empty());
}
