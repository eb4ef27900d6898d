#include "engine/cpu/thread_count.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace fdtd::cpu {
namespace {

// A plan as far as its work counts: a cube of 7 points a node.
Plan cube(int side, std::int64_t steps) {
  Plan plan;
  plan.grid.size = {side, side, side};
  plan.stencil.terms.resize(6);
  plan.steps = steps;
  plan.sources.resize(1);
  return plan;
}

// Threads share the work, and wait `wait` seconds for each other after each step.
StepTrial machine(double wait) {
  return [wait](double core, int threads) { return core / threads + (threads > 1 ? wait : 0.0); };
}

}  // namespace

TEST_CASE("a room takes the threads that pay for their barriers on the machine as it is") {
  const Plan room = cube(64, 10000);  // 1.8e6 weights: 92 us of a core
  CHECK(core_seconds(room) == Approx(5e-11 * 7 * 64 * 64 * 64));
  CHECK(threads_for(room, 16, false, machine(2e-6)) == 4);  // idle: no less than 20 us each
  CHECK(threads_for(room, 2, false, machine(2e-6)) == 2);
  CHECK(threads_for(room, 16, false, machine(4e-3)) == 1);  // busy: a wait is 40 steps
  CHECK(threads_for(room, 1, false, machine(0.0)) == 1);
  CHECK(threads_for(room, 16, true, machine(0.0)) == 1);       // a trial may be lucky
  const Plan larger = cube(300, 10000);                        // 9.5 ms of a core
  CHECK(threads_for(larger, 16, false, machine(4e-3)) == 16);  // a wait is less than what they save
  CHECK(threads_for(larger, 2, false, machine(20e-3)) == 1);
}

TEST_CASE("what decides takes no longer than it saves") {
  int trials = 0;
  const auto counted = [&](double core, int threads) {
    ++trials;
    return machine(2e-6)(core, threads);
  };
  CHECK(threads_for(cube(20, 1000000), 16, false, counted) == 1);  // 3 us a step: no barrier pays
  CHECK(threads_for(cube(64, 500), 16, false, counted) == 1);      // 46 ms in all
  CHECK(threads_for(cube(1000, 100), 16, false, counted) == 16);   // 22 ms a step in each thread
  CHECK(threads_for(cube(1000, 100), 16, true, counted) == 16);    // no wait is long against that
  CHECK(trials == 0);
  CHECK(threads_for(cube(100, 10000), 16, false, counted) == 16);
  CHECK(trials == 15);  // 16, 8, 4, 2, 1, thrice
}

TEST_CASE("a trial takes the arithmetic and some hundredths of a second") {
  const double seconds = try_threads(1e-3, 1);
  CHECK(seconds > 0.5e-3);
  CHECK(seconds < 5.0);  // on whatever machine
  CHECK(try_threads(1e-3, 2) > 0.25e-3);
}

}  // namespace fdtd::cpu
