// What tells one plan from another: a few readable values and a fingerprint of all the rest. A checkpoint carries it, so that
// a run goes on in the room that it began in or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct PlanLabel {
  std::string precision, stencil;
  std::array<std::int64_t, 3> grid{};
  double time_step = 0.0;  // s
  std::int64_t steps = 0;
  std::vector<std::string> sources, receivers;
  std::int64_t state_nodes = 0, state_branches = 0;  // values of a field; of a branch variable
  // FNV-1a over grid, weights, walls, laws and taps, walls plane by plane. Real numbers go in rounded to float: another machine's mathematical
  // library may differ in the last bit, and a run must be able to move there.
  std::string fingerprint;
  bool operator==(const PlanLabel&) const = default;
};

PlanLabel label_of(const Plan& plan);

// The fingerprints of air and walls on planes [begin, end). A slab's are those of the whole plan's planes.
std::vector<std::uint64_t> wall_prints(const Plan& plan, int begin, int end);
// Of an outline (make_plan.hpp) with so many branches in all and the prints of all planes: the label of the whole plan.
PlanLabel label_of(const Plan& outline, std::uint64_t branches, const std::vector<std::uint64_t>& prints);

// The first thing in which two labels differ, with both values: "precision: f64 here, f32 there"; "" where nothing does.
std::string difference(const PlanLabel& here, const PlanLabel& there);

}  // namespace fdtd
