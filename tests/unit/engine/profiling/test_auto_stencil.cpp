#include "engine/profiling/auto_stencil.hpp"

#include "scenes/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

Scene room() {
  SceneText text;
  text.simulation = "duration = 0.1\nmax_frequency = 2000.0\ndispersion_error = 0.02\n";
  text.box = "[5.0, 4.0, 3.0]";
  return parse_scene(text_of(text), "room.toml").scene;
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

TEST_CASE("what \"auto\" measures decides, whatever the model foretold") {
  const auto flat = [](const Stencil&) { return 0.003; };
  const std::string foretold = member_name(cheapest(flat).stencil);
  CtpnCache cache(
      {"", "m", [&](const Stencil& stencil, Precision) { return member_name(stencil) == foretold ? 1.0 : 0.003; },
       flat},
      {});
  CHECK(member_name(cheapest_stencil(room(), cache).stencil) != foretold);
}

TEST_CASE("\"auto\" refuses an error that no stencil keeps") {
  Scene scene = room();
  scene.simulation.dispersion_error = 1e-12;
  CtpnCache cache({"", "m", [](const Stencil&, Precision) { return 1.0; }, [](const Stencil&) { return 1.0; }}, {});
  CHECK_THROWS_WITH(cheapest_stencil(scene, cache), Contains("no stencil reaches"));
}

}  // namespace fdtd::test
