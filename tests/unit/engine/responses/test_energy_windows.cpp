#include "engine/responses/energy_windows.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/responses/octave_filter.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("energy windows: energies and products of parts are those of filtered signals") {
  constexpr double rate = 16'000.0;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> signal(12'000);
  for (double& x : signal) x = normal(random);
  const std::int64_t from = 5'000, to = 5'040, reach = filter_reach(rate), origin = from - reach;
  const std::int64_t length = smooth_length(to - origin + 2 * reach);
  const SignalPart part(signal, rate, from, to, origin, length),
      about(signal, rate, origin, to + reach, origin, length);
  std::vector<double> cut(signal.size(), 0.0);
  std::copy(signal.begin() + from, signal.begin() + to, cut.begin() + from);
  double square = 0.0;
  for (const double x : cut) square += x * x;
  CHECK(filtered_product(part, part, 0.0) == Approx(square).epsilon(1e-12));
  CHECK(filtered_product(part, about, 0.0) == Approx(square).epsilon(1e-12));
  for (const double nominal : {125.0, 500.0, 4000.0}) {
    const double midband = exact_midband(nominal);
    const OctaveSignal a = OctaveBands(cut, rate).octave(midband, 5'000),
                       b = OctaveBands(signal, rate).octave(midband, 5'000);
    double energy = 0.0, product = 0.0;
    for (std::size_t i = 0; i < a.samples.size(); ++i) {
      energy += a.samples[i] * a.samples[i];
      product += a.samples[i] * b.samples[i];
    }
    CHECK(filtered_product(part, part, midband) == Approx(energy).epsilon(1e-4));
    CHECK(filtered_product(part, about, midband) == Approx(product).margin(1e-3 * energy));
  }
}
