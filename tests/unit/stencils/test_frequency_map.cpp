#include "stencils/frequency_map.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double pi = std::numbers::pi;

std::vector<const Stencil*> radial_sets() {
  std::vector<const Stencil*> sets;
  for (const Stencil& stencil : catalogue())
    if (stencil.radial) sets.push_back(&stencil);
  return sets;
}

double tolerance_of(const Stencil& stencil) {
  if (stencil.variant == "radial03") return 0.003;
  REQUIRE((stencil.variant == "radial1" || stencil.variant == "radial2"));
  return stencil.variant == "radial1" ? 0.01 : 0.02;
}

GridStencil cubic(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

}  // namespace

TEST_CASE("maps of frequencies: truth undoes grid, and slope is the derivative", "[dispersion]") {
  std::vector<FrequencyMap> maps = {{}, FrequencyMap::time()};
  for (const Stencil* stencil : radial_sets())
    for (const double scale : {1.0, 0.7}) maps.push_back(frequency_map(at_courant(*stencil, scale * stencil->courant)));
  REQUIRE(maps.size() > 20);
  for (const FrequencyMap& map : maps) {
    CHECK(map.grid(0.0) == 0.0);
    CHECK(map.grid(1e-4) == Approx(1e-4).epsilon(1e-7));
    CHECK(map.grid(map.limit()) == Approx(pi).epsilon(1e-6));
    double before = 0.0;
    for (int i = 1; i < 100; ++i) {
      const double x = map.limit() * i / 100.0, w = map.grid(x), step = 1e-6;
      CHECK(w > before);
      CHECK(map.truth(w) == Approx(x).epsilon(1e-12));
      CHECK(map.chord_squared(x) == Approx(4.0 * std::pow(std::sin(w / 2.0), 2)).epsilon(1e-12));
      CHECK(map.truth_at_chord_squared(map.chord_squared(x)) == Approx(x).epsilon(1e-12));
      CHECK(map.slope(x) == Approx((map.grid(x + step) - map.grid(x - step)) / (2.0 * step)).epsilon(1e-6));
      before = w;
    }
    CHECK(map.largest_slope(0.6 * map.limit()) >= map.slope(0.6 * map.limit()));
  }
}

TEST_CASE("a radial symbol is the mean over directions of the stencil's, and its series is kappa^2 + O(kappa^4)",
          "[dispersion]") {
  for (const Stencil* stencil : radial_sets()) {
    INFO(stencil->name);
    const RadialSymbol& radial = *stencil->radial;
    CHECK(radial.coefficient(0) == 0.0);
    CHECK(radial.coefficient(1) == Approx(1.0).epsilon(1e-12));
    double series = 0.0;
    for (int j = 1; j < 24; ++j) series += radial.coefficient(j) * std::pow(0.3, 2 * j);
    CHECK(radial.value(0.3) == Approx(series).epsilon(1e-10));
    // Without the four powers, the mean of K over a sphere of wave vectors.
    const GridStencil grid = cubic(*stencil);
    const double kappa = 0.6 * radial.edge();
    double mean = 0.0, weight = 0.0;
    constexpr int n = 60;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double z = (i + 0.5) / n, turn = pi / 2.0 * (j + 0.5) / n, across = std::sqrt(1.0 - z * z);
        mean += 2.0 - symbol(grid, {kappa * across * std::cos(turn), kappa * across * std::sin(turn), kappa * z});
        weight += 1.0;
      }
    double power = std::pow(kappa / radial.edge(), 2), bare = radial.value(kappa);
    for (const double a : radial.correction()) {
      power *= std::pow(kappa / radial.edge(), 2);
      bare += a * power;
    }
    CHECK(bare * stencil->courant * stencil->courant == Approx(mean / weight).epsilon(1e-3));
  }
}

TEST_CASE("radial sets keep their tolerance up to the edge of their band, and no other wave has a frequency of it",
          "[dispersion]") {
  for (const Stencil* stencil : radial_sets()) {
    INFO(stencil->name);
    const FrequencyMap map = frequency_map(*stencil);
    const GridStencil grid = cubic(*stencil);
    const double edge = stencil->courant * stencil->radial->edge(), tolerance = tolerance_of(*stencil);
    CHECK(usable_omega(grid, tolerance, map) >= 0.999 * edge);
    CHECK(worst_error(grid, 0.999 * edge, map) <= 1.02 * tolerance);
    CHECK(second_branch(grid, map) >= 0.999 * edge);
    // Undone in time alone, or not at all, the same weights are worthless.
    CHECK(usable_omega(grid, tolerance, FrequencyMap::time()) < 0.5 * edge);
    CHECK(usable_omega(grid, tolerance) < 0.7 * edge);
  }
}

TEST_CASE("the slowest group of a stencil that is exact in space and along axes", "[dispersion]") {
  // leggy-1 at its Courant limit has no dispersion along the diagonal; along an axis a wave of kappa has the group
  // velocity cos(kappa / 2) / cos(w / 2).
  const GridStencil grid = cubic(at_courant(*find_stencil("leggy-1"), 1.0 / std::sqrt(3.0)));
  const double omega = 0.5, sine = std::sin(omega / 2.0) * std::sqrt(3.0);
  const double group = std::sqrt(1.0 - sine * sine) / std::cos(omega / 2.0);
  CHECK(slowest_group(grid, omega) == Approx(group).epsilon(0.01));
  CHECK(slowest_group(grid, 1e-3) == Approx(1.0).epsilon(1e-3));
  for (const Stencil* stencil : radial_sets()) {
    const FrequencyMap map = frequency_map(*stencil);
    const double slow =
        slowest_group(cubic(*stencil), rendered_omega(cubic(*stencil), tolerance_of(*stencil), map), map);
    INFO(stencil->name);
    CHECK(slow > 0.3);
    CHECK(slow <= 1.0);
  }
}

TEST_CASE("a map is stored as numbers and read back, impossible numbers are refused", "[dispersion]") {
  const FrequencyMap map = frequency_map(*find_stencil("compact-4/radial1"));
  const std::vector<double> numbers = map.numbers();
  REQUIRE(numbers.size() == 6 + 2 * 4);
  const auto read = FrequencyMap::from_numbers(numbers);
  REQUIRE(read);
  CHECK(*read == map);
  CHECK(read->grid(1.3) == map.grid(1.3));
  CHECK(FrequencyMap::time().numbers().empty());
  CHECK_FALSE(FrequencyMap::time() == FrequencyMap());
  CHECK_FALSE(FrequencyMap::from_numbers({}));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      std::vector<double> forged = numbers;
      forged[i] = bad;
      CHECK_FALSE(FrequencyMap::from_numbers(forged));
    }
  std::vector<double> falling = numbers;
  for (std::size_t i = 7; i < falling.size(); i += 2) falling[i] = -falling[i];
  CHECK_FALSE(FrequencyMap::from_numbers(falling));
  std::vector<double> odd = numbers;
  odd.pop_back();
  CHECK_FALSE(FrequencyMap::from_numbers(odd));
}
