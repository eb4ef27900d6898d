// Reciprocity of every operator: a run whose receivers send and whose sources record has the same record, to rounding,
// in rooms of any shape, with walls with memory, cut voxels and walls solved together.
#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/run/exchanged_recording.hpp"
#include "engine/run/run.hpp"
#include "engine/transducers/exchange.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Three sources and two receivers on nodes anywhere, beside walls too; of the last of each the weights add to 0, as a
// derivative's do.
void add_transducers(Plan& plan, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(0.2, 1.0);
  const auto tap = [&](const std::string& name, bool derivative) {
    Tap one = random_tap(plan, 24, random, name);
    for (std::size_t i = 0; i < one.weights.size(); ++i)
      one.weights[i] *= (derivative && i % 2 == 1 ? -1.0 : 1.0) * weight(random);
    return one;
  };
  plan.sources = {tap("S1", false), tap("S2", false), tap("S3", true)};
  plan.receivers = {tap("R1", false), tap("R2", true)};
  plan.steps = 120;
}

// The largest difference of both records, relative to the largest sample of the channel.
double distance_of_ways(Plan plan, const std::function<std::unique_ptr<Backend>()>& backend) {
  const Recording forth = run(plan, *backend());
  exchange_transducers(plan);
  Recording back = run(plan, *backend());
  REQUIRE(back.energy.size() == 2);
  exchange_recording(back);
  REQUIRE(back.sources == forth.sources);
  REQUIRE(back.receivers == forth.receivers);
  const auto samples = static_cast<std::ptrdiff_t>(forth.samples);
  double largest = 0.0;
  for (std::ptrdiff_t c = 0; c < 6; ++c) {
    const auto channel = [&](const Recording& one) {
      return std::vector<double>(one.pressure.begin() + c * samples, one.pressure.begin() + (c + 1) * samples);
    };
    REQUIRE(std::ranges::max(channel(forth)) > 0.0);
    largest = std::max(largest, difference(channel(back), channel(forth)));
  }
  return largest;
}

void check_both_ways(const Plan& plan) {
  const double tolerance = plan.precision == Precision::f64 ? 1e-11 : 5e-5;
  CHECK(distance_of_ways(plan, [] { return make_cpu_backend({1, ""}); }) < tolerance);
  if (plan.precision == Precision::f64)
    CHECK(distance_of_ways(plan, [] { return make_reference_backend(); }) < tolerance);
}

}  // namespace

TEST_CASE("reciprocity holds beside walls with memory in rooms of any shape and on cut voxels") {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (const char* stencil : {"leggy-1", "leggy-4", "leggy-8/warp1", "compact-5", "box-222", "compact-3/radial1"}) {
      for (const bool cut : {false, true}) {
        if (cut && std::string(stencil) == "compact-3/radial1") continue;  // not stable as products, nor planned so
        CAPTURE(stencil, to_string(precision), cut);
        std::mt19937 random(17);
        RoomSpec spec;
        spec.size = {10, 9, 8};
        spec.stencil = stencil;
        spec.precision = precision;
        spec.air = random_mask(spec.size, 0.85, random);
        spec.laws = some_laws();
        spec.cut = cut;
        Plan plan = plan_of(spec);
        add_transducers(plan, random);
        check_both_ways(plan);
      }
    }
  }
}

TEST_CASE("reciprocity holds beside walls that several nodes feel and that are solved together where they meet") {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (const auto& [stencil, points] : {std::tuple{"leggy-4", 2.3}, {"compact-2", 4.0}, {"compact-3/radial1", 4.0}}) {
      CAPTURE(stencil, to_string(precision));
      std::mt19937 random(18);
      RoomSpec spec;
      spec.size = {19, 18, 17};
      spec.stencil = stencil;
      spec.precision = precision;
      Plan plan = box_plan(spec, {"1", "2", "3", "4", "5", "1"}, true, points);
      add_transducers(plan, random);
      check_both_ways(plan);
    }
  }
}
