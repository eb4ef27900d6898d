// Many steps a launch, of leggy stencils of up to four legs. For .cu files alone.
#pragma once

#include "engine/cuda/many_steps/many_steps.cuh"
#include "engine/cuda/many_steps/schemes.hpp"

namespace fdtd::cuda {

template <class T>
ManySteps prepare_star_steps(const Job& job, const RoomShare& share, const WallsView<T>& walls,
                             std::array<void*, 2> fields) {
  const auto star = star_weights(job.stencil);
  const auto of = [&](auto radius) {
    return prepare_room_steps(job, share, StarRoom<T, radius>{star_coefficients<T, radius>(*star)}, walls, fields);
  };
  switch (star ? star->radius : 0) {
    case 1:
      return of(std::integral_constant<int, 1>{});
    case 2:
      return of(std::integral_constant<int, 2>{});
    case 3:
      return of(std::integral_constant<int, 3>{});
    case 4:
      return of(std::integral_constant<int, 4>{});
    default:
      return {};
  }
}

}  // namespace fdtd::cuda
