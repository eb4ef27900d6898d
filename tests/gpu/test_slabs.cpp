// Two and more GPUs, a thread each, give the bytes of one: fields, branches, samples, energies, whatever lies on
// borders.
#include "base/error.hpp"
#include "engine/devices/devices.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/support/rooms/slab_checks.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// 2 and as many as there are.
std::vector<int> counts() {
  const auto all = static_cast<int>(gpus().size());
  if (all < 2) return {};
  return all == 2 ? std::vector{2} : std::vector{2, all};
}

bool alone() {
  if (counts().empty()) WARN("there is one GPU: nothing to compare");
  return counts().empty();
}

void check_gpus(const Plan& plan, unsigned seed) {
  check_slabs(plan, seed, counts(), [](Ranks* ranks) {
    BackendOptions options;
    options.ranks = ranks;
    return make_cuda_backend(options, ranks != nullptr ? ranks->local_rank() : 0);
  });
}

RoomSpec tall_room(const std::string& stencil, Precision precision) {
  RoomSpec spec;
  spec.size = {67, 34, 91};
  spec.stencil = stencil;
  spec.precision = precision;
  spec.laws = some_laws();
  return spec;
}

}  // namespace

TEST_CASE("two GPUs give the bytes of one in boxes, for every family of stencils") {
  if (alone()) return;
  unsigned seed = 1;
  for (const char* stencil : {"leggy-1", "leggy-2", "leggy-4", "leggy-8", "leggy-20", "compact-3", "compact-6",
                              "compact-22", "box-222", "box-333"})
    for (const Precision precision : {Precision::f32, Precision::f64})
      check_gpus(plan_of(tall_room(stencil, precision)), seed++);
}

TEST_CASE("two GPUs give the bytes of one where walls lie on both sides of the border") {
  if (alone()) return;
  unsigned seed = 50;
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-2", "box-222"}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const Plan plan = soft_plan_of(steps_along_z(stencil, precision));
      const std::vector<Slab> slabs = split(plan, 2);
      CHECK(slabs[1].ghosts_below > 0);
      check_gpus(plan, seed++);
    }
  }
}

// Of the first the halves have too few nodes of faces for that.
TEST_CASE("two GPUs give the bytes of one where the march updates the ends of rows") {
  if (alone()) return;
  unsigned seed = 70;
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "box-222"}) {
    for (const int planes : {127, 261}) {
      RoomSpec spec;
      spec.size = {301, 171, planes};
      spec.stencil = stencil;
      spec.precision = planes == 261 ? Precision::f32 : Precision::f64;
      check_gpus(box_plan(spec, {"3", "2", "1", "3", "2", "1"}), seed++);
    }
  }
}

TEST_CASE("two GPUs give the bytes of one in rooms with obstacles and heavy nodes") {
  if (alone()) return;
  std::mt19937 random(7);
  unsigned seed = 80;
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "compact-6", "box-222"}) {
    for (const double air : {0.6, 0.97}) {
      RoomSpec spec = tall_room(stencil, Precision::f32);
      spec.air = random_mask(spec.size, air, random);
      check_gpus(plan_of(spec), seed++);
    }
  }
}
