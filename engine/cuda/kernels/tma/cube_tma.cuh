// The kernel of cube_tma.cu: arithmetic of a plane, and the variants that are compiled.
#pragma once

#include "engine/cuda/kernels/plane_functionals.cuh"
#include "engine/cuda/kernels/tma/tma_kernel.cuh"

namespace fdtd::cuda {

std::span<const TmaVariant> cube_tma_variants();  // every compiled kernel, of both precisions

// The rows that a thread reads, as plane_functionals requests them.
template <class G, class T>
struct WindowRows {
  const T* own;  // the thread's first vector in its own row
  __device__ __forceinline__ Vector<T> operator()(int dy, int k) const {
    const Vector<T> vector = load(own + dy * G::pitch + k * G::width);
    if constexpr (G::R > 2 && G::width == 4) keep_whole(vector);  // some would be narrowed to three lanes
    return vector;
  }
};

template <class T, int R, std::uint64_t shells>
struct CubeArithmetic {
  static constexpr bool early = R <= 2 || shells == box_shells_up_to(3, 0, 0);  // where registers are short
  static constexpr bool corners = true;
  ShellWeights<T, R> weights;

  explicit CubeArithmetic(const GridStencil& stencil) : weights(shell_weights<T, R>(*cube_weights(stencil))) {}

  template <class G>
  struct Queue {
    OutputQueue<R, G::width, T> row[G::rows];
    __device__ __forceinline__ void clear() {
#pragma unroll
      for (int r = 0; r < G::rows; ++r) row[r].clear();
    }
  };

  template <class G, class Finish>
  __device__ __forceinline__ void take(const T* window, Queue<G>& queue, const Finish& finish) const {
    T done[G::rows][G::width];
#pragma unroll
    for (int r = 0; r < G::rows; ++r) {
      T F[R + 1][G::width];
      plane_functionals<R, shells>(WindowRows<G, T>{window + (r + R) * G::pitch + G::hx}, weights, F);
      queue.row[r].take(F, done[r]);
    }
#pragma unroll
    for (int r = 0; r < G::rows; ++r) finish(r, done[r]);
  }
};

}  // namespace fdtd::cuda

// across, tile_y, rows
#define FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, use) \
  tma_variant<March<T, R, across, tile_y, rows>, T, CubeArithmetic<T, R, shells>, use>(shells)
#define FDTD_CUBE_TMA_ANY(T, R, shells, across, tile_y, rows) \
  FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, TileUse::either | TileUse::ends)
#define FDTD_CUBE_TMA_EITHER(T, R, shells, across, tile_y, rows) \
  FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, TileUse::either)
#define FDTD_CUBE_TMA_ENDS(T, R, shells, across, tile_y, rows) \
  FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, TileUse::ends)
#define FDTD_CUBE_TMA_PLAIN(T, R, shells, across, tile_y, rows) \
  FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, TileUse::plain)
// The registers that the ends leave hold radius 3 in float. Where arithmetic binds, few tiles are worth a kernel each.
#define FDTD_CUBE_TMA_WALLS(T, R, shells, across, tile_y, rows) \
  FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, TileUse::plain | TileUse::mirrored | in_float<T>(TileUse::ends))
#define FDTD_CUBE_TMA_MIRRORED(T, R, shells, across, tile_y, rows) \
  FDTD_CUBE_TMA(T, R, shells, across, tile_y, rows, TileUse::plain | TileUse::mirrored)
#define FDTD_CUBE_TMA_LIGHTEST(T, R, shells)                                              \
  FDTD_CUBE_TMA_ANY(T, R, shells, 32, 30, 2), FDTD_CUBE_TMA_ANY(T, R, shells, 58, 32, 4), \
      FDTD_CUBE_TMA_EITHER(T, R, shells, 32, 64, 4),                                      \
      FDTD_CUBE_TMA(T, R, shells, 32, 45, 3, in_double<T>(TileUse::ends))
#define FDTD_CUBE_TMA_LIGHT(T, R, shells)                                                       \
  FDTD_CUBE_TMA_EITHER(T, R, shells, 32, 30, 2), FDTD_CUBE_TMA_EITHER(T, R, shells, 58, 16, 2), \
      FDTD_CUBE_TMA_EITHER(T, R, shells, 16, 60, 2), FDTD_CUBE_TMA_ENDS(T, R, shells, 32, 22, 2)
// Three rows a thread take all 128 registers in single precision.
#define FDTD_CUBE_TMA_LIGHT_FLOAT(T, R, shells)                                     \
  FDTD_CUBE_TMA_LIGHT(T, R, shells), FDTD_CUBE_TMA_EITHER(T, R, shells, 32, 45, 3), \
      FDTD_CUBE_TMA_ENDS(T, R, shells, 32, 33, 3)
// Radius 3 that few shells reach, 123 and 131 points: larger tiles; in double not with two rows at 512 threads.
#define FDTD_CUBE_TMA_SPARSE(T)                                        \
  FDTD_CUBE_TMA_MIRRORED(T, 3, box_shells_up_to(3, 0, 0), 32, 22, 2),  \
      FDTD_CUBE_TMA_PLAIN(T, 3, box_shells_up_to(3, 0, 0), 24, 20, 1), \
      FDTD_CUBE_TMA_PLAIN(T, 3, box_shells_up_to(3, 0, 0), 32, 15, 1), \
      FDTD_CUBE_TMA_WALLS(T, 3, box_shells_up_to(3, 0, 0), 16, 30, 1), \
      FDTD_CUBE_TMA(T, 3, box_shells_up_to(3, 0, 0), 16, 28, 2, in_float<T>(TileUse::ends))
#define FDTD_CUBE_TMA_HEAVY(T, R, shells)                                                         \
  FDTD_CUBE_TMA_PLAIN(T, R, shells, 24, 20, 1), FDTD_CUBE_TMA_PLAIN(T, R, shells, 32, 15, 1),     \
      FDTD_CUBE_TMA_WALLS(T, R, shells, 16, 30, 1), FDTD_CUBE_TMA_WALLS(T, R, shells, 16, 28, 2), \
      FDTD_CUBE_TMA_PLAIN(T, R, shells, 16, 14, 1)
#define FDTD_CUBE_TMA_HEAVIEST(T, R, shells)                                                         \
  FDTD_CUBE_TMA_PLAIN(T, R, shells, 24, 20, 1), FDTD_CUBE_TMA_PLAIN(T, R, shells, 32, 15, 1),        \
      FDTD_CUBE_TMA_PLAIN(T, R, shells, 16, 30, 1), FDTD_CUBE_TMA_MIRRORED(T, R, shells, 16, 28, 2), \
      FDTD_CUBE_TMA_MIRRORED(T, R, shells, 16, 14, 1)
// In double, 128 registers do not hold radius 4.
#define FDTD_CUBE_TMA_SMALL(T, R, shells) \
  FDTD_CUBE_TMA_MIRRORED(T, R, shells, 16, 14, 1), FDTD_CUBE_TMA_PLAIN(T, R, shells, 32, 7, 1)
// Differences between the precisions.
#define FDTD_CUBE_TMA_2_float FDTD_CUBE_TMA_LIGHT_FLOAT
#define FDTD_CUBE_TMA_2_double FDTD_CUBE_TMA_LIGHT
#define FDTD_CUBE_TMA_4_float FDTD_CUBE_TMA_HEAVIEST
#define FDTD_CUBE_TMA_4_double FDTD_CUBE_TMA_SMALL
#define FDTD_CUBE_TMA_123_float \
  FDTD_CUBE_TMA_SPARSE(float), FDTD_CUBE_TMA_PLAIN(float, 3, box_shells_up_to(3, 0, 0), 32, 30, 2)
#define FDTD_CUBE_TMA_123_double FDTD_CUBE_TMA_SPARSE(double)
// Groups that take about the same time to compile: a translation unit each and precision (engine/CMakeLists.txt).
#define FDTD_CUBE_TMA_GROUP_0(T) FDTD_CUBE_TMA_LIGHTEST(T, 1, box_shells_up_to(1, 1, 1))
#define FDTD_CUBE_TMA_GROUP_1(T) FDTD_CUBE_TMA_2_##T(T, 2, box_shells_up_to(2, 2, 2))
#define FDTD_CUBE_TMA_GROUP_2(T) FDTD_CUBE_TMA_123_##T
#define FDTD_CUBE_TMA_GROUP_3(T) FDTD_CUBE_TMA_HEAVY(T, 3, compact_shells_up_to(14))
#define FDTD_CUBE_TMA_GROUP_4(T) FDTD_CUBE_TMA_HEAVY(T, 3, box_shells_up_to(3, 3, 3))
#define FDTD_CUBE_TMA_GROUP_5(T) \
  FDTD_CUBE_TMA_4_##T(T, 4, compact_shells_up_to(16)), FDTD_CUBE_TMA_4_##T(T, 4, box_shells_up_to(4, 0, 0))
#define FDTD_CUBE_TMA_GROUP_6(T) FDTD_CUBE_TMA_4_##T(T, 4, compact_shells_up_to(22))
#define FDTD_CUBE_TMA_GROUP_7(T) FDTD_CUBE_TMA_4_##T(T, 4, box_shells_up_to(4, 4, 4))
