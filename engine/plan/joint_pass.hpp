// Sources that send together, in one pass: the parts of a directional source, each by its own signal
// (transducers/joint_parts.hpp, joint_harmonics.hpp). The field is linear: receivers record the sum of all parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

struct Plan;

// As a joint pass is requested: its first source, the part of this source in the pattern, 1 of a measured directivity,
// and the number of sources, which follow each other.
struct JointParts {
  std::size_t first = 0;
  double fraction = 1.0;
  std::size_t count = 2;
  bool operator==(const JointParts&) const = default;
};

// The pass of `parts.count` sources from `parts.first` on. Its record, once through y^n = x^n - zero x^{n-1} + pole
// y^{n-1}, is that of the drive (1, -1, 0, ...) of the first source through its filter, if it has one, plus the
// integrated and filtered ones of the others, all of them sent `lead` samples later.
struct JointPass {
  JointParts parts;
  double band = 0.0;                         // radians a step up to which the parts add up as they should
  std::vector<std::vector<double>> signals;  // one a source, f^0, f^1, ...; zero after their ends
  std::int64_t lead = 0;                     // above 0
  double zero = 0.0, pole = 0.0;
  std::vector<double> cuts = {};  // Hz by order, of a measured directivity (transducers/channel_filter.hpp)
};

// The joint pass that a source of the plan begins; null: it has a pass of its own, or joins that of the one before.
const JointPass* joint_pass_of(const Plan& plan, std::size_t source);
// Whether a source sends in the pass of one before it.
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
