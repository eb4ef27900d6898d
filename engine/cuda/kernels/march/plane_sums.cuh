// The kernel of plane_sums.cu, how it is launched, and the variants that are compiled.
#pragma once

#include "engine/cuda/kernels/march/blocks.hpp"
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

struct PlaneSumsFamily {
  static constexpr const auto& rows = compiled_blocks::plane_sums;
  template <class T, MarchBlock row>
  static constexpr PlaneSumsVariant variant() {
    return plane_sums_variant<T, row.radius, row.shells, row.x, row.y, row.vectors>();
  }
};

}  // namespace fdtd::cuda
