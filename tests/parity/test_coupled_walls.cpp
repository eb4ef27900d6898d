// Walls that meet at edges and in corners, solved together: the CPU's small systems against the reference, which solves
// for all sites of a group at once, and the balance of energy.
#include "engine/cpu/make_backend.hpp"
#include "engine/plan/coupled_walls.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Six walls of five materials, the floor striped, so that materials change within the taps of edges and corners too.
Plan striped(const std::string& stencil, Precision precision, double points) {
  RoomSpec spec;
  spec.size = {26, 21, 18};
  spec.stencil = stencil;
  spec.precision = precision;
  return box_plan(spec, {"1", "2", "3", "4", "5", "1"}, true, points);
}

std::array<std::size_t, 2> edges_and_corners(const Plan& plan) {
  std::array<std::size_t, 2> count{};
  for (std::size_t g = 0; g < plan.boundary.groups(); ++g)
    ++count[coupled_group(plan.boundary, g, plan.grid.size).walls.size() - 2];
  return count;
}

}  // namespace

TEST_CASE("where walls of changing materials meet, the CPU equals one solution for all of their sites") {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (const auto& [stencil, points, taps] : {std::tuple{"leggy-4", 2.3, 8}, {"compact-2", 4.0, 3}}) {
      std::mt19937 random(31);
      Plan plan = striped(stencil, precision, points);
      CAPTURE(stencil, to_string(precision));
      const auto side = [&plan, taps = taps](int axis) {  // Clang 14 cannot capture the binding itself
        return static_cast<std::size_t>(plan.grid.size[static_cast<std::size_t>(axis)] - 2 * taps);
      };
      REQUIRE(edges_and_corners(plan) == std::array<std::size_t, 2>{4 * (side(0) + side(1) + side(2)), 8});
      plan.sources = {random_tap(plan, 60, random, "a")};
      plan.receivers = {random_tap(plan, 60, random, "p")};
      const State start = random_state(plan, random);
      const Drive drive = random_drive(plan, 25, random);
      const Result truth = result_of(*make_reference_backend(), plan, start, drive);
      const Result got = result_of(*make_cpu_backend({2, ""}), plan, start, drive);
      const double tolerance = precision == Precision::f64 ? 1e-13 : 6e-6;
      check_close(got, truth, precision, tolerance);
      CHECK(got.energy.stored == Approx(truth.energy.stored).epsilon(20 * tolerance));
      CHECK(got.energy.dissipated == Approx(truth.energy.dissipated).epsilon(20 * tolerance));
    }
  }
}

// Stored energy falls by what the walls take, in every step, from fields of random values, of all wavelengths.
TEST_CASE("walls solved together take from the field what they dissipate, and never supply energy") {
  std::mt19937 random(32);
  const Plan plan = striped("leggy-4", Precision::f64, 2.3);
  for (const bool reference : {true, false}) {
    const auto backend = reference ? make_reference_backend() : make_cpu_backend({2, ""});
    backend->load(plan, whole(plan));
    backend->restore(random_state(plan, random));
    const double first = backend->energy().stored, taken = backend->energy().dissipated;
    Samples samples;
    double before = first;
    for (int n = 0; n < 40; ++n) {
      backend->advance({1, {}}, samples);
      const Energy now = backend->energy();
      REQUIRE(now.stored < before);
      REQUIRE(now.stored + now.dissipated - taken == Approx(first).epsilon(1e-12));
      before = now.stored;
    }
    CHECK(before < 0.7 * first);
  }
}

// Groups along x are worked in strips, those along y and z in blocks, or one by one where walls read more than four
// nodes: all kinds keep their state in a checkpoint.
TEST_CASE("walls solved together: a run in two pieces, and on any number of threads, is the run in one, bit for bit") {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (const auto& [stencil, points] : {std::pair{"leggy-4", 2.3}, {"compact-2", 4.0}}) {
      CAPTURE(stencil, to_string(precision));
      std::mt19937 random(33);
      Plan plan = striped(stencil, precision, points);
      plan.sources = {random_tap(plan, 60, random, "a")};
      plan.receivers = {random_tap(plan, 60, random, "p")};
      const State start = random_state(plan, random);
      const Drive drive = random_drive(plan, 25, random);
      const Drive head{11, {drive.f.begin(), drive.f.begin() + 11}}, tail{14, {drive.f.begin() + 11, drive.f.end()}};
      const Result gold = result_of(*make_cpu_backend({1, ""}), plan, start, drive);
      const Result first = result_of(*make_cpu_backend({3, ""}), plan, start, head);
      const Result second = result_of(*make_cpu_backend({2, ""}), plan, first.state, tail);
      CHECK((second.state.u_now == gold.state.u_now));
      CHECK((second.state.u_before == gold.state.u_before));
      CHECK((second.state.branches.V == gold.state.branches.V));
      CHECK((second.state.branches.G == gold.state.branches.G));
      CHECK(std::equal(second.samples.p.begin(), second.samples.p.end(), gold.samples.p.begin() + 11));
      CHECK(second.energy.stored == gold.energy.stored);
      CHECK(second.energy.dissipated == gold.energy.dissipated);
    }
  }
}
