// Compares every kernel of the CPU, on every instruction set of this machine, with the reference.
#include <algorithm>

#include "engine/cpu/make_backend.hpp"
#include "engine/vector/kernels.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const cpu::Kernel& kernel : cpu::kernels())
    if (kernel.runs_here()) names.push_back(std::string(kernel.name) + "/" + kernel.instruction_set);
  return names;
}

// The kernels that give the same bytes: those with the same sums, fused or not.
std::vector<std::string> same_bytes(bool rows, bool fused) {
  std::vector<std::string> names;
  for (const cpu::Kernel& kernel : cpu::kernels())
    if (kernel.runs_here() && kernel.fused == fused && (std::string(kernel.name) == "rows") == rows)
      names.push_back(std::string(kernel.name) + "/" + kernel.instruction_set);
  return names;
}

const std::string best_time_slice = std::string("time_slice/") + cpu::choose_kernel("time_slice").instruction_set;

// After 20 steps. Rounding errors at zero frequency are integrated twice and reach 20^1.5 float roundings where no
// other nodes average them: rooms and pockets of few nodes reach 5e-6 even with exact sums.
double tolerance_of(const Plan& plan) {
  if (plan.precision == Precision::f64) return 1e-13;
  const auto [nx, ny, nz] = plan.grid.size;
  const bool roomy =
      plan.air.all_air() && plan.near_wall.masses.empty() && std::min({nx, ny, nz}) > plan.stencil.radius + 1;
  return roomy && plan.stencil.point_count() < 100 ? 1e-6 : 6e-6;
}

void add_taps(Plan& plan, std::size_t nodes, std::mt19937& random) {
  for (const char* name : {"a", "b"}) plan.sources.push_back(random_tap(plan, nodes, random, name));
  for (const char* name : {"p", "q", "r"}) plan.receivers.push_back(random_tap(plan, nodes, random, name));
}

void check_parity(RoomSpec spec, unsigned seed) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    spec.precision = precision;
    std::mt19937 random(seed);
    Plan plan = plan_of(spec);
    add_taps(plan, 6, random);
    const State start = random_state(plan, random);
    const Drive drive = random_drive(plan, 20, random);
    const Result truth = result_of(*make_reference_backend(), plan, start, drive);
    for (const std::string& kernel : kernel_names()) {
      if (kernel.starts_with("time_slice") && kernel != best_time_slice)
        continue;  // the others give the same bytes, tested below
      INFO(kernel << " " << spec.stencil << " " << spec.size[0] << "x" << spec.size[1] << "x" << spec.size[2] << " "
                  << to_string(precision));
      check_close(result_of(*make_cpu_backend({1, kernel}), plan, start, drive), truth, precision, tolerance_of(plan));
    }
  }
}

}  // namespace

TEST_CASE("leggy stencils in boxes of awkward sizes equal the reference") {
  const std::vector<std::array<int, 3>> sizes = {{1, 1, 1}, {1, 7, 5},   {37, 1, 3}, {19, 11, 1},
                                                 {5, 3, 2}, {17, 13, 7}, {33, 9, 10}};
  unsigned seed = 1;
  for (const int M : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20}) {
    for (const auto& size : sizes) {
      RoomSpec spec;
      spec.size = size;
      spec.stencil = "leggy-" + std::to_string(M);
      spec.stretch = {1.0, 0.97, 0.94};
      if (M % 2 == 0) spec.laws = some_laws();
      check_parity(spec, seed++);
    }
  }
}

TEST_CASE("leggy stencils in rooms with obstacles equal the reference") {
  std::mt19937 random(7);
  for (const int M : {1, 2, 4, 8, 20}) {
    for (const double air : {0.4, 0.8, 0.97}) {
      RoomSpec spec;
      spec.size = {23, 9, 8};
      spec.stencil = "leggy-" + std::to_string(M);
      spec.air = random_mask(spec.size, air, random);
      spec.laws = some_laws();
      check_parity(spec, static_cast<unsigned>(M));
    }
  }
}

TEST_CASE("rooms of cut voxels equal the reference") {
  std::mt19937 random(17);
  unsigned seed = 300;
  for (const char* stencil : {"leggy-1", "leggy-4", "leggy-8", "compact-3", "box-222"}) {
    for (const double air : {1.0, 0.9}) {
      RoomSpec spec;
      spec.size = {23, 9, 8};
      spec.stencil = stencil;
      spec.cut = true;
      if (air < 1.0) spec.air = random_mask(spec.size, air, random);
      spec.laws = some_laws();
      check_parity(spec, seed++);
    }
  }
}

TEST_CASE("rooms one cell thick and lines, without waves along those axes, equal the reference") {
  std::mt19937 random(8);
  unsigned seed = 200;
  const std::vector<std::array<int, 3>> sizes = {{1, 33, 21}, {33, 1, 21}, {33, 21, 1}, {1, 1, 70}, {70, 1, 1}};
  for (const int M : {1, 4, 12}) {
    for (const auto& size : sizes) {
      RoomSpec spec;
      spec.size = size;
      spec.stencil = "leggy-" + std::to_string(M);
      for (std::size_t d = 0; d < 3; ++d)
        spec.stretch.at(d) = size.at(d) > 1 ? 1.0 - 0.03 * static_cast<double>(d) : 0.0;
      check_parity(spec, seed++);
      spec.air = random_mask(size, 0.9, random);
      spec.laws = some_laws();
      check_parity(spec, seed++);
    }
  }
}

TEST_CASE("a run in two pieces is the run in one, bit for bit") {
  std::mt19937 random(3);
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    RoomSpec spec;
    spec.size = {29, 14, 11};
    spec.stencil = "leggy-3";
    spec.precision = precision;
    spec.air = random_mask(spec.size, 0.9, random);
    spec.laws = some_laws();
    Plan plan = plan_of(spec);
    plan.sources.push_back(random_tap(plan, 9, random, "s"));
    plan.receivers.push_back(random_tap(plan, 9, random, "r"));
    const State start = random_state(plan, random);
    const Drive drive = random_drive(plan, 31, random);
    const Drive head{14, {drive.f.begin(), drive.f.begin() + 14}}, tail{17, {drive.f.begin() + 14, drive.f.end()}};
    for (const bool reference : {false, true}) {
      const auto make = [&](int threads) {
        return reference ? make_reference_backend() : make_cpu_backend({threads, ""});
      };
      const Result gold = result_of(*make(2), plan, start, drive);
      const Result first = result_of(*make(2), plan, start, head);
      const Result silver = result_of(*make(1), plan, first.state, tail);
      CHECK(std::equal(first.samples.p.begin(), first.samples.p.end(), gold.samples.p.begin()));
      CHECK(std::equal(silver.samples.p.begin(), silver.samples.p.end(), gold.samples.p.begin() + 14));
      CHECK(gold.state.u_now == silver.state.u_now);
      CHECK(gold.state.u_before == silver.state.u_before);
      CHECK(gold.state.branches.V == silver.state.branches.V);
      CHECK(gold.state.branches.G == silver.state.branches.G);
      CHECK(gold.state.step == silver.state.step);
      CHECK(gold.energy.injected == silver.energy.injected);
      CHECK(gold.energy.dissipated == silver.energy.dissipated);
      CHECK(gold.energy.stored == silver.energy.stored);
    }
  }
}

TEST_CASE("stencils with the cube's symmetries equal the reference, in boxes and beside obstacles") {
  std::mt19937 random(9);
  unsigned seed = 100;
  for (const char* stencil :
       {"compact-2", "box-111", "compact-5", "box-222", "compact-9", "box-333", "compact-22", "box-400"}) {
    for (const std::array<int, 3>& size : {std::array<int, 3>{5, 3, 2}, {34, 7, 9}}) {
      RoomSpec spec;
      spec.size = size;
      spec.stencil = stencil;
      check_parity(spec, seed++);
      spec.air = random_mask(size, 0.95, random);
      spec.laws = some_laws();
      check_parity(spec, seed++);
    }
  }
}

TEST_CASE(
    "the same bytes for any number of threads, on every instruction set that fuses, and for steps taken together") {
  std::mt19937 random(5);
  for (const char* stencil : {"leggy-1", "leggy-4", "leggy-12", "compact-3", "box-222"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      RoomSpec spec;
      spec.size = {21, 47, 19};
      spec.stencil = stencil;
      spec.precision = precision;
      spec.air = random_mask(spec.size, 0.97, random);
      spec.laws = some_laws();
      Plan plan = plan_of(spec);
      add_taps(plan, 40, random);
      const State start = random_state(plan, random);
      const Drive drive = random_drive(plan, 14, random);
      for (const int group : {0, 1, 2, 3}) {
        const std::vector<std::string> names = same_bytes(group / 2 == 1, group % 2 == 1);
        if (names.empty()) continue;
        const Result first = result_of(*make_cpu_backend({1, names.back()}), plan, start, drive);
        for (const std::string& kernel : names) {
          // One thread for every instruction set; several threads for the kernels whose threads differ.
          const bool best = kernel == names.front() || kernel == best_time_slice;
          for (const int threads : best ? std::vector<int>{2, 7} : std::vector<int>{1}) {
            INFO(kernel << ", " << threads << " threads, " << stencil << ", " << to_string(precision));
            const Result other = result_of(*make_cpu_backend({threads, kernel}), plan, start, drive);
            CHECK((other.state.u_now == first.state.u_now));  // parentheses: a failure prints no megabytes of values
            CHECK((other.state.u_before == first.state.u_before));
            CHECK((other.state.branches.V == first.state.branches.V));
            CHECK((other.samples.p == first.samples.p));
            CHECK(other.energy.injected == first.energy.injected);
            CHECK(other.energy.dissipated == first.energy.dissipated);
            CHECK(other.energy.stored == first.energy.stored);
          }
        }
      }
    }
  }
}
