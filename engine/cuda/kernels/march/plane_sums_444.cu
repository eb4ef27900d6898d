// plane_sums of radius 4: box-400, compact-16 to compact-22 and, for users' stencils, the full cube of 729 points.
#include "engine/cuda/kernels/march/plane_sums.cuh"

namespace fdtd::cuda {

std::span<const PlaneSumsVariant> plane_sums_up_to_444() {
  static constexpr PlaneSumsVariant variants[] = {
      FDTD_PLANE_SUMS_RADIUS_4(box_shells_up_to(4, 0, 0)), FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(16)),
      FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(17)),  FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(18)),
      FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(19)),  FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(20)),
      FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(21)),  FDTD_PLANE_SUMS_RADIUS_4(compact_shells_up_to(22)),
      FDTD_PLANE_SUMS_RADIUS_4(box_shells_up_to(4, 4, 4)),
  };
  return variants;
}

}  // namespace fdtd::cuda
