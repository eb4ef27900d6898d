// flat for stencils with the cube's symmetries and radius 1: 19 and 27 points.
#include "engine/cuda/kernels/flat/flat.cuh"

#define FDTD_FLAT_CUBE_OF(T, SHELLS)                                                             \
  flat_cube_variant<T, 1, SHELLS, 4, 16, 8>(), flat_cube_variant<T, 1, SHELLS, 8, 32, 4>(),      \
      flat_cube_variant<T, 1, SHELLS, 4, 32, 8>(), flat_cube_variant<T, 1, SHELLS, 4, 16, 16>(), \
      flat_cube_variant<T, 1, SHELLS, 8, 16, 16>(), flat_cube_variant<T, 1, SHELLS, 8, 32, 8>(), \
      flat_cube_variant<T, 1, SHELLS, 4, 32, 16>(), flat_cube_variant<T, 1, SHELLS, 4, 32, 4>(), \
      flat_cube_variant<T, 1, SHELLS, 8, 32, 16>(), flat_cube_variant<T, 1, SHELLS, 8, 16, 8>(), \
      flat_cube_variant<T, 1, SHELLS, 16, 32, 4>(), flat_cube_variant<T, 1, SHELLS, 16, 32, 8>()
#define FDTD_FLAT_CUBE(SHELLS) FDTD_FLAT_CUBE_OF(float, SHELLS), FDTD_FLAT_CUBE_OF(double, SHELLS)

namespace fdtd::cuda {

std::span<const FlatVariant> flat_cube_variants() {
  static constexpr FlatVariant variants[] = {FDTD_FLAT_CUBE(box_shells_up_to(1, 1, 0)),
                                             FDTD_FLAT_CUBE(box_shells_up_to(1, 1, 1))};
  return variants;
}

}  // namespace fdtd::cuda
