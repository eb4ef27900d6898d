// The kernel of plane_sums.cu and how it is launched; each plane_sums_*.cu instantiates some shapes of it.
#pragma once

#include "engine/cuda/march.cuh"
#include "engine/cuda/plane_functionals.cuh"
#include "engine/cuda/ring.cuh"

namespace fdtd::cuda {

// A compiled kernel: which stencils and which blocks it is for. Any stencil whose shells are among `shells` may use it.
struct PlaneSumsVariant {
  Precision precision;
  int radius;
  std::uint64_t shells;
  Tile block;  // z and depth are free
  int slot_bytes;
  Prepared (*prepare)(const Job&, const Tile&, std::array<void*, 2> fields);
};
std::span<const PlaneSumsVariant> plane_sums_up_to_222();  // radius 1 and 2
std::span<const PlaneSumsVariant> plane_sums_up_to_321();  // radius 3, sparse
std::span<const PlaneSumsVariant> plane_sums_up_to_333();  // radius 3, dense
std::span<const PlaneSumsVariant> plane_sums_up_to_444();  // radius 4

// Blocks on a multiprocessor that the registers must suffice for (0: as the compiler thinks): with more of them it spills.
template <class T>
constexpr int plane_sums_min_blocks(int R, int threads, int N) {
  if (R == 1 || (R == 2 && N == 1 && threads < 512)) return 0;
  if (R == 2) return 512 / threads;
  if (N > 1) return 256 / threads;
  return (R == 3 ? 640 : sizeof(T) == sizeof(float) ? 512 : 384) / threads;
}

template <class T, int R, std::uint64_t shells, int BX, int BY, int N>
__global__ void __launch_bounds__(BX* BY, plane_sums_min_blocks<T>(R, BX* BY, N))
    plane_sums_march(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, int row,
                     std::int64_t plane, int chunk, int depth, const __grid_constant__ ShellWeights<T, R> weights) {
  using Shape = RingShape<T, R, BX, BY, N>;
  extern __shared__ uint4 ring[];
  const int thread = static_cast<int>(threadIdx.x);
  const RingCopier<T, R, BX, BY, N> copier(thread, static_cast<int>(blockIdx.x) * BX * Shape::width,
                                           static_cast<int>(blockIdx.y) * BY, nx, ny, row);
  const int first = z_begin + static_cast<int>(blockIdx.z) * chunk, planes = min(chunk, z_end - first) + 2 * R;
  const std::uint32_t bottom = shared_address(ring);
  u1 += (first - R) * plane;      // the plane to fetch next
  u0 += (first - 2 * R) * plane;  // the one that it completes
  const auto fetch = [&](int i, int slot) {
    if (i < planes) {
      const std::uint32_t to = bottom + static_cast<unsigned>(slot) * Shape::slot_bytes;
      copier.fetch_u1(to, u1, thread, row);
      if (i >= 2 * R) copier.fetch_u0(to, u0, thread);
    }
    u1 += plane;
    u0 += plane;
    commit_copies();
  };
  for (int i = 0; i < depth - 1; ++i) fetch(i, i);
  OutputQueue<R, Shape::width, T> queue;
  queue.clear();
  int slot = 0;
#pragma unroll 1
  for (int i = 0; i < planes; ++i) {
    wait_for_plane(depth);
    fetch(i + depth - 1, slot == 0 ? depth - 1 : slot - 1);
    const T* const here = reinterpret_cast<const T*>(ring + slot * Shape::slot_vectors);
    T F[R + 1][Shape::width], done[Shape::width];
    plane_functionals<R, shells>(RingRows<T, R, BX, BY, N>(here, thread % BX, thread / BX), weights, F);
    queue.take(F, done);
    if (i >= 2 * R) store_minus_old<Shape>(u0 - depth * plane + copier.own, here, done, thread, copier.count);
    slot = slot + 1 == depth ? 0 : slot + 1;
  }
}

template <class T, int R, std::uint64_t shells, int BX, int BY, int N>
Prepared prepare_plane_sums(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  using Shape = RingShape<T, R, BX, BY, N>;
  const auto kernel = plane_sums_march<T, R, shells, BX, BY, N>;
  const std::size_t bytes = static_cast<std::size_t>(Shape::slot_bytes * tile.depth);
  Prepared prepared;
  prepared.resources = resources_of(kernel, Shape::threads, bytes);
  const ShellWeights<T, R> weights = shell_weights<T, R>(*cube_weights(job.stencil));
  const Layout layout = job.layout;
  prepared.step = [=](int which, int z_begin, int z_end, Stream stream) {
    const auto* const u1 = static_cast<const T*>(fields[static_cast<std::size_t>(which)]) + layout.first;
    auto* const u0 = static_cast<T*>(fields[static_cast<std::size_t>(1 - which)]) + layout.first;
    const int chunk = tile.z > 0 ? tile.z : z_end - z_begin;
    kernel<<<march_blocks(layout, tile, z_end - z_begin), Shape::threads, bytes, stream>>>(
        u1, u0, layout.size[0], layout.size[1], z_begin, z_end, static_cast<int>(layout.row), layout.plane, chunk,
        tile.depth, weights);
    FDTD_CUDA(cudaGetLastError());
  };
  return prepared;
}

template <class T, int R, std::uint64_t shells, int BX, int BY, int N>
constexpr PlaneSumsVariant plane_sums_variant() {
  using Shape = RingShape<T, R, BX, BY, N>;
  return {sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64,
          R,
          shells,
          Tile{BX * Shape::width, BY, 0, Shape::threads, 0},
          Shape::slot_bytes,
          prepare_plane_sums<T, R, shells, BX, BY, N>};
}

}  // namespace fdtd::cuda

// Every block that a shape is compiled for: BX x BY threads of N vectors each. At radius 4 the registers of double leave
// room for 128 threads a block (168 each, three blocks).
#define FDTD_PLANE_SUMS_BLOCKS(T, R, SHELLS)                                                      \
  plane_sums_variant<T, R, SHELLS, 16, 16, 1>(), plane_sums_variant<T, R, SHELLS, 32, 8, 1>(),    \
      plane_sums_variant<T, R, SHELLS, 16, 8, 1>(), plane_sums_variant<T, R, SHELLS, 32, 4, 1>(), \
      plane_sums_variant<T, R, SHELLS, 16, 8, 2>(), plane_sums_variant<T, R, SHELLS, 16, 16, 2>()
#define FDTD_PLANE_SUMS_LARGE_BLOCKS(T, R, SHELLS) \
  FDTD_PLANE_SUMS_BLOCKS(T, R, SHELLS), plane_sums_variant<T, R, SHELLS, 32, 16, 1>()
#define FDTD_PLANE_SUMS_SMALL_BLOCKS(T, R, SHELLS)                                            \
  plane_sums_variant<T, R, SHELLS, 16, 8, 1>(), plane_sums_variant<T, R, SHELLS, 32, 4, 1>(), \
      plane_sums_variant<T, R, SHELLS, 8, 16, 1>(), plane_sums_variant<T, R, SHELLS, 16, 8, 2>()
#define FDTD_PLANE_SUMS(R, SHELLS) \
  FDTD_PLANE_SUMS_LARGE_BLOCKS(float, R, SHELLS), FDTD_PLANE_SUMS_LARGE_BLOCKS(double, R, SHELLS)
#define FDTD_PLANE_SUMS_RADIUS_4(SHELLS) \
  FDTD_PLANE_SUMS_BLOCKS(float, 4, SHELLS), FDTD_PLANE_SUMS_SMALL_BLOCKS(double, 4, SHELLS)
