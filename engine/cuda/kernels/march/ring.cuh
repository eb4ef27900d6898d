// A marching block's ring of planes in shared memory, filled by asynchronous 16-byte copies. For .cu files alone.
//
// A slot holds one plane of u1, tile and halo, and what the block needs of u0 when it takes that plane. Slots are
// fetched `depth` - 1 planes ahead; one barrier a plane: past it, plane i has landed and nobody reads plane i - 1's
// slot any more, so the slot is free for plane i + depth - 1.
#pragma once

#include "engine/cuda/gpu/vector.cuh"

namespace fdtd::cuda {

// BX x BY threads, each with N vectors of a row. In shared memory a row's vectors lie in N parts, number v in part v
// mod N, so that neighbouring threads read neighbouring vectors (no bank conflicts) whatever N is.
template <class T, int R, int BX, int BY, int N>
struct RingShape {
  static constexpr int V = lanes<T>, threads = BX * BY, width = N * V;  // width: nodes of a thread
  static constexpr int aside = (R + V - 1) / V;                         // vectors of halo on either side
  static constexpr int part = BX + (2 * aside + N - 1) / N;             // vectors of a part of a row
  static constexpr int row = N * part;
  static constexpr int rows = BY + 2 * R;
  static constexpr int vectors = row * rows;                  // of a plane of u1
  static constexpr int pass = threads / row;                  // rows that the block fetches at once
  static constexpr int slot_vectors = vectors + N * threads;  // with u0
  static constexpr int slot_bytes = 16 * slot_vectors;
};

// The values of a plane that a thread fetches: of u1 the same vector of every pass-th row, of u0 its own nodes. Vectors
// that lie past the grid's halo are never used: they are read elsewhere or not at all.
template <class T, int R, int BX, int BY, int N, bool corners>
struct RingCopier {
  using Shape = RingShape<T, R, BX, BY, N>;
  static_assert(Shape::pass >= 1);
  int source;  // the first vector, from the plane's node (0, 0) in values
  int low;     // without corners: rows from `first` on that are not the tile's and before it
  int rows;    // from `first` on
  int own;     // the thread's first node, or the last vector there is
  int count;   // of nodes in the grid from there on; not positive: none

  __device__ __forceinline__ RingCopier(int thread, int x0, int y0, int nx, int ny, int row) {
    constexpr int V = Shape::V;
    const int first = thread / Shape::row, place = thread % Shape::row;
    const int column = place / Shape::part + N * (place % Shape::part) - Shape::aside;
    source = (y0 - R + first) * row + min(x0 + column * V, (nx - 1 + R) / V * V);
    const bool beside = !corners && (column < 0 || column >= N * BX);  // only beside the tile
    low = beside ? R - first : 0;
    rows = first < Shape::pass ? min(beside ? BY + R : Shape::rows, ny - y0 + 2 * R) - first : 0;
    const int y = y0 + thread / BX, x = x0 + thread % BX * Shape::width;
    own = min(y, ny - 1) * row + min(x, (nx - 1) / V * V);
    count = y < ny ? nx - x : 0;
  }

  __device__ __forceinline__ void fetch_u1(std::uint32_t slot, const T* plane, int thread, int row) const {
#pragma unroll
    for (int i = 0; i * Shape::pass < Shape::rows; ++i)
      if (i * Shape::pass < rows && (corners || i * Shape::pass >= low))
        copy_async(slot + 16 * static_cast<unsigned>(thread + i * Shape::pass * Shape::row),
                   plane + source + static_cast<std::int64_t>(i * Shape::pass) * row);
  }
  // Every thread fetches, and later reads, its own nodes alone.
  __device__ __forceinline__ void fetch_u0(std::uint32_t slot, const T* plane, int thread) const {
#pragma unroll
    for (int k = 0; k < N; ++k)
      copy_async(slot + 16 * static_cast<unsigned>(Shape::vectors + k * Shape::threads + thread),
                 plane + own + k * Shape::V);
  }
};

// Vectors of a slot as a thread sees them: (dy, k) is the k-th vector of row y + dy from its first one.
template <class T, int R, int BX, int BY, int N>
struct RingRows {
  using Shape = RingShape<T, R, BX, BY, N>;
  const T* base;  // slot + own row and column, part 0

  __device__ __forceinline__ RingRows(const T* slot, int tx, int ty)
      : base(slot + ((ty + R) * Shape::row + tx) * Shape::V) {}
  __device__ __forceinline__ Vector<T> operator()(int dy, int k) const {
    const int v = k + Shape::aside;
    return load(base + (dy * Shape::row + v % N * Shape::part + v / N) * Shape::V);
  }
};

// The thread's finished nodes, less what they were, to `to`: u0 at the thread's first node, `count` of them in the
// grid.
template <class Shape, class T>
__device__ __forceinline__ void store_minus_old(T* to, const T* slot, const T (&done)[Shape::width], int thread,
                                                int count) {
#pragma unroll
  for (int k = 0; k < Shape::width / Shape::V; ++k) {
    Vector<T> value = load(slot + (Shape::vectors + k * Shape::threads + thread) * Shape::V);
#pragma unroll
    for (int i = 0; i < Shape::V; ++i) value.lane[i] = done[k * Shape::V + i] - value.lane[i];
    store_streaming(to + k * Shape::V, value, count - k * Shape::V);
  }
}

// Waits until the plane fetched `depth` - 1 planes ago has landed.
__device__ __forceinline__ void wait_for_plane(int depth) {
  if (depth == 2) {
    wait_for_copies<0>();
  } else if (depth == 3) {
    wait_for_copies<1>();
  } else {
    wait_for_copies<2>();
  }
  __syncthreads();
}

struct RingGrid {
  int nx, ny, z_begin, z_end, row;
  std::int64_t plane;
  int chunk, depth;
};

// A block's march over `chunk` planes and the R on either side of them: outputs.take(rows, weights, inner, done) takes
// a plane, rows(dy, k) as in RingRows, and completes the outputs R planes below it; `inner`: the plane is one of the
// chunk's.
template <class T, int R, int BX, int BY, int N, bool corners, class Weights, class Outputs>
__device__ __forceinline__ void ring_march(const T* u1, T* u0, const RingGrid& g, const Weights& weights,
                                           Outputs& outputs) {
  using Shape = RingShape<T, R, BX, BY, N>;
  extern __shared__ uint4 ring[];
  const int thread = static_cast<int>(threadIdx.x);
  const RingCopier<T, R, BX, BY, N, corners> copier(thread, static_cast<int>(blockIdx.x) * BX * Shape::width,
                                                    static_cast<int>(blockIdx.y) * BY, g.nx, g.ny, g.row);
  const int first = g.z_begin + static_cast<int>(blockIdx.z) * g.chunk;
  const int planes = min(g.chunk, g.z_end - first) + 2 * R;
  const std::uint32_t bottom = shared_address(ring);
  u1 += (first - R) * g.plane;      // the plane to fetch next
  u0 += (first - 2 * R) * g.plane;  // the one that it completes
  const auto fetch = [&](int i, int slot) {
    if (i < planes) {
      const std::uint32_t to = bottom + static_cast<unsigned>(slot) * Shape::slot_bytes;
      copier.fetch_u1(to, u1, thread, g.row);
      if (i >= 2 * R) copier.fetch_u0(to, u0, thread);
    }
    u1 += g.plane;
    u0 += g.plane;
    commit_copies();
  };
  for (int i = 0; i < g.depth - 1; ++i) fetch(i, i);
  int slot = 0;
#pragma unroll 1
  for (int i = 0; i < planes; ++i) {
    wait_for_plane(g.depth);
    fetch(i + g.depth - 1, slot == 0 ? g.depth - 1 : slot - 1);
    const T* const here = reinterpret_cast<const T*>(ring + slot * Shape::slot_vectors);
    T done[Shape::width];
    const RingRows<T, R, BX, BY, N> rows(here, thread % BX, thread / BX);
    outputs.take(rows, weights, i >= R && i < planes - R, done);
    if (i >= 2 * R) store_minus_old<Shape>(u0 - g.depth * g.plane + copier.own, here, done, thread, copier.count);
    slot = slot + 1 == g.depth ? 0 : slot + 1;
  }
}

}  // namespace fdtd::cuda
