// Any number of slabs gives the bytes of one slab: fields, branches, samples, energies.
#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "engine/cpu/make_backend.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/slab_checks.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::unique_ptr<Backend> make_backend(Ranks* ranks) {
  BackendOptions options;
  options.threads = ranks != nullptr ? ranks->size() % 2 + 1 : 1;
  options.ranks = ranks;
  return make_cpu_backend(options);
}

void check_slabs(const Plan& plan, unsigned seed, const std::vector<int>& counts) {
  test::check_slabs(plan, seed, counts, make_backend);
}

std::vector<Energy> energies_at(Backend& backend, const Plan& plan, const State& state) {
  backend.load(plan, whole(plan));
  backend.restore(state);
  return backend.energies();
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
      const int smallest = (M + layer_planes - 1) / layer_planes * layer_planes;
      check_slabs(plan_of(room("leggy-" + std::to_string(M), 5 * smallest + 5, precision)), seed++, {2, 3, 5});
    }
  }
}

TEST_CASE("slabs of compact and box stencils give the bytes of one, nodes of other masses included") {
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
      const Plan plan = soft_plan_of(steps_along_z(stencil, precision));
      const std::vector<Slab> slabs = split(plan, 5);
      CHECK(std::ranges::any_of(slabs, [](const Slab& slab) { return slab.ghosts_below > 0; }));
      check_slabs(plan, 7, {2, 3, 4, 5});
    }
  }
}

TEST_CASE("walls that read eight nodes across several layers give the bytes of one slab") {
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-2"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      RoomSpec spec = steps_along_z(stencil, precision);
      check_slabs(soft_plan_of(spec, 2.3), 8, {2, 3});
      spec = room(stencil, 61, precision);
      spec.size = {17, 18, 61};
      spec.air.assign(17UL * 18 * 61, 1);
      for (int z : {20, 35})  // floors of half the room, so that walls read upwards and downwards in its middle
        for (int y = 0; y < 18; ++y)
          for (int x = 0; x < 9; ++x) spec.air[node_of(spec.size, x, y, z)] = 0;
      const Plan plan = soft_plan_of(spec, 2.3);
      const auto eight = [&](const BoundarySite& site) { return plan.boundary.laws[site.law].taps.size() == 8; };
      REQUIRE(std::ranges::count_if(plan.boundary.sites, eight) > 100);
      check_slabs(plan, 9, {2, 3});
    }
  }
}

// A run that must stop as soon as it resumes computes the energy before any step.
TEST_CASE("a state restored into any number of slabs has the energy of the saved state before any step") {
  std::mt19937 random(13);
  for (const char* stencil : {"leggy-4", "compact-3", "box-222"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const Plan plan = plan_of(room(stencil, 27, precision));
      const SlabResult gold = slab_result_of(*make_backend(nullptr), plan, random_state(plan, random), {12, {}});
      check_same(energies_at(*make_backend(nullptr), plan, gold.state), gold.energies);
      for (const int count : {2, 3}) {
        INFO(stencil << " " << to_string(precision) << ", " << count << " slabs");
        std::vector<Energy> energies;
        ThreadRanks::run(count, [&](Ranks& ranks) {
          const auto backend = make_rank_backend(make_backend(&ranks), ranks);
          const std::vector<Energy> mine = energies_at(*backend, plan, gold.state);
          if (ranks.first()) energies = mine;
        });
        check_same(energies, gold.energies);
      }
    }
  }
}

TEST_CASE("slabs share the cost of walls, and none is thinner than the planes that neighbours read") {
  const Plan box = plan_of(room("leggy-4", 101, Precision::f32));
  const std::vector<double> costs = plane_costs(box, plane_counts(box));
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
  CHECK(max_slabs(box, plane_counts(box)) == 25);
  CHECK_THROWS_AS(split(box, 26), Error);
  const Plan thin_end = plan_of(room("leggy-4", 27, Precision::f32));  // three planes in the last layer
  CHECK(max_slabs(thin_end, plane_counts(thin_end)) == 6);
  CHECK(split(thin_end, 6).back().planes() == 7);
  const Plan long_stencil = plan_of(room("leggy-20", 101, Precision::f32));
  CHECK(max_slabs(long_stencil, plane_counts(long_stencil)) == 5);
  RoomSpec flat = room("leggy-2", 40, Precision::f32);
  flat.size = {1, 30, 40};
  CHECK(max_slabs(plan_of(flat), plane_counts(plan_of(flat))) == 1);
  CHECK_THROWS_AS(split(plan_of(flat), 2), Error);
}

TEST_CASE("a rank that fails leaves no other waiting") {
  const auto meet = [](Ranks& ranks) {
    if (ranks.rank() == 1) throw std::runtime_error("mine");
    ranks.wait_for_all();
  };
  CHECK_THROWS_WITH(ThreadRanks::run(3, meet), "mine");
}
