#include "engine/cpu/make_backend.hpp"
#include "engine/cpu/tune.hpp"

#include <fstream>
#include <string_view>

#include "engine/error.hpp"
#include "engine/system/machine.hpp"
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
  const SearchSpace space = marches_to_try(stepper, Steps::any);
  CHECK(space.single.front() == default_march(stepper, Steps::one));
  for (const March& march : space.single) CHECK(march.steps == 1);
  CHECK(space.several.size() == 5);
  for (std::size_t i = 0; i < space.several.size(); ++i) {
    const int steps = space.several[i].front().steps;
    CHECK(steps > (i > 0 ? space.several[i - 1].front().steps : 1));
    for (const March& march : space.several[i]) CHECK(march.steps == steps);
  }
  const std::vector<March> marches = space.all();
  for (std::size_t i = 0; i < marches.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(marches[i] == marches[j]);
  CHECK(marches_to_try(stepper, Steps::one).several.empty());
  CHECK(marches_to_try(stepper, Steps::several).single.empty());
  CHECK(std::ranges::count(marches, default_march(stepper, Steps::several)) == 1);
}

TEST_CASE("of long stencils in long rows narrow blocks are tried, high ones and such as the second-level cache holds") {
  RoomSpec spec;
  spec.size = {600, 800, 8};
  spec.stencil = "leggy-8";
  spec.precision = Precision::f32;
  const Plan plan = plan_of(spec);
  const Stepper<float> stepper(plan, whole(plan), choose_kernel(""), 1, nullptr);
  const std::vector<March> marches = marches_to_try(stepper, Steps::one).single;
  for (const int width : {128, 256, 512}) {
    const auto tried = [&](bool all) {
      return std::ranges::any_of(
          marches, [&](const March& m) { return m.width == width && (m.columns == stepper.layout().columns) == all; });
    };
    CHECK(tried(true));
    CHECK(tried(false));
  }
}

TEST_CASE("where threads have few rows a block has all that are a thread's") {
  RoomSpec spec;
  spec.size = {16, 68, 8};  // 17 columns for four threads: four or five each
  spec.stencil = "leggy-1";
  const Plan plan = plan_of(spec);
  const Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 4, nullptr);
  CHECK(default_march(stepper, Steps::one).columns == 5);
  for (const March& march : marches_to_try(stepper, Steps::any).all()) CHECK(march.columns <= 5);
}

TEST_CASE("rows are tried both ways where a kernel has two, and nowhere else") {
  RoomSpec spec;
  struct Case {
    const char* stencil;
    const char* kernel;
    bool ways;
    int layers;  // of a call that is not cut, or that there is
  };
  const bool wide = std::string(choose_kernel("").instruction_set) == "AVX-512";
  for (const Case& one :
       {Case{"leggy-3", "", true, 1}, Case{"leggy-4", "", wide, wide ? 1 : 2}, Case{"leggy-8", "", wide, 2},
        Case{"leggy-8", "sliding_window/baseline", false, 2}, Case{"leggy-12", "", wide, 2},
        Case{"compact-3", "", false, 2}, Case{"leggy-12", "rows", false, 1}, Case{"compact-3", "rows", false, 1}}) {
    spec.size = {64, 120, 20};
    spec.stencil = one.stencil;
    const Plan plan = plan_of(spec);
    Stepper<double> stepper(plan, whole(plan), choose_kernel(one.kernel), 2, nullptr);
    for (const Steps steps : {Steps::one, Steps::several}) {
      const std::vector<March> marches = marches_to_try(stepper, steps).all();
      CAPTURE(one.stencil, one.kernel, to_string(marches.front()));
      if (steps == Steps::several && stepper.layout().reach() > 2) {  // waves too far apart to be worth a search
        CHECK(marches.size() == 1);
        continue;
      }
      CHECK(std::ranges::any_of(marches, [](const March& march) { return march.uncut; }) == one.ways);
      CHECK(std::ranges::any_of(marches, [](const March& march) { return !march.uncut; }));
      CHECK(std::ranges::any_of(
          marches, [&](const March& march) { return march.uncut == one.ways && march.layers == one.layers; }));
    }
    CHECK(default_march(stepper, Steps::one).uncut == (one.ways && prefetches_long_rows()));
    if (one.ways)
      CHECK(marches_to_try(stepper, Steps::one).single[1].uncut != default_march(stepper, Steps::one).uncut);
    stepper.set_march({1, 4, 1, 0, true});
    CHECK(stepper.march().uncut == one.ways);
  }
}

TEST_CASE("a search on a stepper leaves a march of the space set, and silence") {
  RoomSpec spec;
  spec.size = {16, 64, 12};
  const Plan plan = plan_of(spec);
  const TemporaryFolder folder;
  BackendOptions options;
  options.threads = 1;
  options.tune = true;
  options.march_file = folder.path() / "march.txt";
  const auto backend = make_cpu_backend(options);
  backend->load(plan, whole(plan));
  CHECK(backend->step() == 0);
  CHECK(backend->energy().stored == 0.0);
  Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 1, nullptr);
  const std::vector<March> marches = marches_to_try(stepper, Steps::any).all();
  CHECK(std::ranges::any_of(
      marches, [&](const March& march) { return backend->describe().ends_with(", " + to_string(march)); }));
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
  std::ofstream(file) << "here = 1 8 1 0\n";  // of a program that knew no uncut rows
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
