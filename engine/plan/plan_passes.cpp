// The passes of a plan, of which joint_pass.hpp speaks: apart from it, because a plan holds joint passes.
#include <algorithm>

#include "engine/plan/joint_pass.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd {

const JointPass* joint_pass_of(const Plan& plan, std::size_t source) {
  const auto at = std::ranges::find_if(plan.joint, [&](const JointPass& one) { return one.parts.first == source; });
  return at != plan.joint.end() ? &*at : nullptr;
}

bool joins(const Plan& plan, std::size_t source) { return source > 0 && joint_pass_of(plan, source - 1) != nullptr; }

std::size_t passes_before(const Plan& plan, std::size_t source) {
  const auto joined =
      std::ranges::count_if(plan.joint, [&](const JointPass& one) { return one.parts.first + 1 < source; });
  return source - static_cast<std::size_t>(joined);
}

std::size_t pass_count(const Plan& plan) { return plan.sources.size() - plan.joint.size(); }

}  // namespace fdtd
