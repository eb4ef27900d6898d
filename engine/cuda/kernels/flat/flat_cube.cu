// flat for stencils with the cube's symmetries: 19 and 27 points, and radius 2 (box-200 to box-222, compact-4 to compact-8).
#include "engine/cuda/kernels/flat/flat.cuh"

#define FDTD_FLAT_CUBE_OF(T, R, SHELLS)                                                          \
  flat_cube_variant<T, R, SHELLS, 4, 16, 8>(), flat_cube_variant<T, R, SHELLS, 8, 32, 4>(),      \
      flat_cube_variant<T, R, SHELLS, 4, 32, 8>(), flat_cube_variant<T, R, SHELLS, 4, 16, 16>(), \
      flat_cube_variant<T, R, SHELLS, 8, 16, 16>(), flat_cube_variant<T, R, SHELLS, 8, 32, 8>()
#define FDTD_FLAT_CUBE_MORE(T, SHELLS)                                                           \
  flat_cube_variant<T, 1, SHELLS, 4, 32, 16>(), flat_cube_variant<T, 1, SHELLS, 4, 32, 4>(),     \
      flat_cube_variant<T, 1, SHELLS, 8, 32, 16>(), flat_cube_variant<T, 1, SHELLS, 8, 16, 8>(), \
      flat_cube_variant<T, 1, SHELLS, 16, 32, 4>(), flat_cube_variant<T, 1, SHELLS, 16, 32, 8>()
#define FDTD_FLAT_CUBE(R, SHELLS) FDTD_FLAT_CUBE_OF(float, R, SHELLS), FDTD_FLAT_CUBE_OF(double, R, SHELLS)
#define FDTD_FLAT_CUBE_1(SHELLS) \
  FDTD_FLAT_CUBE(1, SHELLS), FDTD_FLAT_CUBE_MORE(float, SHELLS), FDTD_FLAT_CUBE_MORE(double, SHELLS)

namespace fdtd::cuda {

std::span<const FlatVariant> flat_cube_variants() {
  static constexpr FlatVariant variants[] = {
      FDTD_FLAT_CUBE_1(box_shells_up_to(1, 1, 0)),  FDTD_FLAT_CUBE_1(box_shells_up_to(1, 1, 1)),
      FDTD_FLAT_CUBE(2, box_shells_up_to(2, 0, 0)), FDTD_FLAT_CUBE(2, box_shells_up_to(2, 1, 0)),
      FDTD_FLAT_CUBE(2, box_shells_up_to(2, 1, 1)), FDTD_FLAT_CUBE(2, box_shells_up_to(2, 2, 0)),
      FDTD_FLAT_CUBE(2, box_shells_up_to(2, 2, 2))};
  return variants;
}

}  // namespace fdtd::cuda
