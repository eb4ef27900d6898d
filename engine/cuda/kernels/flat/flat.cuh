// The kernels of flat.cu and how they are launched; flat_star.cu and flat_cube.cu instantiate shapes of them.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/cuda/field/star_weights.cuh"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/gpu/vector.cuh"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/kernels/plane_functionals.cuh"
#include "engine/cuda/kernels/step_fields.hpp"

namespace fdtd::cuda {

// A compiled kernel: which stencils and which blocks it is for.
struct FlatVariant {
  Precision precision;
  int radius;
  std::uint64_t shells;  // of a cubic shape; 0: points on the axes alone
  Tile block;
  Prepared (*prepare)(const Job&, const Device&, std::array<void*, 2> fields);
};
std::span<const FlatVariant> flat_star_variants();
std::span<const FlatVariant> flat_cube_variants();

// Blocks run x fastest, then over `slab` rows of blocks, then over z, then slab by slab: between the uses of a plane by
// the blocks below and above it no more than a slab of some planes passes through L2.
struct FlatGrid {
  int nx, ny, z_begin, z_end, row;
  std::int64_t plane;
  int columns, slab;  // of blocks
};

// A thread's first node, and what of its vector and its planes lies in the grid.
template <class T, int ZP, int BX, int BY>
struct FlatPlace {
  std::int64_t at;  // offset of the thread's vector in plane z0
  int count;        // nodes; not positive: none
  int planes;       // from z0 to the end: 1 .. ZP and more

  __device__ __forceinline__ explicit FlatPlace(const FlatGrid& g) {
    constexpr int V = lanes<T>;
    const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
    const int x = (block % g.columns * BX + thread % BX) * V;
    const int y = (static_cast<int>(blockIdx.z) * g.slab + block / g.columns) * BY + thread / BX;
    const int z0 = g.z_begin + static_cast<int>(blockIdx.y) * ZP;
    at = x + y * g.row + z0 * g.plane;
    count = y < g.ny ? g.nx - x : 0;
    planes = g.z_end - z0;
  }
  // Nothing is left out by any thread of this warp: no checks are needed then.
  __device__ __forceinline__ bool whole() const {
    return planes >= ZP && __all_sync(__activemask(), count >= lanes<T>) != 0;
  }
};

// The work of a thread, plane by plane; `whole`: all of it lies in the grid, so that nothing stands between its loads.
// Planes past the end are the last one's again.
template <class T, bool whole>
struct FlatMarch {
  const T* u1;  // the plane read
  const T* old;
  T* out;
  std::int64_t plane;
  int count, planes;

  template <class Place>
  __device__ __forceinline__ FlatMarch(const T* u1_, T* u0, const FlatGrid& g, const Place& place, int radius)
      : u1(u1_ + place.at - radius * g.plane),
        old(u0 + place.at),
        out(u0 + place.at),
        plane(g.plane),
        count(place.count),
        planes(place.planes) {}

  // An output begins as -u0.
  __device__ __forceinline__ void start(T (&output)[lanes<T>], int z) {
    const Vector<T> v = load_streaming(old);
#pragma unroll
    for (int l = 0; l < lanes<T>; ++l) output[l] = -v.lane[l];
    if (whole || z + 1 < planes) old += plane;
  }
  __device__ __forceinline__ void finish(const T (&output)[lanes<T>], int z) {
    Vector<T> v;
#pragma unroll
    for (int l = 0; l < lanes<T>; ++l) v.lane[l] = output[l];
    store_streaming(out, v, whole ? lanes<T> : z < planes ? count : 0);
    out += plane;
  }
  // Plane i, from z0 - R, is done with.
  __device__ __forceinline__ void next(int i, int radius) {
    if (whole || i + 1 < planes + 2 * radius) u1 += plane;
  }
};

template <class T, int M, int ZP, bool whole>
__device__ __forceinline__ void flat_star_planes(FlatMarch<T, whole> march, int row, const StarCoefficients<T, M>& w) {
  constexpr int V = lanes<T>, aside = (M + V - 1) / V;
  T output[ZP][V];
#pragma unroll
  for (int i = 0; i < ZP + 2 * M; ++i) {  // plane z0 - M + i
    if (i < ZP) march.start(output[i], i);
    const Vector<T> centre = load_readonly(march.u1);
    const int own = i - M;
    if (own >= 0 && own < ZP) {
      T line[V + 2 * aside * V];
#pragma unroll
      for (int k = -aside; k <= aside; ++k) {
        const Vector<T> v = k == 0 ? centre : load_readonly(march.u1 + k * V);
#pragma unroll
        for (int l = 0; l < V; ++l) line[(k + aside) * V + l] = v.lane[l];
      }
#pragma unroll
      for (int l = 0; l < V; ++l) output[own][l] += w.centre * centre.lane[l];
#pragma unroll
      for (int m = 1; m <= M; ++m) {
        const Vector<T> above = load_readonly(march.u1 + m * row), below = load_readonly(march.u1 - m * row);
#pragma unroll
        for (int l = 0; l < V; ++l) {
          output[own][l] += w.x[m - 1] * (line[aside * V + l - m] + line[aside * V + l + m]);
          output[own][l] += w.y[m - 1] * (above.lane[l] + below.lane[l]);
        }
      }
    }
#pragma unroll
    for (int m = 1; m <= M; ++m)
#pragma unroll
      for (int l = 0; l < V; ++l) {
        if (own + m >= 0 && own + m < ZP) output[own + m][l] += w.z[m - 1] * centre.lane[l];
        if (own - m >= 0 && own - m < ZP) output[own - m][l] += w.z[m - 1] * centre.lane[l];
      }
    if (i >= 2 * M) march.finish(output[i - 2 * M], i - 2 * M);
    march.next(i, M);
  }
}

template <class T, int M, int ZP, int BX, int BY>
__global__ void __launch_bounds__(BX* BY)
    flat_star(const T* __restrict__ u1, T* u0, const FlatGrid g, const __grid_constant__ StarCoefficients<T, M> w) {
  const FlatPlace<T, ZP, BX, BY> place(g);
  if (place.count <= 0) return;
  if (place.whole())
    flat_star_planes<T, M, ZP, true>(FlatMarch<T, true>(u1, u0, g, place, M), g.row, w);
  else
    flat_star_planes<T, M, ZP, false>(FlatMarch<T, false>(u1, u0, g, place, M), g.row, w);
}

// Rows of a plane in global memory.
template <class T>
struct FlatRows {
  const T* p;
  int row;
  __device__ __forceinline__ Vector<T> operator()(int dy, int k) const {
    return load_readonly(p + dy * row + k * lanes<T>);
  }
};

template <class T, int R, std::uint64_t shells, int ZP, bool whole>
__device__ __forceinline__ void flat_cube_planes(FlatMarch<T, whole> march, int row, const ShellWeights<T, R>& w) {
  constexpr int V = lanes<T>;
  T output[ZP][V];
#pragma unroll
  for (int i = 0; i < ZP + 2 * R; ++i) {  // plane z0 - R + i
    if (i < ZP) march.start(output[i], i);
    T F[R + 1][V];
    plane_functionals<R, shells>(FlatRows<T>{march.u1, row}, w, F);
#pragma unroll
    for (int c = -R; c <= R; ++c) {
      const int z = i - R + c;
      if (z < 0 || z >= ZP) continue;
#pragma unroll
      for (int l = 0; l < V; ++l) output[z][l] += F[c < 0 ? -c : c][l];
    }
    if (i >= 2 * R) march.finish(output[i - 2 * R], i - 2 * R);
    march.next(i, R);
  }
}

template <class T, int R, std::uint64_t shells, int ZP, int BX, int BY>
__global__ void __launch_bounds__(BX* BY)
    flat_cube(const T* __restrict__ u1, T* u0, const FlatGrid g, const __grid_constant__ ShellWeights<T, R> w) {
  const FlatPlace<T, ZP, BX, BY> place(g);
  if (place.count <= 0) return;
  if (place.whole())
    flat_cube_planes<T, R, shells, ZP, true>(FlatMarch<T, true>(u1, u0, g, place, R), g.row, w);
  else
    flat_cube_planes<T, R, shells, ZP, false>(FlatMarch<T, false>(u1, u0, g, place, R), g.row, w);
}

// Rows of blocks in a slab: what a slab's planes of one layer of blocks take, both arrays, is a quarter of L2 at most;
// slabs are about equal.
inline int flat_slab(const Layout& layout, const Tile& tile, std::size_t l2_bytes) {
  const double block_row = 2.0 * static_cast<double>(layout.row) * tile.y * (tile.z + 2 * layout.radius) *
                           static_cast<double>(layout.value_bytes);
  const int most = std::max(1, static_cast<int>(0.25 * static_cast<double>(l2_bytes) / block_row));
  const int all = divide_up(layout.size[1], tile.y);
  return divide_up(all, divide_up(all, most));
}

template <class T, class Function, class Weights>
Prepared prepare_flat(const Job& job, const Device& device, const Tile& block, Function* kernel, const Weights& weights,
                      std::array<void*, 2> fields) {
  Prepared prepared;
  prepared.resources = resources_of(kernel, block.threads);
  const Layout layout = job.layout;
  const int columns = divide_up(layout.size[0], block.x), slab = flat_slab(layout, block, device.l2_bytes);
  const int slabs = divide_up(divide_up(layout.size[1], block.y), slab);
  prepared.step = [=](int which, int z_begin, int z_end, Stream stream) {
    const StepFields<T> at(layout, fields, which);
    const FlatGrid grid{layout.size[0], layout.size[1], z_begin, z_end, static_cast<int>(layout.row),
                        layout.plane,   columns,        slab};
    const dim3 blocks(static_cast<unsigned>(columns * slab), static_cast<unsigned>(divide_up(z_end - z_begin, block.z)),
                      static_cast<unsigned>(slabs));
    kernel<<<blocks, static_cast<unsigned>(block.threads), 0, stream>>>(at.u1, at.u0, grid, weights);
    FDTD_CUDA(cudaGetLastError());
  };
  return prepared;
}

template <class T>
constexpr Precision precision_of = sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64;

template <class T, int ZP, int BX, int BY>
constexpr Tile flat_block{BX * lanes<T>, BY, ZP, BX* BY, 0};

template <class T, int M, int ZP, int BX, int BY>
Prepared prepare_flat_star(const Job& job, const Device& device, std::array<void*, 2> fields) {
  const auto weights = star_coefficients<T, M>(*star_weights(job.stencil));
  return prepare_flat<T>(job, device, flat_block<T, ZP, BX, BY>, flat_star<T, M, ZP, BX, BY>, weights, fields);
}

template <class T, int M, int ZP, int BX, int BY>
constexpr FlatVariant flat_star_variant() {
  return {precision_of<T>, M, 0, flat_block<T, ZP, BX, BY>, prepare_flat_star<T, M, ZP, BX, BY>};
}

template <class T, int R, std::uint64_t shells, int ZP, int BX, int BY>
Prepared prepare_flat_cube(const Job& job, const Device& device, std::array<void*, 2> fields) {
  const auto weights = shell_weights<T, R>(*cube_weights(job.stencil));
  return prepare_flat<T>(job, device, flat_block<T, ZP, BX, BY>, flat_cube<T, R, shells, ZP, BX, BY>, weights, fields);
}

template <class T, int R, std::uint64_t shells, int ZP, int BX, int BY>
constexpr FlatVariant flat_cube_variant() {
  return {precision_of<T>, R, shells, flat_block<T, ZP, BX, BY>, prepare_flat_cube<T, R, shells, ZP, BX, BY>};
}

// A block that kernels are compiled for: planes of a thread, threads along x and y.
struct FlatBlock {
  int planes, x, y;
};

template <class... Arrays>
constexpr auto joined(const Arrays&... arrays) {
  std::array<FlatVariant, (std::tuple_size_v<Arrays> + ...)> all{};
  std::size_t count = 0;
  const auto append = [&](const auto& some) {
    for (const FlatVariant& variant : some) all[count++] = variant;
  };
  (append(arrays), ...);
  return all;
}

}  // namespace fdtd::cuda
