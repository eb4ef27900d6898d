// The fingerprint of a plan: a few readable values and a hash of all the rest. A checkpoint carries it, so that a run
// resumes only in the room in which it began.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct PlanFingerprint {
  std::string precision, stencil;
  std::array<std::int64_t, 3> grid{};  // nodes along x, y, z
  double time_step = 0.0;              // s
  std::int64_t steps = 0;
  std::vector<std::string> sources, receivers;
  std::vector<std::size_t>
      joined;  // sources without a pass of their own (joint_pass.hpp); in no file: part of the hash
  std::int64_t state_nodes = 0, state_branches = 0;  // values of a field; of a branch variable
  // FNV-1a of grid, weights, walls, laws and taps, walls plane by plane. Real numbers are rounded to float before: the
  // mathematical library of another machine may differ in the last bit, and a run must be able to move there.
  std::string hash;
  bool operator==(const PlanFingerprint&) const = default;
};

PlanFingerprint fingerprint_of(const Plan& plan);

// Hashes of air and walls, one for each plane in [begin, end). Those of a slab equal those of the same planes of the
// whole plan.
std::vector<std::uint64_t> wall_hashes(const Plan& plan, int begin, int end);
// The fingerprint of the whole plan from its outline (make_plan.hpp), the number of all its branches and the hashes of
// all planes.
PlanFingerprint fingerprint_of(const Plan& outline, std::uint64_t branches, const std::vector<std::uint64_t>& hashes);

// The same hash with all bits of real numbers: two plans of one print, of one build, on one kind of device, give the same
// record, bit for bit. Of a whole plan, not of an outline.
std::string exact_print(const Plan& plan);

// The first item in which two fingerprints differ, with both values: "precision: f64 here, f32 there"; "" if they are
// equal.
std::string difference(const PlanFingerprint& here, const PlanFingerprint& there);

}  // namespace fdtd
