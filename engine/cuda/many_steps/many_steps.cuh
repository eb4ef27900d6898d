// The kernel of many steps a launch, and how it is prepared. For .cu files alone.
#pragma once

#include <algorithm>

#include "engine/cuda/field/solid_bits.hpp"
#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/many_steps/block_part.cuh"
#include "engine/cuda/many_steps/many_steps.hpp"
#include "engine/cuda/many_steps/room_march.cuh"
#include "engine/cuda/walls/boundary_block.cuh"
#include "engine/cuda/walls/coupled_update.hpp"

namespace fdtd::cuda {

inline constexpr int room_threads = 512, room_parts = room_threads / boundary_threads, room_warps = room_threads / 32;
inline constexpr std::uint32_t corner_parts = (corner_threads + boundary_threads - 1) / boundary_threads;
inline constexpr unsigned cluster_blocks = 16;  // the most of a cluster; more keep step through L2

// All blocks of a launch wait for each other, as a cluster or by a count in memory. All threads see behind it the values
// that any has written before it.
class RoomBarrier {
 public:
  __device__ __forceinline__ RoomBarrier(unsigned* count, unsigned begin) : count_(count), due_(begin) {}
  __device__ __forceinline__ void wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __syncthreads();  // of a cluster as well, for a race detector to see
    if (count_ == nullptr) {
      asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
      return;
    }
    if (threadIdx.x == 0) {
      due_ += gridDim.x;
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count_) : "memory");
      for (unsigned there = due_ - 1; static_cast<int>(there - due_) < 0;)
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(count_) : "memory");
    }
    __syncthreads();
#endif
  }

 private:
  unsigned* count_;
  unsigned due_;
};

// How a block's threads work together at walls: a part of them, and those of a corner.
struct RoomParts {
  BlockPart<boundary_threads> part;
  BlockPart<corner_parts * boundary_threads> corner;
};

// Memory that the threads of a part share, for one piece of work at a time.
template <class T>
struct alignas(16) PartShared {
  union {
    BoundaryShared<T> boundary;
    CoupledShared<T> coupled[boundary_threads / 32];
    LossShared losses;
  };
  __device__ PartShared() {}
};

// The steps of CoupledThread, with barriers of the threads that work a group.
template <class T, class Sync>
__device__ void solve_together(CoupledThread<T>& one, const BoundaryView<T>& sites, int parity, T* u0,
                               CoupledShared<T>& shared, const Sync& sync) {
  one.begin(sites, parity, u0, shared);
  sync();
  one.add_up(shared);
  sync();
  one.solve(shared);
  sync();
  one.finish(sites, parity, shared);
  sync();
  one.apply(shared, u0);
  sync();
  one.keep(sites, parity, u0);
}

// Sites that are solved together bind a step: a block's first corner and a warp's first edge stay as they are from step
// to step, and near, for a barrier takes from the first cache all that it holds.
template <class T>
struct FirstCoupled {
  static constexpr int corner_unknowns = 6 * coupled_row;
  static constexpr bool keeps_inverse = sizeof(T) == sizeof(float);  // in f64 there is no room for it
  CoupledKind<T> corner, edge[room_warps];
  T corner_inverse[keeps_inverse ? corner_unknowns * corner_unknowns : 1], edge_inverse[room_warps][4];
};

template <class Value>
__device__ void copy_values(Value* to, const Value* from, unsigned count, unsigned thread, unsigned threads) {
  for (unsigned i = thread; i < count; i += threads) to[i] = from[i];
}

// The edge that a warp works first, or `edges` and more.
__device__ __forceinline__ std::uint32_t first_edge() {
  const std::uint32_t part = threadIdx.x / boundary_threads, turn = (part + room_parts / 2) % room_parts;
  return (turn * gridDim.x + gridDim.x - 1 - blockIdx.x) * (boundary_threads / 32) +
         threadIdx.x % boundary_threads / 32;
}

template <class T>
__device__ void keep_first_coupled(const WallsView<T>& view, FirstCoupled<T>& kept, CoupledThread<T>& corner,
                                   CoupledThread<T>& edge) {
  const CoupledView<T>& coupled = view.coupled;
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool has_corner = blockIdx.x < coupled.corners, has_edge = first_edge() < coupled.edges;
  const T* inverse = nullptr;
  if (has_corner) {
    const CoupledKind<T>& kind = coupled.kinds[coupled.kind[coupled.edges + blockIdx.x]];
    inverse = coupled.inverse + kind.inverse;
    if (threadIdx.x == 0) kept.corner = kind;
    if constexpr (FirstCoupled<T>::keeps_inverse) {
      copy_values(kept.corner_inverse, inverse, FirstCoupled<T>::corner_unknowns * FirstCoupled<T>::corner_unknowns,
                  threadIdx.x, room_threads);
      inverse = kept.corner_inverse;
    }
  }
  if (has_edge) {
    const CoupledKind<T>& kind = coupled.kinds[coupled.kind[first_edge()]];
    if (lane == 0) kept.edge[warp] = kind;
    copy_values(kept.edge_inverse[warp], coupled.inverse + kind.inverse, 4, lane, 32);
  }
  __syncthreads();
  if (has_corner && threadIdx.x < corner_parts * boundary_threads)
    corner = CoupledThread<T>(coupled, view.sites, coupled.edges + blockIdx.x, threadIdx.x, kept.corner, inverse);
  if (has_edge)
    edge = CoupledThread<T>(coupled, view.sites, first_edge(), lane, kept.edge[warp], kept.edge_inverse[warp]);
}

// The walls of a step, receivers, and the losses of the step before. Corners take two parts of a block; all other work
// is dealt to parts, those that have corners last.
template <class T>
__device__ __noinline__ void step_room_walls(const WallsView<T>& view, CoupledThread<T>& first_corner,
                                             CoupledThread<T>& first_of_edges, RoomParts& parts, int parity,
                                             const T* u1, T* u0) {
  __shared__ PartShared<T> all_shared[room_parts];
  const std::uint32_t part = threadIdx.x / boundary_threads, warp = threadIdx.x % boundary_threads / 32;
  const RoomParts now = parts;  // in registers
  const auto& together = now.part;
  PartShared<T>& shared = all_shared[part];
  const CoupledView<T>& coupled = view.coupled;
  if (part < corner_parts) {
    const auto& both = now.corner;
    const auto sync = [&] { both.sync(); };
    for (std::uint32_t corner = blockIdx.x; corner < coupled.corners; corner += gridDim.x) {
      if (corner == blockIdx.x) {
        solve_together(first_corner, view.sites, parity, u0, all_shared[0].coupled[0], sync);
      } else {
        CoupledThread<T> one(coupled, view.sites, coupled.edges + corner, both.number());
        solve_together(one, view.sites, parity, u0, all_shared[0].coupled[0], sync);
      }
      both.sync();
    }
  }
  constexpr std::uint32_t warps = boundary_threads / 32;
  const auto parts_of = [](std::uint32_t count) { return (count + warps - 1) / warps; };
  const std::uint32_t edges = parts_of(coupled.edges), sites = edges + view.sites.general_blocks;
  const std::uint32_t columns = sites + view.sites.long_blocks, receivers = columns + parts_of(view.receivers.count);
  const std::uint32_t end = receivers + view.loss_sums.count;
  const std::uint32_t turn = (part + room_parts / 2) % room_parts;
  for (std::uint32_t work = turn * gridDim.x + gridDim.x - 1 - blockIdx.x; work < end; work += gridDim.x * room_parts) {
    if (work < edges) {
      const std::uint32_t edge = work * warps + warp;
      static_assert(edge_threads == 32);
      const auto sync = [] { __syncwarp(); };
      if (edge < coupled.edges && edge == first_edge()) {
        solve_together(first_of_edges, view.sites, parity, u0, shared.coupled[warp], sync);
      } else if (edge < coupled.edges) {
        CoupledThread<T> one(coupled, view.sites, edge, threadIdx.x % 32);
        solve_together(one, view.sites, parity, u0, shared.coupled[warp], sync);
      }
    } else if (work < sites) {
      update_boundary_block<T>(view.sites, work - edges, parity, u0, together, shared.boundary, [] {});
    } else if (work < columns) {
      const std::uint32_t block = view.sites.general_blocks + work - sites;
      const BoundaryGroup<T>& g = view.sites.groups[view.sites.group_of_block[block]];
      const std::uint32_t i = (block - g.first_block) * boundary_threads + together.number();
      if (i < g.count)
        view.sites.lost[parity][g.node + i] = static_cast<T>(update_long_node(view.sites, g, i, parity, u0));
    } else if (work < receivers) {
      const std::uint32_t receiver = (work - columns) * warps + warp;
      if (receiver < view.receivers.count) sample_receiver(view.receivers, receiver, u1);
    } else {
      add_losses<6>(losses_before(view, parity), work - receivers, together, shared.losses);
    }
    together.sync();  // the memory is used again
  }
  parts = now;
}

// A launch's parameter besides the walls: array i of the fields, its first value and its node 0.
template <class T>
struct RoomFields {
  T* first[2];
  T* node[2];
};

template <class T, class Scheme>
__global__ void __launch_bounds__(room_threads, 1)
    step_room(const __grid_constant__ Scheme scheme, const __grid_constant__ SmallRoom room,
              const __grid_constant__ WallsView<T> view, const __grid_constant__ RoomFields<T> fields, int parity,
              int count, unsigned* barrier_count, unsigned barrier_begin) {
  RoomBarrier barrier(barrier_count, barrier_begin);
  const int first = static_cast<int>((threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32);
  const int stride = static_cast<int>(gridDim.x) * room_threads;
  __shared__ std::uint64_t barriers[room_parts + 1];
  if (threadIdx.x <= room_parts)
    tma::init_barrier(barriers + threadIdx.x,
                      threadIdx.x < room_parts ? boundary_threads : static_cast<int>(corner_parts) * boundary_threads);
  RoomParts parts{BlockPart<boundary_threads>(barriers + threadIdx.x / boundary_threads),
                  BlockPart<corner_parts * boundary_threads>(barriers + room_parts)};
  __shared__ FirstCoupled<T> kept;
  CoupledThread<T> corner, edge;
  keep_first_coupled(view, kept, corner, edge);
  for (int n = 0; n < count; ++n, parity = 1 - parity) {
    const T* const u1 = fields.first[parity];
    T* const u0 = fields.first[1 - parity];
    if (view.near.nodes > 0) {
      for (std::int64_t i = first; i < view.near.nodes; i += stride) view.near.correct(view.near.node_of(i), u1, u0);
      barrier.wait();
    }
    for (int unit = first; unit < room.units; unit += stride) {
      if (room.deep == 1)
        march_unit<1>(scheme, room, unit, static_cast<const T*>(fields.node[parity]), fields.node[1 - parity]);
      else
        march_unit<4>(scheme, room, unit, static_cast<const T*>(fields.node[parity]), fields.node[1 - parity]);
    }
    barrier.wait();
    step_room_walls(view, corner, edge, parts, parity, u1, u0);
    barrier.wait();
  }
}

inline cudaLaunchAttribute cluster_of(unsigned blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks, attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
  return attribute;
}

// Does the GPU run so many blocks as one cluster? It may then launch them.
inline bool runs_as_cluster(const void* kernel, unsigned blocks) {
  FDTD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute attribute = cluster_of(blocks);
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = room_threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  const bool known = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess;
  if (!known) (void)cudaGetLastError();
  return known && clusters > 0;
}

template <class T, class Scheme>
ManySteps prepare_room_steps(const Job& job, const RoomShare& share, const Scheme& scheme, const WallsView<T>& walls,
                             std::array<void*, 2> fields) {
  const Layout& layout = job.layout;
  SmallRoom room{};
  room.nx = layout.size[0], room.ny = layout.size[1], room.nz = layout.size[2];
  room.row = layout.row, room.plane = layout.plane;
  room.mirror = job.mirror.sides;
  if (job.solids) {
    room.solid = job.solids->bits.data();
    room.solid_row = job.solids->row, room.solid_plane = job.solids->row * layout.size[1];
  }
  const auto most = static_cast<unsigned>(share.blocks);
  room.vectors = divide_up(room.nx, lanes<T>);
  const int lines = room.vectors * room.ny;
  const int rounds = share.beside_others ? 2 : 1;  // of a plane deep, before columns of four planes pay
  room.deep = lines * room.nz <= rounds * share.blocks * room_threads ? 1 : 4;
  room.units = lines * divide_up(room.nz, room.deep);
  RoomFields<T> at{};
  for (std::size_t i = 0; i < 2; ++i) {
    at.first[i] = static_cast<T*>(fields[i]);
    at.node[i] = at.first[i] + layout.first;
  }
  // So many that no thread has a second piece of work, if the share has them.
  const auto parts = walls.sites.general_blocks + walls.sites.long_blocks + walls.loss_sums.count +
                     (walls.coupled.edges + walls.receivers.count) / (boundary_threads / 32) + 2;
  const std::uint64_t threads =
      std::max({std::uint64_t{parts} * boundary_threads, static_cast<std::uint64_t>(room.units),
                static_cast<std::uint64_t>(walls.near.nodes)});
  unsigned blocks = static_cast<unsigned>(std::min<std::uint64_t>((threads + room_threads - 1) / room_threads, most));
  const auto kernel = step_room<T, Scheme>;
  const bool is_cluster = blocks <= cluster_blocks + cluster_blocks / 2 &&
                          runs_as_cluster(reinterpret_cast<const void*>(kernel), std::min(blocks, cluster_blocks));
  if (is_cluster) blocks = std::min(blocks, cluster_blocks);
  if (resources_of(kernel, room_threads).blocks_per_multiprocessor < 1) return {};  // they must all run at once
  struct Barrier {
    DeviceArray<unsigned> count{1};
    unsigned begin = 0;
  };
  return [=, barrier = std::make_shared<Barrier>(), solids = job.solids](std::int64_t step, std::int64_t count,
                                                                         Stream stream) {
    cudaLaunchAttribute attribute{};
    if (is_cluster) {
      attribute = cluster_of(blocks);
    } else {
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = room_threads;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    FDTD_CUDA(cudaLaunchKernelEx(&config, kernel, scheme, room, walls, at, static_cast<int>(step & 1),
                                 static_cast<int>(count), is_cluster ? nullptr : barrier->count.data(),
                                 barrier->begin));
    const unsigned barriers = static_cast<unsigned>(count) * (walls.near.nodes > 0 ? 3U : 2U);
    barrier->begin += barriers * blocks;
  };
}

}  // namespace fdtd::cuda
