#include "engine/planning/choose/transducer_limit.hpp"

#include <numbers>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Cells of 0.1 m; waves of so many points.
Grid cells() { return {{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 340.0}; }
double frequency_of(double points) { return 340.0 / (0.1 * points); }

Tap at(double x, const FieldOperator& operation = {}) { return {"R", {x, x, x}, {}, {}, operation}; }

// At waves of so many points, with weights made for waves of `finest`; 0: polynomials.
double error_at(const Tap& tap, double points, double finest) {
  return direction_error(tap, cells(), TapWeights(finest > 0.0 ? 2.0 * std::numbers::pi / finest : 0.0),
                         frequency_of(points));
}

constexpr double one_db = 0.1088;

}  // namespace

TEST_CASE("a tap on a node reads every direction alike, one in mid-cell to 1 dB down to 2.25 points") {
  CHECK(error_at(at(2.05), 2.2, 2.2) < 1e-12);
  for (const double points : {2.25, 2.3, 2.5, 3.0}) CHECK(error_at(at(2.0), points, points) < one_db);
  CHECK(error_at(at(2.02), 2.5, 2.5) < error_at(at(2.0), 2.5, 2.5));
  // By polynomials through eight nodes: 1.11 dB at 2.86 points, 2.65 dB at 2.5, 3.4 dB at 2.41.
  CHECK(error_at(at(2.0), 20.0 / 7.0, 0.0) == Approx(0.120).margin(0.005));
  CHECK(error_at(at(2.0), 2.5, 0.0) == Approx(0.263).margin(0.005));
  CHECK(error_at(at(2.0), 2.41, 0.0) > 0.3);
}

TEST_CASE("derivatives are right at long waves, and at short ones by weights that are made for them") {
  const FieldOperator along = {{{1, 0, 0}, 1.0}}, twice = {{{2, 0, 0}, 1.0}};
  for (const FieldOperator& one : {along, twice}) {
    CHECK(error_at(at(2.0, one), 8.0, 0.0) < 1e-3);
    CHECK(error_at(at(2.05, one), 2.4, 0.0) > 0.07);
    CHECK(error_at(at(2.05, one), 2.4, 2.4) < 0.07);
  }
}

TEST_CASE("the finest wave of a scene's transducers holds wherever they are, and more is asked of ambisonics") {
  std::vector<FieldOperator> third;
  for (int acn = 0; acn < 16; ++acn) third.push_back(solid_harmonic(acn));
  const double pressure = finest_transducer_wave({{}}), ambisonic = finest_transducer_wave(third);
  CHECK(2.0 * std::numbers::pi / pressure < 2.25);
  CHECK(2.0 * std::numbers::pi / ambisonic < 2.45);
  CHECK(ambisonic < pressure);
  CHECK(search_transducer_wave({{}}) == Approx(finest_pressure_wave).epsilon(1e-12));
  CHECK(search_transducer_wave(third) == ambisonic);
  for (const double place : {2.0, 2.02, 2.033, 2.05})
    CHECK(error_at(at(place), 2.0 * std::numbers::pi / pressure, 2.0 * std::numbers::pi / pressure) < 1.01 * one_db);
  for (const double place : {2.0, 2.013, 2.025, 2.05})
    for (const FieldOperator& one : third)
      CHECK(error_at(at(place, one), 2.0 * std::numbers::pi / ambisonic, 2.0 * std::numbers::pi / ambisonic) <
            1.05 * one_db);
}

// Each wave with the weights, and the number of nodes, that are made for it: the planner takes any spacing below.
TEST_CASE("no wave longer than the finest of a scene's transducers is read less alike") {
  for (const FieldOperator& one : {FieldOperator{}, solid_harmonic(2), solid_harmonic(6), solid_harmonic(12)}) {
    const double finest = 2.0 * std::numbers::pi / finest_transducer_wave({one});
    for (double points = finest; points < 4.0; points *= 1.004)
      for (const double place : {2.0, 2.025, 2.05}) {
        CAPTURE(points, place, one.size());
        CHECK(error_at(at(place, one), points, points) < one_db);
      }
  }
}

TEST_CASE("the limit of a plan is that of its worst source or receiver, named") {
  Plan plan;
  plan.grid = cells();
  plan.sources = {at(2.05)};
  plan.receivers = {at(1.05), at(1.0)};
  plan.receivers[1].channel = "seat";
  const Limit low = transducer_limit(plan, frequency_of(3.5));
  CHECK(low.beyond);
  CHECK(low.frequency == frequency_of(3.5));
  const Limit high = transducer_limit(plan, frequency_of(2.2));
  CHECK_FALSE(high.beyond);
  CHECK(high.by == "seat");
  CHECK(high.frequency == Approx(frequency_of(2.92)).epsilon(0.01));  // by polynomials
  plan.receivers.assign(300, at(1.05));
  CHECK(transducer_limit(plan, frequency_of(2.2)).frequency == Approx(high.frequency).epsilon(1e-3));
  plan.tap_wave = finest_wave(plan.grid, frequency_of(2.3));
  CHECK(transducer_limit(plan, frequency_of(2.3)).beyond);
}
