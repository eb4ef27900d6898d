#include "engine/responses/agreement.hpp"

#include <cmath>
#include <stdexcept>

#include "base/math/fourier.hpp"
#include "engine/responses/crossover/late_noise.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate_below = 8000.0, overlap_direct = 0.012;  // Hz, s
constexpr Crossover overlap_crossover{707.0, 1000.0};

// Energy in bins of 1 ms of an exponential decay of 1 s from the direct sound on: `level` dB of a free field at 10 m in
// all.
std::vector<double> exponential(double decay_time, double level, double seconds = 1.0) {
  std::vector<double> energy(static_cast<std::size_t>(1000.0 * seconds), 0.0);
  const double tau = decay_time / std::log(1e6), all = 0.01 * std::pow(10.0, 0.1 * level);
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double from = std::max(1e-3 * static_cast<double>(i), overlap_direct), to = 1e-3 * static_cast<double>(i + 1);
    if (to > from)
      energy[i] = all * (std::exp(-(from - overlap_direct) / tau) - std::exp(-(to - overlap_direct) / tau));
  }
  return energy;
}

std::vector<double> response_of(const std::vector<double>& energy, std::uint64_t receiver) {
  LateSettings settings;
  settings.volume = 38.0;
  settings.start = overlap_direct;
  settings.receiver = receiver;
  const std::vector<double> centre = {500.0};
  constexpr std::int64_t length = 9600;
  auto x = inverse_real_fft(
      late_spectrum(LateArrivals({1, energy.size(), 1e-3, {}, energy}, settings), centre, rate_below, length), length);
  x.resize(8000);
  return x;
}

OverlapPair pair_of(double wave_G, double wave_T20, double geometry_G, double geometry_T20) {
  OverlapPair pair;
  pair.wave.G.value = wave_G;
  pair.wave.T20.value = wave_T20;
  pair.wave.C80.value = 3.0;
  pair.geometry.G.value = geometry_G;
  pair.geometry.T20.value = geometry_T20;
  pair.geometry.C80.value = 2.5;
  return pair;
}

Agreement of_means(double difference_of_G, double percent_of_T20) {
  const std::vector<OverlapPair> pairs = {pair_of(20.0, 0.5, 20.0 + difference_of_G, 0.5 + 0.005 * percent_of_T20)};
  return agreement_of(pairs, overlap_crossover);
}

}  // namespace

TEST_CASE("agreement: energies of an exponential decay have its figures") {
  const BandMetrics band = overlap_of_energies(exponential(0.5, 12.0), 1e-3, overlap_crossover, overlap_direct);
  REQUIRE(band.T20.value);
  CHECK(*band.T20.value == Approx(0.5).epsilon(0.005));
  CHECK(*band.G.value == Approx(12.0).margin(0.01));
  // The filter rings some ms over the limit of 80 ms.
  CHECK(*band.C80.value == Approx(10.0 * std::log10(std::exp(0.08 * std::log(1e6) / 0.5) - 1.0)).margin(0.2));
}

TEST_CASE("agreement: a pulse has the same figures as a response and as energies") {
  // Arrivals at the direct sound and 100 ms later: 0.1 and 0.05 high.
  std::vector<double> response(8000, 0.0), energy(1000, 0.0);
  response[96] = 0.1;
  response[896] = 0.05;
  energy[12] = 0.01;
  energy[112] = 0.0025;
  const auto wave = overlap_of_response(response, rate_below, overlap_crossover, overlap_direct);
  const auto geometry = overlap_of_energies(energy, 1e-3, overlap_crossover, overlap_direct);
  CHECK(*wave.G.value == Approx(10.0 * std::log10(1.25)).margin(0.01));
  CHECK(*geometry.G.value == Approx(*wave.G.value).margin(0.01));
  CHECK(*wave.C80.value == Approx(10.0 * std::log10(4.0)).margin(0.02));
  CHECK(*geometry.C80.value == Approx(*wave.C80.value).margin(0.02));
}

TEST_CASE("agreement: the filter spreads energies over a limit of time as it spreads arrivals in a response") {
  // As strong as the direct sound, half a millisecond after the limit of 80 ms: nearly half of it counts as early.
  std::vector<double> response(8000, 0.0), energy(1000, 0.0);
  response[96] = response[740] = 0.1;
  energy[12] = energy[92] = 0.01;
  const auto wave = overlap_of_response(response, rate_below, overlap_crossover, overlap_direct);
  const auto geometry = overlap_of_energies(energy, 1e-3, overlap_crossover, overlap_direct);
  CHECK(*wave.C80.value > 1.0);
  CHECK(*geometry.C80.value == Approx(*wave.C80.value).margin(0.5));
}

TEST_CASE("agreement: G of one place spreads as Lubman's formula says, and its mean is that of the energies") {
  CHECK(chance_spread(353.5, 0.5) == Approx(0.85).margin(0.005));
  const std::vector<double> energy = exponential(0.5, 12.0);
  std::vector<OverlapPair> pairs(40);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].geometry = overlap_of_energies(energy, 1e-3, overlap_crossover, overlap_direct);
    pairs[i].wave = overlap_of_response(response_of(energy, i), rate_below, overlap_crossover, overlap_direct);
  }
  const Agreement agreement = agreement_of(pairs, overlap_crossover);
  REQUIRE(agreement.G.pairs == 40);
  REQUIRE(agreement.G.error);
  REQUIRE(agreement.chance);
  const double spread = *agreement.G.error * std::sqrt(40.0);
  CHECK(spread / *agreement.chance > 1.0 / 1.5);
  CHECK(spread / *agreement.chance < 1.5);
  // The mean of levels is below the level of the mean: a tenth of a dB at this spread.
  CHECK(std::abs(agreement.G.mean) < 4.0 * *agreement.G.error);
  CHECK(std::abs(agreement.C80.mean) < 4.0 * *agreement.C80.error + 0.2);
  CHECK(std::abs(agreement.T20.mean) < 5.0);
  CHECK(agreement.G.absolute > 0.4);
  CHECK(agreement.trust == Trust::good);
  CHECK(agreement.reasons.empty());
}

TEST_CASE("agreement: means, their error, and the limits of the words") {
  const std::vector<OverlapPair> pairs = {pair_of(20.0, 0.5, 21.0, 0.55), pair_of(19.0, 0.4, 18.0, 0.4),
                                          pair_of(18.0, 0.5, 19.5, 0.55)};
  const Agreement agreement = agreement_of(pairs, overlap_crossover);
  CHECK(agreement.low == Approx(353.5));
  CHECK(agreement.high == Approx(707.0));
  CHECK(agreement.G.mean == Approx(0.5));
  CHECK(agreement.G.absolute == Approx(3.5 / 3.0));
  CHECK(*agreement.G.error == Approx(std::sqrt((0.25 + 2.25 + 1.0) / 2.0 / 3.0)));
  CHECK(agreement.T20.mean == Approx(20.0 / 3.0));
  CHECK(agreement_text(agreement) ==
        "agreement, 354 to 707 Hz: G +0.5 ± 0.8 dB, C80 -0.5 ± 0.0 dB, T20 +7 ± 3 %: good");

  CHECK(of_means(1.04, 0.0).trust == Trust::good);
  CHECK(of_means(-1.06, 0.0).trust == Trust::fair);
  CHECK(of_means(2.04, 0.0).trust == Trust::fair);
  CHECK(of_means(-2.06, 0.0).trust == Trust::poor);
  CHECK(of_means(0.0, -10.4).trust == Trust::good);
  CHECK(of_means(0.0, 10.6).trust == Trust::fair);
  CHECK(of_means(0.0, 25.4).trust == Trust::fair);
  CHECK(of_means(1.5, -26.0).trust == Trust::poor);
  CHECK(of_means(1.5, -26.0).reasons ==
        std::vector<std::string>{"G of geometry is off by more than 1 dB", "T20 of geometry is off by more than 25 %"});
  CHECK(!of_means(0.0, 0.0).G.error);  // one pair
  CHECK(agreement_text(of_means(-0.04, 0.0)) == "agreement, 354 to 707 Hz: G +0.0 dB, C80 -0.5 dB, T20 +0 %: good");
}

TEST_CASE("agreement: figures that are missing, and rooms of few modes or narrow ones, are no good") {
  OverlapPair pair = pair_of(20.0, 0.5, 20.0, 0.5);
  pair.wave.T20 = {std::nullopt, "the decay spans 20.0 dB, 35 dB are needed"};
  const Agreement unknown = agreement_of(std::span(&pair, 1), overlap_crossover);
  CHECK(unknown.trust == Trust::fair);
  CHECK(!unknown.chance);
  CHECK(unknown.T20.pairs == 0);
  CHECK(
      agreement_text(unknown) ==
      "agreement, 354 to 707 Hz: G +0.0 dB, C80 -0.5 dB, T20 unknown: fair, as no pair of a source and a receiver has "
      "a T20 of both");
  CHECK(agreement_text(of_means(1.5, -26.0)) ==
        "agreement, 354 to 707 Hz: G +1.5 dB, C80 -0.5 dB, T20 -26 %: poor, as G of geometry is off by more than 1 dB; "
        "T20 of geometry is off by more than 25 %");
  CHECK(agreement_of({}, overlap_crossover).trust == Trust::poor);

  const OverlapPair equal = pair_of(20.0, 0.5, 20.0, 0.5);
  const auto in_room = [&](double schroeder, double narrowest) {
    return agreement_of(std::span(&equal, 1), overlap_crossover, {schroeder, narrowest, 343.2});
  };
  CHECK(in_room(400.0, 2.5).trust == Trust::good);
  CHECK(in_room(800.0, 2.5).trust == Trust::poor);
  CHECK(in_room(800.0, 2.5).reasons.size() == 1);
  CHECK(in_room(200.0, 0.18).trust == Trust::good);
  CHECK(in_room(200.0, 0.17).trust == Trust::poor);

  // Waves know nothing of relief: that is a reason where both parts differ, and none where they agree.
  OverlapRoom rough;
  rough.relief = true;
  const OverlapPair longer = pair_of(20.0, 0.5, 20.0, 0.7);
  const Agreement differs = agreement_of(std::span(&longer, 1), overlap_crossover, rough);
  CHECK(differs.trust == Trust::poor);
  REQUIRE(differs.reasons.size() == 2);
  CHECK(differs.reasons[1].starts_with("materials have scattering"));
  CHECK(agreement_of(std::span(&longer, 1), overlap_crossover).reasons.size() == 1);
  CHECK(agreement_of(std::span(&equal, 1), overlap_crossover, rough).reasons.empty());
}

TEST_CASE("agreement: records that end before the direct sound are refused, short ones have no figures") {
  const std::vector<double> samples(100, 1.0);
  CHECK_THROWS_AS(overlap_of_response(samples, rate_below, overlap_crossover, 0.02), std::invalid_argument);
  CHECK_THROWS_AS(overlap_of_energies(samples, 1e-4, overlap_crossover, 0.02), std::invalid_argument);
  CHECK(!overlap_of_response(samples, rate_below, overlap_crossover, 0.001).G.value);
  CHECK(!overlap_of_energies(samples, 1e-4, overlap_crossover, 0.001).G.value);
  const std::vector<double> steady(500, 1.0), silent(500, 0.0);
  CHECK(overlap_of_energies(steady, 1e-3, overlap_crossover, 0.001).G.reason ==
        "the energies do not fall where they end");
  CHECK(overlap_of_energies(silent, 1e-3, overlap_crossover, 0.001).G.reason == "there is no energy");
  // Cut off at 22 dB, a decay has its level and clarity, and no T20.
  const auto cut = overlap_of_energies(exponential(1.0, 12.0, 0.38), 1e-3, overlap_crossover, overlap_direct);
  CHECK(*cut.G.value == Approx(12.0).margin(0.05));
  CHECK(!cut.T20.value);
}
