// cube_tma in single precision.
#include "engine/cuda/kernels/tma/cube_tma.cuh"

namespace fdtd::cuda {

std::span<const TmaVariant> cube_tma_f32() {
  static constexpr TmaVariant variants[] = {FDTD_CUBE_TMA_ALL(float, FDTD_CUBE_TMA_LIGHT_FLOAT, FDTD_CUBE_TMA_HEAVIEST),
                                            FDTD_CUBE_TMA_PLAIN(float, 3, box_shells_up_to(3, 0, 0), 32, 30, 2)};
  return variants;
}

}  // namespace fdtd::cuda
