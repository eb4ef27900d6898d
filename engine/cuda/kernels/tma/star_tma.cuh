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

  // partial[j]: output p - M + j after plane p - 1 has been taken; those that begin with p are not there yet.
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

}  // namespace fdtd::cuda

// across, tile_y, rows
#define FDTD_STAR_TMA(T, M, across, tile_y, rows, use) \
  tma_variant<March<T, M, across, tile_y, rows>, T, StarArithmetic<T, M>, use>(0)
#define FDTD_STAR_TMA_ANY(T, M, across, tile_y, rows) \
  FDTD_STAR_TMA(T, M, across, tile_y, rows, TileUse::either | TileUse::ends)
#define FDTD_STAR_TMA_EITHER(T, M, across, tile_y, rows) FDTD_STAR_TMA(T, M, across, tile_y, rows, TileUse::either)
#define FDTD_STAR_TMA_PLAIN(T, M, across, tile_y, rows) FDTD_STAR_TMA(T, M, across, tile_y, rows, TileUse::plain)
// Tiles by what the registers hold: a thread's rows times 2 M vectors of outputs under way, 128 registers at 512
// threads, 168 at 384, 255 at 256. Those of many rows are for grids that fill all places with them. Where ends are
// updated, by four warps more, 480 threads that compute have 96 registers and 352 have 128.
#define FDTD_WIDEST_2(T) (sizeof(T) == sizeof(float) ? 58 : 56)  // doubles: 136 registers at 480 threads
#define FDTD_STAR_TMA_1(T)                                                                                    \
  FDTD_STAR_TMA_ANY(T, 1, 32, 30, 2), FDTD_STAR_TMA_ANY(T, 1, 16, 60, 2), FDTD_STAR_TMA_ANY(T, 1, 58, 32, 4), \
      FDTD_STAR_TMA_EITHER(T, 1, 32, 64, 4), FDTD_STAR_TMA(T, 1, 32, 45, 3, in_double<T>(TileUse::ends))
#define FDTD_STAR_TMA_2(T)                                                                        \
  FDTD_STAR_TMA_ANY(T, 2, 32, 30, 2), FDTD_STAR_TMA_ANY(T, 2, 16, 60, 2),                         \
      FDTD_STAR_TMA_EITHER(T, 2, FDTD_WIDEST_2(T), 32, 4), FDTD_STAR_TMA_EITHER(T, 2, 32, 60, 4), \
      FDTD_STAR_TMA(T, 2, 32, 44, 4, in_float<T>(TileUse::ends)),                                 \
      FDTD_STAR_TMA(T, 2, 32, 45, 3, in_double<T>(TileUse::ends))
#define FDTD_STAR_TMA_3(T)                                                                                             \
  FDTD_STAR_TMA_EITHER(T, 3, 32, 30, 2), FDTD_STAR_TMA_EITHER(T, 3, 16, 60, 2), FDTD_STAR_TMA_EITHER(T, 3, 32, 45, 3), \
      FDTD_STAR_TMA(T, 3, 32, 22, 2, TileUse::ends), FDTD_STAR_TMA(T, 3, 32, 33, 3, in_float<T>(TileUse::ends))
#define FDTD_STAR_TMA_4(T)                                                                                             \
  FDTD_STAR_TMA_EITHER(T, 4, 32, 30, 2), FDTD_STAR_TMA_EITHER(T, 4, 16, 60, 2), FDTD_STAR_TMA_EITHER(T, 4, 32, 33, 3), \
      FDTD_STAR_TMA(T, 4, 32, 22, 2, TileUse::ends), FDTD_STAR_TMA(T, 4, 16, 44, 2, in_float<T>(TileUse::ends))
#define FDTD_STAR_TMA_LONG(T, M)                                                                                    \
  FDTD_STAR_TMA_PLAIN(T, M, 16, 30, 1), FDTD_STAR_TMA_PLAIN(T, M, 24, 20, 1), FDTD_STAR_TMA_PLAIN(T, M, 16, 28, 2), \
      FDTD_STAR_TMA_PLAIN(T, M, 32, 14, 2)
#define FDTD_STAR_TMA_LONGEST(T, M) FDTD_STAR_TMA_PLAIN(T, M, 16, 14, 1)
// The rows that their unfinished outputs leave room for: two rows a thread at 256 threads, in float, or one at 512, one
// at 384.
#define FDTD_STAR_TMA_11(T)                                                                            \
  FDTD_STAR_TMA(T, 11, 16, 28, 2, in_float<T>(TileUse::plain)), FDTD_STAR_TMA_PLAIN(T, 11, 16, 30, 1), \
      FDTD_STAR_TMA_LONGEST(T, 11)
#define FDTD_STAR_TMA_12(T)                                                                            \
  FDTD_STAR_TMA(T, 12, 16, 28, 2, in_float<T>(TileUse::plain)), FDTD_STAR_TMA_PLAIN(T, 12, 16, 22, 1), \
      FDTD_STAR_TMA_LONGEST(T, 12)
#define FDTD_STAR_TMA_LONGER(T, M) \
  FDTD_STAR_TMA(T, M, 16, 22, 1, M <= 14 ? TileUse::plain : in_float<T>(TileUse::plain)), FDTD_STAR_TMA_LONGEST(T, M)
// Groups that take about the same time to compile: a translation unit each and precision (engine/CMakeLists.txt).
#define FDTD_STAR_TMA_GROUP_0(T) FDTD_STAR_TMA_1(T)
#define FDTD_STAR_TMA_GROUP_1(T) FDTD_STAR_TMA_2(T)
#define FDTD_STAR_TMA_GROUP_2(T) FDTD_STAR_TMA_3(T)
#define FDTD_STAR_TMA_GROUP_3(T) FDTD_STAR_TMA_4(T)
#define FDTD_STAR_TMA_GROUP_4(T) FDTD_STAR_TMA_LONG(T, 5), FDTD_STAR_TMA_LONG(T, 6)
#define FDTD_STAR_TMA_GROUP_5(T) FDTD_STAR_TMA_LONG(T, 7), FDTD_STAR_TMA_LONG(T, 8)
#define FDTD_STAR_TMA_GROUP_6(T) FDTD_STAR_TMA_LONG(T, 9), FDTD_STAR_TMA_LONG(T, 10)
#define FDTD_STAR_TMA_GROUP_7(T) FDTD_STAR_TMA_11(T), FDTD_STAR_TMA_12(T), FDTD_STAR_TMA_LONGER(T, 13)
#define FDTD_STAR_TMA_GROUP_8(T)                                                                                       \
  FDTD_STAR_TMA_LONGER(T, 14), FDTD_STAR_TMA_LONGER(T, 15), FDTD_STAR_TMA_LONGER(T, 16), FDTD_STAR_TMA_LONGEST(T, 17), \
      FDTD_STAR_TMA_LONGEST(T, 18), FDTD_STAR_TMA_LONGEST(T, 19), FDTD_STAR_TMA_LONGEST(T, 20)
