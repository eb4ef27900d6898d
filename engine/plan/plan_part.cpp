#include "engine/plan/plan_part.hpp"

namespace fdtd {

PlanPart part_of(const Plan& plan, std::span<const PlaneCounts> counts, int ranks, int rank) {
  PlanPart part;
  part.slabs = split(plan, counts, ranks);
  part.own = cut(plan, part.slabs[static_cast<std::size_t>(rank)]);
  part.branches = plan.boundary.branch_begin.back();
  return part;
}

}  // namespace fdtd
