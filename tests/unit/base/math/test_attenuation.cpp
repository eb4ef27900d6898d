#include "base/math/attenuation.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("attenuation: a response falls as its rate says, at its frequency") {
  constexpr double rate = 16000.0;
  std::vector<double> flat(8000, 1.0), tone(8000);
  for (std::size_t i = 0; i < tone.size(); ++i)
    tone[i] = std::cos(2.0 * std::numbers::pi * 1000.0 * static_cast<double>(i) / rate);
  const std::vector<double> before = tone;
  attenuate(tone, rate, [](double frequency) { return frequency / 200.0; });
  for (std::size_t i = 800; i < 7000; i += 16) {  // at the peaks of the cosine, away from the ends
    const double due = std::exp(-5.0 * static_cast<double>(i) / rate);
    CHECK(tone[i] == Approx(due * before[i]).epsilon(0.002));
  }
  attenuate(flat, rate, [](double) { return 3.0; });
  for (std::size_t i = 0; i < flat.size(); i += 100)
    CHECK(flat[i] == Approx(std::exp(-3.0 * static_cast<double>(i) / rate)).epsilon(0.001));
  std::vector<double> none;
  attenuate(none, rate, [](double) { return 1.0; });
  CHECK(none.empty());
}
