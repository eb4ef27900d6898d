// Any number of slabs gives the bytes of one: fields, branches, samples, energies.
#include <algorithm>

#include "engine/error.hpp"
#include "engine/rank_backend.hpp"
#include "engine/wall_law.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms.hpp"
#include "tests/support/thread_ranks.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

struct Result {
  State state;
  Samples samples;
  std::vector<Energy> energies;
  Extreme extreme;
  std::vector<std::vector<float>> planes;  // first, middle and last of each axis
};

Result result_of(Backend& backend, const Plan& plan, const State& start, const Drive& drive) {
  Result result;
  backend.load(plan, whole(plan));
  backend.restore(start);
  backend.advance(drive, result.samples);
  backend.save(result.state);
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

// At rank 0.
Result result_of_ranks(int count, const Plan& plan, const State& start, const Drive& drive, int threads) {
  Result result;
  ThreadRanks::run(count, [&](Ranks& ranks) {
    BackendOptions options;
    options.threads = threads;
    options.ranks = &ranks;
    const auto backend = make_rank_backend(make_cpu_backend(options), ranks);
    Result mine = result_of(*backend, plan, start, drive);
    if (ranks.first()) result = std::move(mine);
  });
  return result;
}

void check_same(const Result& a, const Result& b) {
  CHECK((a.state.u_now == b.state.u_now));
  CHECK((a.state.u_before == b.state.u_before));
  CHECK((a.state.velocity == b.state.velocity));
  CHECK((a.state.displacement == b.state.displacement));
  CHECK((a.state.injected == b.state.injected));
  CHECK((a.state.dissipated == b.state.dissipated));
  CHECK(a.state.step == b.state.step);
  CHECK((a.samples.p == b.samples.p));
  CHECK(a.extreme.node == b.extreme.node);
  CHECK((a.planes == b.planes));
  CHECK(a.extreme.value == b.extreme.value);
  REQUIRE(a.energies.size() == b.energies.size());
  for (std::size_t l = 0; l < a.energies.size(); ++l) {
    CHECK(a.energies[l].stored == b.energies[l].stored);
    CHECK(a.energies[l].injected == b.energies[l].injected);
    CHECK(a.energies[l].dissipated == b.energies[l].dissipated);
  }
}

// Two sources and three receivers on random nodes: on all layers, borders of slabs among them.
void check_slabs(Plan plan, unsigned seed, const std::vector<int>& counts) {
  std::mt19937 random(seed);
  for (const char* name : {"a", "b"}) plan.sources.push_back(random_tap(plan, 200, random, name));
  for (const char* name : {"p", "q", "r"}) plan.receivers.push_back(random_tap(plan, 90, random, name));
  State start = random_state(plan, random);
  for (auto* sums : {&start.injected, &start.dissipated})
    for (int l = 0; l < layer_count(plan.grid.size[2]); ++l) sums->push_back(0.1 * l);
  const Drive drive = random_drive(plan, 12, random);
  const Result gold = result_of(*make_cpu_backend({1, ""}), plan, start, drive);
  for (const int count : counts) {
    INFO(plan.stencil_name << " " << to_string(plan.precision) << ", " << count << " slabs of " << plan.grid.size[2]);
    check_same(result_of_ranks(count, plan, start, drive, count % 2 + 1), gold);
  }
}

RoomSpec room(const std::string& stencil, int planes, Precision precision) {
  RoomSpec spec;
  spec.size = {19, 10, planes};
  spec.stencil = stencil;
  spec.precision = precision;
  spec.laws = some_laws();
  return spec;
}

}  // namespace

TEST_CASE("slabs of a box give the bytes of one, for every radius") {
  unsigned seed = 1;
  for (const int M : {1, 2, 3, 4, 7, 12, 20}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const int least = (M + layer_planes - 1) / layer_planes * layer_planes;
      check_slabs(plan_of(room("leggy-" + std::to_string(M), 5 * least + 5, precision)), seed++, {2, 3, 5});
    }
  }
}

TEST_CASE("slabs of compact and box stencils give the bytes of one, heavy nodes included") {
  unsigned seed = 50;
  for (const char* stencil : {"compact-3", "compact-6", "compact-22", "box-222", "box-333"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      check_slabs(plan_of(room(stencil, 27, precision)), seed++, {2, 3, 5});
      RoomSpec masses = room(stencil, 22, precision);
      masses.size = {9, 8, 22};
      std::mt19937 random(seed);
      masses.air = random_mask(masses.size, 0.95, random);
      check_slabs(plan_of(masses), seed++, {2, 3});
    }
  }
}

TEST_CASE("slabs of rooms with obstacles give the bytes of one") {
  std::mt19937 random(9);
  unsigned seed = 100;
  for (const int M : {1, 4, 8}) {
    for (const double air : {0.5, 0.9, 0.98}) {
      RoomSpec spec = room("leggy-" + std::to_string(M), 46, M == 4 ? Precision::f64 : Precision::f32);
      spec.air = random_mask(spec.size, air, random);
      check_slabs(plan_of(spec), seed++, {2, 3, 5});
    }
  }
}

TEST_CASE("walls that read nodes on both sides of a border give the bytes of one slab") {
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-2"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      RoomSpec spec = room(stencil, 43, precision);
      spec.laws.clear();
      spec.size = {23, 17, 43};
      // Steps along z at many heights: some wall faces up or down near every border.
      std::vector<char> air(static_cast<std::size_t>(23 * 17 * 43), 1);
      for (int z = 0; z < 43; ++z)
        for (int y = 0; y < 17; ++y)
          for (int x = 0; x < 23; ++x)
            if ((x > 5 && x < 10 && y > 3 && y < 9 && z % 9 < 3) || (x > 16 && y > 11 && (z + 4) % 13 < 5))
              air[node_of(spec.size, x, y, z)] = 0;
      spec.air = air;
      Plan plan = plan_of(spec);
      MaterialFit fit;
      fit.name = "soft";
      fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}};
      plan.boundary = make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit},
                                    plan.grid, plan.stencil, plan.near_wall, false);
      const std::vector<Slab> slabs = split(plan, 5);
      CHECK(std::ranges::any_of(slabs, [](const Slab& slab) { return slab.ghosts_below > 0; }));
      check_slabs(plan, 7, {2, 3, 4, 5});
    }
  }
}

TEST_CASE("slabs share the cost of walls, and none is thinner than what neighbours read") {
  const Plan box = plan_of(room("leggy-4", 101, Precision::f32));
  const std::vector<double> costs = plane_costs(box);
  CHECK(costs.front() > 2.0 * costs[50]);  // the wall across z
  for (const int count : {1, 2, 3, 7, 25}) {
    const std::vector<Slab> slabs = split(box, count);
    REQUIRE(slabs.size() == static_cast<std::size_t>(count));
    CHECK(slabs.front().z_begin == 0);
    CHECK(slabs.back().z_end == 101);
    for (std::size_t i = 0; i < slabs.size(); ++i) {
      CHECK(slabs[i].planes() >= 4);
      CHECK(slabs[i].below == (i > 0));
      CHECK(slabs[i].above == (i + 1 < slabs.size()));
      if (i > 0) CHECK(slabs[i].z_begin == slabs[i - 1].z_end);
    }
  }
  CHECK(most_slabs(box) == 25);
  CHECK_THROWS_AS(split(box, 26), Error);
  CHECK(most_slabs(plan_of(room("leggy-20", 101, Precision::f32))) == 5);
  RoomSpec flat = room("leggy-2", 40, Precision::f32);
  flat.size = {1, 30, 40};
  CHECK(most_slabs(plan_of(flat)) == 1);
  CHECK_THROWS_AS(split(plan_of(flat), 2), Error);
}
