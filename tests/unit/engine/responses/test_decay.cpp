// Decays under noise against those without, whose figures are known.
#include "engine/responses/decay.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 4000.0;
const double sixty = std::log(1e6);  // energy falls by e^-sixty in the reverberation time

// Squares of normal noise under a decay, beside other noise so many dB below its beginning.
std::vector<double> noisy_decay(double time, double seconds, double below, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> energy(static_cast<std::size_t>(seconds * rate));
  const double floor = std::pow(10.0, -below / 20.0);
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double decaying = std::exp(-0.5 * sixty * static_cast<double>(i) / rate / time) * normal(random);
    energy[i] = std::pow(decaying + floor * normal(random), 2);
  }
  return energy;
}

// The line fitted to a curve of levels by least squares, and its correlation, written out once more.
struct Fit {
  double time = 0.0, nonlinearity = 0.0;
};
Fit fit_of(const std::vector<double>& levels, double upper, double lower) {
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] > upper || levels[i] <= lower) continue;
    const double t = static_cast<double>(i) / rate;
    n += 1.0, x += t, y += levels[i], xx += t * t, xy += t * levels[i], yy += levels[i] * levels[i];
  }
  const double a = xx - x * x / n, b = xy - x * y / n, c = yy - y * y / n;
  return {-60.0 * a / b, 1000.0 * (1.0 - b * b / (a * c))};
}

}  // namespace

// With the noise in the integral, T20 at 35 dB and T30 at 45 dB are 3 to 5 % too long.
TEST_CASE("decay: noise under a decay does not make it longer or shorter in the mean", "[metrics]") {
  constexpr double T = 1.0;
  constexpr int seeds = 120;
  struct Case {
    double below, lower;  // dB
  };
  for (const auto& [below, lower] :
       {Case{35.0, -25.0}, {38.0, -25.0}, {45.0, -25.0}, {45.0, -35.0}, {50.0, -35.0}, {60.0, -35.0}, {200.0, -35.0}}) {
    double sum = 0.0, squares = 0.0;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const Decay decay = find_decay(noisy_decay(T, 2.0, below, seed), 0, rate);
      const auto line = fit_line(decay, -5.0, lower);
      REQUIRE(line);
      sum += line->time;
      squares += line->time * line->time;
      if (below < 100.0) CHECK(decay.range == Approx(below).margin(3.0));
    }
    const double mean = sum / seeds, deviation = std::sqrt((squares / seeds - mean * mean) / seeds);
    INFO("noise " << below << " dB below, line to " << lower << " dB: " << mean << " +- " << deviation);
    CHECK(deviation < 0.003 * T);
    CHECK(mean == Approx(T).epsilon(0.01));
  }
}

TEST_CASE("decay: a response that ends while it falls has no noise taken from it", "[metrics]") {
  // Energies without chance: the truncated rest is known.
  for (const double fall : {30.0, 48.0, 70.0}) {
    std::vector<double> energy(static_cast<std::size_t>(fall / 60.0 * rate));
    for (std::size_t i = 0; i < energy.size(); ++i) energy[i] = std::exp(-sixty * static_cast<double>(i) / rate);
    const Decay decay = find_decay(energy, 0, rate);
    INFO(fall << " dB");
    CHECK(decay.range == Approx(fall).margin(0.1));
    CHECK(decay.total == Approx(1.0 / (1.0 - std::exp(-sixty / rate))).epsilon(1e-4));
    CHECK(fit_line(decay, -5.0, -25.0)->time == Approx(1.0).epsilon(1e-3));
  }
}

TEST_CASE("decay: two slopes over constant noise have the lines of the formula", "[metrics]") {
  const double fast = 0.6, slow = 2.2, fraction = 0.01, seconds = 4.0;
  const double a = fast / sixty, b = slow / sixty;
  std::vector<double> energy, levels;
  const double total = a + fraction * b;
  for (std::size_t i = 0; i < static_cast<std::size_t>(seconds * rate); ++i) {
    const double t = static_cast<double>(i) / rate;
    const auto falls = [&](double tau) { return std::exp(-t / tau) * tau * (1.0 - std::exp(-1.0 / rate / tau)); };
    energy.push_back(falls(a) + fraction * falls(b) + std::pow(10.0, -7.5) / rate);
    levels.push_back(10.0 * std::log10((a * std::exp(-t / a) + fraction * b * std::exp(-t / b)) / total));
  }
  const Decay decay = find_decay(energy, 0, rate);
  CHECK(decay.noise == Approx(std::pow(10.0, -7.5) / rate).epsilon(0.05));
  for (const double lower : {-25.0, -35.0}) {
    const auto line = fit_line(decay, -5.0, lower);
    const Fit wanted = fit_of(levels, -5.0, lower);
    REQUIRE(line);
    INFO("to " << lower << " dB");
    CHECK(line->time == Approx(wanted.time).epsilon(0.005));
    CHECK(line->nonlinearity == Approx(wanted.nonlinearity).epsilon(0.02));
  }
  CHECK(fit_of(levels, -5.0, -35.0).time > 1.1 * fit_of(levels, -5.0, -25.0).time);
}
