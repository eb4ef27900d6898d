// star_march for M = 1 to 7.
#include "engine/cuda/kernels/march/star_march.cuh"

namespace fdtd::cuda {

std::span<const StarMarchVariant> star_march_short() {
  static constexpr StarMarchVariant variants[] = {
      FDTD_STAR_MARCH(1, SHORT), FDTD_STAR_MARCH(2, SHORT), FDTD_STAR_MARCH(3, SHORT), FDTD_STAR_MARCH(4, SHORT),
      FDTD_STAR_MARCH(5, SHORT), FDTD_STAR_MARCH(6, SHORT), FDTD_STAR_MARCH(7, SHORT)};
  return variants;
}

}  // namespace fdtd::cuda
