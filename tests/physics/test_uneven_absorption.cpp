// T30 of `fdtd estimate` in boxes whose pairs of walls absorb unlike, against the exact modes of such boxes, and the length
// that duration = "auto" takes in them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "engine/estimate/figures.hpp"
#include "engine/estimate/smooth_walls.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/octave_filter.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/lossy_modes.hpp"

using namespace fdtd;

namespace {

using Place = std::array<double, 3>;
constexpr double c = 343.2;

struct UnevenBox {
  Place sides;
  std::array<double, 6> alpha;
};

const std::vector<UnevenBox> uneven_boxes = {
    {{5.4, 6.8, 4.2}, {0.33, 0.22, 0.03, 0.04, 0.19, 0.19}},  // one pair hard
    {{4.6, 3.8, 5.7}, {0.03, 0.02, 0.30, 0.50, 0.06, 0.04}},  // one pair soft
    {{6.6, 5.2, 2.4}, {0.04, 0.04, 0.05, 0.05, 0.10, 0.60}},  // one wall soft, flat
    {{9.5, 2.3, 2.6}, {0.30, 0.30, 0.05, 0.05, 0.05, 0.05}},  // long
};

test::LossyBox lossy(const UnevenBox& of) {
  test::LossyBox box;
  box.sides = of.sides;
  box.sound_speed = c;
  for (std::size_t s = 0; s < 6; ++s) box.walls[s] = {{0.0, 1.0 / admittance_of_absorption(of.alpha[s]), 0.0}};
  return box;
}

DecayFigures estimated(const UnevenBox& of, double centre) {
  SmoothBox box;
  box.sides = of.sides;
  box.admittance = [&](double) {
    std::array<std::complex<double>, 6> y;
    for (std::size_t s = 0; s < 6; ++s) y[s] = admittance_of_absorption(of.alpha[s]);
    return y;
  };
  return decay_figures(smooth_decay(box, c, 0.0, centre), 0.0);
}

double eyring(const UnevenBox& of) {
  const double volume = of.sides[0] * of.sides[1] * of.sides[2];
  double area = 0.0, absorbing = 0.0;
  for (std::size_t s = 0; s < 6; ++s) {
    area += volume / of.sides[s / 2];
    absorbing += volume / of.sides[s / 2] * of.alpha[s];
  }
  return 24.0 * std::numbers::ln10 * volume / (c * -area * std::log1p(-absorbing / area));
}

// Places that do not depend on a library's random numbers, clear of walls.
Place place_in(const Place& sides, int number) {
  Place place{};
  const std::array<double, 3> ratio = {0.7548776662, 0.5698402910, 0.4301597090};  // of an even sequence
  for (std::size_t d = 0; d < 3; ++d) {
    const double t = 0.5 + (number + 1) * ratio[d];
    place[d] = sides[d] * (0.08 + 0.84 * (t - std::floor(t)));
  }
  return place;
}

}  // namespace

TEST_CASE("decays between smooth walls of uneven absorption are those of exact modes, within 3 %", "[physics]") {
  for (const UnevenBox& one : uneven_boxes) {
    const std::vector<test::LossyMode> modes = test::lossy_modes(lossy(one), 600.0);
    for (const double centre : {125.0, 250.0}) {
      std::vector<std::pair<double, double>> found;
      double total = 0.0;
      for (const test::LossyMode& mode : modes) {
        const double frequency = mode.omega.real() / (2.0 * std::numbers::pi), rate = 2.0 * mode.omega.imag();
        const double magnitude = octave_magnitude(centre, frequency);
        found.emplace_back(rate, magnitude * magnitude / (frequency * frequency * rate));
        total += found.back().second;
      }
      std::ranges::sort(found);
      ModalDecay exact;
      for (const auto& [rate, amplitude] : found) {
        exact.rates.push_back(rate);
        exact.amplitudes.push_back(amplitude / total);
      }
      const DecayFigures wanted = decay_figures(exact, 0.0), figures = estimated(one, centre);
      CAPTURE(one.sides[0], centre);
      CHECK(*figures.T30 == Approx(*wanted.T30).epsilon(0.03));
      CHECK(*figures.EDT == Approx(*wanted.EDT).epsilon(0.05));
    }
  }
}

TEST_CASE("T30 of responses of boxes with uneven absorption is the estimate's, within 15 %, where Eyring's is not",
          "[physics]") {
  double farthest_of_formula = 0.0;
  for (const UnevenBox& one : uneven_boxes) {
    const std::vector<test::LossyMode> modes = test::lossy_modes(lossy(one), 600.0);
    constexpr int places = 6;
    constexpr double rate = 1600.0, centre = 250.0;
    double mean = 0.0;
    for (int r = 0; r < places; ++r) {
      const auto response = test::modal_sum(modes, c, place_in(one.sides, 2 * r), place_in(one.sides, 2 * r + 1), {},
                                            6.0 * eyring(one) + 0.5, rate);
      for (const BandMetrics& band : measure(response, rate, {400.0, 1.0, false}).bands)
        if (band.centre == centre) mean += band.T30.value.value() / places;
    }
    CAPTURE(one.sides[0], mean, eyring(one));
    CHECK(*estimated(one, centre).T30 == Approx(mean).epsilon(0.15));
    farthest_of_formula = std::max(farthest_of_formula, mean / eyring(one));
  }
  CHECK(farthest_of_formula > 1.3);
}

TEST_CASE("1.25 times the estimate of smooth walls holds T30 at every place of boxes with uneven absorption",
          "[physics]") {
  for (const UnevenBox& one : uneven_boxes) {
    const std::vector<test::LossyMode> modes = test::lossy_modes(lossy(one), 600.0);
    constexpr double rate = 1600.0;
    double slowest = 0.0;
    for (const double centre : {63.0, 125.0, 250.0}) slowest = std::max(slowest, *estimated(one, centre).T30);
    for (int r = 0; r < 6; ++r) {
      const auto response = test::modal_sum(modes, c, place_in(one.sides, 2 * r), place_in(one.sides, 2 * r + 1), {},
                                            1.25 * slowest, rate);
      for (const BandMetrics& band : measure(response, rate, {400.0, 1.0, false}).bands) {
        CAPTURE(one.sides[0], r, band.centre);
        if (band.centre >= 63.0) CHECK(band.T30.value.has_value());
      }
    }
  }
}
