#include "engine/scaling.hpp"

#include <algorithm>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("one GPU is the whole of its speed, and more lose what halos and thin launches show") {
  const StepBytes large{12e9, 4e6}, small{12e7, 4e6};
  const Interconnect link;
  CHECK(strong_efficiency(large, 1, link) == 1.0);
  CHECK(weak_efficiency(large, 1, link) == 1.0);
  CHECK(strong_efficiency(large, 4, link) < 1.0);
  CHECK(strong_efficiency(large, 4, link) > strong_efficiency(large, 64, link));
  CHECK(strong_efficiency(large, 4, link) > strong_efficiency(small, 4, link));
  // Hidden halos cost nothing: a slower link changes nothing until they take longer than the inside.
  Interconnect slower = link;
  slower.link /= 2.0;
  CHECK(weak_efficiency(large, 4, slower) == weak_efficiency(large, 4, link));
  slower.link /= 1e3;
  CHECK(weak_efficiency(large, 4, slower) < 0.5);
}

TEST_CASE("a room's slabs together hold the room, and as many GPUs are needed as hold it") {
  RoomSpec spec;
  spec.size = {40, 30, 90};
  spec.stencil = "leggy-4";
  spec.laws = some_laws();
  const Plan plan = plan_of(spec);
  const std::int64_t one = slab_bytes(plan, split(plan, 1))[0];
  const std::vector<std::int64_t> three = slab_bytes(plan, split(plan, 3));
  CHECK(std::accumulate(three.begin(), three.end(), std::int64_t{0}) > one);
  CHECK(gpus_needed(plan, one) == 1);
  CHECK(gpus_needed(plan, one - 1) == 2);
  CHECK(gpus_needed(plan, *std::max_element(three.begin(), three.end())) <= 3);
  CHECK(gpus_needed(plan, 1000) == 0);
}
