#include "engine/cuda/gpu/dependent_launch.cuh"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/gpu/reduce.cuh"
#include "engine/cuda/walls/add_losses.cuh"
#include "engine/cuda/walls/boundary_update.hpp"
#include "engine/cuda/walls/walls.hpp"

namespace fdtd::cuda {
namespace {

constexpr int threads = site_threads, warps = threads / 32;
constexpr std::int64_t units_apart = 16384;  // so many units (half a million nodes) are worth a launch of their own

template <class Value>
__device__ void copy_words(Value* to, const Value* from, std::uint32_t words) {
  for (std::uint32_t w = threadIdx.x; w < words; w += threads)
    reinterpret_cast<std::uint32_t*>(to)[w] = reinterpret_cast<const std::uint32_t*>(from)[w];
}

template <class T>
__device__ void hear(const ListenView& listen, std::uint32_t receiver, const T* u) {
  const auto lane = threadIdx.x % 32;
  double p = 0.0;
  for (std::uint64_t i = listen.begin[receiver] + lane; i < listen.begin[receiver + 1]; i += 32)
    p += listen.weight[i] * static_cast<double>(u[listen.offset[i]]);
  p = warp_sum(p);
  if (lane > 0) return;
  const std::int64_t n = count_step(listen.counter + receiver);
  if (n >= 0 && n < listen.capacity) listen.samples[receiver * listen.capacity + n] = p;
}

// The sites of a block: what its group has in common comes to shared memory once; where that takes several turns, the nodes'
// own values come meanwhile.
template <class T, bool corrects>
__device__ void lose_block(const NearView<T>& near, const SiteView<T>& s, std::uint32_t block, int parity, const T* u1,
                           T* u0) {
  __shared__ SiteGroup<T> g;
  copy_words(&g, s.groups + s.group_of_block[block], s.group_words);
  __syncthreads();
  const std::uint32_t i = (block - g.first_block) * threads + threadIdx.x;
  const bool is_node = i < g.count;
  double lost = 0.0;
  if (has_few(g)) {
    __shared__ FewRules<T> rules;
    if (threadIdx.x < g.sites) rules.law[threadIdx.x] = s.laws[s.law_list[g.laws + threadIdx.x]];
    FewOwn<T> own{};
    if (is_node) own = own_of_few(s, g, i, parity, u0);
    __syncthreads();
    if (threadIdx.x < g.branches) rules.take_branch(s, threadIdx.x);
    __syncthreads();
    if (is_node) lost = lose_few<T, corrects>(near, s, g, rules, own, i, parity, u1, u0);
  } else if (is_node) {
    lost = lose<T, corrects>(near, s, g, i, parity, u1, u0);
  }
  if (is_node) s.lost[parity][g.node + i] = static_cast<T>(lost);
}

constexpr std::uint32_t blocks_for(std::int64_t warps_of_work) {
  return static_cast<std::uint32_t>((warps_of_work + warps - 1) / warps);
}

// As many blocks a multiprocessor as the registers of a site allow without spills: what binds is the wait for memory.
template <class T, bool corrects>
__global__ void __launch_bounds__(threads, sizeof(T) == sizeof(float) ? 6 : 4)
    work(const __grid_constant__ WallsView<T> view, int parity, const T* __restrict__ u1, T* u0) {
  let_next_launch_come();
  wait_for_launch_before();
  std::uint32_t block = blockIdx.x;
  const std::uint32_t warp = threadIdx.x / 32, sites = view.sites.loose_blocks;
  if (block < view.tally.count) {
    add_lost<tally_places / threads>(losses_before(view, parity), block);
    return;
  }
  block -= view.tally.count;
  const std::uint32_t ears = blocks_for(view.listen.receivers);
  if (block < ears) {
    const std::uint32_t receiver = block * warps + warp;
    if (receiver < view.listen.receivers) hear(view.listen, receiver, u1);
    return;
  }
  block -= ears;
  if (block < sites) {
    lose_block<T, corrects>(view.near, view.sites, block, parity, u1, u0);
    return;
  }
  block -= sites;
  const std::int64_t unit = std::int64_t{block} * warps + warp;
  if (corrects && unit < view.near.units) view.near.correct(unit, static_cast<int>(threadIdx.x % 32), u1, u0);
}

// The units alone: few registers, twice the warps in flight.
template <class T>
__global__ void __launch_bounds__(threads, 16)
    mend(const __grid_constant__ NearView<T> near, const T* __restrict__ u1, T* u0) {
  let_next_launch_come();
  wait_for_launch_before();
  const std::int64_t unit = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  if (unit < near.units) near.correct(unit, static_cast<int>(threadIdx.x % 32), u1, u0);
}

template <class T>
__global__ void __launch_bounds__(threads) read(const __grid_constant__ WallsView<T> view, int parity, const T* u) {
  read_before(view.sites, blockIdx.x, threadIdx.x, parity, u);
}

// The parts of a launch that adds nothing.
template <class T>
WallsView<T> without_losses(WallsView<T> view) {
  view.tally.count = 0;
  return view;
}

template <class T>
std::uint32_t listening_blocks(const WallsView<T>& view) {
  return view.tally.count + blocks_for(view.listen.receivers);
}

template <class T>
void launch(const WallsView<T>& view, std::uint32_t blocks, int parity, const T* u1, T* u0, Stream stream) {
  if (blocks == 0) return;
  launch_close(view.corrects ? work<T, true> : work<T, false>, blocks, threads, 0, stream, view, parity, u1, u0);
}

}  // namespace

template <class T>
void launch_walls(const WallsView<T>& all, const FacesView<T>& faces, int parity, const T* u1, T* u0, Stream stream) {
  const WallsView<T> view = faces.blocks > 0 ? without_losses(all) : all;
  const std::uint32_t first = listening_blocks(view) + view.sites.loose_blocks, units = blocks_for(view.near.units);
  if (view.near.units < units_apart) {
    launch(view, first + units, parity, u1, u0, stream);
  } else {
    launch(view, first, parity, u1, u0, stream);
    launch_close(mend<T>, units, threads, 0, stream, view.near, u1, u0);
  }
  launch_faces(faces, losses_before(all, parity), parity, u0, stream);
}

template <class T>
void launch_listen(const WallsView<T>& view, int parity, const T* u, Stream stream) {
  launch(view, listening_blocks(view), parity, u, static_cast<T*>(nullptr), stream);
}

template <class T>
void launch_read(const WallsView<T>& view, int parity, const T* u, Stream stream) {
  if (view.sites.blocks == 0) return;
  read<T><<<view.sites.blocks, threads, 0, stream>>>(view, parity, u);
  FDTD_CUDA(cudaGetLastError());
}

#define FDTD_INSTANTIATE(T)                                                                        \
  template void launch_walls(const WallsView<T>&, const FacesView<T>&, int, const T*, T*, Stream); \
  template void launch_listen(const WallsView<T>&, int, const T*, Stream);                         \
  template void launch_read(const WallsView<T>&, int, const T*, Stream);
FDTD_INSTANTIATE(float)
FDTD_INSTANTIATE(double)
#undef FDTD_INSTANTIATE

}  // namespace fdtd::cuda
