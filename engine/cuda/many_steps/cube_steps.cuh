// Many steps a launch, of stencils with the cube's symmetries within two nodes. For .cu files alone.
#pragma once

#include "engine/cuda/many_steps/many_steps.cuh"
#include "engine/cuda/many_steps/schemes.hpp"

namespace fdtd::cuda {

template <class T>
ManySteps prepare_cube_steps(const Job& job, const RoomShare& share, const WallsView<T>& walls,
                             std::array<void*, 2> fields) {
  const auto cube = cube_weights(job.stencil);
  const auto of = [&](const auto& scheme) { return prepare_room_steps(job, share, scheme, walls, fields); };
  if (cube && cube->radius == 1) return of(CubeRoom<T, 1, box_shells_up_to(1, 1, 1)>{shell_weights<T, 1>(*cube)});
  if (cube && cube->radius == 2) return of(CubeRoom<T, 2, box_shells_up_to(2, 2, 2)>{shell_weights<T, 2>(*cube)});
  return {};
}

}  // namespace fdtd::cuda
