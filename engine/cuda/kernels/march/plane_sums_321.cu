// plane_sums of radius 3, up to 251 points. Compact-12, 13 and 14 are the same sets as box-311, 320 and 321.
#include "engine/cuda/kernels/march/plane_sums.cuh"

namespace fdtd::cuda {

std::span<const PlaneSumsVariant> plane_sums_up_to_321() {
  static constexpr PlaneSumsVariant variants[] = {
      FDTD_PLANE_SUMS(3, compact_shells_up_to(9)),   FDTD_PLANE_SUMS(3, compact_shells_up_to(10)),
      FDTD_PLANE_SUMS(3, compact_shells_up_to(11)),  FDTD_PLANE_SUMS(3, box_shells_up_to(3, 0, 0)),
      FDTD_PLANE_SUMS(3, box_shells_up_to(3, 1, 0)), FDTD_PLANE_SUMS(3, box_shells_up_to(3, 1, 1)),
      FDTD_PLANE_SUMS(3, box_shells_up_to(3, 2, 0)), FDTD_PLANE_SUMS(3, box_shells_up_to(3, 2, 1)),
  };
  return variants;
}

}  // namespace fdtd::cuda
