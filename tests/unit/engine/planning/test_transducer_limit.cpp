#include "engine/planning/transducer_limit.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Cells of 0.1 m; waves of so many points.
Grid cells() { return {{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 340.0}; }
double frequency_of(double points) { return 340.0 / (0.1 * points); }

Tap at(double x, const FieldOperator& operation = {}) { return {"R", {x, x, x}, {}, {}, operation}; }

}  // namespace

TEST_CASE(
    "a tap on a node reads every direction alike, one in mid-cell to 1 dB from 2.9 points on, to 3 dB from 2.45") {
  CHECK(direction_error(at(2.05), cells(), frequency_of(2.2)) < 1e-12);
  // By polynomials through eight nodes: 1.11 dB at 2.86 points, 2.65 dB at 2.5, 3.4 dB at 2.41.
  CHECK(direction_error(at(2.0), cells(), frequency_of(20.0 / 7.0)) == Approx(0.120).margin(0.005));
  CHECK(direction_error(at(2.0), cells(), frequency_of(2.5)) == Approx(0.263).margin(0.005));
  CHECK(direction_error(at(2.0), cells(), frequency_of(2.41)) > 0.3);
  CHECK(direction_error(at(2.02), cells(), frequency_of(2.5)) < direction_error(at(2.0), cells(), frequency_of(2.5)));
}

TEST_CASE("derivatives are right at long waves, and wrong at short ones even on a node") {
  const FieldOperator along = {{{1, 0, 0}, 1.0}}, twice = {{{2, 0, 0}, 1.0}};
  for (const FieldOperator& one : {along, twice}) {
    CHECK(direction_error(at(2.0, one), cells(), frequency_of(8.0)) < 1e-3);
    CHECK(direction_error(at(2.05, one), cells(), frequency_of(2.2)) > 0.05);
  }
}

TEST_CASE("the limit of a plan is that of its worst source or receiver, named") {
  Plan plan;
  plan.grid = cells();
  plan.sources = {at(2.05)};
  plan.receivers = {at(1.05), at(1.0)};
  plan.receivers[1].name = "seat";
  const Limit low = transducer_limit(plan, frequency_of(3.0));
  CHECK(low.beyond);
  CHECK(low.frequency == frequency_of(3.0));
  const Limit high = transducer_limit(plan, frequency_of(2.2));
  CHECK_FALSE(high.beyond);
  CHECK(high.by == "seat");
  CHECK(high.frequency == Approx(frequency_of(2.455)).epsilon(0.01));
  plan.receivers.assign(300, at(1.05));
  CHECK(transducer_limit(plan, frequency_of(2.2)).frequency == Approx(high.frequency).epsilon(1e-3));
}
