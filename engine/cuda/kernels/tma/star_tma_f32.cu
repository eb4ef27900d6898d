// star_tma in single precision.
#include "engine/cuda/kernels/tma/star_tma.cuh"

namespace fdtd::cuda {

std::span<const TmaVariant> star_tma_f32() {
  static constexpr TmaVariant variants[] = {FDTD_STAR_TMA_ALL(float)};
  return variants;
}

}  // namespace fdtd::cuda
