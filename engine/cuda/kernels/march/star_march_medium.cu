// star_march for M = 8 to 13. A tile of 16 x 24 spills in double for M = 13 where there is no sm_90.
#include "engine/cuda/kernels/march/star_march.cuh"

namespace fdtd::cuda {

std::span<const StarMarchVariant> star_march_medium() {
  static constexpr StarMarchVariant variants[] = {FDTD_STAR_MARCH(8, EIGHT),   FDTD_STAR_MARCH(9, MEDIUM),
                                                  FDTD_STAR_MARCH(10, MEDIUM), FDTD_STAR_MARCH(11, MEDIUM),
                                                  FDTD_STAR_MARCH(12, MEDIUM), FDTD_STAR_MARCH(13, LONG)};
  return variants;
}

}  // namespace fdtd::cuda
