// Limits of a backend on the GPU: planes and extremes of its state, a million steps, refusals, more nodes than
// 2^31.
#include "base/error.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "engine/devices/devices.hpp"
#include "tests/gpu/case_rooms.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::test;

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

TEST_CASE("profile times a step and the triad of the same grid") {
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
  std::vector<std::vector<double>> recorded;
  for (const int n : {1300, 100}) {
    const Plan plan = corner_of(n);
    const auto backend = make_cuda_backend();
    backend->load(plan, whole(plan));
    Drive drive = silent(plan, 40);  // two nodes a step: nothing comes back from the far walls
    drive.f[0] = 1.0;
    drive.f[1] = -1.0;
    Samples samples;
    backend->advance(drive, samples);
    recorded.push_back(samples.p);
    const Energy energy = backend->energy();
    CHECK(energy.stored == Approx(energy.injected).epsilon(1e-5));
  }
  CHECK(difference(recorded[0], recorded[1]) < 1e-6);
}
