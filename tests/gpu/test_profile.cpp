#include "engine/cuda/tuning/profile.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::array<int, 3> grid = {256, 192, 160};  // 31 MB a float array: more than a step takes to launch

using study::GpuProfile;
using study::KernelSettings;
using study::RoofTimes;
using study::TimedLaunch;

KernelSettings quick(const char* kernel) {
  KernelSettings settings;
  settings.repeats = 3;
  settings.batch_seconds = 2e-3;
  settings.kernel = kernel;
  return settings;
}

void begin(GpuBench& bench, const std::string& name, Precision precision, std::array<int, 3> size) {
  const Stencil& stencil = *find_stencil(name);
  bench.begin(stencil.name, study::on_cubes(stencil), precision, size);
}

}  // namespace

TEST_CASE("a profile reports a time, its roof, the launches of a step and the resources") {
  GpuBench bench(0, TuneCache({}, "test"));
  begin(bench, "compact-3", Precision::f32, grid);
  const GpuProfile p = bench.profile(quick(""));
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
  GpuBench bench(0, TuneCache({}, "test"));
  for (const char* name : {"leggy-1", "leggy-4", "leggy-12", "compact-3", "box-222", "box-333", "compact-22"})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const auto& size : {std::array{131, 67, 43}, {37, 150, 91}}) {
        begin(bench, name, precision, size);
        for (const Kernel& kernel : kernels()) {
          if (!kernel.supports(bench.job(), bench.device())) continue;
          INFO(kernel.name << " " << name << " " << to_string(precision) << " " << size[0]);
          KernelSettings settings = quick(kernel.name);
          settings.repeats = 1;
          settings.batch_seconds = 1e-4;
          settings.all_tiles = std::string(kernel.name).find("_tma") == std::string::npos;  // these have hundreds
          const GpuProfile p = bench.profile_or_error(settings);
          CHECK(p.error == "");
          CHECK(p.ctpn.median_ns > 0.0);
        }
      }
}

TEST_CASE("an unknown kernel is refused, and the next one is profiled") {
  GpuBench bench(0, TuneCache({}, "test"));
  begin(bench, "leggy-1", Precision::f32, {64, 48, 40});
  REQUIRE_THROWS_AS(bench.profile_or_error(quick("no_such_kernel")), Error);  // a mistake of the caller
  REQUIRE(bench.profile_or_error(quick("flat")).error == "");
}

TEST_CASE("the launches of a step are counted: KernelA takes 461 doubles in two") {
  GpuBench bench(0, TuneCache({}, "test"));
  KernelSettings settings = quick("kernel_a");
  settings.tuned = false;
  begin(bench, "compact-22", Precision::f32, {64, 48, 40});
  const GpuProfile floats = bench.profile(settings);
  REQUIRE(floats.launches == 1);
  REQUIRE(floats.tile == study::Launch{32, 4, 2});
  REQUIRE(floats.tile_from == "author");
  begin(bench, "compact-22", Precision::f64, {64, 48, 40});
  REQUIRE(bench.profile(settings).launches == 2);
}

TEST_CASE("all tiles are timed, the fastest is profiled, the prediction is scored") {
  GpuBench bench(0, TuneCache({}, "test"));
  KernelSettings settings = quick("kernel_a");
  settings.all_tiles = true;
  begin(bench, "leggy-2", Precision::f32, grid);
  const GpuProfile p = bench.profile(settings);
  REQUIRE(p.tiles.size() >= 5);
  for (const TimedLaunch& one : p.tiles) REQUIRE(one.ctpn_ns > 0.0);
  const auto best = std::min_element(p.tiles.begin(), p.tiles.end(),
                                     [](const auto& a, const auto& b) { return a.ctpn_ns < b.ctpn_ns; });
  REQUIRE(p.tile == best->tile);
  const auto score = study::score_of(p.tiles);
  REQUIRE(score);
  REQUIRE(score->predicted >= 1);
}

TEST_CASE("two steps of every kernel agree with KernelA's, and a tile that is named is profiled") {
  GpuBench bench(0, TuneCache({}, "test"));
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    begin(bench, "leggy-2", precision, {131, 67, 43});
    for (const std::string& kernel : bench.kernels()) {
      if (!bench.takes(kernel)) continue;
      INFO(kernel << " " << to_string(precision));
      KernelSettings settings = quick(kernel.c_str());
      settings.tile = bench.tiles(kernel).front();
      const study::Parity parity = bench.parity(kernel, *settings.tile);
      CHECK(parity.difference <= (precision == Precision::f32 ? 1e-6 : 2e-15));
      CHECK(parity.strays == 0);
      CHECK(bench.profile(settings).tile == *settings.tile);
    }
  }
}

TEST_CASE("the roofs of a run stand in the order of what they move") {
  GpuBench bench(0);
  begin(bench, "leggy-4", Precision::f32, {512, 384, 320});
  const RoofTimes roofs = bench.roofs(quick(""));
  REQUIRE(roofs.copy.median_ns > 0.0);
  REQUIRE(roofs.copy.median_ns < 1.05 * roofs.triad.median_ns);
  REQUIRE(roofs.copy_halo.median_ns > 0.9 * roofs.copy.median_ns);
}

TEST_CASE("arrays are taken once, and memory that is not there is refused") {
  GpuBench bench(0);
  bench.reserve(bench.array_bytes(study::on_cubes(*find_stencil("leggy-4")), Precision::f64, grid));
  const std::size_t before = free_device_memory();
  begin(bench, "leggy-1", Precision::f32, grid);
  begin(bench, "leggy-4", Precision::f64, grid);
  REQUIRE(free_device_memory() == before);
  REQUIRE_THROWS_AS(bench.reserve(static_cast<std::int64_t>(bench.device().memory_bytes)), Error);
}

}  // namespace fdtd::cuda
