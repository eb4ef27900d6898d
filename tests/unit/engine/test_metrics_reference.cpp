// Figures of merit against an independent implementation: pyrato 1.1, by tests/reference/metrics.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/metrics.hpp"
#include "tests/support/catch.hpp"

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

}  // namespace

TEST_CASE("metrics: five responses have the figures that pyrato finds, to 1 %", "[metrics]") {
  struct Row {
    double EDT, T20, T30, C50, C80, D50, Ts;  // all frequencies
    double T20_1k, T30_1k;                    // the octave around 1 kHz, by another filter
  };
  const std::array<Row, 5> table = {{
      {0.29525, 0.29918, 0.29988, 9.6086, 15.901, 0.90136, 0.021879, 0.29801, 0.30502},
      {0.79345, 0.79904, 0.80178, 1.2832, 4.7207, 0.57333, 0.058271, 0.82283, 0.7775},
      {1.7741, 1.8079, 1.8073, -3.3799, -0.78986, 0.3147, 0.13009, 1.804, 1.7969},
      {0.41012, 0.50719, 0.61186, 6.9751, 11.603, 0.83287, 0.027697, 0.54269, 0.61792},
      {0.88156, 0.90336, 0.89903, 0.38218, 3.7907, 0.52199, 0.06719, 0.87155, 0.87889},
  }};
  const auto all = responses();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    MetricsOptions options;
    options.valid_bandwidth = rate / 2.0;
    const Metrics found = measure(all[i], rate, options);
    const BandMetrics& broad = found.broadband;
    CHECK(broad.EDT.value.value() == Approx(table[i].EDT).epsilon(0.01));
    CHECK(broad.T20.value.value() == Approx(table[i].T20).epsilon(0.01));
    CHECK(broad.T30.value.value() == Approx(table[i].T30).epsilon(0.01));
    CHECK(broad.C50.value.value() == Approx(table[i].C50).margin(0.04));  // 1 % of the ratio of energies
    CHECK(broad.C80.value.value() == Approx(table[i].C80).margin(0.04));
    CHECK(broad.D50.value.value() == Approx(table[i].D50).epsilon(0.01));
    CHECK(broad.Ts.value.value() == Approx(table[i].Ts).epsilon(0.01));
    const auto band = std::find_if(found.bands.begin(), found.bands.end(),
                                   [](const BandMetrics& one) { return one.centre == 1000.0; });
    REQUIRE(band != found.bands.end());
    CHECK(band->T20.value.value() == Approx(table[i].T20_1k).epsilon(0.01));
    CHECK(band->T30.value.value() == Approx(table[i].T30_1k).epsilon(0.01));
  }
}
