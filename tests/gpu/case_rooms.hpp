// Rooms of all kinds that the GPU takes, and what drives them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/walls/wall_law.hpp"
#include "tests/support/rooms/backend_result.hpp"
#include "tests/support/rooms/rooms.hpp"

namespace fdtd::test {

enum class Walls { rigid, some, wide };  // wide: of several taps, as make_boundary gives them

struct Case {
  const char* stencil;
  std::array<int, 3> size;
  double air;  // fraction of air voxels; 1: a box
  Walls walls;
  WallMethod method = WallMethod::automatic;
  bool cut = false;  // voxels and passages of any fractions, some closed (cut_rooms.hpp); without walls of several taps
};

inline const std::vector<Case> cases = {
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
    {"leggy-4", {41, 30, 27}, 0.95, Walls::some, WallMethod::automatic, true},
    {"leggy-8", {39, 31, 22}, 1.0, Walls::some, WallMethod::automatic, true},
    {"compact-3", {35, 26, 23}, 0.95, Walls::some, WallMethod::automatic, true},
};

inline Plan plan_for(const Case& c, Precision precision, std::mt19937& random) {
  RoomSpec spec;
  spec.size = c.size;
  spec.stencil = c.stencil;
  spec.precision = precision;
  spec.method = c.method;
  if (c.air < 1.0) spec.air = random_mask(c.size, c.air, random);
  spec.cut = c.cut;
  if (c.walls == Walls::some) spec.laws = some_laws();
  Plan plan = plan_of(spec);
  if (c.walls == Walls::wide) {
    MaterialFit fit;
    fit.name = "soft";
    fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}, {1e-4, 20.0, 50.0}};
    plan.boundary = make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit},
                                  plan.grid, plan.stencil, plan.near_wall, {});
  }
  // A source over many nodes, walls' among them; one at a single node; receivers small and large.
  plan.sources = {random_tap(plan, 60, random, "a"), random_tap(plan, 1, random, "b")};
  for (const char* name : {"p", "q", "r", "s", "t"}) plan.receivers.push_back(random_tap(plan, 50, random, name));
  return plan;
}

inline std::string name_of(const Case& c, Precision precision) {
  return std::string(c.stencil) + " " + std::to_string(c.size[0]) + "x" + std::to_string(c.size[1]) + "x" +
         std::to_string(c.size[2]) + ", air " + std::to_string(c.air) + (c.cut ? ", cut, " : ", ") +
         to_string(precision);
}

// Loud for `loud` steps, then silent: both ways of queueing steps are used.
inline Drive drive_for(const Plan& plan, std::int64_t steps, std::int64_t loud, std::mt19937& random) {
  Drive drive = random_drive(plan, steps, random);
  for (std::size_t s = 0; s < plan.sources.size(); ++s)
    for (std::int64_t n = loud; n < steps; ++n)
      drive.f[s * static_cast<std::size_t>(steps) + static_cast<std::size_t>(n)] = 0.0;
  return drive;
}

inline Drive part_of(const Drive& drive, std::size_t sources, std::int64_t first, std::int64_t last) {
  Drive part{last - first, {}};
  for (std::size_t s = 0; s < sources; ++s) {
    const auto row = drive.f.begin() + static_cast<std::ptrdiff_t>(s) * drive.steps;
    part.f.insert(part.f.end(), row + first, row + last);
  }
  return part;
}

inline Drive silent(const Plan& plan, std::int64_t steps) {
  return {steps, std::vector<double>(plan.sources.size() * static_cast<std::size_t>(steps), 0.0)};
}

}  // namespace fdtd::test
