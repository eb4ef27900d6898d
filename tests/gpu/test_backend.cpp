// Whole rooms on the GPU: against the CPU and the reference, against themselves in pieces, and their energies.
#include "engine/cpu/make_backend.hpp"
#include "engine/devices/devices.hpp"
#include "tests/gpu/case_rooms.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

void check_same_bytes(const Result& a, const Result& b) {
  CHECK(a.state.u_now == b.state.u_now);
  CHECK(a.state.u_before == b.state.u_before);
  CHECK(a.state.branches.V == b.state.branches.V);
  CHECK(a.state.branches.G == b.state.branches.G);
  CHECK(a.state.step == b.state.step);
  CHECK(a.energy.stored == b.energy.stored);
  CHECK(a.energy.injected == b.energy.injected);
  CHECK(a.energy.dissipated == b.energy.dissipated);
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
      CHECK(difference(values(gpu.state.branches.V), values(cpu.state.branches.V), scale) < tolerance);
      CHECK(difference(values(gpu.state.branches.G), values(cpu.state.branches.G), scale) < tolerance);
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
      CHECK(difference(values(gpu.state.branches.V), values(truth.state.branches.V)) < tolerance);
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

TEST_CASE("a run begun on the CPU continues on the GPU, and back") {
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
      CHECK(difference(values_of(third.state.branches.V, precision), values_of(cpu.state.branches.V, precision)) <
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
