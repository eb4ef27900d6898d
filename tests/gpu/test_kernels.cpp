// Every GPU kernel against the host, on sizes that no tile divides.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/kernels/kernel.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/open_box.hpp"

namespace fdtd::cuda {
namespace {

using test::OpenBox;

const Device& device() {
  static const Device first = device_of(0);
  return first;
}

Job job_of(const GridStencil& stencil, Precision precision, std::array<int, 3> size) {
  Job job;
  job.precision = precision;
  job.stencil = precision == Precision::f32 ? rounded_to_float(stencil) : stencil;
  job.layout = Layout(size, stencil.radius, precision == Precision::f32 ? sizeof(float) : sizeof(double));
  return job;
}

GridStencil stencil_of(const std::string& name, std::array<double, 3> stretch = {1.0, 1.0, 1.0}) {
  const Stencil* const stencil = find_stencil(name);
  REQUIRE(stencil != nullptr);
  for (double& s : stretch) s *= stencil->courant;
  return on_grid(*stencil, stretch);
}

// Weights of a cube of radius 1 without its symmetries: one an octant, as no family has them. |S| <= 2 by their sum.
GridStencil lopsided() {
  GridStencil stencil;
  stencil.family = Family::user;
  stencil.radius = 1;
  stencil.centre = 0.31;
  stencil.terms = {{{1, 0, 0}, 0.11},  {{0, 1, 0}, 0.07},   {{0, 0, 1}, 0.13}, {{1, 1, 0}, -0.031},
                   {{1, 0, 1}, 0.023}, {{0, 1, 1}, -0.017}, {{1, 1, 1}, 0.037}};
  return stencil;
}

// Whole arrays as they lie on the device, halo and padding included.
using Arrays = std::array<std::vector<std::byte>, 2>;

template <class Function>
void for_each_node(const Layout& layout, const Function& function) {
  std::size_t node = 0;
  for (int z = 0; z < layout.size[2]; ++z)
    for (int y = 0; y < layout.size[1]; ++y)
      for (int x = 0; x < layout.size[0]; ++x) function(node++, layout.offset(x, y, z));
}

double value_at(const std::vector<std::byte>& array, std::int64_t at, Precision precision) {
  float f = 0.0F;
  double d = 0.0;
  if (precision == Precision::f64) {
    std::memcpy(&d, array.data() + at * 8, 8);
    return d;
  }
  std::memcpy(&f, array.data() + at * 4, 4);
  return static_cast<double>(f);
}

void set_value(std::vector<std::byte>& array, std::int64_t at, Precision precision, double value) {
  const auto f = static_cast<float>(value);
  if (precision == Precision::f64) {
    std::memcpy(array.data() + at * 8, &value, 8);
  } else {
    std::memcpy(array.data() + at * 4, &f, 4);
  }
}

// `cut`: each step in two launches, planes below it and from it on.
Arrays run(const Kernel& kernel, const Job& job, const Tile& tile, const OpenBox& start, int steps, int cut) {
  const auto bytes = static_cast<std::size_t>(job.layout.bytes());
  const std::array<DeviceMemory, 2> memory = {take_device_memory(bytes), take_device_memory(bytes)};
  Arrays arrays;
  for (std::size_t i = 0; i < 2; ++i) {
    arrays[i].resize(bytes);
    for_each_node(job.layout, [&](std::size_t node, std::int64_t at) {
      set_value(arrays[i], at, job.precision, start.u[i][node]);
    });
    copy_to_device(memory[i].get(), arrays[i].data(), bytes);
  }
  const Prepared prepared = kernel.prepare(job, device(), tile, {memory[0].get(), memory[1].get()});
  CHECK(prepared.resources.local_bytes == 0);
  CHECK(prepared.resources.blocks_per_multiprocessor > 0);
  const int nz = job.layout.size[2];
  for (int n = 0; n < steps; ++n) {
    const int which = 1 - n % 2;
    if (cut > 0) prepared.step(which, 0, cut, nullptr);
    if (cut < nz) prepared.step(which, cut, nz, nullptr);
  }
  for (std::size_t i = 0; i < 2; ++i) copy_to_host(arrays[i].data(), memory[i].get(), bytes);
  return arrays;
}

// Largest difference over the largest value; values outside the box, which must stay zero, count as infinite.
double error_of(const Arrays& arrays, const Job& job, const OpenBox& truth) {
  double most = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<std::byte> rest = arrays[i];
    for_each_node(job.layout, [&](std::size_t node, std::int64_t at) {
      const double difference = std::abs(value_at(arrays[i], at, job.precision) - truth.u[i][node]);
      most = std::isfinite(difference) ? std::max(most, difference) : HUGE_VAL;
      largest = std::max(largest, std::abs(truth.u[i][node]));
      set_value(rest, at, job.precision, 0.0);
    });
    if (std::any_of(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{0}; })) return HUGE_VAL;
  }
  return most / largest;
}

std::string describe(const Kernel& kernel, const Job& job, const Tile& tile, const std::string& stencil) {
  const auto [nx, ny, nz] = job.layout.size;
  const auto text = [](int n) { return std::to_string(n); };
  return std::string(kernel.name) + " " + stencil + " " + to_string(job.precision) + " on " + text(nx) + "x" +
         text(ny) + "x" + text(nz) + ", tile " + text(tile.x) + "x" + text(tile.y) + "x" + text(tile.z) + " t" +
         text(tile.threads) + " d" + text(tile.depth);
}

double tolerance(const Job& job) { return job.precision == Precision::f64 ? 1e-13 : 1e-6; }

enum class Tiles { best, shapes, all };  // shapes: of those that differ in pace and pieces alone the first

std::vector<Tile> tiles_of(const Kernel& kernel, const Job& job, Tiles which) {
  std::vector<Tile> tiles = kernel.tiles(job, device());
  REQUIRE(!tiles.empty());
  if (which == Tiles::best) tiles.resize(1);
  if (which != Tiles::shapes) return tiles;
  std::vector<Tile> shapes;
  for (const Tile& tile : tiles) {
    const auto alike = [&](const Tile& known) {
      return known.x == tile.x && known.y == tile.y && known.threads == tile.threads && known.depth == tile.depth;
    };
    if (std::none_of(shapes.begin(), shapes.end(), alike)) shapes.push_back(tile);
  }
  return shapes;
}

// Every kernel that supports the job, with its best tile or more of them, whole and cut in two.
void check_kernels(const std::string& name, const GridStencil& stencil, std::array<int, 3> size, int steps, Tiles which,
                   unsigned seed, const ImageWalls& mirror = {}) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Job job = job_of(stencil, precision, size);
    job.mirror = mirror;
    const OpenBox start = test::random_box(size, seed);
    OpenBox truth = start;
    for (int n = 0; n < steps; ++n)
      test::step(truth, job.stencil, 1 - n % 2, {mirror.sides, mirror.below, mirror.above});
    bool compared = false;
    for (const Kernel& kernel : kernels()) {
      if (!kernel.supports(job, device())) continue;
      if (mirror.sides && kernel.mirrors == nullptr) continue;
      compared = true;
      const std::vector<Tile> tiles = tiles_of(kernel, job, which);
      for (const Tile& tile : tiles) {
        INFO(describe(kernel, job, tile, name));
        const int cut = static_cast<int>(seed % static_cast<unsigned>(size[2] + 1));  // 0: whole
        CHECK(error_of(run(kernel, job, tile, start, steps, cut), job, truth) <= tolerance(job));
      }
    }
    REQUIRE((compared || (mirror.sides && device().capability < 90)));
  }
}

// Radii for which kernels have shapes of their own, least to greatest.
const std::vector<std::string> shapes = {"leggy-1",   "leggy-2",  "leggy-3",   "leggy-4",   "leggy-8",   "leggy-11",
                                         "leggy-14",  "leggy-20", "compact-2", "compact-3", "compact-5", "compact-6",
                                         "compact-9", "box-222",  "box-333",   "compact-22"};

}  // namespace

TEST_CASE("every member of the catalogue, each kernel's best tile, equals the host") {
  unsigned seed = 1;
  for (const Stencil& stencil : catalogue()) {
    if (&stencil != find_stencil(stencil.name.substr(0, stencil.name.find('/')))) continue;  // the same shape again
    check_kernels(stencil.name, stencil_of(stencil.name), {37, 14, 23}, 2, Tiles::best, seed++);
  }
}

TEST_CASE("awkward sizes along each axis equal the host") {
  unsigned seed = 1;
  for (const std::string& name : shapes) {
    const GridStencil stencil = stencil_of(name);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const int n : {1, 2, 3, 5, 17, 33, 67, 130}) {
        std::array<int, 3> size = {33, 6, 7};
        size[axis] = n;
        check_kernels(name, stencil, size, 2, Tiles::best, seed++);
      }
    }
    for (const auto& size : {std::array{1, 1, 1}, {2, 1, 3}, {131, 67, 3}, {257, 3, 11}, {3, 131, 5}, {35, 18, 150}}) {
      check_kernels(name, stencil, size, 2, Tiles::best, seed++);
    }
  }
}

TEST_CASE("every tile equals the host after 20 steps") {
  unsigned seed = 1;
  for (const std::string& name : shapes) {
    check_kernels(name, stencil_of(name), {67, 35, 19}, 20, Tiles::all, seed++);
  }
}

TEST_CASE("rigid walls mirrored by a kernel equal the host's") {
  unsigned seed = 1;
  for (const std::string& name : shapes) {
    const GridStencil stencil = stencil_of(name);
    const int R = stencil.radius;
    if (R > 4) continue;  // corrected instead
    const ImageWalls room{true, true, true}, middle{true, false, false};
    check_kernels(name, stencil, {131, 67, 2 * R + 3}, 2, Tiles::shapes, seed++, room);
    check_kernels(name, stencil, {67, 35, 19 + R}, 2, Tiles::shapes, seed++, middle);
    for (const int n : {R, R + 1, 129, 257}) {
      check_kernels(name, stencil, {n, R + 5, R + 2}, 2, Tiles::best, seed++, room);
      check_kernels(name, stencil, {R + 7, n, R}, 2, Tiles::best, seed++, {true, true, false});
      check_kernels(name, stencil, {R + 33, R, n}, 2, Tiles::best, seed++, {true, false, true});
    }
  }
}

TEST_CASE("unequal steps, an axis without waves and weights without symmetry equal the host") {
  for (const int M : {1, 2, 3, 4, 8, 20}) {
    const std::string name = "leggy-" + std::to_string(M);
    check_kernels(name + " stretched", stencil_of(name, {1.0, 0.93, 0.88}), {45, 22, 31}, 20, Tiles::best, 5);
    check_kernels(name + " flat", stencil_of(name, {1.0, 0.9, 0.0}), {45, 22, 1}, 20, Tiles::best, 6);
  }
  check_kernels("lopsided", lopsided(), {67, 35, 41}, 20, Tiles::all, 7);
}

TEST_CASE("each kernel makes the same bytes twice") {
  for (const std::string& name : shapes) {
    const GridStencil stencil = stencil_of(name);
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const Job job = job_of(stencil, precision, {131, 40, 37});
      const OpenBox start = test::random_box(job.layout.size, 11);
      for (const Kernel& kernel : kernels()) {
        if (!kernel.supports(job, device())) continue;
        const Tile tile = kernel.tiles(job, device()).front();
        INFO(describe(kernel, job, tile, name));
        const Arrays first = run(kernel, job, tile, start, 6, 0);
        CHECK((run(kernel, job, tile, start, 6, 0) == first));
        // Nor does a cut along z show, but in tile_remap, whose first plane the compiler takes out of its loop and
        // rounds anew.
        if (std::string(kernel.name) != "tile_remap") CHECK((run(kernel, job, tile, start, 6, 17) == first));
      }
    }
  }
}

TEST_CASE("every catalogued stencil has a kernel, and every kernel a stencil") {
  std::vector<std::string> used;
  for (const Stencil& stencil : catalogue()) {
    const Job job =
        job_of(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}), Precision::f32, {64, 64, 64});
    bool any = false;
    for (const Kernel& kernel : kernels()) {
      if (!kernel.supports(job, device())) continue;
      any = true;
      used.emplace_back(kernel.name);
      CHECK(!kernel.tiles(job, device()).empty());
      for (const Tile& tile : kernel.tiles(job, device())) CHECK(kernel.bytes_a_point(job, tile) >= 3.0 * 4);
    }
    INFO(stencil.name);
    CHECK(any);
  }
  for (const Kernel& kernel : kernels()) {
    INFO(kernel.name);
    CHECK(std::find(used.begin(), used.end(), kernel.name) != used.end());
  }
}

}  // namespace fdtd::cuda
