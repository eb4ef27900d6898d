#include "engine/modes/zoom.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a decaying cosine in the band stays one exponential, with the gain that is stated") {
  constexpr double rate = 3000.0, two_pi = 2.0 * std::numbers::pi;
  const Zoom zoom({100.0, 15.0, 20.0}, rate);
  const std::complex<double> z = std::polar(std::exp(-12.0 / rate), two_pi * 104.0 / rate);
  std::vector<double> record;
  for (int n = 0; n < 3000; ++n) record.push_back((2.0 * std::pow(z, n)).real());
  const std::int64_t count = zoom.count(0, 3000);
  REQUIRE(count > 20);
  std::vector<std::complex<double>> out(static_cast<std::size_t>(count));
  zoom.apply(record, 0, 3000, out.data(), 1);
  // Its conjugate is 120 dB lower.
  const std::complex<double> first = zoom.gain(z) * std::pow(z, static_cast<double>(zoom.length() - 1));
  const std::complex<double> step = zoom.per_output(z);
  for (std::int64_t m = 0; m < count; ++m)
    CHECK(std::abs(out[static_cast<std::size_t>(m)] - first * std::pow(step, static_cast<double>(m))) <
          3e-6 * std::abs(first));
  CHECK(std::abs(zoom.per_sample(step) - z) < 1e-12);
}

TEST_CASE("a cosine beyond the stop band falls by 120 dB") {
  constexpr double rate = 3000.0;
  const Zoom zoom({100.0, 15.0, 20.0}, rate);
  const auto gain = [&](double hertz) {
    return std::abs(zoom.gain(std::polar(1.0, 2.0 * std::numbers::pi * hertz / rate)));
  };
  CHECK(gain(100.0) == Approx(1.0).epsilon(1e-5));
  CHECK(gain(114.9) == Approx(1.0).epsilon(1e-5));
  for (const double hertz : {136.0, 150.0, 700.0, 1490.0, -100.0}) CHECK(gain(hertz) < 1.5e-6);
}

TEST_CASE("a band without width is refused") {
  CHECK_THROWS_AS(Zoom({100.0, 0.0, 20.0}, 3000.0), std::invalid_argument);
  CHECK_THROWS_AS(Zoom({100.0, 1490.0, 20.0}, 3000.0), std::invalid_argument);
}
