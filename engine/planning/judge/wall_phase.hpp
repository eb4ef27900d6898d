// Where a wall appears to stand on the grid: the phase of its reflection as a displacement.
//
// A wall that stands d further out has the reflection coefficient R exp(-2 i k d cos(theta)) in its former plane. So a
// phase that is off by arg(R_grid / R) displaces it by d = -arg(R_grid / R) / (2 k cos(theta)), and a mode whose wave
// meets it at the angle theta has a frequency that is cos^2(theta) d / L lower, in a room of length L.
#pragma once

#include <span>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The phase of a faint reflection is hardly defined, and moves no mode that lasts: waves of which the wall reflects less
// of the energy do not count.
inline constexpr double min_reflection = 0.25;

// The displacement that each wave sees, in cells along the wall's axis, outward above 0; NaN where `branches`, in theory,
// reflect less than min_reflection of the energy. `branches`: D in s, F in 1/s; `time_step` in s; `waves` with `load`.
std::vector<double> wall_displacements(const WallLaw& law, const std::vector<Branch>& branches, double time_step,
                                       const std::vector<WallWave>& waves);

// The one of `displacements` that is furthest from 0, of waves up to `highest` (omega T in air); 0 where there is none.
double furthest_displacement(const std::vector<WallWave>& waves, std::span<const double> displacements, double highest);

}  // namespace fdtd
