#include "engine/profiling/predict.hpp"

#include <memory>

#include "tests/support/catch.hpp"

namespace fdtd::test {

TEST_CASE("the time of a mesh is predicted by its own walls, that of a large box by those of a smaller one") {
  const Target cpu;
  Scene box, mesh;
  mesh.room.mesh = std::make_shared<const Mesh>();
  PlanResult small, large, huge, outline;
  small.plan.grid.size = {100, 100, 100};
  large.plan.grid.size = {300, 300, 100};
  huge.plan.grid.size = {1000, 1000, 300};
  outline.plan.grid.size = large.plan.grid.size;
  outline.outline = true;
  REQUIRE(small.plan.grid.nodes() < probe_nodes(cpu));
  REQUIRE(large.plan.grid.nodes() > probe_nodes(cpu));
  CHECK(probed_itself(box, small, cpu));
  CHECK_FALSE(probed_itself(box, large, cpu));
  CHECK(probed_itself(mesh, large, cpu));
  CHECK_FALSE(probed_itself(mesh, huge, cpu));
  CHECK_FALSE(probed_itself(mesh, outline, cpu));
}

}  // namespace fdtd::test
