#include "engine/cpu/tune.hpp"

#include <fstream>
#include <string_view>

#include "engine/error.hpp"
#include "engine/machine.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;
using namespace fdtd::test;
using namespace std::string_view_literals;

TEST_CASE("marches worth trying differ, begin with the default, and steps are taken together only where asked for") {
  RoomSpec spec;
  spec.size = {16, 200, 20};
  spec.stencil = "leggy-2";
  const Plan plan = plan_of(spec);
  const Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 2, nullptr);
  const std::vector<March> marches = marches_to_try(stepper, Steps::any);
  CHECK(marches.front() == default_march(stepper, Steps::one));
  int several = 0;
  for (std::size_t i = 0; i < marches.size(); ++i) {
    several += marches[i].steps > 1 ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(marches[i] == marches[j]);
  }
  CHECK(several >= 5);
  for (const March& march : marches_to_try(stepper, Steps::one)) CHECK(march.steps == 1);
}

TEST_CASE("of long stencils in long rows narrow blocks are tried, high ones and such as the second-level cache holds") {
  RoomSpec spec;
  spec.size = {600, 800, 8};
  spec.stencil = "leggy-8";
  spec.precision = Precision::f32;
  const Plan plan = plan_of(spec);
  const Stepper<float> stepper(plan, whole(plan), choose_kernel(""), 1, nullptr);
  const std::vector<March> marches = marches_to_try(stepper, Steps::one);
  for (const int width : {128, 256, 512}) {
    const auto tried = [&](bool all) {
      return std::ranges::any_of(
          marches, [&](const March& m) { return m.width == width && (m.columns == stepper.layout().columns) == all; });
    };
    CHECK(tried(true));
    CHECK(tried(false));
  }
}

TEST_CASE("rows are tried cut and whole where a kernel cuts them, and nowhere else") {
  RoomSpec spec;
  spec.size = {64, 120, 20};
  for (const auto& [stencil, cuts] :
       {std::pair{"leggy-4", true}, {"leggy-8", true}, {"leggy-12", false}, {"compact-3", false}}) {
    spec.stencil = stencil;
    const Plan plan = plan_of(spec);
    Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 2, nullptr);
    CHECK(stepper.cuts_rows() == cuts);
    CHECK(default_march(stepper, Steps::one).uncut == (cuts && prefetches_long_rows()));
    for (const Steps steps : {Steps::one, Steps::several}) {
      const std::vector<March> marches = marches_to_try(stepper, steps);
      CAPTURE(stencil, to_string(marches.front()));
      CHECK(std::ranges::any_of(marches, [](const March& march) { return march.uncut; }) == cuts);
      if (cuts) CHECK(marches[0].uncut != marches[1].uncut);  // the first of each kind tell which is faster
    }
    stepper.set_march({1, 4, 1, 0, true});
    CHECK(stepper.march().uncut == cuts);
  }
}

TEST_CASE("the search leaves silence and its choice set") {
  RoomSpec spec;
  spec.size = {16, 64, 12};
  Plan plan = plan_of(spec);
  Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 1, nullptr);
  const std::vector<March> marches = marches_to_try(stepper, Steps::any);
  const March chosen = fastest(stepper, marches);
  CHECK(std::ranges::find(marches, chosen) != marches.end());
  CHECK(stepper.march() == chosen);
  CHECK(stepper.step() == 0);
  CHECK(stepper.energy().stored == 0.0);
}

TEST_CASE("a march once found is found again, and a damaged file is no error") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "cache" / "march.txt";
  const std::vector<March> marches = {{1, 8, 1}, {4, 16, 1, 0, true}, {2, 5, 2}};
  CHECK(MarchCache(file).find("here", marches) == nullptr);
  MarchCache(file).keep("here = there", marches[1]);
  MarchCache(file).keep("here", marches[2]);
  MarchCache(file).keep("here", marches[1]);
  REQUIRE(MarchCache(file).find("here", marches) != nullptr);
  CHECK(*MarchCache(file).find("here", marches) == marches[1]);
  CHECK(*MarchCache(file).find("here = there", marches) == marches[1]);
  CHECK(MarchCache(file).find("here", {marches[0]}) == nullptr);  // not one that would be tried
  CHECK(MarchCache(file).find("here", {{4, 16, 1}}) == nullptr);
  std::ofstream(file) << "here = 4 nonsense\nhere\n = \n\0\xff here = 1\nhere = 99999999999999999999 1 1\n"sv;
  CHECK(MarchCache(file).find("here", marches) == nullptr);
  MarchCache("").keep("nowhere", marches[0]);
}

TEST_CASE("orders of work are kept for a box with walls, the same grid of air, and one with obstacles apart") {
  const TemporaryFolder folder;
  BackendOptions options;
  options.tune = true;
  options.march_file = folder.path() / "march.txt";
  RoomSpec spec;
  spec.size = {16, 12, 10};
  const Plan box = plan_of(spec);
  Plan air = box;
  air.boundary = Boundary{};
  air.near_wall = NearWall{};
  spec.air.assign(static_cast<std::size_t>(box.grid.nodes()), 1);
  spec.air[5] = 0;
  const Plan obstacles = plan_of(spec);
  for (const Plan* plan : std::vector<const Plan*>{&box, &air, &obstacles, &box})
    make_cpu_backend(options)->load(*plan, whole(*plan));
  std::ifstream kept(options.march_file);
  int lines = 0;
  for (std::string line; std::getline(kept, line);) ++lines;
  CHECK(lines == 3);
}

TEST_CASE("time_slice is refused, by name, beside walls that it cannot work") {
  RoomSpec spec;
  spec.size = {12, 20, 20};
  Plan plan = plan_of(spec);
  WallLaw wide{0.5, {{0.0, 9.0, 0.0}}, 0, 1, {0.5, 0.25, 0.25}, 1};
  plan.boundary.laws = {wide};
  plan.boundary.nodes = {node_of(spec.size, 5, 7, 5)};  // reads rows 7, 8, 9: of two tiles
  plan.boundary.sites = {{0, 0.3}};
  plan.boundary.site_begin = {0, 1};
  plan.boundary.branch_begin = {0, 1};
  CHECK_NOTHROW(make_cpu_backend({1, ""})->load(plan, whole(plan)));
  CHECK_THROWS_AS(make_cpu_backend({1, "time_slice"})->load(plan, whole(plan)), Error);
  plan.boundary.nodes = {node_of(spec.size, 5, 4, 5)};  // of one
  CHECK_NOTHROW(make_cpu_backend({1, "time_slice"})->load(plan, whole(plan)));
}
