// star_tma in double precision.
#include "engine/cuda/kernels/tma/star_tma.cuh"

namespace fdtd::cuda {

std::span<const TmaVariant> star_tma_f64() {
  static constexpr TmaVariant variants[] = {FDTD_STAR_TMA_ALL(double)};
  return variants;
}

}  // namespace fdtd::cuda
