// Marching kernels that keep solid voxels at zero and skip what has no air: against the host, tile by tile, and whole
// rooms against the CPU.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/cpu/make_backend.hpp"
#include "engine/cuda/field/solid_bits.hpp"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/devices/devices.hpp"
#include "stencils/catalogue.hpp"
#include "tests/gpu/case_rooms.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/open_box.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// An oblique hall: columns without air, columns whose air begins and ends at planes of their own, planes without air
// between two with, obstacles, and tiles that no solid voxel touches.
std::vector<char> hall(std::array<int, 3> size, std::mt19937& random) {
  std::vector<char> air(static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                        static_cast<std::size_t>(size[2]));
  const auto [nx, ny, nz] = size;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const bool inside = 3 * x + 2 * y > nx && 4 * z > x / 3 && 6 * (nz - z) > y && 5 * x + 7 * y < 9 * nx;
        const bool slab = x > nx / 2 && y < ny / 2 && z > nz / 2 && z < nz / 2 + nz / 6;
        air[node_of(size, x, y, z)] = inside && !slab && random() % 64 != 0;
      }
  return air;
}

template <class T>
std::vector<T> on_layout(const cuda::Layout& layout, const std::vector<double>& nodes) {
  std::vector<T> values(static_cast<std::size_t>(layout.length));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    values[static_cast<std::size_t>(layout.offset(static_cast<std::uint64_t>(i)))] = static_cast<T>(nodes[i]);
  return values;
}

cuda::Job job_of(const Stencil& stencil, Precision precision, std::array<int, 3> size) {
  cuda::Job job;
  job.precision = precision;
  job.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (precision == Precision::f32) job.stencil = rounded_to_float(job.stencil);
  job.layout = cuda::Layout(size, job.stencil.radius, precision == Precision::f32 ? sizeof(float) : sizeof(double));
  return job;
}

void clear(std::vector<double>& field, const std::vector<char>& air) {
  for (std::size_t i = 0; i < field.size(); ++i)
    if (air[i] == 0) field[i] = 0.0;
}

// Every lead with the first partition of each shape, every partition with one lead.
std::vector<cuda::Tile> tiles_of(const cuda::Kernel& kernel, const cuda::Job& job, const cuda::Device& device) {
  const std::vector<cuda::Tile> all = kernel.tiles(job, device);
  std::vector<cuda::Tile> some;
  for (const cuda::Tile& tile : all) {
    const cuda::Tile& shape = *std::find_if(all.begin(), all.end(), [&](const cuda::Tile& other) {
      return other.x == tile.x && other.y == tile.y && other.threads == tile.threads;
    });
    if (tile.max_lead == shape.max_lead || (tile.z == shape.z && tile.depth == shape.depth)) some.push_back(tile);
  }
  return some;
}

// Whatever the tile, in one launch a step and in two, the values are the host's and every tile's bytes the same.
template <class T>
void check_tiles(const char* name, std::array<int, 3> size, unsigned seed) {
  const cuda::Device device = cuda::device_of(0);
  const Stencil& stencil = *find_stencil(name);
  cuda::Job job = job_of(stencil, sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64, size);
  const cuda::Kernel* const kernel = cuda::find_kernel(stencil.family == Family::leggy ? "star_tma" : "cube_tma");
  if (!kernel->keeps_solids(job, device)) {
    WARN("this GPU has no tensor copies: nothing to compare");
    return;
  }

  std::mt19937 random(seed);
  const std::vector<char> air = hall(size, random);
  job.solids = std::make_shared<const cuda::SolidBits>(size, cuda::pack_solids(AirMask(size, air)));
  OpenBox truth = random_box(size, seed);
  for (auto& field : truth.u) clear(field, air);
  const OpenBox start = truth;
  constexpr int steps = 5;
  for (int n = 0; n < steps; ++n) {
    test::step(truth, job.stencil, 1 - n % 2);
    clear(truth.u[static_cast<std::size_t>(n % 2)], air);
  }
  const std::vector<T> expected = on_layout<T>(job.layout, truth.u[0]);
  const double scale =
      std::abs(*std::max_element(expected.begin(), expected.end(), [](T a, T b) { return std::abs(a) < std::abs(b); }));

  const auto bytes = static_cast<std::size_t>(job.layout.bytes());
  const std::array<cuda::DeviceMemory, 2> memory = {cuda::take_device_memory(bytes), cuda::take_device_memory(bytes)};
  const std::array<std::vector<T>, 2> begin = {on_layout<T>(job.layout, start.u[0]),
                                               on_layout<T>(job.layout, start.u[1])};
  std::vector<T> first, found(static_cast<std::size_t>(job.layout.length));
  const std::vector<cuda::Tile> tiles = tiles_of(*kernel, job, device);
  CHECK(tiles.size() > 4);
  for (const cuda::Tile& tile : tiles) {
    for (const int cut : {0, size[2] / 3}) {
      INFO(name << " " << to_string(job.precision) << ", " << tile.x << "x" << tile.y << "x" << tile.z << ", depth "
                << tile.depth << ", blocks " << tile.blocks << ", lead " << tile.max_lead << ", cut " << cut);
      for (std::size_t i = 0; i < 2; ++i) cuda::copy_to_device(memory[i].get(), begin[i].data(), bytes);
      const cuda::Prepared prepared = kernel->prepare(job, device, tile, {memory[0].get(), memory[1].get()});
      CHECK(prepared.resources.local_bytes == 0);
      for (int n = 0; n < steps; ++n) {
        if (cut > 0) prepared.step(1 - n % 2, 0, cut, nullptr);
        prepared.step(1 - n % 2, cut, size[2], nullptr);
      }
      cuda::copy_to_host(found.data(), memory[0].get(), bytes);
      if (first.empty()) first = found;
      REQUIRE(std::memcmp(found.data(), first.data(), bytes) == 0);
    }
  }
  double most = 0.0;
  bool zero = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(first[i]) - static_cast<double>(expected[i])));
  for (std::size_t i = 0; i < air.size(); ++i)
    zero = zero &&
           (air[i] != 0 || first[static_cast<std::size_t>(job.layout.offset(static_cast<std::uint64_t>(i)))] == T{});
  INFO(name << " " << to_string(job.precision) << " " << size[0] << "x" << size[1] << "x" << size[2]);
  CHECK(most < (sizeof(T) == sizeof(float) ? 1e-6 : 1e-13) * scale);
  CHECK(zero);
}

RoomSpec hall_room(const char* stencil, std::array<int, 3> size, Precision precision, unsigned seed) {
  std::mt19937 random(seed);
  RoomSpec spec;
  spec.size = size;
  spec.stencil = stencil;
  spec.precision = precision;
  spec.air = hall(size, random);
  spec.laws = some_laws();
  return spec;
}

void check_hall(const char* stencil, std::array<int, 3> size, std::int64_t steps) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    std::mt19937 random(17);
    Plan plan = plan_of(hall_room(stencil, size, precision, 3));
    plan.sources = {random_tap(plan, 60, random, "a")};
    for (const char* name : {"p", "q"}) plan.receivers.push_back(random_tap(plan, 50, random, name));
    const State start = random_state(plan, random);
    const Drive drive = random_drive(plan, steps, random);
    const Result cpu = result_of(*make_cpu_backend({2, ""}), plan, start, drive);
    const Result gpu = result_of(*make_cuda_backend(), plan, start, drive);
    INFO(stencil << " " << to_string(precision));
    const double tolerance = precision == Precision::f64 ? 1e-12 : 1e-4;
    const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, precision); };
    CHECK(difference(values(gpu.state.u_now), values(cpu.state.u_now)) < tolerance);
    CHECK(difference(values(gpu.state.branches.V), values(cpu.state.branches.V)) < tolerance);
    CHECK(difference(gpu.samples.p, cpu.samples.p) < tolerance);
    const double energy = std::abs(cpu.energy.injected) + cpu.energy.dissipated + std::abs(cpu.energy.stored);
    CHECK(std::abs(gpu.energy.stored - cpu.energy.stored) < tolerance * energy);
    CHECK(std::abs(gpu.energy.dissipated - cpu.energy.dissipated) < tolerance * energy);
  }
}

}  // namespace

TEST_CASE("every tile of a march around solid voxels equals the host, and every other tile to the last bit") {
  unsigned seed = 1;
  for (const char* name :
       {"leggy-1", "leggy-2", "leggy-3", "leggy-4", "compact-2", "compact-3", "compact-5", "box-222", "compact-9"})
    for (const std::array<int, 3> size : {std::array{251, 23, 17}, {67, 41, 37}}) {
      check_tiles<float>(name, size, seed);
      check_tiles<double>(name, size, seed++);
    }
}

TEST_CASE("halls with solid corners and lossy walls on the GPU equal the CPU's") {
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "compact-4", "compact-9", "box-222", "leggy-8"})
    check_hall(stencil, {111, 57, 41}, 40);
}

TEST_CASE("a hall with solid corners, four steps") {  // few enough for a race detector
  for (const char* stencil : {"leggy-1", "compact-3", "box-222"}) check_hall(stencil, {70, 41, 33}, 4);
}
