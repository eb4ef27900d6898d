#include "engine/responses/crossover/octave_bank.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "base/math/fourier.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

const std::vector<double> five_octaves = {500, 1000, 2000, 4000, 8000};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("octave bank: the amplitudes of all octaves add to 1 at every frequency, none is negative") {
  double worst = 0.0, least = 1.0;
  for (double f = 0.0; f < 30'000.0; f = f * 1.0003 + 0.1) {
    double sum = 0.0;
    for (const double amplitude : bank_amplitudes(five_octaves, f)) {
      sum += amplitude;
      least = std::min(least, amplitude);
    }
    worst = std::max(worst, std::abs(sum - 1.0));
  }
  CHECK(worst < 1e-12);
  CHECK(least >= 0.0);
}

TEST_CASE("octave bank: an octave is 1 at its centre and a half at its borders, the outer ones are open") {
  const auto at = [](double f, std::size_t octave) { return bank_amplitudes(five_octaves, f)[octave]; };
  for (std::size_t b = 0; b < five_octaves.size(); ++b) CHECK(at(five_octaves[b], b) == 1.0);
  CHECK(at(1000.0 * std::numbers::sqrt2, 1) == Approx(0.5).epsilon(1e-12));
  CHECK(at(1000.0 * std::numbers::sqrt2, 2) == Approx(0.5).epsilon(1e-12));
  // sin^2 of an eighth turn times 3/2, at an eighth octave above the border.
  CHECK(at(1000.0 * std::pow(2.0, 0.625), 2) == Approx(std::pow(std::sin(0.375 * std::numbers::pi), 2)).epsilon(1e-12));
  CHECK(at(1000.0 * std::pow(2.0, 0.7501), 1) == 0.0);
  CHECK(at(0.0, 0) == 1.0);
  CHECK(at(24'000.0, 4) == 1.0);
}

TEST_CASE("octave bank: on the bins of a transform it is the same") {
  constexpr double rate = 44'100.0;
  constexpr std::size_t length = 3000;
  const auto bank = bank_on_bins(five_octaves, rate, length);
  REQUIRE(bank.size() == 5);
  double worst = 0.0;
  for (std::size_t k = 0; k <= length / 2; ++k) {
    const auto expected = bank_amplitudes(five_octaves, static_cast<double>(k) * rate / length);
    for (std::size_t b = 0; b < bank.size(); ++b) {
      const std::size_t from = bank[b].first, count = bank[b].amplitudes.size();
      const double amplitude = k >= from && k < from + count ? bank[b].amplitudes[k - from] : 0.0;
      worst = std::max(worst, std::abs(amplitude - expected[b]));
    }
  }
  CHECK(worst < 1e-12);
  // Octaves above half the rate have no bins.
  const auto low = bank_on_bins(five_octaves, 2000.0, 100);
  CHECK(low[4].amplitudes.empty());
  CHECK(low[0].amplitudes.size() + low[0].first <= 51);
}

TEST_CASE("crossover: coherent weights add to 1, squares of incoherent ones add to 1") {
  for (const Crossover crossover : {Crossover{707.0, 1000.0}, Crossover{100.0, 4000.0}, Crossover{800.0, 800.0}}) {
    double coherent = 0.0, incoherent = 0.0;
    for (double f = 0.0; f < 24'000.0; f = f * 1.001 + 0.1) {
      const double wave = wave_weight(crossover, f), power = incoherent_weight(crossover, f);
      coherent = std::max(coherent, std::abs(wave + coherent_weight(crossover, f) - 1.0));
      incoherent = std::max(incoherent, std::abs(wave * wave + power * power - 1.0));
    }
    CHECK(coherent < 1e-12);
    CHECK(incoherent < 1e-12);
  }
  const Crossover crossover{500.0, 1000.0};
  CHECK(wave_weight(crossover, 500.0) == 1.0);
  CHECK(coherent_weight(crossover, 500.0) == 0.0);
  CHECK(incoherent_weight(crossover, 300.0) == 0.0);
  CHECK(wave_weight(crossover, std::sqrt(5e5)) == Approx(0.5).epsilon(1e-12));
  CHECK(incoherent_weight(crossover, std::sqrt(5e5)) == Approx(std::sqrt(0.75)).epsilon(1e-12));
  CHECK(wave_weight(crossover, 1000.0) == 0.0);
  CHECK(coherent_weight(crossover, 1000.0) == 1.0);
  CHECK(incoherent_weight(crossover, 1000.0) == 1.0);
}

TEST_CASE("crossover: a pulse that is split between waves and geometry adds up to itself") {
  constexpr std::int64_t length = 4800;
  std::vector<double> pulse(length, 0.0);
  pulse[777] = 0.8;
  pulse[778] = -0.3;
  const auto spectrum = real_fft(pulse, length);
  auto low = spectrum, high = spectrum;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double f = 10.0 * static_cast<double>(k);
    low[k] *= wave_weight({707.0, 1000.0}, f);
    high[k] *= coherent_weight({707.0, 1000.0}, f);
  }
  auto sum = inverse_real_fft(low, length);
  const auto above = inverse_real_fft(high, length);
  CHECK(largest_difference(sum, pulse) > 0.1);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += above[i];
  CHECK(largest_difference(sum, pulse) < 1e-12);
}
