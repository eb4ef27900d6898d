// Mirror images in a marching block (plan/image_walls.hpp): written into the planes in shared memory before any warp
// reads them.
#pragma once

#include "engine/cuda/field/image_index.hpp"
#include "engine/cuda/kernels/tma/columns.cuh"

namespace fdtd::cuda {

// Which radii may have rigid walls as images: beside long legs these take longer than their corrections.
constexpr bool marches_mirror(int radius) { return radius <= 4; }

template <class G>
__device__ __forceinline__ bool reads_images(const MarchColumns& c, const Place& at) {
  return c.mirror && (at.x < G::R || at.y < G::R || at.x + G::tile_x + G::R > c.nx || at.y + c.tile_y + G::R > c.ny);
}

template <class T>
__device__ __forceinline__ void store(T* p, const Vector<T>& v) {
  *reinterpret_cast<Raw<T>*>(p) = as_raw(v);
}

// Writes a thread's part of the images beside the tile whose first node is (tile_x, tile_y) into its plane of u1,
// which begins with the halo's first row. All of them are made of what has come, none of another. corners: those behind
// two walls as well. A warp's instructions come one after the other, and the others wait for it: few are what counts.
template <class G, bool corners, int threads, class T>
__device__ __forceinline__ void put_images(const MarchColumns& c, int thread, int tile_x, int tile_y, T* plane) {
  constexpr int R = G::R, pitch = G::pitch, width = G::width;
  const int low = max(0, R - tile_y);                         // rows of images before those of nodes,
  const int high = min(c.tile_y + 2 * R, c.ny - tile_y + R);  // the first behind them,
  const int rows = low + min(c.tile_y + 2 * R - high, R);     // and how many of either
  const int there = c.nx - tile_x;                            // nodes from the tile's first on
  // Across x a thread a row, the last threads first.
  for (int r = threads - 1 - thread; r < high; r += threads) {
    if (r < low) continue;
    T* const first = plane + r * pitch + G::hx;
    if (tile_x == 0) {
#pragma unroll 1
      for (int k = 0; k < G::hx; k += width) {
        const Vector<T> value = load(first + k);
        Vector<T> image;
#pragma unroll
        for (int i = 0; i < width; ++i) image.lane[i] = value.lane[width - 1 - i];
        store(first - k - width, image);
      }
    }
    if (there < G::tile_x + R) {
      constexpr int at_once = R < 4 ? R : 4;
      T* const wall = first + there;
      const int read = min(R, G::tile_x + R - there);
#pragma unroll 1
      for (int k = 0; k < read; k += at_once) {
        T value[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) value[i] = wall[-1 - k - i];
#pragma unroll
        for (int i = 0; i < at_once; ++i)
          if (k + i < read) wall[k + i] = value[i];
      }
    }
  }
  // Across y a thread a vector of a row.
  constexpr int begin = corners ? 0 : G::hx, across = (corners ? pitch : G::tile_x) / width;
  for (int i = thread; i < rows * across; i += threads) {
    const int row = i / across, to = row < low ? row : high + row - low;
    const T* const from = plane + (image_index(to + tile_y - R, c.ny) - tile_y + R) * pitch;
    const int q = begin + i % across * width, x = q - G::hx + tile_x;
    if ((corners && x < 0) || x + width > c.nx) {
#pragma unroll
      for (int k = 0; k < width; ++k)
        if (x + k < c.nx + (corners ? R : 0))
          plane[to * pitch + q + k] = from[image_index(x + k, c.nx) - tile_x + G::hx];
    } else {
      store(plane + to * pitch + q, load(from + q));
    }
  }
}

// The warp has done with a plane. Where warps of their own write images into it, a race detector is to see that each
// thread waited for has read what it will: else one lane speaks for all.
template <int imaging>
__device__ __forceinline__ void release(std::uint64_t* empty, bool images) {
  if (imaging > 0 && images) {
    tma::arrive(empty);
    return;
  }
  __syncwarp();
  if (threadIdx.x % 32 == 0) tma::arrive(empty, 32);
}

// Warps that do nothing else: all planes' images, as soon as planes have come.
template <class G, bool corners, class T>
__device__ __forceinline__ void make_all_images(const MarchColumns& c, const PlaneRing& ring, int thread) {
  int slot = 0;
  std::uint32_t phase = 0;
  for (;;) {
    tma::wait(ring.full + slot, phase);
    const int item = __shfl_sync(0xFFFFFFFFU, thread % 32 == 0 ? ring.item[slot] : 0, 0);
    if (item < 0) return;
    const Place at = place_of<G>(c, item);
    const bool images = reads_images<G>(c, at);
#pragma unroll 1
    for (int plane = at.z_begin - G::R; plane < at.z_end + G::R; ++plane) {
      tma::wait(ring.full + slot, phase);
      if (images) {
        put_images<G, corners, G::imaging>(c, thread, at.x, at.y, reinterpret_cast<T*>(ring.u1 + slot * G::u1_space));
        tma::arrive(ring.imaged + slot);
      }
      if (!images && thread % 32 == 0) tma::arrive(ring.imaged + slot, 32);  // its phases are `full`'s
      release<G::imaging>(ring.empty + slot, images);
      if (++slot == c.depth) slot = 0, phase ^= 1;
    }
  }
}

}  // namespace fdtd::cuda
