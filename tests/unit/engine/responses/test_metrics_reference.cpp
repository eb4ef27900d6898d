// Figures of merit against an independent implementation, broadband and by octave band:
// tests/unit/engine/responses/metrics_reference.csv holds what pyrato finds in the same five responses, made by
// metrics_reference.py beside it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/responses/metrics.hpp"
#include "engine/responses/octave_filter.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 48000.0;

// Knuth's MMIX generator, its 53 highest bits to -1..1, under a decay.
std::vector<double> noise(std::size_t n, std::uint64_t seed) {
  std::vector<double> out(n);
  for (double& x : out) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    x = static_cast<double>(seed >> 11) * 0x1p-52 - 1.0;
  }
  return out;
}

double decay(std::size_t n, double time) { return std::pow(10.0, -3.0 * static_cast<double>(n) / rate / time); }

std::vector<double> decaying(std::size_t n, std::uint64_t seed, double time) {
  std::vector<double> out = noise(n, seed);
  for (std::size_t i = 0; i < n; ++i) out[i] *= decay(i, time);
  return out;
}

std::vector<std::vector<double>> responses() {
  std::vector<std::vector<double>> all = {decaying(24000, 1, 0.3), decaying(57600, 2, 0.8), decaying(115200, 3, 1.8)};
  std::vector<double> bent = noise(57600, 4);
  for (std::size_t i = 0; i < bent.size(); ++i) bent[i] *= decay(i, 0.35) + 0.12 * decay(i, 1.0);
  bent[0] = 6.0;
  all.push_back(bent);
  std::vector<double> echoes = decaying(57600, 5, 0.9);  // direct sound after 10 ms, two echoes
  std::fill(echoes.begin(), echoes.begin() + 960, 0.0);
  echoes[480] = 8.0;
  echoes[1500] -= 5.0;
  echoes[2600] += 4.0;
  all.push_back(echoes);
  return all;
}

struct Row {
  std::size_t response = 0;
  double band = 0.0;                         // Hz, nominal; 0: all frequencies
  double EDT = 0, T20 = 0, T30 = 0;          // s
  double C50 = 0, C80 = 0, D50 = 0, Ts = 0;  // dB, dB, of 1, s
};

std::vector<Row> reference() {
  std::ifstream file(FDTD_SOURCE_DIR "/tests/unit/engine/responses/metrics_reference.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // provenance
  std::getline(file, line);  // names
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream in(line);
    Row row;
    in >> row.response >> row.band >> row.EDT >> row.T20 >> row.T30 >> row.C50 >> row.C80 >> row.D50 >> row.Ts;
    REQUIRE(in);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("metrics: five responses have the figures that pyrato finds, to 1 %, in every band", "[metrics]") {
  const auto all = responses();
  std::vector<Metrics> found;
  for (const auto& ir : all) {
    MetricsOptions options;
    options.valid_bandwidth = rate / 2.0;
    found.push_back(measure(ir, rate, options));
  }
  const std::vector<Row> rows = reference();
  REQUIRE(rows.size() == 5 * 9);
  constexpr double decibels = 0.043;  // 1 % of a ratio of energies
  for (const Row& row : rows) {
    CAPTURE(row.response, row.band);
    const Metrics& metrics = found.at(row.response);
    const auto band = std::find_if(metrics.bands.begin(), metrics.bands.end(),
                                   [&](const BandMetrics& one) { return one.centre == row.band; });
    REQUIRE((row.band == 0.0 || band != metrics.bands.end()));
    const BandMetrics& figures = row.band == 0.0 ? metrics.broadband : *band;
    if (row.response == 3 && row.band == 63.0) {  // early, its decay is the filter's
      CHECK(figures.EDT.reason.find("ringing") != std::string::npos);
      CHECK(row.EDT < 1.25 * octave_ringing(row.band));
    } else {
      CHECK(figures.EDT.value.value() == Approx(row.EDT).epsilon(0.01));
    }
    CHECK(figures.T20.value.value() == Approx(row.T20).epsilon(0.01));
    CHECK(figures.T30.value.value() == Approx(row.T30).epsilon(0.01));
    CHECK(figures.C50.value.value() == Approx(row.C50).margin(decibels));
    CHECK(figures.C80.value.value() == Approx(row.C80).margin(decibels));
    CHECK(figures.D50.value.value() == Approx(row.D50).epsilon(0.01));
    CHECK(figures.Ts.value.value() == Approx(row.Ts).epsilon(0.01));
  }
}
