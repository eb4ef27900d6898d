// Energy balance: stored plus dissipated equals injected, with walls and branches, for every stencil family
// (docs/explanation/stencils.md, section 1; docs/explanation/impedance.md, section 2).
#include <cmath>

#include "engine/cpu/make_backend.hpp"
#include "engine/run/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// An L-shaped room with a column.
std::vector<char> shaped_room(const std::array<int, 3>& size) {
  std::vector<char> air(
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]), 1);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if ((x >= size[0] - 4 && y >= size[1] - 4) || (x == 3 && (y == 4 || y == 5))) air[node_of(size, x, y, z)] = 0;
  return air;
}

struct Outcome {
  double largest_error = 0.0,
         left = 0.0;  // relative to the injected energy: error of the balance, energy stored at the end
};

Outcome outcome(const std::string& stencil, Precision precision, bool lossy, bool shaped, std::int64_t steps) {
  RoomSpec spec;
  spec.size = {11, 10, 9};
  spec.stencil = stencil;
  spec.precision = precision;
  if (shaped) spec.air = shaped_room(spec.size);
  if (lossy) spec.laws = some_laws();
  Plan plan = plan_of(spec);
  std::mt19937 random(2);
  plan.sources.push_back(random_tap(plan, 8, random, "S"));
  plan.steps = steps;
  const Recording recording = run(plan, *make_cpu_backend({1, ""}));
  Outcome result;
  for (const EnergyPoint& point : recording.energy[0]) {
    result.largest_error = std::max(result.largest_error, std::abs(point.balance_error));
    CHECK(point.energy.stored >= -result.largest_error * point.energy.injected);
  }
  const EnergyPoint& last = recording.energy[0].back();
  CHECK(last.step == steps);
  CHECK(last.energy.injected > 0.0);
  result.left = last.energy.stored / last.energy.injected;
  return result;
}

double limit(Precision precision) { return precision == Precision::f64 ? 1e-11 : 1e-4; }

}  // namespace

TEST_CASE("leggy rooms keep the energy balance over 10,000 steps") {
  for (const int M : {1, 2, 4, 8, 20}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      for (const bool lossy : {false, true}) {
        INFO("M = " << M << ", " << to_string(precision) << (lossy ? ", lossy" : ", rigid"));
        const Outcome result = outcome("leggy-" + std::to_string(M), precision, lossy, M != 2, 10000);
        CHECK(result.largest_error < limit(precision));
        if (lossy) {
          CHECK(result.left < 1e-3);
        } else {
          CHECK(std::abs(result.left - 1.0) < limit(precision));
        }
      }
    }
  }
}

TEST_CASE("compact and box stencils keep the energy balance in a room with re-entrant edges") {
  for (const char* name : {"compact-2", "compact-3", "compact-5", "box-222"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      for (const bool lossy : {false, true}) {
        INFO(name << ", " << to_string(precision) << (lossy ? ", lossy" : ", rigid"));
        CHECK(outcome(name, precision, lossy, true, 3000).largest_error < limit(precision));
      }
    }
  }
}

// Voxels and passages of any fractions, some closed: every node is cut.
TEST_CASE("rooms of cut voxels keep the energy balance at 0.9999 of the largest Courant number") {
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8/opt1", "compact-3", "box-222"}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      for (const bool lossy : {false, true}) {
        INFO(name << ", " << to_string(precision) << (lossy ? ", lossy" : ", rigid"));
        const Stencil& stencil = *find_stencil(name);
        RoomSpec spec;
        spec.size = {12, 11, 9};
        spec.stencil = name;
        spec.precision = precision;
        spec.cut = true;
        spec.air = shaped_room(spec.size);
        if (stencil.family == Family::leggy) spec.courant_fraction = 0.9999 * stencil.courant_limit / stencil.courant;
        if (lossy) spec.laws = some_laws();
        Plan plan = plan_of(spec);
        std::mt19937 random(2);
        plan.sources.push_back(random_tap(plan, 8, random, "S"));
        plan.steps = 2000;
        const Recording recording = run(plan, *make_cpu_backend({1, ""}));
        double largest = 0.0;
        for (const EnergyPoint& point : recording.energy[0]) largest = std::max(largest, std::abs(point.balance_error));
        CHECK(largest < limit(precision));
      }
    }
  }
}

// Coefficients of walls that a search moves lie within exp(-32) and exp(32) (smooth_grid_fit.cpp).
TEST_CASE("walls of any coefficients keep the energy balance") {
  constexpr double most = 32.0;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  const auto coefficient = [&] {  // an end of the range in three of ten
    const double which = part(random);
    return std::exp(which < 0.15 ? most : which < 0.3 ? -most : most * (2.0 * part(random) - 1.0));
  };
  for (const char* name : {"leggy-2", "leggy-4", "compact-3", "box-222"})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const bool cut : {false, true})
        for (int set = 0; set < 4; ++set) {
          RoomSpec spec;
          spec.size = {9, 8, 7};
          spec.stencil = name;
          spec.precision = precision;
          spec.cut = cut;
          for (int axis = 0; axis < 3; ++axis) {
            WallLaw law;
            law.material = law.axis = axis;
            law.inertance = coefficient();
            const int branches = 1 + static_cast<int>(5.0 * part(random));
            for (int b = 0; b < branches; ++b) law.branches.push_back({coefficient(), coefficient(), coefficient()});
            spec.laws.push_back(law);
          }
          Plan plan = plan_of(spec);
          plan.sources.push_back(random_tap(plan, 4, random, "S"));
          plan.steps = 300;
          const Recording recording = run(plan, *make_cpu_backend({1, ""}));
          INFO(name << ", " << to_string(precision) << (cut ? ", cut" : "") << ", set " << set);
          for (const EnergyPoint& point : recording.energy[0]) CHECK(std::abs(point.balance_error) < limit(precision));
        }
}
