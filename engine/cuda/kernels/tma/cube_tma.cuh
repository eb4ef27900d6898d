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

struct CubeTmaFamily {
  static constexpr const auto& rows = compiled_tiles::cube;
  template <class T, TmaTile row>
  static constexpr TmaVariant variant() {
    return tma_variant<March<T, row.radius, row.across, row.tile_y, row.rows>, T,
                       CubeArithmetic<T, row.radius, row.shells>, row.template use<T>()>(row.shells);
  }
};

}  // namespace fdtd::cuda
