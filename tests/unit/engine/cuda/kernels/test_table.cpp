#ifdef FDTD_HAS_CUDA
// The properties of the table's kernels, for which no GPU is needed.
#include <algorithm>
#include <array>
#include <string>

#include "engine/studies/literature.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/engine/cuda/jobs.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::array<int, 3> large = {720, 640, 560}, awkward = {37, 3, 5};

const Kernel& first_for(const Job& job) {
  const auto all = kernels();
  return *std::find_if(all.begin(), all.end(), [&](const Kernel& k) { return k.supports(job, large_device()); });
}

}  // namespace

TEST_CASE("every stencil of the catalogue has a kernel of its own shape, in both precisions, on any grid") {
  for (const Stencil& stencil : catalogue())
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const auto& size : {large, awkward, {1, 1, 1}}) {
        INFO(stencil.name << " " << to_string(precision) << " " << size[0]);
        const Job job = job_of(stencil.name.c_str(), size, precision);
        const Kernel& best = first_for(job);
        CHECK(std::string(best.name) != "kernel_a");
        const Kernel& shaped = *find_kernel(stencil.family == Family::leggy ? "star_march" : "plane_sums");
        CHECK(shaped.supports(job, large_device()));
      }
}

TEST_CASE("a kernel's tiles are distinct, fit shared memory's addresses and move three values a point at least") {
  for (const char* name :
       {"leggy-1", "leggy-4", "leggy-8", "leggy-20", "compact-2", "box-222", "box-333", "compact-22"})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const auto& size : {large, awkward})
        for (const Kernel& kernel : kernels()) {
          const Job job = job_of(name, size, precision);
          if (!kernel.supports(job, large_device())) continue;
          INFO(kernel.name << " " << name << " " << to_string(precision));
          const std::vector<Tile> tiles = kernel.tiles(job, large_device());
          REQUIRE(!tiles.empty());
          for (const Tile& tile : tiles) {
            CHECK(std::count(tiles.begin(), tiles.end(), tile) == 1);
            CHECK(kernel.bytes_a_point(job, tile) >= 3.0 * static_cast<double>(job.layout.value_bytes));
          }
        }
}

// All tiles of a job are prepared before they are timed, and the driver keeps one limit of shared memory for each
// kernel: a shallow tile that is prepared after a deep one must not take the deep one's memory away.
TEST_CASE("every kernel launches every tile of every job it accepts: shared memory and blocks suffice on every GPU") {
  const std::array<std::array<int, 3>, 5> grids = {
      {{672, 660, 600}, {928, 800, 750}, awkward, {1, 1, 1}, {37, 200000, 5}}};
  for (const Device& device : device_generations())
    for (const Kernel& kernel : kernels())
      for (const Precision precision : {Precision::f32, Precision::f64})
        for (const Stencil& stencil : catalogue())
          for (const auto& size : grids) {
            if (&stencil != find_stencil(stencil.name.substr(0, stencil.name.find('/'))))
              continue;  // the same shape again
            const Job job = job_of(stencil.name.c_str(), size, precision);
            if (!kernel.supports(job, device)) continue;
            INFO(kernel.name << " " << stencil.name << " " << to_string(precision) << " " << device.capability << ", "
                             << size[0] << " x " << size[1] << " x " << size[2]);
            const std::vector<Tile> tiles = kernel.tiles(job, device);
            REQUIRE(!tiles.empty());
            std::size_t limit = 48 * 1024;  // a kernel's before anything is prepared
            for (const Tile& tile : tiles) limit = raised_shared_limit(limit, kernel.shared_bytes(job, tile));
            for (std::size_t i = tiles.size(); i-- > 0;)
              limit = raised_shared_limit(limit, kernel.shared_bytes(job, tiles[i]));
            REQUIRE(limit <= device.shared_per_block);
            bool fits = true;
            for (const Tile& tile : tiles) {
              const bool flat_blocks = tile.blocks > 0 || std::string(kernel.name) == "flat";  // y within x
              fits = fits && kernel.shared_bytes(job, tile) <= limit &&
                     (flat_blocks || (size[1] + tile.y - 1) / tile.y <= 65535);
            }
            REQUIRE(fits);
          }
}

TEST_CASE("a kernel refuses a GPU whose shared memory holds none of its tiles") {
  Device small = large_device();
  small.shared_per_block = 4096;
  for (const Kernel& kernel : kernels())
    for (const char* name : {"leggy-1", "leggy-20", "compact-3", "box-333"}) {
      const Job job = job_of(name, large, Precision::f64);
      INFO(kernel.name << " " << name);
      if (kernel.supports(job, small)) CHECK(!kernel.tiles(job, small).empty());
    }
  CHECK_FALSE(find_kernel("star_march")->supports(job_of("leggy-20", large, Precision::f64), small));
  CHECK_FALSE(find_kernel("shared_one_pass")->supports(job_of("leggy-20", large, Precision::f64), small));
  CHECK(find_kernel("kernel_a")->supports(job_of("leggy-20", large, Precision::f64), small));
}

TEST_CASE("the literature's kernels take the stencils that they are compared on and declare the papers' redundancy") {
  for (const study::LiteratureKernel& paper : study::literature_kernels())
    for (const std::string& name : paper.stencils)
      for (const Precision precision : {Precision::f32, Precision::f64})
        for (const Device& device : device_generations()) {
          INFO(paper.kernel << " " << name << " " << to_string(precision));
          Job job;
          job.precision = precision;
          job.stencil = study::literature_stencil(name);
          job.layout = Layout(large, job.stencil.radius, precision == Precision::f32 ? 4 : 8);
          const Kernel& kernel = *find_kernel(paper.kernel);
          REQUIRE(kernel.supports(job, device));
          for (const Tile& tile : kernel.tiles(job, device)) {
            study::LiteratureProfile one{paper.paper, 2 * job.stencil.radius, {}, paper.other_values};
            one.profile.kernel = paper.kernel;
            one.profile.tile = {tile.x, tile.y, tile.z};
            one.profile.declared_bytes = 3.0 * static_cast<double>(job.layout.value_bytes);
            one.profile.l2_bytes = kernel.bytes_a_point(job, tile);
            const double planes = tile.z > 0 ? tile.z : large[2], march = (planes + one.order) / planes;
            const std::string kind = paper.kernel;
            const double expected = kind == "shared_one_pass"   ? one.formula() + march - 1
                                    : kind == "shared_two_pass" ? one.formula() + march
                                                                : one.formula() * march;
            CHECK(one.declared() == Approx(expected));
          }
        }
  CHECK(study::redundancy_formula("shared_one_pass", 4, {32, 16, 0}) == Approx(1.75));
  CHECK(study::redundancy_formula("tile_remap", 1, {32, 8, 0}) == Approx(340.0 / 256.0));
}

TEST_CASE("kernel_a stands before kernel_b, which takes what its offsets of 31 bits cannot") {
  Job job = job_of("leggy-1", large);
  job.stencil.family = Family::user;
  job.stencil.radius = 2;
  job.stencil.terms.push_back({{2, 1, 0}, 1e-3});  // no kernel has this shape
  job.layout = Layout(large, 2, 4);
  CHECK(std::string(first_for(job).name) == "kernel_a");
  job.layout = Layout({70000, 20000, 3}, 2, 4);
  CHECK(std::string(first_for(job).name) == "kernel_b");
}

TEST_CASE("tensor copies are used where the code that a GPU runs has them") {
  for (const int capability : {80, 86, 89}) CHECK_FALSE(runs_tensor_copies(capability));
  // Code compiled for a generation runs on it, and on no older GPU of it.
  if (runs_tensor_copies(100)) CHECK(runs_tensor_copies(103));
  if (runs_tensor_copies(120)) CHECK(runs_tensor_copies(121));
}

TEST_CASE("a GPU whose code has no tensor copies is given no kernel of the tensor copy engine, but another") {
  Device newer = large_device();
  newer.capability = 200;
  newer.tensor_copies = false;
  for (const Stencil& stencil : catalogue()) {
    INFO(stencil.name);
    const Job job = job_of(stencil.name.c_str(), large);
    const auto all = kernels();
    CHECK(std::any_of(all.begin(), all.end(), [&](const Kernel& k) { return k.supports(job, newer); }));
    for (const char* name : {"star_tma", "cube_tma"}) CHECK_FALSE(find_kernel(name)->supports(job, newer));
  }
}

TEST_CASE("kernels of the tensor copy engine mirror walls up to a radius of four, others none") {
  for (const Kernel& kernel : kernels()) {
    INFO(kernel.name);
    const std::string name = kernel.name;
    REQUIRE((kernel.mirrors != nullptr) == (name == "star_tma" || name == "cube_tma"));
    if (kernel.mirrors == nullptr) continue;
    for (const Stencil& stencil : catalogue())
      CHECK(kernel.mirrors(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant})) ==
            (stencil.radius() <= 4));
  }
}

TEST_CASE("a kernel that mirrors a stencil's walls has tiles for that, on grids large and small") {
  int checked = 0;
  for (const char* name : {"star_tma", "cube_tma"})
    for (const Stencil& stencil : catalogue())
      for (const Precision precision : {Precision::f32, Precision::f64})
        for (const auto& size : {large, awkward}) {
          const Kernel& kernel = *find_kernel(name);
          Job job = job_of(stencil.name.c_str(), size, precision);
          if (!kernel.supports(job, large_device())) continue;
          INFO(name << " " << stencil.name << " " << to_string(precision) << " " << size[0]);
          job.mirror = {true, true, true};
          CHECK(kernel.supports(job, large_device()) == kernel.mirrors(job.stencil));
          const std::vector<Tile> tiles = kernel.tiles(job, large_device());
          CHECK(tiles.empty() != kernel.mirrors(job.stencil));
          // A tile for more rows without walls hides none for few rows with them.
          if (kernel.mirrors(job.stencil) && job.stencil.radius == 3 && precision == Precision::f32 &&
              size == awkward && std::string(name) == "cube_tma")
            CHECK(std::any_of(tiles.begin(), tiles.end(), [](const Tile& t) { return t.threads <= 384; }));
          ++checked;
        }
  if (checked == 0) WARN("built without code for a tensor copy engine");
}

// In L2 a block takes as long as its planes; elsewhere what is read twice at a piece's ends outweighs idle
// multiprocessors.
TEST_CASE(
    "marching kernels cut a small grid until every multiprocessor has a piece, a large one no further than pays") {
  for (const char* kernel : {"star_march", "plane_sums"}) {
    const auto shortest = [&](const Job& job) {
      int least = job.layout.size[2];
      for (const Tile& tile : find_kernel(kernel)->tiles(job, large_device()))
        if (tile.z > 0) least = std::min(least, tile.z);
      return least;
    };
    const auto max_blocks = [&](const Job& job) {
      int most = 0;
      for (const Tile& tile : find_kernel(kernel)->tiles(job, large_device())) {
        const auto pieces = [&](std::size_t d, int extent) { return (job.layout.size[d] + extent - 1) / extent; };
        most = std::max(most, pieces(0, tile.x) * pieces(1, tile.y) * (tile.z > 0 ? pieces(2, tile.z) : 1));
      }
      return most;
    };
    const Job small = job_of("leggy-4", {121, 101, 91}), wide = job_of("leggy-4", large);
    CHECK(max_blocks(small) >= large_device().multiprocessors);
    CHECK(shortest(wide) >= 8 * 4);
  }
}

TEST_CASE("a leggy stencil with a grid step of its own an axis marches, plane sums refuse it") {
  Job job = job_of("leggy-4", large);
  const Stencil& stencil = *find_stencil("leggy-4");
  job.stencil = on_grid(stencil, {stencil.courant, 0.9 * stencil.courant, 0.8 * stencil.courant});
  CHECK(find_kernel("star_march")->supports(job, large_device()));
  CHECK(!find_kernel("plane_sums")->supports(job, large_device()));
}

TEST_CASE("a user's cubic stencil that no member holds runs on the next larger shape") {
  Job job = job_of("compact-3", large);
  job.stencil.family = Family::user;
  job.stencil.radius = 4;
  job.stencil.terms.push_back({{4, 4, 4}, 1e-3});
  job.layout = Layout(large, 4, 4);
  CHECK(find_kernel("plane_sums")->supports(job, large_device()));
  job.stencil.terms.push_back({{4, 1, 0}, 1e-3});  // without its permutations
  CHECK(!find_kernel("plane_sums")->supports(job, large_device()));
}

}  // namespace fdtd::cuda
#endif
