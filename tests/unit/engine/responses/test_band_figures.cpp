// How straight a decay is, and which figures are to be taken with care.
#include "engine/responses/band_figures.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 8000.0;
const double sixty = std::log(1e6);

BandMetrics measured(const std::vector<double>& energy) {
  return measure_band({{energy, {}, 1, 0, 0.0}, 0.0, rate}, 1000.0, 0.01, {});
}

// Two decays, the second so many dB below the first at the onset.
std::vector<double> bent(double fast, double slow, double below, double noise = 0.0) {
  std::vector<double> energy(static_cast<std::size_t>(6.0 * rate));
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double t = static_cast<double>(i) / rate;
    energy[i] = std::exp(-sixty * t / fast) + std::pow(10.0, -below / 10.0) * std::exp(-sixty * t / slow) + noise;
  }
  return energy;
}

std::string doubts_of(const BandMetrics& band) {
  std::string names;
  for (const Doubt& doubt : band.doubts()) names += std::string(doubt.name) + " ";
  return names;
}

}  // namespace

TEST_CASE("band figures: a bent decay is marked, a straight one is not", "[metrics]") {
  const BandMetrics straight = measured(bent(1.0, 1.0, 20.0));
  CHECK(straight.curvature.value.value() == Approx(0.0).margin(0.05));
  CHECK(straight.nonlinearity_T20.value.value() < 0.1);
  CHECK(straight.doubts().empty());
  const BandMetrics two = measured(bent(0.8, 3.0, 24.0));
  CHECK(two.curvature.value.value() == Approx(100.0 * (*two.T30.value / *two.T20.value - 1.0)));
  CHECK(two.curvature.value.value() > 10.0);
  CHECK(two.nonlinearity_T30.value.value() > 10.0);
  const std::string names = doubts_of(two);
  for (const char* name : {"T20", "T30", "curvature", "nonlinearity_T30"}) CHECK_THAT(names, Catch::Contains(name));
  CHECK_THAT(names, !Catch::Contains("C80"));
}

TEST_CASE("band figures: marks compare what is printed", "[metrics]") {
  BandMetrics band;
  band.range = 60.0;
  band.curvature.value = 10.04;
  CHECK(band.doubts().empty());
  band.curvature.value = 10.06;
  CHECK(doubts_of(band) == "T20 T30 curvature ");
  band.curvature.value = -20.0;
  band.nonlinearity_T20.value = 10.2;
  CHECK(doubts_of(band) == "T20 nonlinearity_T20 ");
}

TEST_CASE("band figures: clarity of little more than the noise is marked, of less there is none", "[metrics]") {
  for (const double below : {22.0, 30.0, 15.0}) {
    const BandMetrics band = measured(bent(1.0, 1.0, 300.0, std::pow(10.0, -below / 10.0)));
    CAPTURE(below, band.range);
    CHECK(band.range == Approx(below).margin(0.5));
    CHECK(band.C80.value.has_value() == (below > 20.0));
    CHECK(doubts_of(band) == (below < 25.0 && below > 20.0 ? "C50 C80 D50 Ts " : ""));
  }
}

TEST_CASE("band figures: no sentence says that a range does not reach itself", "[metrics]") {
  int refused = 0;
  for (double below = 33.0; below < 37.0; below += 0.1) {
    const BandMetrics band = measured(bent(1.0, 1.0, 300.0, std::pow(10.0, -below / 10.0)));
    if (band.T20.value) continue;
    ++refused;
    const std::size_t at = band.T20.reason.find("spans ");
    REQUIRE(at != std::string::npos);
    CHECK_THAT(band.T20.reason, Catch::EndsWith("35 dB are needed"));
    CHECK(std::stod(band.T20.reason.substr(at + 6)) < 34.0);
  }
  CHECK(refused > 0);
  CHECK(refused < 20);
}
