// Comparisons for tests that any number of slabs gives the bytes of one, on the CPU and on GPUs.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "engine/run/rank_backend.hpp"
#include "engine/walls/wall_law.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/rooms.hpp"
#include "tests/support/thread_ranks.hpp"

namespace fdtd::test {

struct SlabResult {
  State state;
  Samples samples;
  std::vector<Energy> energies;
  Extreme extreme;
  std::vector<std::vector<float>> planes;  // first, middle and last of each axis
};

inline SlabResult slab_result_of(Backend& backend, const Plan& plan, const State& start, const Drive& drive) {
  SlabResult result;
  take_through(backend, plan, start, drive, result.state, result.samples);
  result.energies = backend.energies();
  result.extreme = backend.extreme();
  for (int axis = 0; axis < 3; ++axis) {
    const int size = plan.grid.size[static_cast<std::size_t>(axis)];
    for (const int index : {0, size / 2, size - 1}) {
      auto& plane = result.planes.emplace_back(static_cast<std::size_t>(plan.grid.nodes() / size));
      backend.plane(axis, index, plane);
    }
  }
  return result;
}

// A backend of one rank (nullptr), or of this one of several.
using MakeBackend = std::function<std::unique_ptr<Backend>(Ranks* ranks)>;

// At rank 0.
inline SlabResult result_of_ranks(int count, const Plan& plan, const State& start, const Drive& drive,
                                  const MakeBackend& make) {
  SlabResult result;
  ThreadRanks::run(count, [&](Ranks& ranks) {
    const auto backend = make_rank_backend(make(&ranks), ranks);
    SlabResult mine = slab_result_of(*backend, plan, start, drive);
    if (ranks.first()) result = std::move(mine);
  });
  return result;
}

inline void check_same(const std::vector<Energy>& a, const std::vector<Energy>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t l = 0; l < a.size(); ++l) {
    CHECK(a[l].stored == b[l].stored);
    CHECK(a[l].injected == b[l].injected);
    CHECK(a[l].dissipated == b[l].dissipated);
  }
}

inline void check_same(const SlabResult& a, const SlabResult& b) {
  CHECK((a.state.u_now == b.state.u_now));
  CHECK((a.state.u_before == b.state.u_before));
  CHECK((a.state.branches.V == b.state.branches.V));
  CHECK((a.state.branches.G == b.state.branches.G));
  CHECK((a.state.injected == b.state.injected));
  CHECK((a.state.dissipated == b.state.dissipated));
  CHECK(a.state.step == b.state.step);
  CHECK((a.samples.p == b.samples.p));
  CHECK(a.extreme.node == b.extreme.node);
  CHECK((a.planes == b.planes));
  CHECK(a.extreme.value == b.extreme.value);
  check_same(a.energies, b.energies);
}

// Two sources and three receivers on random nodes: on all layers, borders of slabs among them.
inline void check_slabs(Plan plan, unsigned seed, const std::vector<int>& counts, const MakeBackend& make) {
  std::mt19937 random(seed);
  for (const char* name : {"a", "b"}) plan.sources.push_back(random_tap(plan, 200, random, name));
  for (const char* name : {"p", "q", "r"}) plan.receivers.push_back(random_tap(plan, 90, random, name));
  State start = random_state(plan, random);
  for (auto* sums : {&start.injected, &start.dissipated})
    for (int l = 0; l < layer_count(plan.grid.size[2]); ++l) sums->push_back(0.1 * l);
  const Drive drive = random_drive(plan, 12, random);
  const SlabResult gold = slab_result_of(*make(nullptr), plan, start, drive);
  for (const int count : counts) {
    INFO(plan.stencil_name << " " << to_string(plan.precision) << ", " << count << " slabs of " << plan.grid.size[2]);
    check_same(result_of_ranks(count, plan, start, drive, make), gold);
  }
}

// Blocks under which and on which walls lie: some lie on both sides of any border between two layers.
inline RoomSpec steps_along_z(const std::string& stencil, Precision precision) {
  RoomSpec spec;
  spec.size = {23, 17, 43};
  spec.stencil = stencil;
  spec.precision = precision;
  spec.air.assign(static_cast<std::size_t>(23 * 17 * 43), 1);
  for (int z = 0; z < 43; ++z)
    for (int y = 0; y < 17; ++y)
      for (int x = 0; x < 23; ++x)
        if ((x > 5 && x < 10 && y > 3 && y < 9 && z % 12 < 3) || (x > 16 && y > 11 && (z + 8) % 12 < 3) ||
            (x > 11 && x < 15 && y > 8 && y < 13 && (z + 4) % 12 < 3))
          spec.air[node_of(spec.size, x, y, z)] = 0;
  return spec;
}

// With walls of several taps, as make_boundary gives them.
inline Plan soft_plan_of(const RoomSpec& spec, double points = 4.0) {
  Plan plan = plan_of(spec);
  MaterialFit fit;
  fit.name = "soft";
  fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}};
  plan.boundary =
      make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit}, plan.grid,
                    plan.stencil, plan.near_wall, {}, plan.grid.sound_speed / (points * plan.grid.spacing[0]));
  return plan;
}

}  // namespace fdtd::test
