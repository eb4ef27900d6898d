// Two sources that send together, in one pass: both parts of a directional source, each by its own signal
// (transducers/joint_parts.hpp). The field is linear: what receivers record is the sum of both parts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

struct Plan;

// As a joint pass is requested: its first source, and the part of this source in the pattern.
struct JointParts {
  std::size_t first = 0;
  double fraction = 1.0;
  bool operator==(const JointParts&) const = default;
};

// The pass of the sources `parts.first` and the one after it. Its record, once through y^n = x^n - zero x^{n-1} + pole
// y^{n-1}, is that of the drive (1, -1, 0, ...) of the first source, plus the integrated one of the other, both of them
// sent `lead` samples later.
struct JointPass {
  JointParts parts;
  double band = 0.0;                           // radians a step up to which the parts add up as they should
  std::array<std::vector<double>, 2> signals;  // f^0, f^1, ...; zero after their ends
  std::int64_t lead = 0;
  double zero = 0.0, pole = 0.0;
};

// The joint pass that a source of the plan begins; null: it has a pass of its own, or joins that of the one before.
const JointPass* joint_pass_of(const Plan& plan, std::size_t source);
// Whether a source sends in the pass of the source before it.
bool joins(const Plan& plan, std::size_t source);
// Passes of the sources before `source`, and of all.
std::size_t passes_before(const Plan& plan, std::size_t source);
std::size_t pass_count(const Plan& plan);

// The recursion of a joint pass, sample by sample.
class JointFilter {
 public:
  explicit JointFilter(const JointPass& pass) : zero_(pass.zero), pole_(pass.pole) {}
  double operator()(double x) {
    y_ = x - zero_ * x_ + pole_ * y_;
    x_ = x;
    return y_;
  }

 private:
  double zero_, pole_, x_ = 0.0, y_ = 0.0;
};

// A record of the pass, in place; nothing is recorded after sample `last`.
void undo_signals(const JointPass& pass, std::span<double> record, std::int64_t last);

}  // namespace fdtd
