#include "engine/cuda/walls/row_bricks.hpp"

#include "engine/cuda/gpu/dependent_launch.cuh"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/tma.cuh"

namespace fdtd::cuda {
namespace {

constexpr int row_threads = 256;
[[maybe_unused]] constexpr int row_warps = row_threads / 32;  // no code of an architecture without the copy engine
constexpr int box_plane = brick_box[0] * brick_box[1], box_values = box_plane * brick_box[2];
[[maybe_unused]] constexpr unsigned every_lane = 0xFFFFFFFFU;

template <class T>
struct RowBricksView {
  const RowBrick* bricks;
  const std::uint32_t* head;
  const UnitPlaces* place;
  const FourOf<T>* weights;
  std::int64_t row, plane;  // of the layout
};

// Of the eight sums of a lane all lanes' total of one, that of lane / 4.
template <class T>
__device__ __forceinline__ T total_of(T (&sum)[unit_nodes], int lane) {
#pragma unroll
  for (int half = 4; half > 0; half /= 2) {
    const bool upper = (lane & 4 * half) != 0;
#pragma unroll
    for (int k = 0; k < half; ++k) {
      const T give = upper ? sum[k] : sum[k + half], keep = upper ? sum[k + half] : sum[k];
      sum[k] = keep + __shfl_xor_sync(every_lane, give, 4 * half);
    }
  }
  sum[0] += __shfl_xor_sync(every_lane, sum[0], 2);
  return sum[0] + __shfl_xor_sync(every_lane, sum[0], 1);
}

// In the box, from a node's place; those behind the last have weights of zero.
[[maybe_unused]] __device__ __forceinline__ int place_of_point(int p) {
  if (p >= brick_points) p = 0;
  return p / (brick_side * brick_side) * box_plane + p / brick_side % brick_side * brick_box[0] + p % brick_side;
}

// A lane's part of the sums of a unit's nodes.
template <class T>
__device__ __forceinline__ void add_points(T (&sum)[unit_nodes], std::uint32_t nodes, const UnitPlaces& places,
                                           const T* const (&point)[4], const FourOf<T>& w) {
#pragma unroll
  for (std::uint32_t n = 0; n < unit_nodes; ++n) {
    const int at = places.of[n];
    sum[n] = T{};
    if (n < nodes)
      sum[n] =
          fma(w.of[3], point[3][at], fma(w.of[2], point[2][at], fma(w.of[1], point[1][at], w.of[0] * point[0][at])));
  }
}

// A block a brick, a warp a unit at a time; the next unit's tables are on their way meanwhile.
template <class T>
__global__ void __launch_bounds__(row_threads)
    correct_long_rows(const __grid_constant__ CUtensorMap u1_map, T* u0, const __grid_constant__ RowBricksView<T> rows,
                      NearRange range) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // older ones have no tensor copy engine
  extern __shared__ unsigned char space[];
  __shared__ std::uint64_t full;
  T* const u1 = reinterpret_cast<T*>(space + (128 - shared_address(space) % 128) % 128);
  const int lane = static_cast<int>(threadIdx.x) % 32, which = lane / 4;
  const RowBrick* const own = rows.bricks + range.of(blockIdx.x);
  const RowBrick brick = own[0];
  const std::uint32_t end = own[1].first_unit;
  if (threadIdx.x == 0) {
    tma::init_barrier(&full, 1);
    tma::publish_barriers();
  }
  __syncthreads();
  trigger_launch_completion();
  std::uint32_t unit = brick.first_unit + threadIdx.x / 32, head = 0;
  FourOf<T> weight{};
  const auto take_row = [&] { return rows.weights[std::size_t{head & ((1U << unit_row_bits) - 1)} * 32 + lane]; };
  if (unit < end) {
    head = rows.head[unit];
    weight = take_row();
  }
  grid_dependency_sync();
  if (threadIdx.x == 0) {
    tma::arrive_and_expect(&full, sizeof(T) * box_values);
    // Plane z of the room is plane z + radius of the map, which begins with the halo.
    tma::fetch(u1, &u1_map, brick.x - brick_halo_x, brick.y - brick_radius, brick.z, &full);
  }
  const T* point[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) point[j] = u1 + place_of_point(lane + 32 * j);
  T* const first = u0 + brick.x + brick.y * rows.row + brick.z * rows.plane;
  tma::wait(&full, 0);
  for (; unit < end; unit += row_warps) {
    const std::uint32_t nodes = head >> unit_row_bits;
    const UnitPlaces places = rows.place[unit];
    const int mine = rows.place[unit].of[which];
    T* const to = first + (mine % brick_box[0] - brick_halo_x + brick_radius) +
                  mine / brick_box[0] % brick_box[1] * rows.row + mine / box_plane * rows.plane;
    const bool writes = lane % 4 == 0 && static_cast<std::uint32_t>(which) < nodes;
    const T before = writes ? *to : T{};
    const FourOf<T> w = weight;
    if (unit + row_warps < end) {
      head = rows.head[unit + row_warps];
      weight = take_row();
    }
    T sum[unit_nodes];
    add_points(sum, nodes, places, point, w);
    const T total = total_of(sum, lane);
    if (writes) *to = before - total;
  }
#endif
}

}  // namespace

template <class T>
struct RowBricks<T>::Memory {
  DeviceArray<RowBrick> bricks;
  DeviceArray<std::uint32_t> head;
  DeviceArray<UnitPlaces> place;
  DeviceArray<FourOf<T>> weights;
  std::int64_t count = 0, inside_begin = 0, inside_end = 0;
  std::int64_t row = 0, plane = 0;
  std::array<CUtensorMap, 2> maps;
  std::array<T*, 2> first;  // node (0, 0, 0) of either field
};

template <class T>
RowBricks<T>::RowBricks(const RowBrickTables<T>& tables, const Layout& layout, std::array<void*, 2> fields) {
  if (tables.count() == 0) return;
  const auto memory = std::make_shared<Memory>();
  memory->bricks = DeviceArray<RowBrick>(tables.bricks);
  memory->head = DeviceArray<std::uint32_t>(tables.head);
  memory->place = DeviceArray<UnitPlaces>(tables.place);
  memory->weights = DeviceArray<FourOf<T>>(tables.weights);
  memory->count = tables.count();
  memory->inside_begin = tables.inside_begin, memory->inside_end = tables.inside_end;
  memory->row = layout.row, memory->plane = layout.plane;
  for (std::size_t i = 0; i < 2; ++i) {
    memory->first[i] = static_cast<T*>(fields[i]) + layout.first;
    memory->maps[i] = tma::tensor_map({memory->first[i] - brick_radius * layout.plane,
                                       {layout.size[0], layout.size[1], layout.size[2] + 2 * brick_radius},
                                       layout.row,
                                       layout.plane,
                                       sizeof(T)},
                                      brick_box);
  }
  memory_ = memory;
}

template <class T>
void RowBricks<T>::launch(NearPart part, int which, Stream stream) const {
  if (!memory_) return;
  const Memory& own = *memory_;
  const NearRange range = range_of(part, own.count, own.inside_begin, own.inside_end);
  if (range.count == 0) return;
  constexpr std::size_t shared = 128 + sizeof(T) * box_values;
  const auto blocks = static_cast<unsigned>(range.count);
  const auto kernel = correct_long_rows<T>;
  const auto from = static_cast<std::size_t>(which), to = static_cast<std::size_t>(1 - which);
  const RowBricksView<T> view{own.bricks.data(),  own.head.data(), own.place.data(),
                              own.weights.data(), own.row,         own.plane};
  if (part == NearPart::borders) {  // it follows another stream's work
    kernel<<<blocks, row_threads, shared, stream>>>(own.maps[from], own.first[to], view, range);
    FDTD_CUDA(cudaGetLastError());
  } else {
    launch_dependent(kernel, blocks, row_threads, shared, stream, own.maps[from], own.first[to], view, range);
  }
}

template <class T>
std::int64_t RowBricks<T>::borders() const {
  return memory_ ? memory_->count - (memory_->inside_end - memory_->inside_begin) : 0;
}

template class RowBricks<float>;
template class RowBricks<double>;

}  // namespace fdtd::cuda
