// flat for leggy stencils, M = 1 and 2.
#include "engine/cuda/kernels/flat/flat.cuh"

#define FDTD_FLAT_STAR_OF(T, M)                                                                                        \
  flat_star_variant<T, M, 4, 32, 8>(), flat_star_variant<T, M, 4, 32, 16>(), flat_star_variant<T, M, 4, 16, 16>(),     \
      flat_star_variant<T, M, 4, 32, 4>(), flat_star_variant<T, M, 8, 16, 16>(), flat_star_variant<T, M, 8, 32, 8>(),  \
      flat_star_variant<T, M, 8, 32, 16>(), flat_star_variant<T, M, 8, 32, 4>(), flat_star_variant<T, M, 2, 32, 16>(), \
      flat_star_variant<T, M, 16, 32, 8>(), flat_star_variant<T, M, 4, 64, 4>()
#define FDTD_FLAT_STAR(M) FDTD_FLAT_STAR_OF(float, M), FDTD_FLAT_STAR_OF(double, M)

namespace fdtd::cuda {

std::span<const FlatVariant> flat_star_variants() {
  static constexpr FlatVariant variants[] = {FDTD_FLAT_STAR(1), FDTD_FLAT_STAR(2)};
  return variants;
}

}  // namespace fdtd::cuda
