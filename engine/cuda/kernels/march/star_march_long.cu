// star_march for M = 14 to 20.
#include "engine/cuda/kernels/march/star_march.cuh"

namespace fdtd::cuda {

std::span<const StarMarchVariant> star_march_long() {
  static constexpr StarMarchVariant variants[] = {
      FDTD_STAR_MARCH(14, LONG), FDTD_STAR_MARCH(15, LONG), FDTD_STAR_MARCH(16, LONG), FDTD_STAR_MARCH(17, LONG),
      FDTD_STAR_MARCH(18, LONG), FDTD_STAR_MARCH(19, LONG), FDTD_STAR_MARCH(20, LONG)};
  return variants;
}

}  // namespace fdtd::cuda
