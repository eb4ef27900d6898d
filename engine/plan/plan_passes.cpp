// The passes of a plan, of which joint_pass.hpp speaks: apart from it, because a plan holds joint passes.
#include <algorithm>

#include "engine/plan/joint_pass.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd {

const JointPass* joint_pass_of(const Plan& plan, std::size_t source) {
  const auto at = std::ranges::find_if(plan.joint, [&](const JointPass& one) { return one.parts.first == source; });
  return at != plan.joint.end() ? &*at : nullptr;
}

bool joins(const Plan& plan, std::size_t source) {
  return std::ranges::any_of(plan.joint, [&](const JointPass& one) {
    return source > one.parts.first && source < one.parts.first + one.parts.count;
  });
}

std::size_t passes_before(const Plan& plan, std::size_t source) {
  std::size_t joined = 0;
  for (const JointPass& one : plan.joint)
    if (one.parts.first + one.parts.count <= source) joined += one.parts.count - 1;
  return source - joined;
}

std::size_t pass_count(const Plan& plan) { return passes_before(plan, plan.sources.size()); }

}  // namespace fdtd
