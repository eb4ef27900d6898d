// plane_sums for 7 to 125 points: radius 1 and 2. Compact-4, 5, 6 and 8 are the same sets as box-200, 210, 211 and 220.
#include "engine/cuda/kernels/march/plane_sums.cuh"

namespace fdtd::cuda {

std::span<const PlaneSumsVariant> plane_sums_up_to_222() {
  static constexpr PlaneSumsVariant variants[] = {
      FDTD_PLANE_SUMS(1, box_shells_up_to(1, 0, 0)), FDTD_PLANE_SUMS(1, box_shells_up_to(1, 1, 0)),
      FDTD_PLANE_SUMS(1, box_shells_up_to(1, 1, 1)), FDTD_PLANE_SUMS(2, box_shells_up_to(2, 0, 0)),
      FDTD_PLANE_SUMS(2, box_shells_up_to(2, 1, 0)), FDTD_PLANE_SUMS(2, box_shells_up_to(2, 1, 1)),
      FDTD_PLANE_SUMS(2, box_shells_up_to(2, 2, 0)), FDTD_PLANE_SUMS(2, box_shells_up_to(2, 2, 1)),
      FDTD_PLANE_SUMS(2, box_shells_up_to(2, 2, 2)),
  };
  return variants;
}

}  // namespace fdtd::cuda
