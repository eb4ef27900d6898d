// plane_sums of radius 3, up to 343 points.
#include "engine/cuda/kernels/march/plane_sums.cuh"

namespace fdtd::cuda {

std::span<const PlaneSumsVariant> plane_sums_up_to_333() {
  static constexpr PlaneSumsVariant variants[] = {
      FDTD_PLANE_SUMS(3, box_shells_up_to(3, 2, 2)), FDTD_PLANE_SUMS(3, box_shells_up_to(3, 3, 0)),
      FDTD_PLANE_SUMS(3, box_shells_up_to(3, 3, 1)), FDTD_PLANE_SUMS(3, box_shells_up_to(3, 3, 2)),
      FDTD_PLANE_SUMS(3, box_shells_up_to(3, 3, 3)),
  };
  return variants;
}

}  // namespace fdtd::cuda
