// Rooms so large that their faces have a launch of their own, and that the marching kernel updates the ends of rows,
// against the CPU.
#include "engine/cpu/make_backend.hpp"
#include "engine/devices/devices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/box_walls.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

using Branches = std::array<std::string, 6>;  // of the walls

void check_room(const char* stencil, const std::array<int, 3>& size, Precision precision, const Branches& walls,
                std::int64_t steps) {
  INFO(stencil << ", " << size[0] << " nodes a row, " << to_string(precision) << ", " << walls[0]
               << " branches at x = 0");
  std::mt19937 random(9);
  RoomSpec spec;
  spec.size = size;
  spec.stencil = stencil;
  spec.precision = precision;
  Plan plan = box_plan(spec, walls);
  plan.sources = {random_tap(plan, 20, random, "a")};
  for (const char* name : {"p", "q"}) plan.receivers.push_back(random_tap(plan, 50, random, name));
  const State start = random_state(plan, random);
  const Drive drive = random_drive(plan, steps, random);
  const Result cpu = result_of(*make_cpu_backend({8, ""}), plan, start, drive);
  const Result gpu = result_of(*make_cuda_backend(), plan, start, drive);
  check_close(gpu, cpu, precision, precision == Precision::f64 ? 1e-12 : 8e-6);
}

}  // namespace

TEST_CASE("a room whose faces are updated on their own, or by the march, equals the CPU's") {
  struct Room {
    const char* stencil;
    std::array<int, 3> size;  // some 180 000 nodes of faces
  };
  // Of wide ones the march takes both ends of rows, of narrow ones one; of 257 nodes two tiles of 128 would share an
  // end.
  for (const auto& [stencil, size] :
       {Room{"leggy-1", {301, 131, 127}}, Room{"leggy-1", {257, 150, 131}}, Room{"leggy-2", {203, 171, 168}},
        Room{"leggy-4", {301, 131, 127}}, Room{"compact-3", {203, 171, 168}}, Room{"box-222", {301, 131, 127}},
        Room{"box-333", {301, 131, 127}}, Room{"compact-9", {301, 131, 127}}})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const Branches& walls : {Branches{"1", "1", "1", "1", "1", "1"}, Branches{"2", "1", "2", "2", "1", "1"},
                                    Branches{"3", "2", "1", "3", "2", "1"}, Branches{"5", "4", "3", "2", "1", "5"}})
        check_room(stencil, size, precision, walls, 8);
}

TEST_CASE("both ends of rows updated by the march, two steps") {  // few enough for a race detector
  check_room("leggy-2", {301, 131, 127}, Precision::f32, {"3", "2", "1", "3", "2", "1"}, 2);
}
