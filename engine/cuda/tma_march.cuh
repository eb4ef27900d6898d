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
// Tiles are as large as registers allow, and blocks are kept in step, so that a halo is asked for while its owner's data is
// still in L2: columns are handed out in order as blocks ask (tickets), and a block that is more than `pace` planes ahead of
// the average waits. Unpaced, blocks drift apart and read 11 bytes a point where 8 are ideal; paced, 8.4.
//
// Bytes a point: DRAM 3 values and 2 R planes of u1 a chunk; L2 (1 + 2 hx/tile_x)(1 + 2 R/tile_y) + 2 values, hx in sectors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/cuda/device.hpp"
#include "engine/cuda/share.hpp"
#include "engine/cuda/tma.cuh"

namespace fdtd::cuda {

// Compile-time geometry of one kernel. across: vectors a row of the tile; rows: rows a thread.
template <class T, int R_, int across_, int tile_y_, int rows_, int depth_>
struct March {
  static constexpr int R = R_, across = across_, tile_y = tile_y_, rows = rows_, depth = depth_;
  static constexpr int width = lanes<T>;
  static constexpr int tile_x = across * width;
  static constexpr int hx = (R + width - 1) / width * width;  // halo in x, whole vectors
  static constexpr int pitch = tile_x + 2 * hx;
  static constexpr int height = tile_y + 2 * R;
  static constexpr int busy = across * tile_y / rows;  // threads with nodes; the last warp may have some without
  static constexpr int computing = (busy + 31) / 32 * 32;
  static constexpr int threads = computing + 32;
  static constexpr std::uint32_t u1_bytes = sizeof(T) * pitch * height, u0_bytes = sizeof(T) * tile_x * tile_y;
  static constexpr std::uint32_t u1_space = (u1_bytes + 127) / 128 * 128, u0_space = (u0_bytes + 127) / 128 * 128;
  static constexpr std::size_t shared = std::size_t{depth} * (u1_space + u0_space + 20) + 128;
  static_assert(tile_y % rows == 0 && pitch <= 256 && height <= 256);
};

// What a launch works on: columns of nodes, cut along z. Item i is column i % columns of the piece that comes (i / columns)th:
// from piece `first_piece` on upwards and around, so that those come last that read what a neighbour sends.
struct Columns {
  int nx, ny, z_begin, z_end;
  int chunk, chunks, first_piece;
  int across, columns, items;
  int own_begin, own_end;  // planes of u1 that are there; the others come from neighbours
  Borders borders;
  std::int64_t row, plane;
};

// What the blocks of a launch have in common. All zero before and after.
struct Tickets {
  unsigned long long planes;  // fetched by all blocks
  int next, left;             // item to hand out; blocks that have ended
};

// How many planes a block may be ahead of the average of all.
inline constexpr int pace = 2;

struct Place {
  int x, y, z_begin, z_end;
};
template <class G>
__device__ __forceinline__ Place place_of(const Columns& c, int item) {
  const int column = item % c.columns, piece = (item / c.columns + c.first_piece) % c.chunks;
  const int z_begin = c.z_begin + piece * c.chunk;
  return {column % c.across * G::tile_x, column / c.across * G::tile_y, z_begin, min(z_begin + c.chunk, c.z_end)};
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

// The fetcher's thread.
template <class G>
__device__ __forceinline__ void fetch_planes(const Columns& c, const CUtensorMap* u1_map, const CUtensorMap* u0_map,
                                             const PlaneRing& ring, Tickets* tickets) {
  const std::uint64_t keep = tma::keep_in_l2();
  long long fetched = 0;
  int slot = 0;
  std::uint32_t phase = 1;  // a slot never used counts as empty
  bool arrived = false;
  for (;;) {
    const int item = atomicAdd(&tickets->next, 1);
    if (item >= c.items) break;
    const Place at = place_of<G>(c, item);
    for (int p = at.z_begin - G::R; p < at.z_end + G::R; ++p) {
      if (!arrived && (p < c.own_begin || p >= c.own_end)) {
        wait_for_neighbours(c.borders);
        arrived = true;
      }
      if (++fetched % 2 == 0) {
        atomicAdd(&tickets->planes, 2ULL);
        const auto* const all = reinterpret_cast<volatile unsigned long long*>(&tickets->planes);
        while ((fetched - pace) * static_cast<long long>(gridDim.x) > static_cast<long long>(*all)) __nanosleep(20);
      }
      tma::wait(ring.empty + slot, phase);
      ring.item[slot] = item;
      const bool output = p >= at.z_begin + G::R;
      tma::arrive_and_expect(ring.full + slot, output ? G::u1_bytes + G::u0_bytes : G::u1_bytes);
      tma::fetch(ring.u1 + slot * G::u1_space, u1_map, at.x - G::hx, at.y - G::R, p + G::R, ring.full + slot, keep);
      // Plane p - R is plane p of the map, which begins with the halo.
      if (output) tma::fetch(ring.u0 + slot * G::u0_space, u0_map, at.x, at.y, p, ring.full + slot);
      if (++slot == G::depth) slot = 0, phase ^= 1;
    }
  }
  atomicAdd(&tickets->planes, 1ULL << 40U);  // nobody waits for a block that has ended
  tma::wait(ring.empty + slot, phase);
  ring.item[slot] = -1;
  tma::arrive(ring.full + slot);
  if (atomicAdd(&tickets->left, 1) == static_cast<int>(gridDim.x) - 1) *tickets = {};
}

// Arithmetic: Queue<G>, the outputs under way of a thread, with clear(); take<G>(window, queue, done) takes a plane, `window`
// the first word of the halo in the lowest row that the thread reads, and gives done[rows][width], S u1 at plane p - R.
template <class G, class T, class Arithmetic>
__global__ void __launch_bounds__(G::threads, 1)
    tma_march(const __grid_constant__ CUtensorMap u1_map, const __grid_constant__ CUtensorMap u0_map, T* u0,
              const __grid_constant__ Columns c, const __grid_constant__ Arithmetic arithmetic, Tickets* tickets) {
#if !defined(__CUDA_ARCH__) || \
    __CUDA_ARCH__ >= 900  // older ones have no tensor copy engine, and are never given this kernel
  extern __shared__ unsigned char space[];
  PlaneRing ring;
  ring.u1 = space + (128 - shared_address(space) % 128) % 128;  // the engine writes to multiples of 128 bytes
  ring.u0 = ring.u1 + G::depth * G::u1_space;
  ring.full = reinterpret_cast<std::uint64_t*>(ring.u0 + G::depth * G::u0_space);
  ring.empty = ring.full + G::depth;
  ring.item = reinterpret_cast<int*>(ring.empty + G::depth);
  if (threadIdx.x == 0) {
    for (int i = 0; i < G::depth; ++i) {
      tma::init_barrier(ring.full + i, 1);
      tma::init_barrier(ring.empty + i, G::computing / 32);
    }
    tma::publish_barriers();
  }
  __syncthreads();
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
    const int x = at.x + own_x, y = at.y + own_y;
    const int count = idle ? 0 : c.nx - x;  // of nodes that may be written
    T* out = u0 + x + y * c.row + at.z_begin * c.plane;
    typename Arithmetic::template Queue<G> queue;
    queue.clear();
    const int planes = at.z_end - at.z_begin + 2 * G::R;
#pragma unroll 1
    for (int plane = 0; plane < planes; ++plane) {
      const bool output = plane >= 2 * G::R;
      tma::wait(ring.full + slot, phase);
      T done[G::rows][G::width];
      arithmetic.template take<G>(reinterpret_cast<const T*>(ring.u1 + slot * G::u1_space) + own_y * G::pitch + own_x,
                                  queue, done);
      Vector<T> result[G::rows];
      if (output) {
        const T* const old = reinterpret_cast<const T*>(ring.u0 + slot * G::u0_space) + own_y * G::tile_x + own_x;
#pragma unroll
        for (int r = 0; r < G::rows; ++r) {
          result[r] = load(old + r * G::tile_x);
#pragma unroll
          for (int i = 0; i < G::width; ++i) result[r].lane[i] = done[r][i] - result[r].lane[i];
        }
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) tma::arrive(ring.empty + slot);
      if (++slot == G::depth) slot = 0, phase ^= 1;
      if (output) {
#pragma unroll
        for (int r = 0; r < G::rows; ++r)
          if (y + r < c.ny) store_streaming(out + r * c.row, result[r], count);
        out += c.plane;
      }
    }
  }
#endif
}

// Fills in how the columns are cut: so that a piece that needs no neighbour comes first, and their planes have time to come.
inline void cut_along_z(Columns& c, int chunk, int R) {
  const bool low = c.borders.arrived != nullptr && c.borders.low > c.z_begin;
  const bool high = c.borders.arrived != nullptr && c.borders.high < c.z_end;
  c.own_begin = low ? c.borders.low - R : c.z_begin - R;
  c.own_end = (high ? c.borders.high : c.z_end) + R;
  const int planes = c.z_end - c.z_begin, least = 1 + (low ? 1 : 0) + (high ? 1 : 0);
  c.chunk = std::min(chunk, divide_up(planes, least));
  c.chunks = divide_up(planes, c.chunk);
  c.first_piece = low && c.chunks > 1 ? 1 : 0;
  c.items = c.columns * c.chunks;
}

// A compiled kernel: what it is for, its tile (z and blocks free).
struct TmaVariant {
  Precision precision;
  int radius;
  std::uint64_t shells;  // cube_tma: those that it adds
  Tile tile;
  std::size_t shared_bytes;
  int (*blocks_a_multiprocessor)();
  Prepared (*prepare)(const Job&, const Device&, const Tile&, std::array<void*, 2> fields);
};

// As the driver counts them; 1 where there is none to ask.
template <class G, class T, class Arithmetic>
int march_blocks_a_multiprocessor() {
  int blocks = 0;
  const auto kernel = tma_march<G, T, Arithmetic>;
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(G::shared)) !=
          cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, G::threads, G::shared) != cudaSuccess)
    (void)cudaGetLastError();
  return std::max(1, blocks);
}

template <class G, class T, class Arithmetic>
Prepared prepare_march(const Job& job, const Device& device, const Tile& tile, std::array<void*, 2> fields) {
  const auto kernel = tma_march<G, T, Arithmetic>;
  Prepared prepared;
  prepared.resources = resources_of(kernel, G::threads, G::shared);
  const Layout layout = job.layout;
  std::array<CUtensorMap, 2> with_halo, own;
  for (std::size_t i = 0; i < 2; ++i) {
    with_halo[i] = tma::tensor_map(layout, fields[i], {G::pitch, G::height, 1});
    own[i] = tma::tensor_map(layout, fields[i], {G::tile_x, G::tile_y, 1});
  }
  // Blocks wait for each other: no more than can run at once. Launches side by side have different tickets.
  const int resident = std::max(1, prepared.resources.blocks_per_multiprocessor) * device.multiprocessors;
  const int blocks = tile.blocks > 0 ? std::min(tile.blocks, resident) : resident;
  constexpr unsigned launches = 16;
  const std::shared_ptr<void> tickets = take_device_memory(launches * sizeof(Tickets));
  FDTD_CUDA(cudaMemset(tickets.get(), 0, launches * sizeof(Tickets)));
  const auto launch = std::make_shared<std::atomic<unsigned>>(0);
  const Arithmetic arithmetic(job.stencil);
  const auto step = [=](int which, int z_begin, int z_end, const Borders& borders, Stream stream) {
    Columns c{};
    c.nx = layout.size[0], c.ny = layout.size[1], c.z_begin = z_begin, c.z_end = z_end;
    c.row = layout.row, c.plane = layout.plane;
    c.across = divide_up(c.nx, G::tile_x);
    c.columns = c.across * divide_up(c.ny, G::tile_y);
    c.borders = borders;
    cut_along_z(c, tile.z, G::R);
    const auto from = static_cast<std::size_t>(which), to = static_cast<std::size_t>(1 - which);
    kernel<<<static_cast<unsigned>(std::min(blocks, c.items)), G::threads, G::shared, stream>>>(
        with_halo[from], own[to], static_cast<T*>(fields[to]) + layout.first, c, arithmetic,
        static_cast<Tickets*>(tickets.get()) + launch->fetch_add(1) % launches);
    FDTD_CUDA(cudaGetLastError());
  };
  prepared.step = [step](int which, int z_begin, int z_end, Stream stream) { step(which, z_begin, z_end, {}, stream); };
  prepared.step_to_borders = [step, planes = layout.size[2]](int which, const Borders& borders, Stream stream) {
    step(which, 0, planes, borders, stream);
  };
  return prepared;
}

template <class G, class T, class Arithmetic>
constexpr TmaVariant tma_variant(std::uint64_t shells) {
  return {sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64,
          G::R,
          shells,
          Tile{G::tile_x, G::tile_y, 0, G::threads, G::depth},
          G::shared,
          march_blocks_a_multiprocessor<G, T, Arithmetic>,
          prepare_march<G, T, Arithmetic>};
}

inline bool has_room(const TmaVariant& variant, const Device& device) {
  return variant.shared_bytes <= device.shared_per_block;
}

// What the kernels of this frame have in common of a table row, given the variants that suit a job.
inline std::vector<Tile> tma_tiles(const std::vector<TmaVariant>& variants, const Job& job, const Device& device) {
  std::vector<std::pair<std::size_t, Tile>> ranked;
  for (const TmaVariant& variant : variants) {
    if (!has_room(variant, device)) continue;
    Tile tile = variant.tile;
    const auto [nx, ny, nz] = job.layout.size;
    const std::int64_t columns = std::int64_t{divide_up(nx, tile.x)} * divide_up(ny, tile.y);
    const int resident = variant.blocks_a_multiprocessor() * device.multiprocessors;
    std::size_t rank = 0;
    for (const Share& share : worthy_shares(columns, nz, job.pieces, variant.radius, resident)) {
      tile.z = share.chunk, tile.blocks = share.blocks;
      ranked.emplace_back(rank++, tile);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Tile> tiles;
  for (const auto& one : ranked) tiles.push_back(one.second);
  return tiles;
}
// Throws std::out_of_range for a tile that is none of them.
inline const TmaVariant& variant_of(const std::vector<TmaVariant>& variants, const Tile& tile) {
  for (const TmaVariant& variant : variants) {
    const Tile& own = variant.tile;
    if (own.x == tile.x && own.y == tile.y && own.threads == tile.threads && own.depth == tile.depth) return variant;
  }
  throw std::out_of_range("no such tile");
}
inline double tma_bytes_a_point(const Job& job, const Tile& tile) {
  const double R = job.stencil.radius, sector = 32.0 / static_cast<double>(job.layout.value_bytes);
  const double aside = std::ceil(R / sector) * sector;  // L2 gives 32 bytes at a time
  return static_cast<double>(job.layout.value_bytes) * ((1 + 2 * aside / tile.x) * (1 + 2 * R / tile.y) + 2);
}

}  // namespace fdtd::cuda
