// The scheme of a small room, a vector of nodes a thread, in the order of the sums of star_tma and cube_tma: their
// products begin a sum that later planes go on with, so none of them may become a part of a sum's rounding here. For
// .cu files alone.
#pragma once

#include "engine/cuda/field/image_index.hpp"
#include "engine/cuda/field/star_weights.cuh"
#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/kernels/plane_functionals.cuh"

namespace fdtd::cuda {

// A room as the march sees it. Other blocks write the fields in the same launch: nothing of them may come through the
// read-only cache.
struct SmallRoom {
  int nx, ny, nz;
  std::int64_t row, plane;
  bool mirror;                // rigid walls as images (image_walls.hpp)
  const std::uint8_t* solid;  // SolidBits, or nullptr
  std::int64_t solid_row, solid_plane;
  int vectors, units, deep;  // of a row; of the room: `deep` planes of a vector each

  __device__ __forceinline__ int index(int q, int n) const { return mirror ? image_index(q, n) : q; }
  // Of a plane; outputs above the room read the highest that there is.
  __device__ __forceinline__ std::int64_t plane_at(int z, int R) const { return index(min(z, nz - 1 + R), nz) * plane; }
};

// The row at p, its node x = 0, from `aside` vectors before the vector at x to as many behind it.
template <class T, int aside>
struct RowAround {
  static constexpr int V = lanes<T>, width = (2 * aside + 1) * V;
  T value[width];

  __device__ __forceinline__ RowAround(const SmallRoom& room, const T* p, int x) {
    if (!room.mirror || (x >= aside * V && x + (aside + 1) * V <= room.nx)) {
#pragma unroll
      for (int k = 0; k < 2 * aside + 1; ++k) {
        const Vector<T> v = load(p + x + (k - aside) * V);
#pragma unroll
        for (int l = 0; l < V; ++l) value[k * V + l] = v.lane[l];
      }
    } else {
#pragma unroll
      for (int i = 0; i < width; ++i) value[i] = p[image_index(x - aside * V + i, room.nx)];
    }
  }
};

template <class T, int M>
struct StarRoom {
  StarCoefficients<T, M> w;
  static constexpr int R = M;

  // `deep` outputs S u1 of the vector at x in row y, from plane z on; finish(n, done) takes the nth.
  template <int deep, class Finish>
  __device__ __forceinline__ void march(const SmallRoom& room, const T* u1, int x, int y, int z,
                                        const Finish& finish) const {
    constexpr int V = lanes<T>, aside = (M + V - 1) / V;
    T sum[deep][V];
#pragma unroll
    for (int i = 0; i < deep + 2 * M; ++i) {  // plane z + i - M
      const T* const plane = u1 + room.plane_at(z + i - M, M);
      const T* const own_row = plane + y * room.row;
      const Vector<T> own = load(own_row + x);
#pragma unroll
      for (int n = 0; n < deep; ++n) {
        const int d = i - M - n;  // from the output's plane
        if (d < -M || d > M) continue;
        if (d == 0) {
          const RowAround<T, aside> row(room, own_row, x);
#pragma unroll
          for (int l = 0; l < V; ++l) {
            const int at = aside * V + l;
            T across = product(w.x[M - 1], row.value[at - M] + row.value[at + M]);
#pragma unroll
            for (int m = M - 1; m >= 1; --m) across = fma(w.x[m - 1], row.value[at - m] + row.value[at + m], across);
            sum[n][l] = sum[n][l] + fma(w.centre, own.lane[l], across);
          }
#pragma unroll
          for (int e = -M; e <= M; ++e) {
            if (e == 0) continue;
            const Vector<T> v = load(plane + room.index(y + e, room.ny) * room.row + x);
#pragma unroll
            for (int l = 0; l < V; ++l) sum[n][l] = fma(w.y[(e < 0 ? -e : e) - 1], v.lane[l], sum[n][l]);
          }
        } else {
#pragma unroll
          for (int l = 0; l < V; ++l)
            sum[n][l] =
                d == -M ? product(w.z[M - 1], own.lane[l]) : fma(w.z[(d < 0 ? -d : d) - 1], own.lane[l], sum[n][l]);
        }
        if (d == M) finish(n, sum[n]);
      }
    }
  }
};

template <class T, int R_, std::uint64_t shells>
struct CubeRoom {
  ShellWeights<T, R_> weights;
  static constexpr int R = R_;

  struct Rows {
    const SmallRoom& room;
    const T* plane;
    int x, y;
    __device__ __forceinline__ Vector<T> operator()(int dy, int k) const {
      constexpr int V = lanes<T>;
      const T* const row = plane + room.index(y + dy, room.ny) * room.row;
      const int first = x + k * V;
      if (!room.mirror || (first >= 0 && first + V <= room.nx)) return load(row + first);
      Vector<T> v;
#pragma unroll
      for (int l = 0; l < V; ++l) v.lane[l] = row[image_index(first + l, room.nx)];
      return v;
    }
  };

  template <int deep, class Finish>
  __device__ __forceinline__ void march(const SmallRoom& room, const T* u1, int x, int y, int z,
                                        const Finish& finish) const {
    constexpr int V = lanes<T>;
    OutputQueue<R, V, T> queue;
    queue.clear();
#pragma unroll
    for (int i = 0; i < deep + 2 * R; ++i) {  // plane z + i - R
      const T* const plane = u1 + room.plane_at(z + i - R, R);
      T F[R + 1][V], done[V];
      plane_functionals<R, shells>(Rows{room, plane, x, y}, weights, F);
      queue.take(F, done);
      if (i >= 2 * R) finish(i - 2 * R, done);
    }
  }
};

// Unit `unit` of the room: u0 <- S u1 - u0, zero in solid voxels.
template <int deep, class T, class Scheme>
__device__ __forceinline__ void march_unit(const Scheme& scheme, const SmallRoom& room, int unit, const T* u1, T* u0) {
  constexpr int V = lanes<T>;
  const int x = unit % room.vectors * V, column = unit / room.vectors;
  const int y = column % room.ny, z = column / room.ny * deep;
  const int count = room.nx - x;
  scheme.template march<deep>(room, u1, x, y, z, [&](int n, const T(&done)[V]) {
    if (z + n >= room.nz) return;
    T* const out = u0 + x + y * room.row + (z + n) * room.plane;
    Vector<T> result = load(out);
#pragma unroll
    for (int l = 0; l < V; ++l) result.lane[l] = done[l] - result.lane[l];
    if (room.solid != nullptr) {
      const unsigned bits =
          static_cast<unsigned>(room.solid[(z + n) * room.solid_plane + y * room.solid_row + x / 8]) >> (x % 8);
#pragma unroll
      for (int l = 0; l < V; ++l)
        if ((bits >> l & 1U) != 0) result.lane[l] = T{};
    }
    if (count >= V) {
      *reinterpret_cast<Raw<T>*>(out) = as_raw(result);
    } else {
#pragma unroll
      for (int l = 0; l < V; ++l)
        if (l < count) out[l] = result.lane[l];
    }
  });
}

}  // namespace fdtd::cuda
