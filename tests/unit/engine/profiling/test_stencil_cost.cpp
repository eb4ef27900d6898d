#include "engine/profiling/stencil_cost.hpp"

#include <algorithm>

#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

Scene room(const std::string& keys, const std::string& walls = "branches = [ { D = 1e-3, E = 2.0, F = 2e4 } ]") {
  SceneText text;
  text.simulation = "duration = 0.1\nmax_frequency = 1000.0\n" + keys;
  text.box = "[4.6416, 4.6416, 4.6416]";
  text.materials = "[materials.panel]\n" + walls + "\n";
  return parse_scene(text_of(text), "room.toml").scene;
}

StencilCost cost(const Scene& scene, const char* stencil) {
  SceneLimits limits(scene);
  return stencil_cost(scene, *find_stencil(stencil), limits);
}

}  // namespace

TEST_CASE("what a stencil costs is counted on the grid that all limits need, and names the one that sets it") {
  const Scene rigid = room("", "rigid = true"), lossy = room("", "library = \"plasterboard\"");
  const StencilCost walled = cost(lossy, "leggy-6/warp1");
  CHECK(walled.limited_by == "walls");
  CHECK(cost(rigid, "leggy-6/warp1").limited_by == "transducers");
  CHECK(cost(rigid, "leggy-1/taylor").limited_by == "interior");
  const GridChoice& grid = walled.choice;
  CHECK(grid.grid.size == choose_grid(lossy, *find_stencil("leggy-6/warp1")).grid.size);
  CHECK(walled.updates == static_cast<double>(grid.grid.nodes()) * static_cast<double>(grid.steps));
  CHECK(walled.missed.empty());
  CHECK(eligible(walled));
  for (const char* name : {"leggy-6/warp1", "compact-9/opt1", "leggy-1/taylor"}) {
    CAPTURE(name);
    const GridChoice interior = choose_grid(lossy, *find_stencil(name), nullptr);
    CHECK(cost(lossy, name).interior_updates == node_updates(interior));
    CHECK(cost(lossy, name).updates == node_updates(choose_grid(lossy, *find_stencil(name))));
  }
  CHECK(walled.interior_updates != walled.updates);  // a tenth of a second is short: a coarser grid may take more steps
  const auto& needs = walled.choice.needs;
  REQUIRE(needs.size() == 3);
  CHECK(needs[1].what == "walls");
  CHECK(needs[1].spacing < 0.99 * needs[0].spacing);
}

TEST_CASE("a stencil that keeps a limit on no grid misses it, and \"auto\" leaves it out") {
  const Scene scene = room("wall_error = 0.001\n");
  const StencilCost missing = cost(scene, "leggy-1");
  CHECK(std::ranges::count(missing.missed, "walls") == 1);
  CHECK(!eligible(missing));
  Scene flat = room("dispersion_error = 0.003\n", "rigid = true");
  flat.room.box = {5.0, 4.1, 0.07};  // 2.5 cells: a grid of one spacing has no node where walls stand
  CHECK(std::ranges::count(cost(flat, "compact-3/opt1").missed, "wall positions") == 1);
  CHECK(std::ranges::count(cost(flat, "leggy-1/taylor").missed, "wall positions") == 0);
}

}  // namespace fdtd::test
