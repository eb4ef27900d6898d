// The frame of star_tma and cube_tma: marching along z with tensor copies.
//
// A block owns a column of tile_x by tile_y nodes and marches through a chunk of planes. One warp fetches: for every
// plane p of u1 a box with the halo in x and y, and beside it the tile of u0 at plane p - R, the output that p
// completes; `depth` planes are in flight or in use. The other warps compute: a thread holds `rows` rows of one 16-byte
// vector, and its unfinished outputs in registers (input-stationary, Krotkiewski & Dabrowski 2013). Fetcher and
// computing warps wait for each other alone, warps may be up to `depth` planes apart, and the next column's planes
// arrive while the last ones of this column are computed.
//
// Neither DRAM nor arithmetic bounds it but the wires between the two halves of the L2 cache: half of what a
// multiprocessor requests lies in the other half (an H200's triad fills these wires to 90 % as well). So a byte of a
// halo costs what a byte of the grid does where it is found in L2, and three times as much where it must come from
// memory again. Tiles are as large as registers allow, and blocks march in lockstep, so that a halo is requested while
// its owner's data is still in L2, and memory is read and written plane by plane in its own order: blocks take columns
// in order (tickets), and no block is more than `max_lead` planes ahead of the last of all. Without lockstep blocks
// drift apart and read 11 bytes a point where 8 are ideal. Measured against the mean of all blocks, radius 1 reaches
// 0.94 of the triad; against the last of all, 0.96 to 1.00.
//
// Rigid walls of a box (kernel.hpp, ImageWalls): across z the fetcher requests the image's plane instead; across x and
// y the computing warps copy the values before the wall behind it, in shared memory, a plane ahead. Tiles away from
// walls skip this. Where the ends of rows at lossy walls are updated as well (row_ends.cuh), additional warps do that
// and make the images, as soon as planes have arrived.
//
// Solid voxels of a room (solids.cuh): a column marches from its first plane with air to its last, and where a plane of
// its tile has solid voxels their bits come with u0, and the computing warps write zeros there. Blocks keep step by
// the plane's number: those that skip planes count as having been there.
//
// Bytes a point: DRAM 3 values and 2 R planes of u1 a chunk; L2 (1 + 2 hx/tile_x)(1 + 2 R/tile_y) + 2 values, hx in
// sectors.
#pragma once

#include "engine/cuda/kernels/tma/images.cuh"
#include "engine/cuda/kernels/tma/lockstep.cuh"
#include "engine/cuda/kernels/tma/row_ends.cuh"
#include "engine/cuda/kernels/tma/solids.cuh"

namespace fdtd::cuda {

// Makes what came from outside visible to the copy engine as well.
__device__ __forceinline__ void wait_for_neighbours(const Borders& borders) {
  for (;;) {
    std::uint32_t arrived = 0;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(arrived) : "l"(borders.arrived) : "memory");
    if (static_cast<std::int32_t>(arrived - borders.ticket) >= 0) break;
    __nanosleep(500);
  }
  asm volatile("fence.proxy.async;" ::: "memory");
}

// The fetcher, one thread.
template <class G, bool mirrors, class Solids>
__device__ __forceinline__ void fetch_planes(const MarchColumns& c, const CUtensorMap* u1_map,
                                             const CUtensorMap* u0_map, const Solids& solids, const PlaneRing& ring,
                                             Tickets* tickets) {
  const std::uint64_t keep = tma::keep_in_l2();
  const std::uint32_t u1_bytes = G::u1_bytes(c.tile_y), both_bytes = u1_bytes + G::u0_bytes(c.tile_y);
  std::conditional_t<Solids::any, LockstepOfSkippers, Lockstep> lockstep(c, tickets);
  int slot = 0;
  std::uint32_t phase = 1;  // a slot never used counts as empty
  bool arrived = false;
  for (;;) {
    const int item = atomicAdd(&tickets->next, 1);
    if (item >= c.items) break;
    const Place whole = place_of<G>(c, item), at = place_with_air<G>(c, solids, item);
    if constexpr (Solids::any) {
      if (at.z_begin >= at.z_end) {
        lockstep.skip(whole.z_end - whole.z_begin + 2 * G::R);
        continue;
      }
      lockstep.skip(at.z_begin - whole.z_begin);
    }
    SolidsAhead<Solids> solids_ahead(solids, c, item, at);
    for (int p = at.z_begin - G::R; p < at.z_end + G::R; ++p) {
      if (!arrived && (p < c.own_begin || p >= c.own_end)) {
        wait_for_neighbours(c.borders);
        arrived = true;
      }
      lockstep.step();
      tma::wait(ring.empty + slot, phase);
      if (mirrors && c.mirror) {
        tma::hand_over();  // images have been written where it will write
        ring.corner[slot] = make_int2(at.x, at.y);
      }
      ring.item[slot] = item;
      const bool output = p >= at.z_begin + G::R;
      const bool has_solids = output && solids_ahead.next();
      if constexpr (Solids::any) ring.has_solids[slot] = has_solids;
      tma::arrive_and_expect(ring.full + slot, (output ? both_bytes : u1_bytes) + (has_solids ? solid_bytes<G>(c) : 0));
      const int there = !mirrors ? p : p < c.mirror_low ? -1 - p : p >= c.mirror_high ? 2 * c.mirror_high - 1 - p : p;
      tma::fetch(ring.u1 + slot * G::u1_space, u1_map, at.x - G::hx, at.y - G::R, there + G::R, ring.full + slot, keep);
      // Plane p - R is plane p of the map, which begins with the halo.
      if (output) tma::fetch(ring.u0 + slot * G::u0_space, u0_map, at.x, at.y, p, ring.full + slot);
      if constexpr (Solids::any) {
        if (has_solids)
          tma::fetch(ring.solid + slot * G::solid_space, &solids.bits, at.x / 128 * 16, at.y, p - G::R,
                     ring.full + slot);
      }
      if (++slot == c.depth) slot = 0, phase ^= 1;
    }
    if constexpr (Solids::any) lockstep.skip(whole.z_end - at.z_end);
  }
  lockstep.leave();
  tma::wait(ring.empty + slot, phase);
  ring.item[slot] = -1;
  tma::arrive(ring.full + slot);
  lockstep.end();
}

// Arithmetic: Queue<G>, the outputs under way of a thread, with clear(); take<G>(window, queue, finish) takes a plane,
// `window` the first word of the halo in the lowest row that the thread reads, and calls finish(r, done) for each of
// its rows with done[width], S u1 at plane p - R. corners: it reads points off the axes. early: what is finished is
// stored at once, for registers are what tiles are made of, and not after the plane's place has been given back.
// Ends: MarchRowEnds<T>, with the warps that update them and make images beside the others, or NoRowEnds, without the
// code of images where none are made: skipped, it cost 343 points 6 % more instructions. Solids: MarchSolids or
// NoSolids.
template <class G, class T, class Arithmetic, class Ends, class Solids>
__global__ void __launch_bounds__(G::threads + (Ends::any ? G::beside : 0), 1)
    tma_march(const __grid_constant__ CUtensorMap u1_map, const __grid_constant__ CUtensorMap u0_map, T* u0,
              const __grid_constant__ MarchColumns c, const __grid_constant__ Arithmetic arithmetic,
              const __grid_constant__ Ends ends, const __grid_constant__ Solids solids, int parity, Tickets* tickets) {
#if !defined(__CUDA_ARCH__) || \
    __CUDA_ARCH__ >= 900  // older ones have no tensor copy engine, and are never given this kernel
  constexpr int imaging = Ends::any ? G::imaging : 0;  // warps of their own make images
  extern __shared__ unsigned char space[];
  PlaneRing ring;
  ring.u1 = space + (128 - shared_address(space) % 128) % 128;  // the engine writes to multiples of 128 bytes
  ring.u0 = ring.u1 + c.depth * G::u1_space;
  ring.solid = ring.u0 + c.depth * G::u0_space;
  ring.full = reinterpret_cast<std::uint64_t*>(ring.solid + (Solids::any ? c.depth * G::solid_space : 0));
  ring.empty = ring.full + c.depth;
  ring.imaged = ring.empty + c.depth;
  ring.corner = reinterpret_cast<int2*>(ring.imaged + c.depth);
  ring.item = reinterpret_cast<int*>(ring.corner + c.depth);
  ring.has_solids = ring.item + c.depth;
  const RowEndStage<G, T> stage(ring.u0 + c.depth * (G::u0_space + G::ring_space));
  if (threadIdx.x == 0) {
    if constexpr (Ends::any) stage.init();
    for (int i = 0; i < c.depth; ++i) {
      tma::init_barrier(ring.full + i, 1);
      tma::init_barrier(ring.imaged + i, imaging > 0 ? imaging : G::computing);
      tma::init_barrier(ring.empty + i, G::computing + imaging);
    }
    tma::publish_barriers();
  }
  __syncthreads();
  grid_dependency_sync();
  if constexpr (Ends::any) {
    if (threadIdx.x >= G::threads) {
      const int beside = static_cast<int>(threadIdx.x) - G::threads;
      if (beside < G::imaging)
        make_all_images<G, Arithmetic::corners, T>(c, ring, beside);
      else
        RowEndUpdater<G, T>{c, ends, stage, parity, u0, beside % 32}.run(static_cast<unsigned>(beside - G::imaging) /
                                                                         32);
      return;
    }
  }
  if (threadIdx.x >= G::computing) {
    if (threadIdx.x == G::computing) fetch_planes<G, Ends::images>(c, &u1_map, &u0_map, solids, ring, tickets);
    return;
  }

  // A thread without nodes works on the first rows like others, and writes nothing.
  const bool idle = G::busy < G::computing && threadIdx.x >= G::busy;
  const int thread = idle ? 0 : static_cast<int>(threadIdx.x);
  const int own_x = thread % G::across * G::width, own_y = thread / G::across * G::rows;
  int slot = 0;
  std::uint32_t phase = 0;
  std::conditional_t<Ends::any, RowEndWriter<G, T>, NoRowEndWriter<G, T>> putter{stage};
  for (;;) {
    tma::wait(ring.full + slot, phase);
    const int item = of_first_lane(ring.item + slot);
    if (item < 0) {
      putter.end();
      return;
    }
    const Place at = place_with_air<G>(c, solids, item);
    const int x = at.x + own_x, y = at.y + own_y;
    const int count = idle ? 0 : c.nx - x;  // of nodes that may be written
    putter.begin(c, ends, item, at.x, x, own_y, idle);
    const int rows = min(at.y + c.tile_y, c.ny) - y;
    T* out = u0 + x + y * c.row + at.z_begin * c.plane;
    typename Arithmetic::template Queue<G> queue;
    queue.clear();
    const int planes = at.z_end - at.z_begin + 2 * G::R;
    const bool images = Ends::images && reads_images<G>(c, at);
    // This thread's part of a plane's images. Those of the next plane are made before this one is worked on, so that
    // nobody waits for the others' parts. Each thread says that it is done, for a race detector to see.
    const auto make_images = [&](int of) {
      const int2 corner =
          threadIdx.x % 32 == 0 ? ring.corner[of] : int2{};  // the item's, for which there is no register
      put_images<G, Arithmetic::corners, G::computing>(
          c, static_cast<int>(threadIdx.x), __shfl_sync(0xFFFFFFFFU, corner.x, 0),
          __shfl_sync(0xFFFFFFFFU, corner.y, 0), reinterpret_cast<T*>(ring.u1 + of * G::u1_space));
      tma::arrive(ring.imaged + of);
    };
    if (images && imaging == 0) make_images(slot);
#pragma unroll 1
    for (int plane = 0; plane < planes; ++plane) {
      const bool output = plane >= 2 * G::R;
      if (imaging > 0) {
        tma::wait(ring.full + slot, phase);
        if (images) tma::wait(ring.imaged + slot, phase);
      } else if (images) {
        if (plane + 1 < planes) {
          const bool wraps = slot + 1 == c.depth;
          tma::wait(ring.full + (wraps ? 0 : slot + 1), wraps ? phase ^ 1U : phase);
          make_images(wraps ? 0 : slot + 1);
        }
        tma::wait(ring.imaged + slot, phase);
      } else {
        tma::wait(ring.full + slot, phase);
        if (Ends::images && c.mirror && threadIdx.x % 32 == 0)
          tma::arrive(ring.imaged + slot, 32);  // its phases are `full`'s
      }
      const bool clears = Solids::any && output && of_first_lane(ring.has_solids + slot) != 0;
      const T* const old = reinterpret_cast<const T*>(ring.u0 + slot * G::u0_space) + own_y * G::tile_x + own_x;
      const auto store = [&](int r, const Vector<T>& value) {
        if (r < rows) putter.store(out + r * c.row, r, value, count);
      };
      if (output) putter.wait();
      Vector<T> result[G::rows];
      arithmetic.template take<G>(reinterpret_cast<const T*>(ring.u1 + slot * G::u1_space) + own_y * G::pitch + own_x,
                                  queue, [&](int r, const T(&done)[G::width]) {
                                    if (!output) return;
                                    result[r] = load(old + r * G::tile_x);
#pragma unroll
                                    for (int i = 0; i < G::width; ++i) result[r].lane[i] = done[i] - result[r].lane[i];
                                    if constexpr (Solids::any) {
                                      if (clears)
                                        clear_solids<G>(ring.solid + slot * G::solid_space,
                                                        (G::tile_x % 128 == 0 ? 0 : at.x % 128) + own_x, own_y + r,
                                                        result[r]);
                                    }
                                    if (Arithmetic::early) store(r, result[r]);
                                  });
      release<imaging>(ring.empty + slot, images);
      if (++slot == c.depth) slot = 0, phase ^= 1;
      if (!Arithmetic::early && output) {
#pragma unroll
        for (int r = 0; r < G::rows; ++r) store(r, result[r]);
      }
      if (output) {
        putter.done();
        out += c.plane;
      }
    }
  }
#endif
}

}  // namespace fdtd::cuda
