// cube_tma in double precision.
#include "engine/cuda/kernels/tma/cube_tma.cuh"

namespace fdtd::cuda {

std::span<const TmaVariant> cube_tma_f64() {
  static constexpr TmaVariant variants[] = {FDTD_CUBE_TMA_ALL(double, FDTD_CUBE_TMA_LIGHT, FDTD_CUBE_TMA_SMALL)};
  return variants;
}

}  // namespace fdtd::cuda
