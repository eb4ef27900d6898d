#include "engine/cuda/tuning/profile.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::array<int, 3> grid = {256, 192, 160};  // 31 MB a float array: more than a step takes to launch

GpuProfileSettings quick(const char* kernel) {
  GpuProfileSettings settings;
  settings.repeats = 3;
  settings.batch_seconds = 2e-3;
  settings.tune.kernel = kernel;
  return settings;
}

}  // namespace

TEST_CASE("a profile reports a time, its roof, the launches of a step and the resources") {
  GpuBench bench(0);
  TuneCache cache({}, "test");
  bench.begin(*find_stencil("compact-3"), Precision::f32, grid);
  const GpuProfile p = bench.profile(quick(""), cache);
  REQUIRE(p.stencil == find_stencil("compact-3")->name);
  REQUIRE(p.points == 27);
  REQUIRE(p.ctpn.median_ns > 0.0);
  REQUIRE(p.triad.median_ns > 0.0);
  REQUIRE(p.eff() > 0.02);
  REQUIRE(p.eff() < 3.0);  // L2 may hold what the triad fetches from DRAM
  REQUIRE(p.ctpn.spread >= 0.0);
  REQUIRE(p.launches >= 1);
  REQUIRE(p.resources.registers > 0);
  REQUIRE(p.resources.local_bytes == 0);
  REQUIRE(p.occupancy > 0.0);
  REQUIRE(p.occupancy <= 1.0);
  REQUIRE(p.declared_bytes == 12.0);
  REQUIRE(p.l2_bytes >= 12.0);
}

// All tiles of a kernel are prepared before any is launched: each must keep the shared memory that it was given.
TEST_CASE("every kernel of the table is profiled with all its tiles, in both precisions, on awkward sizes") {
  GpuBench bench(0);
  TuneCache cache({}, "test");
  for (const char* name : {"leggy-1", "leggy-4", "leggy-12", "compact-3", "box-222", "box-333", "compact-22"})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const auto& size : {std::array{131, 67, 43}, {37, 150, 91}}) {
        bench.begin(*find_stencil(name), precision, size);
        for (const Kernel& kernel : kernels()) {
          if (!kernel.supports(bench.job(), bench.device())) continue;
          INFO(kernel.name << " " << name << " " << to_string(precision) << " " << size[0]);
          GpuProfileSettings settings = quick(kernel.name);
          settings.repeats = 1;
          settings.batch_seconds = 1e-4;
          settings.all_tiles = std::string(kernel.name).find("_tma") == std::string::npos;  // these have hundreds
          const GpuProfile p = bench.profile_or_error(settings, cache);
          CHECK(p.error == "");
          CHECK(p.ctpn.median_ns > 0.0);
        }
      }
}

TEST_CASE("an unknown kernel is refused, and the next one is profiled") {
  GpuBench bench(0);
  TuneCache cache({}, "test");
  bench.begin(*find_stencil("leggy-1"), Precision::f32, {64, 48, 40});
  REQUIRE_THROWS_AS(bench.profile_or_error(quick("no_such_kernel"), cache), Error);  // a mistake of the caller
  REQUIRE(bench.profile_or_error(quick("flat"), cache).error == "");
}

TEST_CASE("the launches of a step are counted: KernelA takes 461 doubles in two") {
  GpuBench bench(0);
  TuneCache cache({}, "test");
  GpuProfileSettings settings = quick("kernel_a");
  settings.tune.tuned = false;
  bench.begin(*find_stencil("compact-22"), Precision::f32, {64, 48, 40});
  const GpuProfile floats = bench.profile(settings, cache);
  REQUIRE(floats.launches == 1);
  REQUIRE(floats.tile == Tile{32, 4, 2});
  REQUIRE(floats.tile_from == "author");
  bench.begin(*find_stencil("compact-22"), Precision::f64, {64, 48, 40});
  REQUIRE(bench.profile(settings, cache).launches == 2);
}

TEST_CASE("all tiles are timed, the fastest is profiled, the prediction is scored") {
  GpuBench bench(0);
  TuneCache cache({}, "test");
  GpuProfileSettings settings = quick("kernel_a");
  settings.all_tiles = true;
  bench.begin(*find_stencil("leggy-2"), Precision::f32, grid);
  const GpuProfile p = bench.profile(settings, cache);
  REQUIRE(p.tiles.size() >= 5);
  for (const TimedTile& one : p.tiles) REQUIRE(one.ctpn_ns > 0.0);
  const auto best = std::min_element(p.tiles.begin(), p.tiles.end(),
                                     [](const auto& a, const auto& b) { return a.ctpn_ns < b.ctpn_ns; });
  REQUIRE(p.tile == best->prediction.tile);
  const auto score = score_of(p.tiles);
  REQUIRE(score);
  REQUIRE(score->predicted >= 1);
}

TEST_CASE("the roofs of a run stand in the order of what they move") {
  GpuBench bench(0);
  bench.begin(*find_stencil("leggy-4"), Precision::f32, {512, 384, 320});
  const RoofTimes roofs = bench.roofs(quick(""));
  REQUIRE(roofs.copy.median_ns > 0.0);
  REQUIRE(roofs.copy.median_ns < 1.05 * roofs.triad.median_ns);
  REQUIRE(roofs.copy_halo.median_ns > 0.9 * roofs.copy.median_ns);
}

TEST_CASE("arrays are taken once, and memory that is not there is refused") {
  GpuBench bench(0);
  const Layout large = job_of(*find_stencil("leggy-4"), Precision::f64, grid).layout;
  bench.reserve(large.bytes());
  const std::size_t before = free_device_memory();
  bench.begin(*find_stencil("leggy-1"), Precision::f32, grid);
  bench.begin(*find_stencil("leggy-4"), Precision::f64, grid);
  REQUIRE(free_device_memory() == before);
  REQUIRE_THROWS_AS(bench.reserve(static_cast<std::int64_t>(bench.device().memory_bytes)), Error);
}

}  // namespace fdtd::cuda
