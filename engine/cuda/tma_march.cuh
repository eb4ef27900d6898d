// Marching along z with the tensor copy engine: the frame that star_tma and cube_tma share.
//
// A block owns a column of tile_x by tile_y nodes and marches through a chunk of planes. One warp fetches: for every plane
// p of u1 a box with the halo in x and y, and beside it the tile of u0 at plane p - R, the output that p completes; `depth`
// planes are under way or in use. The other warps compute: a thread holds `rows` rows of one 16-byte vector, and its outputs
// under way in registers (input-stationary, Krotkiewski & Dabrowski 2013). Fetcher and computers wait for each other alone,
// warps run apart by up to `depth` planes, and the next column's planes come while the last one's are worked.
//
// What bounds it is neither DRAM nor arithmetic but the wires between the two halves of the L2 cache: of all that a
// multiprocessor asks for, half lies in the other half (an H200's triad fills them to 90 % as well). So every byte of a halo
// costs what a byte of the grid does, if it is found in L2 - and thrice as much if it has to be fetched from memory again.
// Tiles are as large as registers allow, and blocks march in step, so that a halo is asked for while its owner's data is still
// in L2 and memory is read and written plane by plane, as it lies: columns are handed out in order as blocks ask (tickets), and
// no block is more than `pace` planes ahead of the last of all. Left alone, blocks drift apart and read 11 bytes a point where
// 8 are ideal. Held to the mean of all, radius 1 keeps 0.94 of the triad; to the last of all, 0.96 to 1.00.
//
// Bytes a point: DRAM 3 values and 2 R planes of u1 a chunk; L2 (1 + 2 hx/tile_x)(1 + 2 R/tile_y) + 2 values, hx in sectors.
#pragma once

#include "engine/cuda/close.cuh"
#include "engine/cuda/tma.cuh"

namespace fdtd::cuda {

// Compile-time geometry of one kernel. across: vectors a row of the tile; rows: rows a thread. A launch may leave out the
// last rows of a tile (MarchColumns::tile_y), so that columns fill all places of a GPU; what then idles costs no memory.
template <class T, int R_, int across_, int tile_y_, int rows_>
struct March {
  static constexpr int R = R_, across = across_, tile_y = tile_y_, rows = rows_;
  static constexpr int width = lanes<T>;
  static constexpr int tile_x = across * width;
  static constexpr int hx = (R + width - 1) / width * width;  // halo in x, whole vectors
  static constexpr int pitch = tile_x + 2 * hx;
  static constexpr int height = tile_y + 2 * R;
  static constexpr int busy = across * tile_y / rows;  // threads with nodes; the last warp may have some without
  static constexpr int computing = (busy + 31) / 32 * 32;
  static constexpr int threads = computing + 32;
  // Of a plane, fetched as far as `rows_used`.
  static constexpr std::uint32_t u1_bytes(int rows_used) {
    return sizeof(T) * pitch * static_cast<std::uint32_t>(rows_used + 2 * R);
  }
  static constexpr std::uint32_t u0_bytes(int rows_used) {
    return sizeof(T) * tile_x * static_cast<std::uint32_t>(rows_used);
  }
  static constexpr std::uint32_t u1_space = (u1_bytes(tile_y) + 127) / 128 * 128,
                                 u0_space = (u0_bytes(tile_y) + 127) / 128 * 128;
  static constexpr std::size_t plane_space = u1_space + u0_space + 20;  // with its barriers
  static_assert(tile_y % rows == 0 && pitch <= 256 && height <= 256);
};

// What a launch works on: columns of nodes, cut along z. Item i is column i % columns of the piece that comes (i / columns)th:
// from piece `first_piece` on upwards and around, so that those come last that read what a neighbour sends.
struct MarchColumns {
  int nx, ny, z_begin, z_end;
  int chunk, chunks, first_piece;
  int tile_y, across, columns, items;
  int own_begin, own_end;  // planes of u1 that are there; the others come from neighbours
  int depth;
  unsigned stride,
      ahead;  // blocks meet every `stride` planes, and pass when all have been at the meeting `ahead` before
  Borders borders;
  std::int64_t row, plane;
};

constexpr unsigned rounds_of_meetings = 4;  // counted apart: more than `ahead`

// What the blocks of a launch have in common. All zero before and after.
struct Tickets {
  unsigned long long arrived[rounds_of_meetings];  // at meetings 0, 4, 8 ..., at 1, 5 ..., at 2 ..., at 3 ...
  int next, left;                                  // item to hand out; blocks that have ended
};

// A pace, in planes that a block may be ahead of the last, told as meetings. To meet costs a round trip to L2, the less often
// the better where there is room for it.
constexpr unsigned stride_of(int pace) { return pace < 4 ? 1 : pace < 16 ? 2 : static_cast<unsigned>(pace) / 4; }
constexpr unsigned ahead_of(int pace) { return static_cast<unsigned>(pace) / stride_of(pace) - 1; }
constexpr bool counted_apart(int pace) { return ahead_of(pace) < rounds_of_meetings; }
static_assert(counted_apart(3) && counted_apart(4) && counted_apart(6) && counted_apart(64));
inline constexpr int paces[] = {4, 3, 6, 64};  // 64: as good as none, for those that arithmetic binds

struct Place {
  int x, y, z_begin, z_end;
};
template <class G>
__device__ __forceinline__ Place place_of(const MarchColumns& c, int item) {
  const int column = item % c.columns, piece = (item / c.columns + c.first_piece) % c.chunks;
  const int z_begin = c.z_begin + piece * c.chunk;
  return {column % c.across * G::tile_x, column / c.across * c.tile_y, z_begin, min(z_begin + c.chunk, c.z_end)};
}

// Shared memory: the planes in `depth` slots, and for each whether it is full or empty and whose item it belongs to (-1: the
// end).
struct PlaneRing {
  unsigned char *u1, *u0;
  std::uint64_t *full, *empty;
  int* item;
};

// The copy engine is to see what came from outside, as this thread does.
__device__ __forceinline__ void wait_for_neighbours(const Borders& borders) {
  for (;;) {
    std::uint32_t arrived = 0;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(arrived) : "l"(borders.arrived) : "memory");
    if (static_cast<std::int32_t>(arrived - borders.ticket) >= 0) break;
    __nanosleep(500);
  }
  asm volatile("fence.proxy.async;" ::: "memory");
}

// Nobody waits for this block any more.
__device__ __forceinline__ void leave_meetings(Tickets* tickets) {
  for (unsigned long long& arrived : tickets->arrived) atomicAdd(&arrived, 1ULL << 40U);
}

// The block's meeting of this number, from 0. To keep step is a gain, never a need: a block that has waited for some 10 ms,
// as when another program's blocks hold the places of some of this launch's, goes on without. False: it has.
__device__ __forceinline__ bool meet(const MarchColumns& c, Tickets* tickets, unsigned number) {
  constexpr int patience = 1 << 14;
  atomicAdd(&tickets->arrived[number % rounds_of_meetings], 1ULL);
  if (number < c.ahead) return true;
  const unsigned due = number - c.ahead;
  const auto* const arrived =
      reinterpret_cast<volatile unsigned long long*>(&tickets->arrived[due % rounds_of_meetings]);
  const unsigned long long all = gridDim.x * (due / rounds_of_meetings + 1ULL);
  for (int asked = 0; *arrived < all; ++asked) {
    if (asked == patience) {
      leave_meetings(tickets);
      return false;
    }
    __nanosleep(20);
  }
  return true;
}

// The fetcher's thread.
template <class G>
__device__ __forceinline__ void fetch_planes(const MarchColumns& c, const CUtensorMap* u1_map,
                                             const CUtensorMap* u0_map, const PlaneRing& ring, Tickets* tickets) {
  const std::uint64_t keep = tma::keep_in_l2();
  const std::uint32_t u1_bytes = G::u1_bytes(c.tile_y), both_bytes = u1_bytes + G::u0_bytes(c.tile_y);
  unsigned fetched = 0;
  int slot = 0;
  std::uint32_t phase = 1;  // a slot never used counts as empty
  bool arrived = false, in_step = true;
  for (;;) {
    const int item = atomicAdd(&tickets->next, 1);
    if (item >= c.items) break;
    const Place at = place_of<G>(c, item);
    for (int p = at.z_begin - G::R; p < at.z_end + G::R; ++p) {
      if (!arrived && (p < c.own_begin || p >= c.own_end)) {
        wait_for_neighbours(c.borders);
        arrived = true;
      }
      if (in_step && ++fetched % c.stride == 0) in_step = meet(c, tickets, fetched / c.stride - 1);
      tma::wait(ring.empty + slot, phase);
      ring.item[slot] = item;
      const bool output = p >= at.z_begin + G::R;
      tma::arrive_and_expect(ring.full + slot, output ? both_bytes : u1_bytes);
      tma::fetch(ring.u1 + slot * G::u1_space, u1_map, at.x - G::hx, at.y - G::R, p + G::R, ring.full + slot, keep);
      // Plane p - R is plane p of the map, which begins with the halo.
      if (output) tma::fetch(ring.u0 + slot * G::u0_space, u0_map, at.x, at.y, p, ring.full + slot);
      if (++slot == c.depth) slot = 0, phase ^= 1;
    }
  }
  leave_meetings(tickets);
  tma::wait(ring.empty + slot, phase);
  ring.item[slot] = -1;
  tma::arrive(ring.full + slot);
  if (atomicAdd(&tickets->left, 1) == static_cast<int>(gridDim.x) - 1) *tickets = {};
}

// Arithmetic: Queue<G>, the outputs under way of a thread, with clear(); take<G>(window, queue, finish) takes a plane, `window`
// the first word of the halo in the lowest row that the thread reads, and calls finish(r, done) for each of its rows with
// done[width], S u1 at plane p - R. early: what is finished is stored at once, for registers are what tiles are made of, and not
// after the plane's place has been given back.
template <class G, class T, class Arithmetic>
__global__ void __launch_bounds__(G::threads, 1)
    tma_march(const __grid_constant__ CUtensorMap u1_map, const __grid_constant__ CUtensorMap u0_map, T* u0,
              const __grid_constant__ MarchColumns c, const __grid_constant__ Arithmetic arithmetic, Tickets* tickets) {
#if !defined(__CUDA_ARCH__) || \
    __CUDA_ARCH__ >= 900  // older ones have no tensor copy engine, and are never given this kernel
  extern __shared__ unsigned char space[];
  PlaneRing ring;
  ring.u1 = space + (128 - shared_address(space) % 128) % 128;  // the engine writes to multiples of 128 bytes
  ring.u0 = ring.u1 + c.depth * G::u1_space;
  ring.full = reinterpret_cast<std::uint64_t*>(ring.u0 + c.depth * G::u0_space);
  ring.empty = ring.full + c.depth;
  ring.item = reinterpret_cast<int*>(ring.empty + c.depth);
  if (threadIdx.x == 0) {
    for (int i = 0; i < c.depth; ++i) {
      tma::init_barrier(ring.full + i, 1);
      tma::init_barrier(ring.empty + i, G::computing / 32);
    }
    tma::publish_barriers();
  }
  __syncthreads();
  wait_for_launch_before();
  if (threadIdx.x >= G::computing) {
    if (threadIdx.x == G::computing) fetch_planes<G>(c, &u1_map, &u0_map, ring, tickets);
    return;
  }

  // A thread without nodes works on the first rows like others, and writes nothing.
  const bool idle = G::busy < G::computing && threadIdx.x >= G::busy;
  const int thread = idle ? 0 : static_cast<int>(threadIdx.x);
  const int own_x = thread % G::across * G::width, own_y = thread / G::across * G::rows;
  int slot = 0;
  std::uint32_t phase = 0;
  for (;;) {
    tma::wait(ring.full + slot, phase);
    // Read by the lane that tells the fetcher when it may be written again: a race detector sees who waits for whom.
    const int item = __shfl_sync(0xFFFFFFFFU, threadIdx.x % 32 == 0 ? ring.item[slot] : 0, 0);
    if (item < 0) return;
    const Place at = place_of<G>(c, item);
    const int x = at.x + own_x, y = at.y + own_y, y_end = min(at.y + c.tile_y, c.ny);
    const int count = idle ? 0 : c.nx - x;  // of nodes that may be written
    T* out = u0 + x + y * c.row + at.z_begin * c.plane;
    typename Arithmetic::template Queue<G> queue;
    queue.clear();
    const int planes = at.z_end - at.z_begin + 2 * G::R;
#pragma unroll 1
    for (int plane = 0; plane < planes; ++plane) {
      const bool output = plane >= 2 * G::R;
      tma::wait(ring.full + slot, phase);
      const T* const old = reinterpret_cast<const T*>(ring.u0 + slot * G::u0_space) + own_y * G::tile_x + own_x;
      const auto store = [&](int r, const Vector<T>& value) {
        if (y + r < y_end) store_streaming(out + r * c.row, value, count);
      };
      Vector<T> result[G::rows];
      arithmetic.template take<G>(reinterpret_cast<const T*>(ring.u1 + slot * G::u1_space) + own_y * G::pitch + own_x,
                                  queue, [&](int r, const T(&done)[G::width]) {
                                    if (!output) return;
                                    result[r] = load(old + r * G::tile_x);
#pragma unroll
                                    for (int i = 0; i < G::width; ++i) result[r].lane[i] = done[i] - result[r].lane[i];
                                    if (Arithmetic::early) store(r, result[r]);
                                  });
      __syncwarp();
      if (threadIdx.x % 32 == 0) tma::arrive(ring.empty + slot);
      if (++slot == c.depth) slot = 0, phase ^= 1;
      if (!Arithmetic::early && output) {
#pragma unroll
        for (int r = 0; r < G::rows; ++r) store(r, result[r]);
      }
      if (output) out += c.plane;
    }
  }
#endif
}

}  // namespace fdtd::cuda
