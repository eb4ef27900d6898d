// Reorders the axes of rooms one cell thick and of lines, for speed: rows run along x and threads lie side by side
// along y, so axes of one cell come last. Node numbers do not change, since x + nx (y + ny z) skips an axis of one
// cell: states, sources and receivers need no translation.
#pragma once

#include <optional>

#include "engine/plan/plan.hpp"

namespace fdtd::cpu {

// The same plan with the axes of one cell last, the others in their order; no value where they already are.
std::optional<Plan> flattened(const Plan& plan);
// The axis of the flattened plan that corresponds to an axis of a grid of this size.
int flat_axis(const std::array<int, 3>& size, int axis);

}  // namespace fdtd::cpu
