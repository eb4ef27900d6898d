#include "base/math/fractional_delay.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a delay of a fraction of a sample is that of a sine up to 0.45 of the rate", "[math]") {
  constexpr std::size_t length = 200, more = 60;
  const double frequency = GENERATE(0.0, 0.01, 0.1, 0.3, 0.45), delay = GENERATE(40.5, 40.01, 41.99, 44.3);
  std::vector<double> sine(length), later(length + 2 * more, 0.0);
  const auto at = [&](double t) { return std::cos(2.0 * std::numbers::pi * frequency * t + 0.3); };
  for (std::size_t n = 0; n < length; ++n) sine[n] = at(static_cast<double>(n));
  write_delayed(sine, delay, later);
  double most = 0.0;  // of samples that see no end of the sine
  for (std::size_t n = 40 + more; n < length; ++n)
    most = std::max(most, std::abs(later[n] - at(static_cast<double>(n) - delay)));
  CAPTURE(frequency, delay);
  CHECK(most < 1e-4);
}

TEST_CASE("a delay of whole samples is a shift, bit for bit", "[math]") {
  const std::vector<double> signal = {0.1, -0.0, 1e-300, 3.0};
  std::vector<double> later(10, 0.0);
  write_delayed(signal, 5.0, later);
  CHECK(std::equal(signal.begin(), signal.end(), later.begin() + 5));
  CHECK(std::signbit(later[6]));
  CHECK(std::count(later.begin(), later.end(), 0.0) == 7);
  CHECK(is_whole_delay(0.0));
  CHECK(is_whole_delay(3.0000001));
  CHECK_FALSE(is_whole_delay(2.999));
}
