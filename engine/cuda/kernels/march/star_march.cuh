// The kernel of star_march.cu, and the variants that are compiled.
#pragma once

#include "engine/cuda/field/star_weights.cuh"
#include "engine/cuda/kernels/march/blocks.hpp"
#include "engine/cuda/kernels/march/march.cuh"

namespace fdtd::cuda {

// A compiled kernel: which stencils and which blocks it is for.
struct StarMarchVariant {
  Precision precision;
  int radius;
  Tile block;  // z and depth are free
  int slot_bytes;
  Prepared (*prepare)(const Job&, const Tile&, std::array<void*, 2> fields);
};
std::span<const StarMarchVariant> star_march_variants();  // every compiled kernel, of both precisions

// The plane's own part of its output: the row, the column and the centre. In long stencils the smallest weights come
// first and the centre last, so that few of the sums' roundings are of the size of the whole; short ones have no
// registers for it, and few roundings.
template <int M, class T, class Rows>
__device__ __forceinline__ void star_plane_sum(const Rows& rows, const Vector<T>& centre,
                                               const StarCoefficients<T, M>& w, T (&sum)[lanes<T>]) {
  constexpr int V = lanes<T>, aside = (M + V - 1) / V;
  constexpr bool far_first = M > 4;
  T apart[V] = {}, line[V + 2 * aside * V];
  T(&own)[V] = far_first ? apart : sum;
#pragma unroll
  for (int l = 0; l < V; ++l)
    if constexpr (!far_first) own[l] += w.centre * centre.lane[l];
#pragma unroll
  for (int k = -aside; k <= aside; ++k) {
    const Vector<T> v = k == 0 ? centre : rows(0, k);
#pragma unroll
    for (int l = 0; l < V; ++l) line[(k + aside) * V + l] = v.lane[l];
  }
#pragma unroll
  for (int i = 1; i <= M; ++i) {
    const int m = far_first ? M + 1 - i : i;
#pragma unroll
    for (int l = 0; l < V; ++l) own[l] += w.x[m - 1] * (line[aside * V + l - m] + line[aside * V + l + m]);
  }
#pragma unroll
  for (int i = 1; i <= M; ++i) {
    const int m = far_first ? M + 1 - i : i;
    const Vector<T> above = rows(m, 0), below = rows(-m, 0);
#pragma unroll
    for (int l = 0; l < V; ++l) own[l] += w.y[m - 1] * (above.lane[l] + below.lane[l]);
  }
#pragma unroll
  for (int l = 0; l < V; ++l)
    if constexpr (far_first) sum[l] += own[l] + w.centre * centre.lane[l];
}

// The outputs that a thread has under way: with plane z taken, partial[j] is output z - M + 1 + j. Every output takes
// one product from a plane, and the queue moves on with it.
template <class T, int M>
struct StarQueue {
  static constexpr int V = lanes<T>;
  T partial[2 * M][V];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < 2 * M; ++j)
#pragma unroll
      for (int l = 0; l < V; ++l) partial[j][l] = T(0);
  }
  template <class Rows>
  __device__ __forceinline__ void take(const Rows& rows, const StarCoefficients<T, M>& w, bool inner, T (&done)[V]) {
    const Vector<T> centre = rows(0, 0);
    if (inner) star_plane_sum<M>(rows, centre, w, partial[M]);
#pragma unroll
    for (int l = 0; l < V; ++l) {
      done[l] = partial[0][l] + w.z[M - 1] * centre.lane[l];
#pragma unroll
      for (int j = 0; j < 2 * M - 1; ++j) {
        const int m = j < M - 1 ? M - 1 - j : j - M + 1;
        partial[j][l] = m == 0 ? partial[j + 1][l] : partial[j + 1][l] + w.z[m - 1] * centre.lane[l];
      }
      partial[2 * M - 1][l] = w.z[M - 1] * centre.lane[l];
    }
  }
};

// Blocks on a multiprocessor that the registers must suffice for (0: as the compiler thinks): with more of them it
// spills.
constexpr int star_march_min_blocks(int M, int threads) {
  if (M <= 4) return 0;
  const int together = M <= 6 ? 640 : M <= 8 ? 512 : M <= 13 ? 384 : 256;
  return together < threads ? 1 : together / threads;
}

template <class T, int M, int BX, int BY>
__global__ void __launch_bounds__(BX* BY, star_march_min_blocks(M, BX* BY))
    star_march_planes(const T* __restrict__ u1, T* u0, const RingGrid grid,
                      const __grid_constant__ StarCoefficients<T, M> w) {
  StarQueue<T, M> queue;
  queue.clear();
  ring_march<T, M, BX, BY, 1, false>(u1, u0, grid, w, queue);
}

template <class T, int M, int BX, int BY>
Prepared prepare_star_march(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  using Shape = RingShape<T, M, BX, BY, 1>;
  return prepare_march<T>(job, tile, star_march_planes<T, M, BX, BY>, Shape::threads, Shape::slot_bytes,
                          star_coefficients<T, M>(*star_weights(job.stencil)), fields);
}

template <class T, int M, int BX, int BY>
constexpr StarMarchVariant star_march_variant() {
  using Shape = RingShape<T, M, BX, BY, 1>;
  return {sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64, M,
          Tile{BX * Shape::width, BY, 0, Shape::threads, 0}, Shape::slot_bytes, prepare_star_march<T, M, BX, BY>};
}

struct StarMarchFamily {
  static constexpr const auto& rows = compiled_blocks::star;
  template <class T, MarchBlock row>
  static constexpr StarMarchVariant variant() {
    return star_march_variant<T, row.radius, row.x, row.y>();
  }
};

}  // namespace fdtd::cuda
