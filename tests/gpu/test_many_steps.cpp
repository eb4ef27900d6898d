// Small rooms that step many times a launch: against their steps one by one, to the last bit, and against the reference.
#include <algorithm>

#include "engine/cuda/gpu/device.hpp"
#include "engine/devices/devices.hpp"
#include "stencils/catalogue.hpp"
#include "tests/gpu/case_rooms.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

bool takes_many(const Backend& backend) { return backend.describe().find("many steps a launch") != std::string::npos; }

// The kernel whose sums the many steps have; named, a room steps once a launch.
std::unique_ptr<Backend> one_by_one(const Case& c) {
  BackendOptions options;
  options.kernel = find_stencil(c.stencil)->family == Family::leggy ? "star_tma" : "cube_tma";
  return make_cuda_backend(options);
}

void check_same(const Result& many, const Result& ones) {
  CHECK((many.samples.p == ones.samples.p));
  CHECK((many.state.u_now == ones.state.u_now));
  CHECK((many.state.u_before == ones.state.u_before));
  CHECK((many.state.branches.V == ones.state.branches.V));
  CHECK((many.state.branches.G == ones.state.branches.G));
  CHECK(many.state.step == ones.state.step);
  CHECK(many.energy.stored == ones.energy.stored);
  CHECK(many.energy.injected == ones.energy.injected);
  CHECK(many.energy.dissipated == ones.energy.dissipated);
}

// True where the room takes many steps a launch.
bool check_room(const Case& c, Precision precision, std::int64_t steps) {
  INFO(name_of(c, precision));
  std::mt19937 random(21);
  const Plan plan = plan_for(c, precision, random);
  const State start = random_state(plan, random);
  const Drive drive = drive_for(plan, steps, 7, random);
  const auto backend = make_cuda_backend();
  const Result many = result_of(*backend, plan, start, drive);
  if (!takes_many(*backend)) return false;
  const auto ordinary = one_by_one(c);
  const Result ones = result_of(*ordinary, plan, start, drive);
  CHECK_FALSE(takes_many(*ordinary));
  check_same(many, ones);
  return true;
}

// Of one cluster, of more blocks, and of more nodes than threads, so that each takes four planes.
const std::vector<Case> larger = {
    {"leggy-4", {64, 56, 50}, 1.0, Walls::wide},    {"leggy-1", {61, 57, 55}, 0.95, Walls::some},
    {"compact-3", {63, 56, 51}, 0.95, Walls::some}, {"box-222", {64, 56, 50}, 1.0, Walls::some},
    {"leggy-2", {118, 97, 83}, 1.0, Walls::some},   {"leggy-3", {83, 78, 71}, 0.97, Walls::some},
    {"compact-3", {117, 97, 83}, 1.0, Walls::some}, {"box-222", {83, 76, 73}, 1.0, Walls::wide},
    {"compact-3", {2, 3, 4}, 1.0, Walls::some},     {"leggy-4", {4, 5, 4}, 1.0, Walls::some},
};

}  // namespace

TEST_CASE("many steps a launch give the bytes of steps one by one") {
  if (!cuda::device_of(0).tensor_copies) return;
  int many = 0;
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (const Case& c : cases) many += check_room(c, precision, 140) ? 1 : 0;
    for (const Case& c : larger) many += check_room(c, precision, 60) ? 1 : 0;
  }
  CHECK(many >= 2 * 17);
}

TEST_CASE("many steps a launch of a small room with walls of all kinds") {  // few enough for memcheck and racecheck
  if (!cuda::device_of(0).tensor_copies) return;
  for (const Case& c :
       {Case{"leggy-4", {21, 18, 17}, 1.0, Walls::wide}, Case{"leggy-1", {22, 17, 13}, 0.9, Walls::some},
        Case{"box-222", {27, 24, 17}, 1.0, Walls::wide}, Case{"leggy-2", {64, 45, 30}, 0.95, Walls::wide}})
    CHECK(check_room(c, Precision::f32, 11));
}

TEST_CASE("many steps a launch equal the reference to rounding") {
  if (!cuda::device_of(0).tensor_copies) return;
  for (const Case& c : cases) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(22);
      const Plan plan = plan_for(c, precision, random);
      const State start = random_state(plan, random);
      const Drive drive = drive_for(plan, 24, 3, random);
      const auto backend = make_cuda_backend();
      const Result gpu = result_of(*backend, plan, start, drive);
      if (!takes_many(*backend)) continue;
      const Result truth = result_of(*make_reference_backend(), plan, start, drive);
      INFO(name_of(c, precision));
      const double tolerance = precision == Precision::f64 ? 1e-13 : 8e-6;
      const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, precision); };
      CHECK(difference(values(gpu.state.u_now), values(truth.state.u_now)) < tolerance);
      CHECK(difference(values(gpu.state.branches.V), values(truth.state.branches.V)) < tolerance);
      CHECK(difference(gpu.samples.p, truth.samples.p) < tolerance);
    }
  }
}
