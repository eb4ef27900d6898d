// Walls that read the pressure at their plane from several nodes: CPU against reference, runs in pieces, threads,
// energy.
#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/cpu/make_backend.hpp"
#include "engine/walls/wall_law.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// A room whose walls are all of one material of two branches, sources and receivers on random nodes. `points`: of the
// shortest wavelength, from which follows how many nodes walls read.
Plan wide_plan(const std::string& stencil, Precision precision, std::array<int, 3> size, const std::vector<char>& air,
               std::mt19937& random, const std::vector<Branch>& branches, double points = 4.0) {
  RoomSpec spec;
  spec.size = size;
  spec.stencil = stencil;
  spec.precision = precision;
  spec.air = air;
  Plan plan = plan_of(spec);
  MaterialFit fit;
  fit.name = "soft";
  fit.branches = branches;
  plan.boundary =
      make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit}, plan.grid,
                    plan.stencil, plan.near_wall, {}, plan.grid.sound_speed / (points * plan.grid.spacing[0]));
  plan.sources = {random_tap(plan, 60, random, "a"), random_tap(plan, 5, random, "b")};
  plan.receivers = {random_tap(plan, 60, random, "p")};
  return plan;
}

const std::vector<Branch> lossy = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}};

std::size_t sites_of(const Plan& plan, std::size_t taps) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.boundary.sites, [&](const BoundarySite& site) { return plan.boundary.laws[site.law].taps.size() == taps; }));
}

// Air except for a column and a corner, whose edges protrude into the room.
std::vector<char> with_column(const std::array<int, 3>& size) {
  std::vector<char> air(static_cast<std::size_t>(size[0] * size[1] * size[2]), 1);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if ((x / 4 == 3 && y / 3 == 3) || (x > size[0] - 8 && z < 7)) air[node_of(size, x, y, z)] = 0;
  return air;
}

State scaled(State state, double scale) {
  for (std::vector<std::byte>* const part : {&state.u_now, &state.u_before, &state.branches.V, &state.branches.G}) {
    std::vector<double> values = values_of(*part, state.precision);
    for (double& value : values) value *= scale;
    *part = bytes_at(values, state.precision);
  }
  return state;
}

const std::array<int, 3> size = {31, 25, 19};

}  // namespace

TEST_CASE("the CPU's walls of several taps equal the reference") {
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-2"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      for (const auto& [taps, points, air] : {std::tuple{2U, 9.0, std::vector<char>{}},
                                              {3U, 4.0, {}},
                                              {3U, 4.0, with_column(size)},
                                              {4U, 3.0, {}},
                                              {5U, 2.7, with_column(size)},
                                              {8U, 2.3, {}},
                                              {8U, 2.3, with_column(size)}}) {
        std::mt19937 random(11);
        const Plan plan = wide_plan(stencil, precision, size, air, random, lossy, points);
        CAPTURE(stencil, to_string(precision), taps, air.size());
        REQUIRE(sites_of(plan, taps) > 300);
        const State start = random_state(plan, random);
        const Drive drive = random_drive(plan, 20, random);
        const Result truth = result_of(*make_reference_backend(), plan, start, drive);
        const Result got = result_of(*make_cpu_backend({2, ""}), plan, start, drive);
        const double tolerance = precision == Precision::f64 ? 1e-13 : 6e-6;
        check_close(got, truth, precision, tolerance);
        CHECK(got.energy.stored == Approx(truth.energy.stored).epsilon(20 * tolerance));
        CHECK(got.energy.dissipated == Approx(truth.energy.dissipated).epsilon(20 * tolerance));
        CHECK(std::abs(got.energy.injected - truth.energy.injected) < 20 * tolerance * truth.energy.stored);
      }
    }
  }
}

// Also with values so small that they are flushed to zero during the run.
TEST_CASE("walls of several taps: the same bytes in pieces and for any number of threads") {
  const double points = GENERATE(4.0, 2.3);  // three taps, eight
  const double min_f64 = std::numeric_limits<double>::min();
  const auto min_f32 = static_cast<double>(std::numeric_limits<float>::min());
  for (const auto& [precision, scale] :
       {std::pair{Precision::f64, 1.0}, {Precision::f32, 1.0}, {Precision::f64, min_f64}, {Precision::f32, min_f32}}) {
    CAPTURE(to_string(precision), scale, points);
    std::mt19937 random(12);
    const Plan plan = wide_plan("leggy-3", precision, size, with_column(size), random, lossy, points);
    const State start = scaled(random_state(plan, random), 3.0 * scale);
    Drive drive = random_drive(plan, 30, random);
    for (double& f : drive.f) f *= scale;
    Drive head{13, {}}, tail{17, {}};
    for (std::size_t s = 0; s < plan.sources.size(); ++s) {
      const auto begin = drive.f.begin() + static_cast<std::ptrdiff_t>(30 * s);
      head.f.insert(head.f.end(), begin, begin + 13);
      tail.f.insert(tail.f.end(), begin + 13, begin + 30);
    }
    const Result gold = result_of(*make_cpu_backend({1, ""}), plan, start, drive);
    for (const int threads : {1, 2, 7}) {
      const Result first = result_of(*make_cpu_backend({threads, ""}), plan, start, head);
      const Result silver = result_of(*make_cpu_backend({threads, ""}), plan, first.state, tail);
      CHECK(silver.state.u_now == gold.state.u_now);
      CHECK(silver.state.u_before == gold.state.u_before);
      CHECK(silver.state.branches.V == gold.state.branches.V);
      CHECK(silver.state.branches.G == gold.state.branches.G);
      CHECK(silver.energy.injected == gold.energy.injected);
      CHECK(silver.energy.dissipated == gold.energy.dissipated);
      CHECK(silver.energy.stored == gold.energy.stored);
    }
  }
}

TEST_CASE("walls of several taps keep the energy balance, and lossless ones the energy") {
  for (const char* stencil : {"leggy-1", "leggy-4", "leggy-8/opt1", "compact-5"}) {
    for (const auto& [with_losses, points] : {std::pair{true, 4.0}, {false, 4.0}, {true, 2.3}, {false, 2.3}}) {
      std::mt19937 random(13);
      const std::vector<Branch> branches = with_losses ? lossy : std::vector<Branch>{{2e-4, 0.0, 1e3}};
      Plan plan = wide_plan(stencil, Precision::f64, size, with_column(size), random, branches, points);
      const State start = random_state(plan, random);
      const auto backend = make_cpu_backend({1, ""});
      backend->load(plan, whole(plan));
      backend->restore(start);
      const Energy first = backend->energy();
      Drive rest;
      rest.steps = 300;
      rest.f.assign(plan.sources.size() * 300, 0.0);
      Samples samples;
      backend->advance(rest, samples);
      const Energy last = backend->energy();
      CAPTURE(stencil, with_losses, points);
      const double dissipated = last.dissipated - first.dissipated;
      CHECK(std::abs(last.stored + dissipated - first.stored) < 1e-11 * first.stored);
      CHECK((with_losses ? dissipated > 0.5 * first.stored : dissipated == 0.0));
    }
  }
}
