// The kernel of star_tma.cu: arithmetic of a plane, and the variants that are compiled.
#pragma once

#include "engine/cuda/kernels/tma/tma_kernel.cuh"
#include "stencils/weights.hpp"

namespace fdtd::cuda {

std::span<const TmaVariant> star_tma_variants();  // every compiled kernel, of both precisions

// A thread reads its own vector in 2 M + rows rows, and the vectors beside it in its own rows, for the x and y part of
// the output in the plane; its own value times the weights of z goes to the M outputs on either side.
template <class T, int M>
struct StarArithmetic {
  // A short stencil's rows give all but their y part to the queue at once and keep no more than what is under way: the
  // tiles are larger by it. Long sums round less if the centre, which outweighs all else, comes last.
  static constexpr bool early = M <= 4, corners = false;
  T centre, x[M], y[M], z[M];

  explicit StarArithmetic(const GridStencil& stencil) {
    const StarWeights star = *star_weights(stencil);
    centre = static_cast<T>(star.centre);
    for (std::size_t m = 0; m < M; ++m) {
      x[m] = static_cast<T>(star.weight[0][m]);
      y[m] = static_cast<T>(star.weight[1][m]);
      z[m] = static_cast<T>(star.weight[2][m]);
    }
  }

  // partial[j]: output p - M + j after plane p - 1 has been taken; outputs that begin with p are not there yet.
  template <class G>
  struct Queue {
    T partial[2 * M][G::rows][G::width];
    __device__ __forceinline__ void clear() {
#pragma unroll
      for (int j = 0; j < 2 * M; ++j)
#pragma unroll
        for (int r = 0; r < G::rows; ++r)
#pragma unroll
          for (int i = 0; i < G::width; ++i) partial[j][r][i] = T(0);
    }
  };

  // Sums are written as fma(), for a compiler that is free to round products first takes its choice tile by tile.
  template <class G, class Finish>
  __device__ __forceinline__ void take(const T* window, Queue<G>& queue, const Finish& finish) const {
    constexpr int width = G::width;
    T plane[G::rows][width];  // x and y part of the output in this plane
    T own[G::rows][width];
#pragma unroll
    for (int r = 0; r < G::rows; ++r) {
      T row[2 * G::hx + width];
#pragma unroll
      for (int k = 0; k < 2 * G::hx + width; k += width) {
        const Vector<T> v = load(window + (r + M) * G::pitch + k);
#pragma unroll
        for (int i = 0; i < width; ++i) row[k + i] = v.lane[i];
      }
#pragma unroll
      for (int i = 0; i < width; ++i) {
        own[r][i] = row[G::hx + i];
        plane[r][i] = x[M - 1] * (row[G::hx + i - M] + row[G::hx + i + M]);
#pragma unroll
        for (int m = M - 1; m >= 1; --m)
          plane[r][i] = fma(x[m - 1], row[G::hx + i - m] + row[G::hx + i + m], plane[r][i]);
      }
      if (early) move_on<G>(queue, r, plane[r], own[r], finish);
    }
    T(&sums)[G::rows][width] = early ? queue.partial[M - 1] : plane;
#pragma unroll
    for (int j = 0; j < G::rows + 2 * M; ++j) {  // rows of the window, M below the thread's first
      if (G::rows == 1 && j == M) continue;
      const Vector<T> v = load(window + j * G::pitch + G::hx);
#pragma unroll
      for (int r = 0; r < G::rows; ++r) {
        const int d = j - M - r;
        if (d < -M || d > M || d == 0) continue;
#pragma unroll
        for (int i = 0; i < width; ++i) sums[r][i] = fma(y[(d < 0 ? -d : d) - 1], v.lane[i], sums[r][i]);
      }
    }
#pragma unroll
    for (int r = 0; r < G::rows && !early; ++r) move_on<G>(queue, r, plane[r], own[r], finish);
  }

  // A row's queue by a plane of which it has the own values and the sum in the plane, the centre left out.
  template <class G, class Finish>
  __device__ __forceinline__ void move_on(Queue<G>& queue, int r, const T (&plane)[G::width], const T (&own)[G::width],
                                          const Finish& finish) const {
    T done[G::width];
#pragma unroll
    for (int i = 0; i < G::width; ++i) {
      const T u = own[i];
      done[i] = fma(z[M - 1], u, queue.partial[0][r][i]);
#pragma unroll
      for (int j = 1; j < 2 * M; ++j) {
        const int d = j < M ? M - j : j - M;  // the queue moves on in the additions themselves
        queue.partial[j - 1][r][i] = d == 0 ? queue.partial[j][r][i] + fma(centre, u, plane[i])
                                            : fma(z[d > 0 ? d - 1 : 0], u, queue.partial[j][r][i]);
      }
      queue.partial[2 * M - 1][r][i] = z[M - 1] * u;
    }
    finish(r, done);
  }
};

struct StarTmaFamily {
  static constexpr const auto& rows = compiled_tiles::star;
  template <class T, TmaTile row>
  static constexpr TmaVariant variant() {
    return tma_variant<March<T, row.radius, row.across, row.tile_y, row.rows>, T, StarArithmetic<T, row.radius>,
                       row.template use<T>()>(row.shells);
  }
};

}  // namespace fdtd::cuda
