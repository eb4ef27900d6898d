// Which square metre of wall matters: the derivative of a loss by the admittance of the wall at every site.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/adjoint/admittance_beside.hpp"
#include "engine/adjoint/site_filters.hpp"

namespace fdtd {

// By site of the plan's boundary, in its order.
struct SensitivityMap {
  std::vector<std::array<double, 3>> position;  // m, the node's: the centre of the voxel before the wall
  std::vector<std::int32_t> material, axis;     // of Plan::materials; across which the faces lie
  std::vector<double> area;                     // m2, of the real wall that the site stands for
  // dJ / d admittance (of a real one, over that of air, beside the material's branches) by m2: a patch of wall that is
  // more absorbent by dY on an area A changes J by value A dY.
  std::vector<double> value;
};

// `changes`: of each law of the plan, by the admittance of its material.
SensitivityMap sensitivity_map(const Plan& plan, const WallSlopes& walls, std::span<const LawChange> changes);

}  // namespace fdtd
