#include "engine/cuda/gpu/dependent_launch.cuh"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/walls/add_losses.cuh"
#include "engine/cuda/walls/boundary_block.cuh"
#include "engine/cuda/walls/coupled_update.hpp"
#include "engine/cuda/walls/walls.hpp"

namespace fdtd::cuda {
namespace {

constexpr int threads = boundary_threads, warps = threads / 32;
constexpr int near_threads = 256, words_a_warp = 4;

constexpr std::uint32_t blocks_for(std::int64_t warps_of_work) {
  return static_cast<std::uint32_t>((warps_of_work + warps - 1) / warps);
}

// As many blocks a multiprocessor as the registers allow without spills: the wait for memory is what bounds this
// kernel.
template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == sizeof(float) ? 5 : 4)
    boundary_step(const __grid_constant__ WallsView<T> view, int parity, const T* __restrict__ u1, T* u0) {
  trigger_launch_completion();
  std::uint32_t block = blockIdx.x;
  const std::uint32_t receiver_blocks = blocks_for(view.receivers.count);
  if (block >= view.loss_sums.count + receiver_blocks) {
    __shared__ BoundaryShared<T> shared;
    update_boundary_block<T>(view.sites, block - view.loss_sums.count - receiver_blocks, parity, u0, WholeBlock{},
                             shared, [] { grid_dependency_sync(); });
    return;
  }
  grid_dependency_sync();
  if (block < view.loss_sums.count) {
    add_losses<loss_part_nodes / threads>(losses_before(view, parity), block);
    return;
  }
  block -= view.loss_sums.count;
  const std::uint32_t receiver = block * warps + threadIdx.x / 32;
  if (receiver < view.receivers.count) sample_receiver(view.receivers, receiver, u1);
}

// A thread a near-wall node. Tables are static: a node's are on their way while the launch before ends.
template <class T>
__global__ void __launch_bounds__(near_threads, 6)
    correct_near_wall(const __grid_constant__ NearView<T> near, NearRange nodes, const T* __restrict__ u1, T* u0) {
  trigger_launch_completion();
  const std::int64_t i = std::int64_t{blockIdx.x} * near_threads + threadIdx.x;
  typename NearView<T>::Node node{0, 0, idle_lane};
  if (i < nodes.count) node = near.node_of(nodes.of(i));
  grid_dependency_sync();
  near.correct(node, u1, u0);
}

// A lane a solid voxel of a word.
template <class T>
__global__ void __launch_bounds__(near_threads) clear_solids(const __grid_constant__ NearView<T> near, T* u0) {
  trigger_launch_completion();
  grid_dependency_sync();
  const std::int64_t warp =
      std::int64_t{blockIdx.x} * (near_threads / 32) + static_cast<std::int64_t>(threadIdx.x / 32);
#pragma unroll
  for (int i = 0; i < words_a_warp; ++i)
    if (warp * words_a_warp + i < near.solid_words) near.clear_solid(warp * words_a_warp + i, threadIdx.x % 32, u0);
}

// The nodes of groups without columns.
template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == sizeof(float) ? 5 : 4)
    long_columns(const __grid_constant__ BoundaryView<T> sites, int parity, T* u0) {
  trigger_launch_completion();
  grid_dependency_sync();
  const std::uint32_t block = sites.general_blocks + blockIdx.x;
  const BoundaryGroup<T>& g = sites.groups[sites.group_of_block[block]];
  const std::uint32_t i = (block - g.first_block) * threads + threadIdx.x;
  if (i < g.count) sites.lost[parity][g.node + i] = static_cast<T>(update_long_node(sites, g, i, parity, u0));
}

// A group of sites that are solved together.
template <class T>
__global__ void __launch_bounds__(corner_threads)
    solve_coupled(const __grid_constant__ WallsView<T> view, std::uint32_t first, int parity, T* u0) {
  trigger_launch_completion();
  __shared__ CoupledShared<T> shared;
  CoupledThread<T> thread(view.coupled, view.sites, first + blockIdx.x, threadIdx.x);
  grid_dependency_sync();
  thread.begin(view.sites, parity, u0, shared);
  __syncthreads();
  thread.add_up(shared);
  __syncthreads();
  thread.solve(shared);
  __syncthreads();
  thread.finish(view.sites, parity, shared);
  __syncthreads();
  thread.apply(shared, u0);
  __syncthreads();
  thread.keep(view.sites, parity, u0);
}

template <class T>
__global__ void __launch_bounds__(threads)
    gather_taps(const __grid_constant__ WallsView<T> view, int parity, const T* u) {
  gather_taps_at(view.sites, blockIdx.x, threadIdx.x, parity, u);
}

// The same for a launch that adds no losses.
template <class T>
WallsView<T> without_losses(WallsView<T> view) {
  view.loss_sums.count = 0;
  return view;
}

template <class T>
std::uint32_t loss_and_receiver_blocks(const WallsView<T>& view) {
  return view.loss_sums.count + blocks_for(view.receivers.count);
}

template <class T>
void launch(const WallsView<T>& view, std::uint32_t blocks, int parity, const T* u1, T* u0, Stream stream) {
  if (blocks > 0) launch_dependent(boundary_step<T>, blocks, threads, 0, stream, view, parity, u1, u0);
}

}  // namespace

template <class T>
void launch_corrections(const NearView<T>& near, NearPart part, const T* u1, T* u0, Stream stream) {
  const NearRange nodes = range_of(part, near.nodes, near.inside_begin, near.inside_end);
  const auto blocks = static_cast<std::uint32_t>((nodes.count + near_threads - 1) / near_threads);
  if (blocks == 0) return;
  if (part == NearPart::borders) {  // it follows another stream's work
    correct_near_wall<T><<<blocks, near_threads, 0, stream>>>(near, nodes, u1, u0);
    FDTD_CUDA(cudaGetLastError());
  } else {
    launch_dependent(correct_near_wall<T>, blocks, near_threads, 0, stream, near, nodes, u1, u0);
  }
}

template <class T>
void launch_clear_solids(const NearView<T>& near, T* u0, Stream stream) {
  constexpr std::int64_t words_a_block = words_a_warp * near_threads / 32;
  const auto blocks = static_cast<std::uint32_t>((near.solid_words + words_a_block - 1) / words_a_block);
  if (blocks > 0) launch_dependent(clear_solids<T>, blocks, near_threads, 0, stream, near, u0);
}

template <class T>
void launch_walls(const WallsView<T>& all, const FacesView<T>& faces, int parity, const T* u1, T* u0, Stream stream) {
  const WallsView<T> view = faces.blocks > 0 ? without_losses(all) : all;
  launch(view, loss_and_receiver_blocks(view) + view.sites.general_blocks, parity, u1, u0, stream);
  if (view.sites.long_blocks > 0)
    launch_dependent(long_columns<T>, view.sites.long_blocks, threads, 0, stream, view.sites, parity, u0);
  const CoupledView<T>& coupled = view.coupled;
  if (coupled.edges > 0)
    launch_dependent(solve_coupled<T>, coupled.edges, edge_threads, 0, stream, view, 0U, parity, u0);
  if (coupled.corners > 0)
    launch_dependent(solve_coupled<T>, coupled.corners, corner_threads, 0, stream, view, coupled.edges, parity, u0);
  launch_faces(faces, losses_before(all, parity), parity, u0, stream);
}

template <class T>
void launch_sample_receivers(const WallsView<T>& view, int parity, const T* u, Stream stream) {
  launch(view, loss_and_receiver_blocks(view), parity, u, static_cast<T*>(nullptr), stream);
}

template <class T>
void launch_gather_taps(const WallsView<T>& view, int parity, const T* u, Stream stream) {
  if (view.sites.blocks == 0) return;
  gather_taps<T><<<view.sites.blocks, threads, 0, stream>>>(view, parity, u);
  FDTD_CUDA(cudaGetLastError());
}

#define FDTD_INSTANTIATE(T)                                                                        \
  template void launch_corrections(const NearView<T>&, NearPart, const T*, T*, Stream);            \
  template void launch_clear_solids(const NearView<T>&, T*, Stream);                               \
  template void launch_walls(const WallsView<T>&, const FacesView<T>&, int, const T*, T*, Stream); \
  template void launch_sample_receivers(const WallsView<T>&, int, const T*, Stream);               \
  template void launch_gather_taps(const WallsView<T>&, int, const T*, Stream);
FDTD_INSTANTIATE(float)
FDTD_INSTANTIATE(double)
#undef FDTD_INSTANTIATE

}  // namespace fdtd::cuda
