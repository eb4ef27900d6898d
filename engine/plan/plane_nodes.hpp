// Nodes of a plane across z.
#pragma once

#include <cstdint>

#include "engine/plan/plan.hpp"

namespace fdtd {

inline std::uint64_t plane_nodes(const Plan& plan) {
  return static_cast<std::uint64_t>(plan.grid.size[0]) * static_cast<std::uint64_t>(plan.grid.size[1]);
}

}  // namespace fdtd
