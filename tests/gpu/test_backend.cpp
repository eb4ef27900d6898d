// Whole rooms on the GPU: against the CPU, against themselves in pieces, over a million steps, at the memory's limit.
#include "engine/cuda/device.hpp"
#include "engine/error.hpp"
#include "engine/wall_law.hpp"
#include "tests/support/backend_result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

void check_same_bytes(const Result& a, const Result& b) {
  CHECK(a.state.u_now == b.state.u_now);
  CHECK(a.state.u_before == b.state.u_before);
  CHECK(a.state.velocity == b.state.velocity);
  CHECK(a.state.displacement == b.state.displacement);
  CHECK(a.state.step == b.state.step);
  CHECK(a.energy.stored == b.energy.stored);
  CHECK(a.energy.injected == b.energy.injected);
  CHECK(a.energy.dissipated == b.energy.dissipated);
}

enum class Walls { rigid, some, wide };  // wide: of several taps, as make_boundary gives them

struct Case {
  const char* stencil;
  std::array<int, 3> size;
  double air;  // share of air voxels; 1: a box
  Walls walls;
  WallMethod method = WallMethod::automatic;
};

const std::vector<Case> cases = {
    {"leggy-1", {45, 33, 21}, 1.0, Walls::wide},
    {"leggy-1", {70, 21, 19}, 0.95, Walls::some},
    {"leggy-4", {61, 50, 45}, 1.0, Walls::wide},
    {"leggy-4", {53, 31, 26}, 0.97, Walls::some},
    {"leggy-4", {40, 31, 26}, 0.9, Walls::wide},
    {"leggy-3", {37, 3, 29}, 1.0, Walls::some},
    {"leggy-8", {50, 41, 36}, 1.0, Walls::some},
    {"leggy-20", {64, 45, 43}, 1.0, Walls::some},
    {"compact-3", {45, 33, 29}, 1.0, Walls::wide},
    {"compact-3", {45, 33, 29}, 0.95, Walls::some},
    {"compact-5", {37, 33, 29}, 0.97, Walls::some, WallMethod::block},
    {"box-222", {45, 33, 29}, 1.0, Walls::wide},
    {"box-222", {39, 31, 28}, 0.96, Walls::some},
    {"leggy-2", {1, 7, 5}, 1.0, Walls::some},
    {"compact-3", {33, 24, 20}, 1.0, Walls::rigid},
};

Plan plan_for(const Case& c, Precision precision, std::mt19937& random) {
  RoomSpec spec;
  spec.size = c.size;
  spec.stencil = c.stencil;
  spec.precision = precision;
  spec.method = c.method;
  if (c.air < 1.0) spec.air = random_mask(c.size, c.air, random);
  if (c.walls == Walls::some) spec.laws = some_laws();
  Plan plan = plan_of(spec);
  if (c.walls == Walls::wide) {
    MaterialFit fit;
    fit.name = "soft";
    fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}, {1e-4, 20.0, 50.0}};
    plan.boundary = make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit},
                                  plan.grid, plan.stencil, plan.near_wall, false);
  }
  // A source over many nodes, walls' among them; one at a single node; receivers small and large.
  plan.sources = {random_tap(plan, 60, random, "a"), random_tap(plan, 1, random, "b")};
  for (const char* name : {"p", "q", "r", "s", "t"}) plan.receivers.push_back(random_tap(plan, 50, random, name));
  return plan;
}

std::string name_of(const Case& c, Precision precision) {
  return std::string(c.stencil) + " " + std::to_string(c.size[0]) + "x" + std::to_string(c.size[1]) + "x" +
         std::to_string(c.size[2]) + ", air " + std::to_string(c.air) + ", " + to_string(precision);
}

// Loud for `loud` steps, then silent: both ways of queueing steps are used.
Drive drive_for(const Plan& plan, std::int64_t steps, std::int64_t loud, std::mt19937& random) {
  Drive drive = random_drive(plan, steps, random);
  for (std::size_t s = 0; s < plan.sources.size(); ++s)
    for (std::int64_t n = loud; n < steps; ++n)
      drive.f[s * static_cast<std::size_t>(steps) + static_cast<std::size_t>(n)] = 0.0;
  return drive;
}

Drive part_of(const Drive& drive, std::size_t sources, std::int64_t first, std::int64_t last) {
  Drive part{last - first, {}};
  for (std::size_t s = 0; s < sources; ++s) {
    const auto row = drive.f.begin() + static_cast<std::ptrdiff_t>(s) * drive.steps;
    part.f.insert(part.f.end(), row + first, row + last);
  }
  return part;
}

Drive silent(const Plan& plan, std::int64_t steps) {
  return {steps, std::vector<double>(plan.sources.size() * static_cast<std::size_t>(steps), 0.0)};
}

}  // namespace

TEST_CASE("lossy rooms on the GPU equal the CPU's after 1000 steps") {
  for (const Case& c : cases) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(5);
      const Plan plan = plan_for(c, precision, random);
      const State start = random_state(plan, random);
      const Drive drive = drive_for(plan, 1000, 300, random);
      const Result cpu = result_of(*make_cpu_backend({2, ""}), plan, start, drive);
      const auto backend = make_cuda_backend();
      const Result gpu = result_of(*backend, plan, start, drive);
      INFO(name_of(c, precision) << ", " << backend->describe());
      const double tolerance = precision == Precision::f64 ? 1e-10 : 2e-3;
      double scale = 0.0;
      for (const double p : cpu.samples.p) scale = std::max(scale, std::abs(p));
      const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, precision); };
      CHECK(difference(gpu.samples.p, cpu.samples.p) < tolerance);
      CHECK(difference(values(gpu.state.u_now), values(cpu.state.u_now), scale) < tolerance);
      CHECK(difference(values(gpu.state.u_before), values(cpu.state.u_before), scale) < tolerance);
      CHECK(difference(values(gpu.state.velocity), values(cpu.state.velocity), scale) < tolerance);
      CHECK(difference(values(gpu.state.displacement), values(cpu.state.displacement), scale) < tolerance);
      CHECK(gpu.state.step == cpu.state.step);
      const double energy = std::abs(cpu.energy.injected) + cpu.energy.dissipated + std::abs(cpu.energy.stored);
      CHECK(std::abs(gpu.energy.stored - cpu.energy.stored) < tolerance * energy);
      CHECK(std::abs(gpu.energy.injected - cpu.energy.injected) < tolerance * energy);
      CHECK(std::abs(gpu.energy.dissipated - cpu.energy.dissipated) < tolerance * energy);
    }
  }
}

TEST_CASE("a few steps on the GPU equal the reference to rounding") {
  for (const Case& c : cases) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(6);
      const Plan plan = plan_for(c, precision, random);
      const State start = random_state(plan, random);
      const Drive drive = random_drive(plan, 20, random);
      const Result truth = result_of(*make_reference_backend(), plan, start, drive);
      const Result gpu = result_of(*make_cuda_backend(), plan, start, drive);
      INFO(name_of(c, precision));
      const double tolerance = precision == Precision::f64 ? 1e-13 : 8e-6;
      const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, precision); };
      CHECK(difference(values(gpu.state.u_now), values(truth.state.u_now)) < tolerance);
      CHECK(difference(values(gpu.state.velocity), values(truth.state.velocity)) < tolerance);
      CHECK(difference(gpu.samples.p, truth.samples.p) < tolerance);
    }
  }
}

TEST_CASE("the same bytes twice on the GPU, in one run and in pieces") {
  for (const Case& c : cases) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(7);
      const Plan plan = plan_for(c, precision, random);
      const State start = random_state(plan, random);
      const Drive drive = drive_for(plan, 221, 70, random);
      INFO(name_of(c, precision));
      const Result gold = result_of(*make_cuda_backend(), plan, start, drive);
      const auto backend = make_cuda_backend();
      const Result again = result_of(*backend, plan, start, drive);
      check_same_bytes(again, gold);
      CHECK(again.samples.p == gold.samples.p);
      // 37 steps, saved, restored by another backend, 75 more, restored once more, the rest in the same one.
      const Drive head = part_of(drive, 2, 0, 37), middle = part_of(drive, 2, 37, 112),
                  tail = part_of(drive, 2, 112, 221);
      const Result first = result_of(*backend, plan, start, head);
      const Result second = result_of(*make_cuda_backend(), plan, first.state, middle);
      const Result silver = result_of(*backend, plan, second.state, tail);
      check_same_bytes(silver, gold);
      for (std::size_t r = 0; r < plan.receivers.size(); ++r) {
        CHECK(std::equal(first.samples.p.begin() + static_cast<std::ptrdiff_t>(r * 37),
                         first.samples.p.begin() + static_cast<std::ptrdiff_t>(r * 37 + 37),
                         gold.samples.p.begin() + static_cast<std::ptrdiff_t>(r * 221)));
        CHECK(std::equal(silver.samples.p.begin() + static_cast<std::ptrdiff_t>(r * 109),
                         silver.samples.p.begin() + static_cast<std::ptrdiff_t>(r * 109 + 109),
                         gold.samples.p.begin() + static_cast<std::ptrdiff_t>(r * 221 + 112)));
      }
    }
  }
}

TEST_CASE("a block longer than the GPU's samples is the same block in pieces") {
  std::mt19937 random(8);
  const Plan plan = plan_for(cases[1], Precision::f32, random);
  const State start = random_state(plan, random);
  const Drive drive = drive_for(plan, 2500, 40, random);
  const Result gold = result_of(*make_cuda_backend(), plan, start, drive);
  const auto backend = make_cuda_backend();
  Result silver = result_of(*backend, plan, start, part_of(drive, 2, 0, 1300));
  Samples rest;
  backend->advance(part_of(drive, 2, 1300, 2500), rest);
  backend->save(silver.state);
  silver.energy = backend->energy();
  check_same_bytes(silver, gold);
  CHECK(std::equal(rest.p.begin(), rest.p.begin() + 1200, gold.samples.p.begin() + 1300));
}

TEST_CASE("a run begun on the CPU goes on on the GPU, and back") {
  for (const Case& c : {cases[2], cases[3], cases[10]}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(9);
      const Plan plan = plan_for(c, precision, random);
      const State start = random_state(plan, random);
      const Drive drive = drive_for(plan, 90, 90, random);
      const Result cpu = result_of(*make_cpu_backend({2, ""}), plan, start, drive);
      const Result first = result_of(*make_cpu_backend({2, ""}), plan, start, part_of(drive, 2, 0, 31));
      const Result second = result_of(*make_cuda_backend(), plan, first.state, part_of(drive, 2, 31, 60));
      const Result third = result_of(*make_cpu_backend({2, ""}), plan, second.state, part_of(drive, 2, 60, 90));
      INFO(name_of(c, precision));
      const double tolerance = precision == Precision::f64 ? 1e-12 : 1e-4;
      CHECK(difference(values_of(third.state.u_now, precision), values_of(cpu.state.u_now, precision)) < tolerance);
      CHECK(difference(values_of(third.state.velocity, precision), values_of(cpu.state.velocity, precision)) <
            tolerance);
      CHECK(third.energy.injected == Approx(cpu.energy.injected).epsilon(10 * tolerance));
      CHECK(third.energy.dissipated == Approx(cpu.energy.dissipated).epsilon(10 * tolerance));
    }
  }
}

TEST_CASE("the GPU's energy balance closes in every room") {
  for (const Case& c : cases) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(10);
      const Plan plan = plan_for(c, precision, random);
      const auto backend = make_cuda_backend();
      backend->load(plan, whole(plan));
      Samples samples;
      backend->advance(drive_for(plan, 400, 100, random), samples);
      const Energy energy = backend->energy();
      INFO(name_of(c, precision));
      const double tolerance = precision == Precision::f64 ? 1e-11 : 1e-4;
      CHECK(std::abs(energy.stored + energy.dissipated - energy.injected) <
            tolerance * std::max(std::abs(energy.injected), energy.dissipated));
      CHECK(energy.stored >= 0.0);
      if (c.walls != Walls::rigid) CHECK(energy.dissipated > 0.0);
    }
  }
}

TEST_CASE("a plane of nodes is that of the state, across every axis") {
  for (const Case& c : {cases[1], cases[3], cases[10], cases[13]}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::mt19937 random(12);
      const Plan plan = plan_for(c, precision, random);
      const auto backend = make_cuda_backend();
      const Result result = result_of(*backend, plan, random_state(plan, random), random_drive(plan, 7, random));
      const std::vector<double> field = values_of(result.state.u_now, precision);
      INFO(name_of(c, precision));
      const std::array<int, 3> size = c.size;
      for (const int axis : {0, 1, 2}) {
        const int across = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
        for (const int index : {0, size[axis] / 2, size[axis] - 1}) {
          std::vector<float> values(static_cast<std::size_t>(size[across]) * static_cast<std::size_t>(size[up]), -1.0f);
          backend->plane(axis, index, values);
          std::size_t wrong = 0, n = 0;
          std::array<int, 3> at{};
          at[axis] = index;
          for (at[up] = 0; at[up] < size[up]; ++at[up])
            for (at[across] = 0; at[across] < size[across]; ++at[across]) {
              const std::size_t node = static_cast<std::size_t>(at[0]) +
                                       static_cast<std::size_t>(size[0]) *
                                           (static_cast<std::size_t>(at[1]) +
                                            static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(at[2]));
              wrong += values[n++] != static_cast<float>(field[node]) ? 1 : 0;
            }
          INFO("axis " << axis << ", plane " << index);
          CHECK(wrong == 0);
        }
      }
    }
  }
}

TEST_CASE("solid voxels stay zero") {
  std::mt19937 random(11);
  const Plan plan = plan_for(cases[3], Precision::f32, random);
  const Result gpu = result_of(*make_cuda_backend(), plan, random_state(plan, random), random_drive(plan, 50, random));
  const std::vector<double> u = values_of(gpu.state.u_now, Precision::f32);
  std::vector<char> air(u.size(), 0);
  for (const std::size_t node : air_nodes(plan)) air[node] = 1;
  double largest = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i)
    if (air[i] == 0) largest = std::max(largest, std::abs(u[i]));
  CHECK(largest == 0.0);
}

TEST_CASE("a rigid f32 room neither grows nor drifts over a million steps on the GPU") {
  for (const char* stencil : {"leggy-1", "leggy-4"}) {
    RoomSpec spec;
    spec.size = {24, 16, 15};
    spec.stencil = stencil;
    spec.precision = Precision::f32;
    Plan plan = plan_of(spec);
    std::mt19937 random(2);
    plan.sources = {random_tap(plan, 1, random, "S")};
    plan.receivers = {random_tap(plan, 1, random, "R")};
    const auto backend = make_cuda_backend();
    backend->load(plan, whole(plan));
    Samples samples;
    Drive drive = silent(plan, 50000);
    drive.f[0] = 1.0;
    drive.f[1] = -1.0;
    double injected = 0.0, largest_mean = 0.0, largest_error = 0.0;
    for (int block = 0; block < 20; ++block) {
      backend->advance(block == 0 ? drive : silent(plan, 50000), samples);
      const Energy energy = backend->energy();
      if (block == 0) injected = energy.injected;
      largest_error = std::max(largest_error, std::abs(energy.stored - injected) / injected);
      State state;
      backend->save(state);
      double sum = 0.0;
      for (const double u : values_of(state.u_now, Precision::f32)) sum += u;
      largest_mean = std::max(largest_mean, std::abs(sum) / static_cast<double>(plan.grid.nodes()));
    }
    INFO(stencil);
    CHECK(largest_error < 1e-2);
    CHECK(largest_mean < 5.0 / static_cast<double>(plan.grid.nodes()));  // the drive leaves 1 / nodes
  }
}

TEST_CASE("the first value that is not finite is found, and the largest where all are") {
  std::mt19937 random(12);
  const Plan plan = plan_for(cases[0], Precision::f32, random);
  State state = random_state(plan, random);
  std::vector<double> u = values_of(state.u_now, Precision::f32);
  u[1234] = -7.5;
  state.u_now = bytes_at(u, Precision::f32);
  const auto backend = make_cuda_backend();
  backend->load(plan, whole(plan));
  backend->restore(state);
  CHECK(backend->extreme().node == 1234);
  CHECK(backend->extreme().value == 7.5);
  u[4000] = u[5000] = std::nan("");
  state.u_now = bytes_at(u, Precision::f32);
  backend->restore(state);
  CHECK(backend->extreme().node == 4000);
}

TEST_CASE("an empty state is silence, a state of another plan is refused") {
  std::mt19937 random(13);
  const Plan plan = plan_for(cases[0], Precision::f32, random), other = plan_for(cases[3], Precision::f32, random);
  const auto backend = make_cuda_backend();
  backend->load(plan, whole(plan));
  Samples samples;
  backend->advance(random_drive(plan, 5, random), samples);
  State silence;
  silence.precision = Precision::f32;
  backend->restore(silence);
  CHECK(backend->step() == 0);
  CHECK(backend->energy().stored == 0.0);
  CHECK(backend->energy().injected == 0.0);
  CHECK(backend->extreme().value == 0.0);
  CHECK_THROWS_AS(backend->restore(random_state(other, random)), Error);
  silence.precision = Precision::f64;
  CHECK_THROWS_AS(backend->restore(silence), Error);
}

TEST_CASE("a room that the GPU's memory does not hold is refused with one that fits") {
  Plan plan;
  plan.precision = Precision::f32;
  plan.grid.size = {8000, 8000, 8000};
  plan.stencil = on_grid(*find_stencil("leggy-1"), {0.5, 0.5, 0.5});
  plan.air = AirMask(plan.grid.size);
  const auto backend = make_cuda_backend();
  cuda::use_device(0);
  const std::size_t before = cuda::free_device_memory();
  try {
    backend->load(plan, whole(plan));
    FAIL("4 TB were taken");
  } catch (const Error& error) {
    CHECK(error.status == Status::resource);
    CHECK(std::string(error.what()).find("not enough memory on the GPU") != std::string::npos);
    CHECK(error.remedy.find("fits") != std::string::npos);
  }
  CHECK(cuda::free_device_memory() == before);
}

TEST_CASE("an unknown kernel is refused with the ones that fit") {
  std::mt19937 random(14);
  const Plan plan = plan_for(cases[0], Precision::f32, random);
  BackendOptions options;
  options.kernel = "none_such";
  try {
    make_cuda_backend(options)->load(plan, whole(plan));
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(error.remedy.find("kernel_a") != std::string::npos);
  }
}

TEST_CASE("profile tells a step and the triad of the same grid") {
  RoomSpec spec;
  spec.size = {256, 256, 192};
  spec.stencil = "leggy-4";
  spec.precision = Precision::f32;
  const Plan plan = plan_of(spec);
  const auto backend = make_cuda_backend();
  backend->load(plan, whole(plan));
  const Timing timing = backend->profile(3);
  CHECK(timing.ctpn_ns == Approx(timing.seconds_per_step * 1e9 / static_cast<double>(plan.grid.nodes())));
  CHECK(timing.triad_ctpn_ns > 0.0);
  CHECK(timing.ctpn_ns > 0.5 * timing.triad_ctpn_ns);
  CHECK(timing.declared_bytes == 12.0);
}

// 2.2e9 nodes: offsets of more than 31 bits. A wave from a corner beyond node 2^31 against the same corner of a small
// room.
TEST_CASE("1300^3 nodes in f32 run right", "[.large]") {
  const auto corner_of = [](int n) {
    RoomSpec spec;
    spec.size = {n, n, n};
    spec.stencil = "leggy-2";
    spec.precision = Precision::f32;
    Plan plan = plan_of(spec);
    const auto tap = [&](int x, int y, int z) {
      Tap one;
      one.nodes = {node_of(spec.size, n - 1 - x, n - 1 - y, n - 1 - z)};
      one.weights = {1.0};
      return one;
    };
    plan.boundary = {};
    plan.sources = {tap(5, 3, 2)};
    plan.receivers = {tap(0, 0, 0), tap(9, 0, 4), tap(3, 12, 0), tap(11, 10, 9), tap(30, 30, 30)};
    return plan;
  };
  std::vector<std::vector<double>> heard;
  for (const int n : {1300, 100}) {
    const Plan plan = corner_of(n);
    const auto backend = make_cuda_backend();
    backend->load(plan, whole(plan));
    Drive drive = silent(plan, 40);  // two nodes a step: nothing comes back from the far walls
    drive.f[0] = 1.0;
    drive.f[1] = -1.0;
    Samples samples;
    backend->advance(drive, samples);
    heard.push_back(samples.p);
    const Energy energy = backend->energy();
    CHECK(energy.stored == Approx(energy.injected).epsilon(1e-5));
  }
  CHECK(difference(heard[0], heard[1]) < 1e-6);
}
