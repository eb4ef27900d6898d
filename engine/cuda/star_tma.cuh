// The kernel of star_tma.cu: arithmetic of a plane. Each star_tma_*.cu instantiates it for one precision.
#pragma once

#include "engine/cuda/tma_march.cuh"
#include "engine/cuda/weights.hpp"

namespace fdtd::cuda {

std::span<const TmaVariant> star_tma_f32();
std::span<const TmaVariant> star_tma_f64();

// A thread reads its own vector in 2 M + rows rows, and the vectors beside it in its own rows, for the x and y part of the
// output in the plane; its own value times the weights of z goes to the M outputs on either side.
template <class T, int M>
struct StarArithmetic {
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

  template <class G>
  __device__ __forceinline__ void take(const T* window, Queue<G>& queue, T (&done)[G::rows][G::width]) const {
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
        for (int m = M - 1; m >= 1; --m) plane[r][i] += x[m - 1] * (row[G::hx + i - m] + row[G::hx + i + m]);
      }
    }
#pragma unroll
    for (int j = 0; j < G::rows + 2 * M; ++j) {  // rows of the window, M below the thread's first
      if (G::rows == 1 && j == M) continue;
      const Vector<T> v = load(window + j * G::pitch + G::hx);
#pragma unroll
      for (int r = 0; r < G::rows; ++r) {
        const int d = j - M - r;
        if (d < -M || d > M || d == 0) continue;
#pragma unroll
        for (int i = 0; i < width; ++i) plane[r][i] += y[(d < 0 ? -d : d) - 1] * v.lane[i];
      }
    }
#pragma unroll
    for (int r = 0; r < G::rows; ++r)
#pragma unroll
      for (int i = 0; i < width; ++i) {
        const T u = own[r][i];
        done[r][i] = queue.partial[0][r][i] + z[M - 1] * u;
#pragma unroll
        for (int j = 1; j < 2 * M; ++j) {
          const int d = j < M ? M - j : j - M;  // the queue moves on in the additions themselves
          queue.partial[j - 1][r][i] = d == 0 ? queue.partial[j][r][i] + (plane[r][i] + centre * u)
                                              : queue.partial[j][r][i] + z[d > 0 ? d - 1 : 0] * u;
        }
        queue.partial[2 * M - 1][r][i] = z[M - 1] * u;
      }
  }
};

}  // namespace fdtd::cuda

// across, tile_y, rows, depth
#define FDTD_STAR_TMA(T, M, across, tile_y, rows, depth) \
  tma_variant<March<T, M, across, tile_y, rows, depth>, T, StarArithmetic<T, M>>(0)
// Tiles by what the registers hold: a thread's rows times 2 M vectors of outputs under way, 128 registers at 512 threads, 255
// at 256.
#define FDTD_STAR_TMA_SHORT(T, M) \
  FDTD_STAR_TMA(T, M, 32, 30, 2, 4), FDTD_STAR_TMA(T, M, 16, 60, 2, 4), FDTD_STAR_TMA(T, M, 58, 16, 2, 4)
#define FDTD_STAR_TMA_MIDDLE(T, M) \
  FDTD_STAR_TMA(T, M, 32, 30, 2, 4), FDTD_STAR_TMA(T, M, 32, 30, 2, 3), FDTD_STAR_TMA(T, M, 16, 60, 2, 3)
#define FDTD_STAR_TMA_LONG(T, M)                                                                           \
  FDTD_STAR_TMA(T, M, 16, 30, 1, 4), FDTD_STAR_TMA(T, M, 24, 20, 1, 4), FDTD_STAR_TMA(T, M, 16, 28, 2, 4), \
      FDTD_STAR_TMA(T, M, 32, 14, 2, 4)
#define FDTD_STAR_TMA_LONGEST(T, M) FDTD_STAR_TMA(T, M, 16, 14, 1, 4), FDTD_STAR_TMA(T, M, 16, 14, 1, 3)
#define FDTD_STAR_TMA_ALL(T)                                                                                           \
  FDTD_STAR_TMA_SHORT(T, 1), FDTD_STAR_TMA_SHORT(T, 2), FDTD_STAR_TMA_SHORT(T, 3), FDTD_STAR_TMA_MIDDLE(T, 4),         \
      FDTD_STAR_TMA_LONG(T, 5), FDTD_STAR_TMA_LONG(T, 6), FDTD_STAR_TMA_LONG(T, 7), FDTD_STAR_TMA_LONG(T, 8),          \
      FDTD_STAR_TMA_LONG(T, 9), FDTD_STAR_TMA_LONG(T, 10), FDTD_STAR_TMA_LONGEST(T, 11), FDTD_STAR_TMA_LONGEST(T, 12), \
      FDTD_STAR_TMA_LONGEST(T, 13), FDTD_STAR_TMA_LONGEST(T, 14), FDTD_STAR_TMA_LONGEST(T, 15),                        \
      FDTD_STAR_TMA_LONGEST(T, 16), FDTD_STAR_TMA_LONGEST(T, 17), FDTD_STAR_TMA_LONGEST(T, 18),                        \
      FDTD_STAR_TMA_LONGEST(T, 19), FDTD_STAR_TMA_LONGEST(T, 20)
