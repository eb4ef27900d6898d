// The kernels of energy_columns.hpp: short leggy stencils and small ones with the cube's symmetries, where walls may be
// mirrored. For .cu files alone.
#pragma once

#include <iterator>

#include "engine/cuda/energy/energy_columns.hpp"
#include "engine/cuda/energy/energy_planes.cuh"
#include "engine/cuda/field/image_index.hpp"

namespace fdtd::cuda {

// Where a block's rows and planes are read, mirror images in place of what lies behind walls: of row r and plane z of
// the slab's own, counted from the block's first, at row[R + r] and plane[R + z].
template <int R, int rows>
struct Places {
  std::int64_t row[rows + 2 * R], plane[(max_layers + 1) * layer_planes + 2 * R];

  // All threads of the block come here.
  __device__ __forceinline__ void fill(const BoxTask& task, int first_row, int first_plane) {
    const auto& [nx, ny, nz] = task.layout.size;
    const ImageWalls& mirror = task.mirror;
    for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(std::size(row));
         i += static_cast<int>(blockDim.x)) {
      const int y = min(first_row + i - R, ny + R - 1);
      row[i] = (mirror.sides ? image_index(y, ny) : y) * task.layout.row;
    }
    for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(std::size(plane));
         i += static_cast<int>(blockDim.x)) {
      const int z = min(first_plane + i - R, nz + R - 1);
      plane[i] = ((mirror.below && z < 0) || (mirror.above && z >= nz) ? image_index(z, nz) : z) * task.layout.plane;
    }
    __syncthreads();
  }
};

// The rows around a thread's vector; images: they may reach behind a wall across x whose images are read.
template <class T, int R, bool images>
struct BoxRows {
  const T* u;                       // node (x, 0, 0)
  const std::int64_t *row, *plane;  // Places, of the vector's own
  int x, wall;                      // nodes before the vector, and from its first on

  __device__ __forceinline__ void operator()(int dy, int dz, T (&values)[lanes<T>]) const {
    const Vector<T> v = load((u + plane[dz]) + row[dy]);
#pragma unroll
    for (int i = 0; i < lanes<T>; ++i) values[i] = v.lane[i];
  }
  __device__ __forceinline__ void operator()(int dy, T (&values)[lanes<T> + 2 * aside<T, R>]) const {
    constexpr int width = lanes<T>, before = aside<T, R>;
    const T* const from = (u + plane[0]) + row[dy];
    load_row<R>(from, values);
    if (!images) return;
    if (x < R) {
      const T* const image = from - 2 * x - 1;  // of from[k]: image[-k]
#pragma unroll
      for (int k = -R; k < 0; ++k)
        if (x + k < 0) values[before + k] = image[-k];
    }
    if (wall < width + R) {
      const T* const image = from + 2 * wall - 1;
#pragma unroll
      for (int k = 1; k < width + R; ++k)
        if (k >= wall && k < wall + R) values[before + k] = image[-k];
    }
  }
};

// A block's layers, from warm_up planes before them on; energy_at(z): a thread's, 0.0 before the first. Warps wait for
// each other at the end alone: what binds is each one's wait for memory before its arithmetic.
template <int warps, class Energy>
__device__ __forceinline__ void sum_layers(const BoxTask& task, int warm_up, double* parts, const Energy& energy_at) {
  __shared__ double of_warp[max_layers][warps];
  const int begin = static_cast<int>(blockIdx.z) * task.layers_a_block;
  const int end = min(begin + task.layers_a_block, layer_count(task.planes));
  double sum = 0.0;
  for (int layer = begin, z = task.first_plane + layer_begin(begin, task.planes) - warm_up; layer < end; ++z) {
    sum += energy_at(z);
    if (z + 1 < task.first_plane + layer_begin(layer + 1, task.planes)) continue;
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) of_warp[layer - begin][threadIdx.x / 32] = sum;
    sum = 0.0;
    ++layer;
  }
  __syncthreads();
  const int layer = begin + static_cast<int>(threadIdx.x);
  if (layer >= end) return;
  sum = 0.0;
  for (int w = 0; w < warps; ++w) sum += of_warp[threadIdx.x][w];
  parts[(layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
}

// Leggy stencils: what a plane's rows share with others is found in L1.
template <class D>
constexpr int rows_of_block = D::R == 3 ? 14 : 16;
template <class D>
constexpr int blocks_at_once = D::R <= 4 ? 2 : 1;
template <class T, int M, bool images>
__device__ __forceinline__ void go_through(const T* __restrict__ after, BoxRows<T, M, images> rows, const BoxTask& task,
                                           const StarDifferences<T, M>& weight, int count, int first, double* parts) {
  constexpr int width = lanes<T>, before = aside<T, M>;
  const std::int64_t* const plane = rows.plane;  // of the block's first
  sum_layers<rows_of_block<StarDifferences<T, M>>>(task, 0, parts, [&](int z) {
    if (count <= 0) return 0.0;
    const Vector<T> next = load_streaming(after + z * task.layout.plane);
    rows.plane = plane + (z - first);
    T own[width + 2 * before], here[width], apart[width];
    rows(0, own);
#pragma unroll
    for (int i = 0; i < width; ++i) here[i] = own[before + i];
    star_sums<T, M, width, before>(weight, own, rows, apart);
    return energy_of_vector(next, here, apart, task.rest, count);
  });
}

// Have blocks that read no images a loop of their own? Not where registers are short.
template <class D>
constexpr bool inside_apart = D::R <= 2;

// Stencils with the cube's symmetries, a column of nodes plane by plane.
template <class T, int R>
constexpr int rows_of_block<CubeDifferences<T, R>> = R == 1                       ? 24
                                                     : R == 2                     ? 16
                                                     : sizeof(T) == sizeof(float) ? 12
                                                                                  : 8;
template <class T, int R>
constexpr int blocks_at_once<CubeDifferences<T, R>> = 1;
template <class T, int R>
constexpr bool inside_apart<CubeDifferences<T, R>> = true;
template <class T, int R, bool images>
__device__ __forceinline__ void go_through(const T* __restrict__ after, BoxRows<T, R, images> rows, const BoxTask& task,
                                           const CubeDifferences<T, R>& weight, int count, int first, double* parts) {
  constexpr int width = lanes<T>;
  const std::int64_t* const plane = rows.plane;  // of the block's first
  ColumnSums<T, R, width> sums;
  // z: of what is done, R planes behind what is taken.
  sum_layers<rows_of_block<CubeDifferences<T, R>>>(task, 2 * R, parts, [&](int z) {
    if (count <= 0) return 0.0;
    Vector<T> next{};
    T F[R + 1][width], here[width], done[width], now[width] = {};
    if (z >= first) {
      next = load_streaming(after + z * task.layout.plane);
      rows.plane = plane + (z - first);
      rows(0, 0, now);
    }
    rows.plane = plane + (z - first + R);
    plane_differences<T, R, width, aside<T, R>>(weight, rows, F, here);
    sums.take(weight, F, here, done);
    return z >= first ? energy_of_vector(next, now, done, task.rest, count) : 0.0;
  });
}

// Stencils that energy_columns.hpp knows, as many rows a block as registers allow without spills.
template <class T, class Differences>
__global__ void __launch_bounds__(tile_x* rows_of_block<Differences>, blocks_at_once<Differences>)
    column_box(const T* __restrict__ after, const T* __restrict__ u, const __grid_constant__ BoxTask task,
               const __grid_constant__ Differences weight, double* parts) {
  constexpr int R = Differences::R, rows = rows_of_block<Differences>;
  __shared__ Places<R, rows> places;
  const Layout& layout = task.layout;
  const int block_y = static_cast<int>(blockIdx.y) * rows, own_row = static_cast<int>(threadIdx.x) / tile_x;
  const int first = task.first_plane + layer_begin(static_cast<int>(blockIdx.z) * task.layers_a_block, task.planes);
  places.fill(task, block_y, first);
  constexpr int across = tile_x * lanes<T>;
  const int block_x = static_cast<int>(blockIdx.x) * across, nx = layout.size[0];
  const int x = block_x + static_cast<int>(threadIdx.x) % tile_x * lanes<T>, y = block_y + own_row;
  const int count = y < layout.size[1] ? nx - x : 0;
  after += layout.first + x + y * layout.row;
  u += layout.first + x;
  const std::int64_t *const row = places.row + R + own_row, *const plane = places.plane + R;
  const bool images = task.mirror.sides && (block_x < R || block_x + across + R > nx);
  if (inside_apart<Differences> && !images)
    go_through(after, BoxRows<T, R, false>{u, row, plane, 0, 0}, task, weight, count, first, parts);
  else  // without images no node is before them, and the wall is far away
    go_through(after, BoxRows<T, R, true>{u, row, plane, images ? x : R, images ? nx - x : lanes<T> + R}, task, weight,
               count, first, parts);
}

}  // namespace fdtd::cuda
