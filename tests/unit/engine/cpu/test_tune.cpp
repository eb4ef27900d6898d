#include "engine/cpu/make_backend.hpp"
#include "engine/cpu/tune.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;
using namespace fdtd::test;

TEST_CASE("the orders to try differ, begin with the default, and have several steps a sweep only on request") {
  RoomSpec spec;
  spec.size = {16, 200, 20};
  spec.stencil = "leggy-2";
  const Plan plan = plan_of(spec);
  const Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 2, nullptr);
  const SearchSpace space = tile_orders_to_try(stepper, Steps::any);
  CHECK(space.single.front() == default_tile_order(stepper, Steps::one));
  for (const TileOrder& order : space.single) CHECK(order.steps == 1);
  CHECK(space.several.size() == 5);
  for (std::size_t i = 0; i < space.several.size(); ++i) {
    const int steps = space.several[i].front().steps;
    CHECK(steps > (i > 0 ? space.several[i - 1].front().steps : 1));
    for (const TileOrder& order : space.several[i]) CHECK(order.steps == steps);
  }
  const std::vector<TileOrder> orders = space.all();
  for (std::size_t i = 0; i < orders.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(orders[i] == orders[j]);
  CHECK(tile_orders_to_try(stepper, Steps::one).several.empty());
  CHECK(tile_orders_to_try(stepper, Steps::several).single.empty());
  CHECK(std::ranges::count(orders, default_tile_order(stepper, Steps::several)) == 1);
}

TEST_CASE(
    "for long stencils in long rows narrow blocks are tried, high ones and those that fit the second-level cache") {
  RoomSpec spec;
  spec.size = {600, 800, 8};
  spec.stencil = "leggy-8";
  spec.precision = Precision::f32;
  const Plan plan = plan_of(spec);
  const Stepper<float> stepper(plan, whole(plan), choose_kernel(""), 1, nullptr);
  const std::vector<TileOrder> orders = tile_orders_to_try(stepper, Steps::one).single;
  for (const int width : {128, 256, 512}) {
    const auto tried = [&](bool all) {
      return std::ranges::any_of(orders, [&](const TileOrder& m) {
        return m.width == width && (m.columns == stepper.layout().columns) == all;
      });
    };
    CHECK(tried(true));
    CHECK(tried(false));
  }
}

TEST_CASE("where threads have few rows a block has all rows of a thread") {
  RoomSpec spec;
  spec.size = {16, 68, 8};  // 17 columns for four threads: four or five each
  spec.stencil = "leggy-1";
  const Plan plan = plan_of(spec);
  const Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 4, nullptr);
  CHECK(default_tile_order(stepper, Steps::one).columns == 5);
  for (const TileOrder& order : tile_orders_to_try(stepper, Steps::any).all()) CHECK(order.columns <= 5);
}

TEST_CASE("whole rows are tried where a kernel has them, and nowhere else") {
  RoomSpec spec;
  struct Case {
    const char* stencil;
    const char* kernel;
    bool ways;
    int layers;  // of a call with whole rows, or of the only kind
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
      const std::vector<TileOrder> orders = tile_orders_to_try(stepper, steps).all();
      CAPTURE(one.stencil, one.kernel, to_string(orders.front()));
      if (steps == Steps::several && stepper.layout().reach() > 2) {  // waves too far apart: not searched
        CHECK(orders.size() == 1);
        continue;
      }
      CHECK(std::ranges::any_of(orders, [](const TileOrder& order) { return order.whole_rows; }) == one.ways);
      CHECK(std::ranges::any_of(orders, [](const TileOrder& order) { return !order.whole_rows; }));
      CHECK(std::ranges::any_of(
          orders, [&](const TileOrder& order) { return order.whole_rows == one.ways && order.layers == one.layers; }));
    }
    CHECK(default_tile_order(stepper, Steps::one).whole_rows == (one.ways && prefetches_long_rows()));
    if (one.ways)
      CHECK(tile_orders_to_try(stepper, Steps::one).single[1].whole_rows !=
            default_tile_order(stepper, Steps::one).whole_rows);
    stepper.set_tile_order({1, 4, 1, 0, true});
    CHECK(stepper.order().whole_rows == one.ways);
  }
}

TEST_CASE("a search on a stepper leaves an order of the space set, and a zero state") {
  RoomSpec spec;
  spec.size = {16, 64, 12};
  const Plan plan = plan_of(spec);
  const TemporaryFolder folder;
  BackendOptions options;
  options.threads = 1;
  options.tune = true;
  options.tile_order_file = folder.path() / "tune.json";
  const auto backend = make_cpu_backend(options);
  backend->load(plan, whole(plan));
  CHECK(backend->step() == 0);
  CHECK(backend->energy().stored == 0.0);
  Stepper<double> stepper(plan, whole(plan), choose_kernel(""), 1, nullptr);
  const std::vector<TileOrder> orders = tile_orders_to_try(stepper, Steps::any).all();
  CHECK(std::ranges::any_of(
      orders, [&](const TileOrder& order) { return backend->describe().ends_with(", " + to_string(order)); }));
}

TEST_CASE("an order found once is found again, and a damaged file is no error") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "cache" / "tune.json";
  const std::vector<TileOrder> orders = {{1, 8, 1}, {4, 16, 1, 0, true}, {2, 5, 2}};
  CHECK_FALSE(TileOrderCache(file).find("here", orders));
  TileOrderCache(file).keep("there", orders[1], 1.5);
  TileOrderCache(file).keep("here", orders[2], 1.5);
  TileOrderCache(file).keep("here", orders[1], 0.0);
  CHECK(TileOrderCache(file).find("here", orders) == orders[1]);
  CHECK(TileOrderCache(file).find("there", orders) == orders[1]);
  CHECK_FALSE(TileOrderCache(file).find("here", {orders[0]}));  // not an order that would be tried
  CHECK_FALSE(TileOrderCache(file).find("here", {{4, 16, 1}}));
  std::ofstream(file) << "here = 1 8 1 0 0\n";  // the format of 0.2
  CHECK_FALSE(TileOrderCache(file).find("here", orders));
  TuneFile(file, version()).keep("here", {{1, 8, 1, 0}, 1.0});  // a number is missing
  CHECK_FALSE(TileOrderCache(file).find("here", orders));
  TileOrderCache("").keep("nowhere", orders[0], 1.0);
}

TEST_CASE("separate orders are kept for a box with walls, the same grid of air, and one with obstacles") {
  const TemporaryFolder folder;
  BackendOptions options;
  options.tune = true;
  options.tile_order_file = folder.path() / "tune.json";
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
  CHECK(nlohmann::json::parse(std::ifstream(options.tile_order_file))["tuned"].size() == 3);
}

TEST_CASE("time_slice, requested by name, is refused with walls that read several tiles") {
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
