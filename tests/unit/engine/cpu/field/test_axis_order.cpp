#include "engine/cpu/field/axis_order.hpp"
#include "engine/cpu/make_backend.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("axes of one cell come last and nodes keep their numbers") {
  std::mt19937 random(2);
  for (const std::array<int, 3>& size : {std::array<int, 3>{1, 20, 30}, {20, 1, 30}, {1, 1, 40}, {1, 30, 1}}) {
    CAPTURE(size);
    RoomSpec spec;
    spec.size = size;
    spec.stencil = "leggy-3";
    spec.stretch = {1.0, 0.9, 0.8};
    spec.air = random_mask(size, 0.9, random);
    spec.laws = some_laws();
    const Plan plan = plan_of(spec);
    const std::optional<Plan> flat = cpu::flattened(plan);
    REQUIRE(flat.has_value());
    CHECK(flat->grid.size[2] == 1);
    CHECK(flat->grid.size[0] > 1);
    CHECK(flat->grid.nodes() == plan.grid.nodes());
    CHECK_FALSE(cpu::flattened(*flat).has_value());
    CHECK(flat->boundary.nodes == plan.boundary.nodes);
    CHECK(flat->near_wall.segments.size() <= plan.near_wall.segments.size());
    // The reference, which does not reorder axes, steps both to the same values.
    const State start = random_state(plan, random);
    const Drive drive = random_drive(plan, 10, random);
    const auto stepped = [&](const Plan& one) {
      const auto backend = make_reference_backend();
      backend->load(one, whole(one));
      backend->restore(start);
      Samples samples;
      backend->advance(drive, samples);
      State state;
      backend->save(state);
      return values_of(state.u_now, plan.precision);
    };
    const std::vector<double> here = stepped(plan), there = stepped(*flat);
    for (std::size_t i = 0; i < here.size(); ++i) CHECK(here[i] == Approx(there[i]).margin(1e-12));
  }
  RoomSpec spec;
  spec.size = {9, 8, 1};
  CHECK_FALSE(cpu::flattened(plan_of(spec)).has_value());
}
