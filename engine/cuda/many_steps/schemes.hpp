// Many steps a launch by shape of the stencil: empty for stencils of other shapes.
#pragma once

#include "engine/cuda/many_steps/many_steps.hpp"

namespace fdtd::cuda {

template <class T>
ManySteps prepare_star_steps(const Job& job, const RoomShare& share, const WallsView<T>& walls,
                             std::array<void*, 2> fields);
template <class T>
ManySteps prepare_cube_steps(const Job& job, const RoomShare& share, const WallsView<T>& walls,
                             std::array<void*, 2> fields);

}  // namespace fdtd::cuda
