// The part of one rank in a plan that several ranks compute.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/slab.hpp"

namespace fdtd {

struct PlanPart {
  std::vector<Slab> slabs;     // of all ranks
  SlabPlan own;                // of this one
  std::uint64_t branches = 0;  // of the whole plan
};

// The part of `rank`, cut from the whole plan. Throws Error (status resource) as split does.
PlanPart part_of(const Plan& plan, std::span<const PlaneCounts> counts, int ranks, int rank);

}  // namespace fdtd
