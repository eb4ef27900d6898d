// The ends of rows in a marching block (walls/row_ends.hpp). The computing warps write them to shared memory instead of
// global memory; warps of their own, the updaters, take the planes in turns, update the boundary nodes, a thread a row,
// and write the rows' ends to global memory. Computing warps wait for them only when all places for planes are full.
#pragma once

#include "engine/cuda/kernels/tma/columns.cuh"
#include "engine/cuda/walls/row_ends.hpp"

namespace fdtd::cuda {

// The ends of some planes, aside: the two vectors that hold a column, row by row (and a third, against bank conflicts).
template <class G, class T>
struct RowEndStage {
  static constexpr unsigned planes = 4;
  static constexpr int coming = 8;
  static constexpr int width = lanes<T>, pitch = 3 * width, plane = G::tile_y * pitch;
  static constexpr std::size_t space =
      16 + sizeof(T) * planes * plane + 2 * planes * sizeof(std::uint64_t) + (coming + 1) * sizeof(int);
  T* values;
  std::uint64_t *staged, *vacant;  // of a plane: all threads have put theirs aside; its updater has taken them
  int* item;                       // those that come next, in turns; -1: the end
  int* items;                      // how many have come: the first thread's

  __device__ __forceinline__ explicit RowEndStage(unsigned char* there)
      : values(reinterpret_cast<T*>(there + (16 - shared_address(there) % 16) % 16)),
        staged(reinterpret_cast<std::uint64_t*>(values + planes * plane)),
        vacant(staged + planes),
        item(reinterpret_cast<int*>(vacant + planes)),
        items(item + coming) {}
  __device__ __forceinline__ void init() const {
    for (unsigned i = 0; i < planes; ++i) {
      tma::init_barrier(staged + i, G::computing);
      tma::init_barrier(vacant + i, 32);
    }
    *items = 0;
  }
  __device__ __forceinline__ void begin(int which) const { item[(*items)++ % coming] = which; }
  __device__ __forceinline__ T* of(unsigned n) const { return values + n % planes * plane; }
  __device__ __forceinline__ void wait_staged(unsigned n) const { tma::wait(staged + n % planes, n / planes & 1U); }
  __device__ __forceinline__ void wait_vacant(unsigned n) const {
    tma::wait(vacant + n % planes, (n / planes & 1U) ^ 1U);
  }
  __device__ __forceinline__ void put(unsigned n) const { tma::arrive(staged + n % planes); }
  __device__ __forceinline__ void take(unsigned n) const { tma::arrive(vacant + n % planes); }
};

// Does the tile reach the wall across x? None reaches both (holds_row_ends).
template <class G, class T>
__device__ __forceinline__ bool has_end(const MarchColumns& c, const MarchRowEnds<T>& ends, int tile_x, int side) {
  if (!ends.has[side]) return false;
  return side == 0 ? tile_x == 0 : tile_x + G::tile_x >= c.nx;
}

// The first node of the vectors that hold an end, and the wall's node from there on.
template <class T>
__device__ __forceinline__ int first_of_end(const MarchColumns& c, const MarchRowEnds<T>& ends, int side) {
  return side == 0 ? 0 : (c.nx - static_cast<int>(ends.taps)) / lanes<T> * lanes<T>;
}

// A computing thread's part.
template <class G, class T>
struct RowEndWriter {
  using Stage = RowEndStage<G, T>;
  const Stage& stage;
  unsigned n = 0;  // planes put aside
  bool puts = false;
  int place = -1;  // of the thread's vector in its first row; -1: it holds no end

  // x, row: of the thread's first node in the grid, and in the tile; idle: it has none.
  __device__ __forceinline__ void begin(const MarchColumns& c, const MarchRowEnds<T>& ends, int item, int tile_x, int x,
                                        int row, bool idle) {
    const bool low = has_end<G>(c, ends, tile_x, 0);
    puts = low || has_end<G>(c, ends, tile_x, 1);
    const int side = low ? 0 : 1, first = first_of_end(c, ends, side);
    const bool holds = x >= first && x < (low ? static_cast<int>(ends.taps) : c.nx);
    place = puts && holds && !idle ? row * Stage::pitch + x - first : -1;
    if (puts && threadIdx.x == 0) stage.begin(item);
  }
  // Row r of the thread, to memory at `there` or aside; count: of nodes in the grid.
  __device__ __forceinline__ void store(T* there, int r, const Vector<T>& value, int count) const {
    if (place >= 0) there = stage.of(n) + place + r * Stage::pitch;
    if (place >= 0 || count >= G::width)
      store_anywhere(there, value);
    else
      store_streaming(there, value, count);
  }
  __device__ __forceinline__ void wait() const {
    if (puts) stage.wait_vacant(n);
  }
  __device__ __forceinline__ void done() {
    if (puts) stage.put(n++);
  }
  // No more items: each updater is to see it.
  __device__ __forceinline__ void end() {
    if (threadIdx.x == 0) stage.begin(-1);
    for (int i = 0; i < G::updating; i += 32) {
      stage.wait_vacant(n);
      stage.put(n++);
    }
  }
};
// Where nothing is put aside.
template <class G, class T>
struct NoRowEndWriter {
  const RowEndStage<G, T>& stage;
  template <bool images>
  __device__ __forceinline__ void begin(const MarchColumns&, const NoRowEnds<images>&, int, int, int, int, bool) {}
  __device__ __forceinline__ void store(T* there, int, const Vector<T>& value, int count) const {
    store_streaming(there, value, count);
  }
  __device__ __forceinline__ void wait() const {}
  __device__ __forceinline__ void done() {}
  __device__ __forceinline__ void end() {}
};

// A updater of `updaters`: its planes are those that are put aside as number n, n + updaters, ...
template <class G, class T>
struct RowEndUpdater {
  using Stage = RowEndStage<G, T>;
  static constexpr int max_branches = max_face_branches, batches = (G::tile_y + 31) / 32, width = lanes<T>;
  static constexpr unsigned updaters = G::updating / 32;
  // The values for the next plane are requested before this one is updated, if registers hold it.
  static constexpr bool ahead = sizeof(T) * batches < 16;
  using PreviousStates = PreviousState<T, max_branches>[batches];

  const MarchColumns& c;
  const MarchRowEnds<T>& ends;
  const Stage& stage;
  int parity;
  T* u0;  // node 0
  int lane;

  template <int side>
  __device__ __forceinline__ BranchState<T, std::uint32_t> branch_state(std::uint32_t i) const {
    const BoxFace<T>& face = ends.face[side];
    return {ends.state, ends.q[parity], face.node + i, face.state + i, face.stride};
  }
  template <int side>
  __device__ __forceinline__ PreviousState<T, max_branches> previous(std::uint32_t i) const {
    const BoxFace<T>& face = ends.face[side];
    if (i >= face.count) return {};
    return previous_state<T, max_branches>(branch_state<side>(i), static_cast<int>(face.branches));
  }
  // Node i of the face, in a row that is put aside at `row`.
  template <int side>
  __device__ __forceinline__ void update_row(std::uint32_t i, const PreviousState<T, max_branches>& before,
                                             T* row) const {
    struct Group {
      std::uint32_t column, tap_count, step;
      T inverse_square;
      const T (&tap)[max_taps];
    };
    const BoxFace<T>& face = ends.face[side];
    const Group g{ends.taps, ends.taps, side == 0 ? 1U : static_cast<std::uint32_t>(-1), face.inverse_square, face.tap};
    const auto at = static_cast<std::uint32_t>(side == 0 ? 0 : c.nx - 1 - first_of_end(c, ends, 1));
    T r[max_column];
#pragma unroll
    for (std::uint32_t j = 0; j < max_column; ++j)
      r[j] = j < max_end_taps && j < ends.taps ? row[at + j * g.step] : T{};
    Column<T> column = column_of(g, r);
    const BranchState<T, std::uint32_t> own = branch_state<side>(i);
    const double lost = update_branches<T, max_branches>(own, before, g, face.law, face.branch, face.value, column,
                                                         static_cast<int>(face.branches));
#pragma unroll
    for (std::uint32_t j = 0; j < max_end_taps; ++j)
      if (j < ends.taps) row[at + j * g.step] = column.r[j];
    ends.lost[parity][own.node] = static_cast<T>(lost);
  }

  // Those of an item, from its plane `skipped` on; returns how many planes past the item the next one is.
  template <int side>
  __device__ __forceinline__ int update_item(const Place& at, int skipped, unsigned& n) const {
    const BoxFace<T>& face = ends.face[side];
    const std::uint32_t across = face.place.width;
    constexpr std::uint32_t nowhere = 1U << 31U;
    std::uint32_t node[batches];
    int z = at.z_begin + skipped;
#pragma unroll
    for (int b = 0; b < batches; ++b) {
      const int row = 32 * b + lane, y = at.y + row - ends.y[side];
      const bool there = row < c.tile_y && y >= 0 && y < static_cast<int>(across);
      node[b] = there ? static_cast<std::uint32_t>((z - ends.z[side]) * static_cast<int>(across) + y) : nowhere;
    }
    const int first = first_of_end(c, ends, side), end = side == 0 ? static_cast<int>(ends.taps) : c.nx;
    T* to = u0 + z * c.plane + (at.y + lane) * c.row + first;
    PreviousStates next;
    if (ahead) {
#pragma unroll
      for (int b = 0; b < batches; ++b) next[b] = previous<side>(node[b]);
    }
#pragma unroll 1
    for (; z < at.z_end; z += updaters, n += updaters, to += updaters * c.plane) {
      PreviousStates now;
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        now[b] = ahead ? next[b] : previous<side>(node[b]);
        if (ahead && z + static_cast<int>(updaters) < at.z_end) next[b] = previous<side>(node[b] + updaters * across);
      }
      stage.wait_staged(n);
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        const int row = 32 * b + lane;
        T* const aside = stage.of(n) + row * Stage::pitch;
        if (node[b] < face.count) update_row<side>(node[b], now[b], aside);
        if (row < c.tile_y && at.y + row < c.ny) {
          T* const there = to + 32 * b * c.row;
#pragma unroll
          for (int v = 0; v < 2; ++v)
            if (first + v * width < end)
              store_streaming(there + v * width, load(aside + v * width), c.nx - first - v * width);
        }
        node[b] += updaters * across;
      }
      stage.take(n);
    }
    return z - at.z_end;
  }

  __device__ __forceinline__ void run(unsigned which) const {
    unsigned n = which;
    int skipped = static_cast<int>(which);
    for (int items = 0;; ++items) {
      stage.wait_staged(n);
      const int item = stage.item[items % Stage::coming];
      if (item < 0) return;
      const Place at = place_of<G>(c, item);
      const int planes = at.z_end - at.z_begin;
      if (skipped >= planes)
        skipped -= planes;
      else if (has_end<G>(c, ends, at.x, 0))
        skipped = update_item<0>(at, skipped, n);
      else
        skipped = update_item<1>(at, skipped, n);
    }
  }
};

}  // namespace fdtd::cuda
