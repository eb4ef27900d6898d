// The kernel of plane_sums.cu, how it is launched, and the variants that are compiled.
#pragma once

#include "engine/cuda/kernels/march/march.cuh"
#include "engine/cuda/kernels/march/ring.cuh"
#include "engine/cuda/kernels/plane_functionals.cuh"

namespace fdtd::cuda {

// A compiled kernel: which stencils and which blocks it is for. Any stencil whose shells are among `shells` may use it.
struct PlaneSumsVariant {
  Precision precision;
  int radius;
  std::uint64_t shells;
  Tile block;  // z and depth are free
  int slot_bytes;
  Prepared (*prepare)(const Job&, const Tile&, std::array<void*, 2> fields);
};
std::span<const PlaneSumsVariant> plane_sums_variants();  // every compiled kernel, of both precisions

// A thread's part of ring_march: N vectors, `width` nodes.
template <class T, int R, std::uint64_t shells, int width>
struct PlaneSums {
  OutputQueue<R, width, T> queue;

  template <class Rows>
  __device__ __forceinline__ void take(const Rows& rows, const ShellWeights<T, R>& weights, bool, T (&done)[width]) {
    T F[R + 1][width];
    plane_functionals<R, shells>(rows, weights, F);
    queue.take(F, done);
  }
};

// Blocks on a multiprocessor that the registers must suffice for (0: as the compiler thinks): with more of them it
// spills.
template <class T>
constexpr int plane_sums_min_blocks(int R, int threads, int N) {
  if (R == 1 || (R == 2 && N == 1 && threads < 512)) return 0;
  if (R == 2) return 512 / threads;
  if (N > 1) return 256 / threads;
  return (R == 4 && sizeof(T) == sizeof(double) ? 384 : 512) / threads;
}

template <class T, int R, std::uint64_t shells, int BX, int BY, int N>
__global__ void __launch_bounds__(BX* BY, plane_sums_min_blocks<T>(R, BX* BY, N))
    plane_sums_march(const T* __restrict__ u1, T* u0, const RingGrid grid,
                     const __grid_constant__ ShellWeights<T, R> weights) {
  PlaneSums<T, R, shells, N * lanes<T>> sums;
  sums.queue.clear();
  ring_march<T, R, BX, BY, N, true>(u1, u0, grid, weights, sums);
}

template <class T, int R, std::uint64_t shells, int BX, int BY, int N>
Prepared prepare_plane_sums(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  using Shape = RingShape<T, R, BX, BY, N>;
  return prepare_march<T>(job, tile, plane_sums_march<T, R, shells, BX, BY, N>, Shape::threads, Shape::slot_bytes,
                          shell_weights<T, R>(*cube_weights(job.stencil)), fields);
}

template <class T, int R, std::uint64_t shells, int BX, int BY, int N>
constexpr PlaneSumsVariant plane_sums_variant() {
  using Shape = RingShape<T, R, BX, BY, N>;
  return {sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64,
          R,
          shells,
          Tile{BX * Shape::width, BY, 0, Shape::threads, 0},
          Shape::slot_bytes,
          prepare_plane_sums<T, R, shells, BX, BY, N>};
}

}  // namespace fdtd::cuda

// Every block that a shape is compiled for: BX x BY threads of N vectors each. At radius 4 the registers of double
// leave room for 128 threads a block (168 each, three blocks).
#define FDTD_PLANE_SUMS_BLOCKS(T, R, SHELLS)                                                      \
  plane_sums_variant<T, R, SHELLS, 16, 16, 1>(), plane_sums_variant<T, R, SHELLS, 32, 8, 1>(),    \
      plane_sums_variant<T, R, SHELLS, 16, 8, 1>(), plane_sums_variant<T, R, SHELLS, 32, 4, 1>(), \
      plane_sums_variant<T, R, SHELLS, 16, 8, 2>(), plane_sums_variant<T, R, SHELLS, 16, 16, 2>()
#define FDTD_PLANE_SUMS_LARGE_BLOCKS(T, R, SHELLS) \
  FDTD_PLANE_SUMS_BLOCKS(T, R, SHELLS), plane_sums_variant<T, R, SHELLS, 32, 16, 1>()
#define FDTD_PLANE_SUMS_SMALL_BLOCKS(T, R, SHELLS)                                            \
  plane_sums_variant<T, R, SHELLS, 16, 8, 1>(), plane_sums_variant<T, R, SHELLS, 32, 4, 1>(), \
      plane_sums_variant<T, R, SHELLS, 8, 16, 1>(), plane_sums_variant<T, R, SHELLS, 16, 8, 2>()
#define FDTD_PLANE_SUMS_4_float FDTD_PLANE_SUMS_BLOCKS
#define FDTD_PLANE_SUMS_4_double FDTD_PLANE_SUMS_SMALL_BLOCKS
// Compact-4, 5, 6 and 8 are the same sets as box-200, 210, 211 and 220, compact-12, 13 and 14 as box-311, 320 and 321;
// the full cube of 729 points is for users' stencils.
// Groups that take about the same time to compile: a translation unit each and precision (engine/CMakeLists.txt).
#define FDTD_PLANE_SUMS_GROUP_0(T)                                   \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 1, box_shells_up_to(1, 0, 0)),     \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 1, box_shells_up_to(1, 1, 0)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 1, box_shells_up_to(1, 1, 1)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 2, box_shells_up_to(2, 0, 0)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 2, box_shells_up_to(2, 1, 0))
#define FDTD_PLANE_SUMS_GROUP_1(T)                                   \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 2, box_shells_up_to(2, 1, 1)),     \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 2, box_shells_up_to(2, 2, 0)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 2, box_shells_up_to(2, 2, 1)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 2, box_shells_up_to(2, 2, 2))
#define FDTD_PLANE_SUMS_GROUP_2(T)                                  \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, compact_shells_up_to(9)),      \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, compact_shells_up_to(10)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, compact_shells_up_to(11)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 0, 0))
#define FDTD_PLANE_SUMS_GROUP_3(T)                                   \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 1, 0)),     \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 1, 1)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 2, 0)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 2, 1))
#define FDTD_PLANE_SUMS_GROUP_4(T)                               \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 2, 2)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 3, 0))
#define FDTD_PLANE_SUMS_GROUP_5(T)                                   \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 3, 1)),     \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 3, 2)), \
      FDTD_PLANE_SUMS_LARGE_BLOCKS(T, 3, box_shells_up_to(3, 3, 3))
#define FDTD_PLANE_SUMS_GROUP_6(T)                                                                               \
  FDTD_PLANE_SUMS_4_##T(T, 4, box_shells_up_to(4, 0, 0)), FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(16)), \
      FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(17))
#define FDTD_PLANE_SUMS_GROUP_7(T) \
  FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(18)), FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(19))
#define FDTD_PLANE_SUMS_GROUP_8(T) \
  FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(20)), FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(21))
#define FDTD_PLANE_SUMS_GROUP_9(T) \
  FDTD_PLANE_SUMS_4_##T(T, 4, compact_shells_up_to(22)), FDTD_PLANE_SUMS_4_##T(T, 4, box_shells_up_to(4, 4, 4))
