// Rooms one cell thick and lines at their own speed: rows run along x and threads stand side by side along y, so the axes
// that have one cell come last. Node numbers stay as they are, for x + nx (y + ny z) skips an axis of one cell: states,
// sources and receivers need no translation.
#pragma once

#include <optional>

#include "engine/plan/plan.hpp"

namespace fdtd::cpu {

// The same plan with axes of one cell last, the others in their order; nothing where they are so already.
std::optional<Plan> flattened(const Plan& plan);
// Which axis of the flattened plan an axis of a grid of this size becomes.
int flat_axis(const std::array<int, 3>& size, int axis);

}  // namespace fdtd::cpu
