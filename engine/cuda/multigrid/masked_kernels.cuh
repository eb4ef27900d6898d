// Kernels of multigrid on a mask: a thread a node, which reads its 27 neighbours and 8 elements through L1; sparse rows
// of irregular elements and further nodes, a thread a row; sums of products by a tree that does not change.
#pragma once

#include <cstdint>

#include "engine/cuda/multigrid/products.cuh"

namespace fdtd::cuda::masked {

struct Place {
  int nx, ny, nz;
  std::int64_t row, plane, first;
};

template <class T>
struct Operator {
  const float* element;
  const T* diagonal;
  T weight[8];  // by |dx| + 2 |dy| + 4 |dz|
  Place at;
};

struct Rows {
  const std::int64_t *row, *begin, *column;
  const float* value;
  std::int64_t count;
};

constexpr int threads_in_x = 32, threads_in_y = 8, threads_a_row = 128;
constexpr int sum_threads = 256, sum_blocks = 512;  // of sums of products

// Offset of the thread's node; -1 beyond the grid.
__device__ __forceinline__ std::int64_t own_node(const Place& g) {
  const int x = static_cast<int>(blockIdx.x * threads_in_x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * threads_in_y + threadIdx.y), z = static_cast<int>(blockIdx.z);
  return x < g.nx && y < g.ny ? g.first + x + y * g.row + z * g.plane : -1;
}

// A u at a node, by its eight elements.
template <class T>
__device__ __forceinline__ T apply(const Operator<T>& A, const T* __restrict__ u, std::int64_t i) {
  T sum = A.diagonal[i] * u[i];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const int dx = e % 2, dy = e / 2 % 2, dz = e / 4;  // 0: the element above the node along the axis
    const float k = A.element[i - dx - dy * A.at.row - dz * A.at.plane];
    if (k == 0.0F) continue;
    const std::int64_t sx = 1 - 2 * dx, sy = (1 - 2 * dy) * A.at.row, sz = (1 - 2 * dz) * A.at.plane;
    T part = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) part += A.weight[c] * u[i + c % 2 * sx + c / 2 % 2 * sy + c / 4 * sz];
    sum += static_cast<T>(k) * part;
  }
  return sum;
}

__global__ void first_sweep(const Place g, const float* __restrict__ b, const float* __restrict__ inverse, float step,
                            float* __restrict__ out) {
  const std::int64_t i = own_node(g);
  if (i >= 0) out[i] = step * inverse[i] * b[i];
}

__global__ void sweep(const __grid_constant__ Operator<float> A, const float* __restrict__ u,
                      const float* __restrict__ b, const float* __restrict__ inverse, float step,
                      float* __restrict__ out) {
  const std::int64_t i = own_node(A.at);
  if (i >= 0) out[i] = u[i] + step * inverse[i] * (b[i] - apply(A, u, i));
}

__global__ void residual(const __grid_constant__ Operator<float> A, const float* __restrict__ u,
                         const float* __restrict__ b, float* __restrict__ out) {
  const std::int64_t i = own_node(A.at);
  if (i >= 0) out[i] = b[i] - apply(A, u, i);
}

__global__ void product(const __grid_constant__ Operator<double> A, const double* __restrict__ u,
                        double* __restrict__ out) {
  const std::int64_t i = own_node(A.at);
  if (i >= 0) out[i] = apply(A, u, i);
}

template <class T>
__device__ __forceinline__ T sum_of_row(const Rows& rows, std::int64_t r, const T* from) {
  T sum = 0;
  for (std::int64_t e = rows.begin[r]; e < rows.begin[r + 1]; ++e)
    sum += static_cast<T>(rows.value[e]) * from[rows.column[e]];
  return sum;
}

__device__ __forceinline__ std::int64_t own_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// out += factor (scale, if given, of the node) times the row's sum.
template <class T>
__global__ void add_rows(const Rows rows, const T* __restrict__ from, T factor, const T* __restrict__ scale,
                         T* __restrict__ out) {
  const std::int64_t r = own_index();
  if (r >= rows.count) return;
  const std::int64_t node = rows.row[r];
  out[node] += factor * (scale != nullptr ? scale[node] : T(1)) * sum_of_row(rows, r, from);
}

__global__ void keep_with_rows(const Rows rows, const float* __restrict__ coarse, const float* __restrict__ u,
                               float* __restrict__ kept) {
  const std::int64_t r = own_index();
  if (r < rows.count) kept[r] = u[rows.row[r]] + sum_of_row(rows, r, coarse);
}

__global__ void take_out(const Rows rows, float* __restrict__ values, float* __restrict__ kept) {
  const std::int64_t r = own_index();
  if (r >= rows.count) return;
  kept[r] = values[rows.row[r]];
  values[rows.row[r]] = 0.0F;
}

__global__ void put_back(const Rows rows, const float* __restrict__ kept, float* __restrict__ values) {
  const std::int64_t r = own_index();
  if (r < rows.count) values[rows.row[r]] = kept[r];
}

// Full weighting; a coarse node's fine one is at twice its place, which may lie beyond the last one: `fine` ends there,
// and what lies above its body belongs to further nodes.
__global__ void restrict_full(const float* __restrict__ r, const Place fine, float* __restrict__ b,
                              const Place coarse) {
  const std::int64_t i = own_node(coarse);
  if (i < 0) return;
  const int x = 2 * static_cast<int>(blockIdx.x * threads_in_x + threadIdx.x);
  const int y = 2 * static_cast<int>(blockIdx.y * threads_in_y + threadIdx.y), z = 2 * static_cast<int>(blockIdx.z);
  float sum = 0.0F;
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j) {
      if (y + j < 0 || y + j >= fine.ny || z + k < 0 || z + k >= fine.nz) continue;
      const float* const line = r + fine.first + (y + j) * fine.row + (z + k) * fine.plane;
      float along = 0.0F;
      for (int l = -1; l <= 1; ++l)
        if (x + l >= 0 && x + l < fine.nx) along += (l == 0 ? 1.0F : 0.5F) * line[x + l];
      sum += (j == 0 ? 1.0F : 0.5F) * (k == 0 ? 1.0F : 0.5F) * along;
    }
  b[i] = sum;
}

// u += P e where `inverse` is not 0.
__global__ void prolong(const float* __restrict__ e, const Place coarse, const float* __restrict__ inverse,
                        float* __restrict__ u, const Place fine) {
  const std::int64_t i = own_node(fine);
  if (i < 0 || !(inverse[i] > 0.0F)) return;
  const int x = static_cast<int>(blockIdx.x * threads_in_x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * threads_in_y + threadIdx.y), z = static_cast<int>(blockIdx.z);
  const float* const a = e + coarse.first + x / 2 + y / 2 * coarse.row + z / 2 * coarse.plane;
  const std::int64_t up = y % 2 * coarse.row, back = z % 2 * coarse.plane;
  const auto mean = [&](int k) { return 0.25F * ((a[k] + a[k + up]) + (a[k + back] + a[k + up + back])); };
  u[i] += x % 2 == 0 ? mean(0) : 0.5F * (mean(0) + mean(1));
}

// u = the dense inverse, which is symmetric, times b at `nodes`.
__global__ void coarsest(const float* __restrict__ inverse, const std::int64_t* __restrict__ nodes, int count,
                         const float* __restrict__ b, float* __restrict__ u) {
  const int i = static_cast<int>(own_index());
  if (i >= count) return;
  double sum = 0.0;
  for (int j = 0; j < count; ++j)
    sum += static_cast<double>(inverse[static_cast<std::int64_t>(j) * count + i]) * static_cast<double>(b[nodes[j]]);
  u[nodes[i]] = static_cast<float>(sum);
}

__global__ void __launch_bounds__(sum_threads) whole_sum(const double* __restrict__ sums, double* __restrict__ to) {
  double sum = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < sum_blocks; i += sum_threads) sum += sums[i];
  const double all = block_sum<sum_threads>(sum);
  if (threadIdx.x == 0) *to = all;
}

__global__ void to_single(const double* __restrict__ from, float* __restrict__ to, std::int64_t count) {
  const std::int64_t i = own_index();
  if (i < count) to[i] = static_cast<float>(from[i]);
}

__global__ void difference(const double* __restrict__ b, double* __restrict__ r, std::int64_t count) {
  const std::int64_t i = own_index();
  if (i < count) r[i] = b[i] - r[i];
}

// p = z + (rho / before) p; before null: p = z.
__global__ void next_direction(const float* __restrict__ z, const double* rho, const double* before,
                               double* __restrict__ p, std::int64_t count) {
  const std::int64_t i = own_index();
  if (i >= count) return;
  const double beta = before != nullptr ? *rho / *before : 0.0;
  p[i] = static_cast<double>(z[i]) + beta * p[i];
}

// u += alpha p, r -= alpha q with alpha = rho / along; nothing where `along` is not positive.
__global__ void step_along(const double* rho, const double* along, const double* __restrict__ p,
                           const double* __restrict__ q, double* __restrict__ u, double* __restrict__ r,
                           std::int64_t count) {
  const std::int64_t i = own_index();
  if (i >= count || !(*along > 0.0)) return;
  const double alpha = *rho / *along;
  u[i] += alpha * p[i];
  r[i] -= alpha * q[i];
}

// out = a b
__global__ void multiplied(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ out,
                           std::int64_t count) {
  const std::int64_t i = own_index();
  if (i < count) out[i] = a[i] * b[i];
}

// out = v / scale
__global__ void scaled(const double* __restrict__ v, double scale, double* __restrict__ out, std::int64_t count) {
  const std::int64_t i = own_index();
  if (i < count) out[i] = v[i] / scale;
}

// v -= along w
__global__ void take_away(const double* along, const double* __restrict__ w, double* __restrict__ v,
                          std::int64_t count) {
  const std::int64_t i = own_index();
  if (i < count) v[i] -= *along * w[i];
}

__global__ void gather(const double* __restrict__ v, const std::int64_t* __restrict__ nodes, double* __restrict__ out,
                       std::int64_t count) {
  const std::int64_t i = own_index();
  if (i < count) out[i] = v[nodes[i]];
}

}  // namespace fdtd::cuda::masked
