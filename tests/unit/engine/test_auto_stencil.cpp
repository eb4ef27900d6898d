#include "engine/auto_stencil.hpp"

#include "scenes/parse.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

Scene room() {
  return parse_scene(R"(
schema = 1
[simulation]
duration = 0.1
max_frequency = 2000.0
dispersion_error = 0.02
[room]
box = [5.0, 4.0, 3.0]
[room.walls]
default = "wall"
[materials.wall]
admittance = 0.1
[[source]]
name = "s"
position = [1.0, 1.0, 1.0]
[[receiver]]
name = "r"
position = [4.0, 3.0, 2.0]
)",
                     "room.toml")
      .scene;
}

AutoStencil cheapest(const std::function<double(const Stencil&)>& ctpn) {
  CtpnCache cache({"", "m", [&](const Stencil& stencil, Precision) { return ctpn(stencil); }, ctpn}, {});
  return cheapest_stencil(room(), cache);
}

}  // namespace

TEST_CASE("\"auto\" takes large stencils where points cost nothing, and small ones where each is paid for") {
  const AutoStencil free = cheapest([](const Stencil&) { return 0.003; });
  const AutoStencil dear = cheapest([](const Stencil& stencil) { return 0.01 * stencil.point_count(); });
  INFO(free.stencil.name << " and " << dear.stencil.name);
  CHECK(free.stencil.point_count() > 2 * dear.stencil.point_count());
  REQUIRE(free.remarks.size() == 1);
  CHECK_THAT(free.remarks[0], Contains(free.stencil.name) && Contains("times as long"));
}

TEST_CASE("\"auto\" refuses an error that no stencil keeps") {
  Scene scene = room();
  scene.simulation.dispersion_error = 1e-12;
  CtpnCache cache({"", "m", [](const Stencil&, Precision) { return 1.0; }, [](const Stencil&) { return 1.0; }}, {});
  CHECK_THROWS_WITH(cheapest_stencil(scene, cache), Contains("no stencil reaches"));
}

}  // namespace fdtd::test
