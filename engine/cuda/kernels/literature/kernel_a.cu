// KernelA of Hamilton, Webb, Gray and Bilbao (DAFx-15): a thread a node, a loop over the K points of the stencil,
// offsets and weights in constant memory, u1 through the read-only cache. Blocks of 32 x 4 x 2 threads.
//
// Data: every node of u1 is read K times, all but about once from L1 and L2; u0 is read and written once. Ideal 12
// bytes a point in f32, but each of the K reads is an instruction and a pass through L1: bound there from a handful of
// points on. Takes any stencil whose offsets fit 31 bits: what is left where no kernel of a shape fits, and the paper's
// yardstick.
#include "engine/cuda/field/flat_points.hpp"
#include "engine/cuda/kernels/point_kernels.cuh"

namespace fdtd::cuda {
namespace {

// Constant memory of one stencil: kernel parameters lie there, at most 4 KB on all GPUs. Longer stencils go in pieces:
// the first launch starts u0, the others add to it.
template <class T>
struct Piece {
  static constexpr int capacity = sizeof(T) == sizeof(float) ? 480 : 320;
  int count;
  int offset[capacity];
  T weight[capacity];
};

template <class T, bool first>
__global__ void __launch_bounds__(256)
    add_points(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, std::int64_t row,
               std::int64_t plane, const __grid_constant__ Piece<T> piece) {
  const PointNode node(z_begin);
  if (!node.inside(nx, ny, z_end)) return;
  const std::int64_t at = node.x + node.y * row + node.z * plane;
  T sum = 0;
  for (int k = 0; k < piece.count; ++k) sum += piece.weight[k] * __ldg(u1 + at + piece.offset[k]);
  u0[at] = first ? sum - u0[at] : sum + u0[at];
}

template <class T>
Prepared prepare_for(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  std::vector<Piece<T>> pieces;
  for (const FlatPoint& point : flat_points(job.stencil, job.layout)) {
    if (pieces.empty() || pieces.back().count == Piece<T>::capacity) pieces.push_back({});
    Piece<T>& piece = pieces.back();
    piece.offset[piece.count] = static_cast<int>(point.offset);
    piece.weight[piece.count++] = static_cast<T>(point.weight);
  }
  return prepare_points<T>(job, tile, resources_of(add_points<T, true>, tile.x * tile.y * tile.z), fields,
                           [pieces, layout = job.layout](dim3 blocks, dim3 threads, Stream stream, const T* u1, T* u0,
                                                         int z_begin, int z_end) {
                             for (std::size_t i = 0; i < pieces.size(); ++i) {
                               const auto kernel = i == 0 ? add_points<T, true> : add_points<T, false>;
                               kernel<<<blocks, threads, 0, stream>>>(u1, u0, layout.size[0], layout.size[1], z_begin,
                                                                      z_end, layout.row, layout.plane, pieces[i]);
                             }
                           });
}

// An offset within the stencil's reach fits 31 bits.
bool supports(const Job& job, const Device& device) {
  return job.layout.radius * (job.layout.plane + job.layout.row + 1) < std::int64_t{1} << 31U &&
         !point_tiles(job, device).empty();
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return with_value_type(job.precision, [&](auto value) { return prepare_for<decltype(value)>(job, tile, fields); });
}

}  // namespace

extern const Kernel kernel_a{
    "kernel_a",      "run-time loop over the points, constant memory (Hamilton et al., DAFx-15)",
    supports,        point_tiles,
    no_shared_bytes, point_bytes,
    prepare};

}  // namespace fdtd::cuda
