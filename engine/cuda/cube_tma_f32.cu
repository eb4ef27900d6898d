// cube_tma in single precision.
#include "engine/cuda/cube_tma.cuh"

namespace fdtd::cuda {

std::span<const TmaVariant> cube_tma_f32() {
  static constexpr TmaVariant variants[] = {FDTD_CUBE_TMA_ALL(float, FDTD_CUBE_TMA_LIGHT_FLOAT, FDTD_CUBE_TMA_HEAVY)};
  return variants;
}

}  // namespace fdtd::cuda
