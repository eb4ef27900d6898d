#include "engine/plan/plan_part.hpp"

namespace fdtd {

PlanPart share_of(const Plan& plan, std::span<const PlaneCounts> counts, int ranks, int rank) {
  PlanPart share;
  share.slabs = split(plan, counts, ranks);
  share.part = cut(plan, share.slabs[static_cast<std::size_t>(rank)]);
  share.branches = plan.boundary.branch_begin.back();
  return share;
}

}  // namespace fdtd
