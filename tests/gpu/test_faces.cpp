// Rooms so large that their faces have a launch of their own, against the CPU.
#include "tests/support/backend_result.hpp"
#include "tests/support/box_walls.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("a room whose faces are settled on their own equals the CPU's") {
  for (const char* const stencil : {"leggy-1", "leggy-4", "compact-3", "box-333"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      for (const std::array<std::string, 6>& walls : {std::array<std::string, 6>{"1", "1", "1", "1", "1", "1"},
                                                      {"2", "1", "2", "2", "1", "1"},
                                                      {"3", "2", "1", "3", "2", "1"},
                                                      {"5", "4", "3", "2", "1", "5"}}) {
        INFO(stencil << ", " << to_string(precision) << ", " << walls[0] << " branches at x = 0");
        std::mt19937 random(9);
        RoomSpec spec;
        spec.size = {203, 171, 168};  // 179 000 nodes of faces
        spec.stencil = stencil;
        spec.precision = precision;
        Plan plan = box_plan(spec, walls);
        plan.sources = {random_tap(plan, 20, random, "a")};
        for (const char* name : {"p", "q"}) plan.receivers.push_back(random_tap(plan, 50, random, name));
        const State start = random_state(plan, random);
        const Drive drive = random_drive(plan, 8, random);
        const Result cpu = result_of(*make_cpu_backend({8, ""}), plan, start, drive);
        const Result gpu = result_of(*make_cuda_backend(), plan, start, drive);
        const double tolerance = precision == Precision::f64 ? 1e-12 : 8e-6;
        check_close(gpu, cpu, precision, tolerance);
      }
    }
  }
}
