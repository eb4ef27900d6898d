#include "engine/cuda/tuning/tune.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

namespace fdtd::cuda {

using test::TemporaryFolder;

namespace {

struct Bench {
  Device device = device_of(0);
  Job job;
  DeviceMemory memory[2];
  std::array<void*, 2> fields{};

  Bench(const char* name, std::array<int, 3> size) {
    const Stencil& stencil = *find_stencil(name);
    job.stencil = rounded_to_float(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}));
    job.layout = Layout(size, job.stencil.radius, sizeof(float));
    for (std::size_t i = 0; i < 2; ++i) {
      memory[i] = take_device_memory(static_cast<std::size_t>(job.layout.bytes()));
      fields[i] = memory[i].get();
      fill_random(fields[i], job.layout, i);
    }
  }
};

std::vector<float> values(const Bench& bench, std::size_t field) {
  std::vector<float> host(static_cast<std::size_t>(bench.job.layout.length));
  copy_to_host(host.data(), bench.fields[field], host.size() * sizeof(float));
  return host;
}

}  // namespace

TEST_CASE("a search is made once, kept, and made again on request") {
  const TemporaryFolder folder;
  Bench bench("leggy-2", {192, 160, 128});
  TuneCache cache(folder / "tune.json", "b");
  const Choice first = choose_tuned(bench.job, bench.device, bench.fields, {}, cache);
  REQUIRE(first.origin == Origin::search);
  TuneCache again(folder / "tune.json", "b");
  const Choice second = choose_tuned(bench.job, bench.device, bench.fields, {}, again);
  REQUIRE(second.origin == Origin::cache);
  REQUIRE(second.kernel == first.kernel);
  REQUIRE(second.tile == first.tile);
  TuneSettings anew;
  anew.retune = true;
  REQUIRE(choose_tuned(bench.job, bench.device, bench.fields, anew, again).origin == Origin::search);
}

TEST_CASE("a tile of the cache that the kernel does not have is not taken") {
  const TemporaryFolder folder;
  Bench bench("leggy-2", {192, 160, 128});
  TuneCache cache(folder / "tune.json", "b");
  const Kernel& kernel = kernel_for(bench.job, bench.device, "");
  cache.keep(tune_key(bench.job, bench.device, kernel.name), {{1, 2, 3, 4, 5}, 1e-6});
  REQUIRE(choose_tuned(bench.job, bench.device, bench.fields, {}, cache).origin == Origin::search);
}

TEST_CASE("a small grid takes the model's first tile without a search") {
  const TemporaryFolder folder;
  Bench bench("leggy-2", {64, 48, 40});
  TuneCache cache(folder / "tune.json", "b");
  const Choice choice = choose_tuned(bench.job, bench.device, bench.fields, {}, cache);
  REQUIRE(choice.origin == Origin::model);
  REQUIRE(choice.tile == modelled_tiles(*choice.kernel, bench.job, bench.device, bench.fields).front().prediction.tile);
  REQUIRE_FALSE(std::filesystem::exists(folder / "tune.json"));
}

TEST_CASE("an unknown kernel and one that does not take the job are refused") {
  const Bench bench("leggy-2", {64, 48, 40});
  REQUIRE_THROWS_AS(kernel_for(bench.job, bench.device, "kernel_z"), Error);
  for (const Kernel& kernel : kernels())
    if (!kernel.supports(bench.job, bench.device))
      REQUIRE_THROWS_AS(kernel_for(bench.job, bench.device, kernel.name), Error);
}

TEST_CASE("every tile of a kernel gives the same bytes, and the model knows the driver's count of blocks") {
  for (const char* name : {"leggy-1", "leggy-4", "compact-3", "box-222"}) {
    Bench bench(name, {131, 67, 45});
    for (const Kernel& kernel : kernels()) {
      if (!kernel.supports(bench.job, bench.device)) continue;
      std::vector<float> expected;
      for (const TimedTile& one : modelled_tiles(kernel, bench.job, bench.device, bench.fields)) {
        const TilePrediction& p = one.prediction;
        INFO(name << ", " << kernel.name << ", " << to_string(p.tile));
        REQUIRE(p.active_blocks == p.resources.blocks_per_multiprocessor);
        fill_random(bench.fields[0], bench.job.layout, 0);
        fill_random(bench.fields[1], bench.job.layout, 1);
        const Prepared prepared = kernel.prepare(bench.job, bench.device, p.tile, bench.fields);
        for (int n = 0; n < 4; ++n) prepared.step(n & 1, 0, bench.job.layout.size[2], nullptr);
        const std::vector<float> found = values(bench, 0);
        if (expected.empty()) expected = found;
        REQUIRE(std::equal(found.begin(), found.end(), expected.begin()));
      }
    }
  }
}

TEST_CASE("timing tiles leaves zeros zero and the halo untouched") {
  Bench bench("compact-3", {192, 160, 128});
  const Kernel& kernel = kernel_for(bench.job, bench.device, "");
  auto tiles = modelled_tiles(kernel, bench.job, bench.device, bench.fields);
  time_tiles(kernel, bench.job, bench.device, bench.fields, tiles);
  REQUIRE(stray_values(bench.fields[0], bench.job.layout) == 0);
  REQUIRE(stray_values(bench.fields[1], bench.job.layout) == 0);
  for (const TimedTile& one : tiles) {
    INFO(to_string(one.prediction.tile));
    REQUIRE(one.ctpn_ns > 0.0);
    REQUIRE(one.ctpn_ns < 10.0);
  }
  for (void* field : bench.fields) clear_device_memory(field, static_cast<std::size_t>(bench.job.layout.bytes()));
  time_tiles(kernel, bench.job, bench.device, bench.fields, tiles);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto host = values(bench, i);
    REQUIRE(std::all_of(host.begin(), host.end(), [](float v) { return v == 0.0F; }));
  }
}

}  // namespace fdtd::cuda
