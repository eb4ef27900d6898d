#include "engine/cuda/energy_box.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/cuda/launch.cuh"
#include "engine/cuda/reduce.cuh"
#include "engine/cuda/vector.cuh"

namespace fdtd::cuda {
namespace {

// A block marches through some layers of a column of tile_x vectors and tile_y rows, a thread a vector: what its planes share
// is found in L1.
constexpr int largest_radius = 20;  // stencils/check.hpp
constexpr int tile_x = 32, tile_y = 16, threads = tile_x * tile_y, layers_a_block = 8;

template <class T>
struct PointRows {
  const std::int64_t* offset;
  const std::uint32_t* first;
  const T* weight;
  int rows, weights;
  double rest;
  std::size_t bytes() const {
    return static_cast<std::size_t>(rows) * sizeof(std::int64_t) + static_cast<std::size_t>(weights) * sizeof(T) +
           (static_cast<std::size_t>(rows) + 1) * sizeof(std::uint32_t);
  }
};

// The same table in shared memory. All threads of the block must come here.
template <class T>
__device__ PointRows<T> shared_rows(const PointRows<T>& given) {
  extern __shared__ std::int64_t table[];
  T* const weight = reinterpret_cast<T*>(table + given.rows);
  auto* const first = reinterpret_cast<std::uint32_t*>(weight + given.weights);
  for (int i = static_cast<int>(threadIdx.x); i < given.rows; i += threads) table[i] = given.offset[i];
  for (int i = static_cast<int>(threadIdx.x); i <= given.rows; i += threads) first[i] = given.first[i];
  for (int i = static_cast<int>(threadIdx.x); i < given.weights; i += threads) weight[i] = given.weight[i];
  __syncthreads();
  return {table, first, weight, given.rows, given.weights, given.rest};
}

// (2 - S) u = rest u + sum of weight (u - u_k) at the nodes of a vector: differences of neighbours, which are small where the
// field is smooth, are exact or nearly so in the field's own precision, and no sum of large values is needed whose parts
// cancel.
template <int R, class T>
__device__ void stiffness(const PointRows<T>& points, const T* u, double (&K_u)[lanes<T>], Vector<T>& here) {
  constexpr int width = lanes<T>, aside = (R + width - 1) / width * width;
  here = load(u);
  T sum[width] = {};
#pragma unroll 2
  for (int r = 0; r < points.rows; ++r) {
    const T* const there = u + points.offset[r];
    const std::uint32_t first = points.first[r];
    if (points.first[r + 1] - first == 1) {
      const Vector<T> v = load(there);
#pragma unroll
      for (int i = 0; i < width; ++i) sum[i] += points.weight[first] * (here.lane[i] - v.lane[i]);
    } else {
      T row[2 * aside + width];
#pragma unroll
      for (int k = 0; k < 2 * aside + width; k += width) {
        const Vector<T> v = load(there - aside + k);
#pragma unroll
        for (int i = 0; i < width; ++i) row[k + i] = v.lane[i];
      }
#pragma unroll
      for (int dx = -R; dx <= R; ++dx) {
        const T weight = points.weight[first + static_cast<unsigned>(dx + R)];
#pragma unroll
        for (int i = 0; i < width; ++i) sum[i] += weight * (here.lane[i] - row[aside + dx + i]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < width; ++i)
    K_u[i] = static_cast<double>(sum[i]) + points.rest * static_cast<double>(here.lane[i]);
}

// Wall voxels hold zeros and add nothing. `planes` planes from first_plane on are the slab's own.
template <class T, int R>
__global__ void __launch_bounds__(threads, R <= 8 ? 2 : 1)
    box(const T* __restrict__ after, const T* __restrict__ u, const Layout layout, int first_plane, int planes,
        const PointRows<T> given, double* parts) {
  constexpr int width = lanes<T>;
  const PointRows<T> points = shared_rows(given);
  const int x = (static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x) % tile_x) * width;
  const int y = static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.x) / tile_x;
  const int count = y < layout.size[1] ? layout.size[0] - x : 0;
  const int layers = layer_count(planes), begin = static_cast<int>(blockIdx.z) * layers_a_block;
  for (int layer = begin; layer < min(begin + layers_a_block, layers); ++layer) {
    double sum = 0.0;
    const int end = first_plane + layer_begin(layer + 1, planes);
    for (int z = first_plane + layer_begin(layer, planes); z < end && count > 0; ++z) {
      const std::int64_t at = layout.first + x + y * layout.row + z * layout.plane;
      double K_u[width];
      Vector<T> here;
      stiffness<R>(points, u + at, K_u, here);
      const Vector<T> next = load_streaming(after + at);
#pragma unroll
      for (int i = 0; i < width; ++i) {
        const double u_after = static_cast<double>(next.lane[i]), d = u_after - static_cast<double>(here.lane[i]);
        if (i < count) sum += 0.5 * (d * d + u_after * K_u[i]);
      }
    }
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0) parts[(layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
    __syncthreads();  // block_sum's memory is used again
  }
}

// function(integral_constant<int, radius>), 1 to largest_radius.
template <int R = 1, class Function>
void with_radius(int radius, const Function& function) {
  if constexpr (R < largest_radius) {
    if (radius > R) return with_radius<R + 1>(radius, function);
  }
  function(std::integral_constant<int, R>{});
}

struct Row {
  std::int64_t offset = 0;
  std::vector<double> weight;  // of dx = -radius .. radius
  bool is_point() const {
    for (std::size_t i = 0; i < weight.size(); ++i)
      if (i != weight.size() / 2 && weight[i] != 0.0) return false;
    return true;
  }
  double size() const {
    double sum = 0.0;
    for (const double w : weight) sum += std::abs(w);
    return sum;
  }
};

// The smallest first.
std::vector<Row> rows_of(const GridStencil& stencil, const Layout& layout, int radius) {
  std::map<std::int64_t, Row> rows;
  const auto add = [&](int x, int y, int z, double weight) {
    const std::int64_t offset = y * layout.row + z * layout.plane;
    Row& row = rows[offset];
    row.offset = offset;
    row.weight.resize(static_cast<std::size_t>(2 * radius + 1));
    row.weight[static_cast<std::size_t>(x + radius)] = weight;
  };
  for (const Term& term : stencil.terms) {
    const auto [a, b, c] = term.offset;
    for (int z = -c; z <= c; z += c > 0 ? 2 * c : 1)
      for (int y = -b; y <= b; y += b > 0 ? 2 * b : 1)
        for (int x = -a; x <= a; x += a > 0 ? 2 * a : 1) add(x, y, z, term.weight);
  }
  std::vector<Row> sorted;
  for (const auto& [offset, row] : rows) sorted.push_back(row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.size() < b.size(); });
  return sorted;
}

}  // namespace

template <class T>
BoxEnergy<T>::BoxEnergy(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers)
    : layout_(layout), layers_(layers), radius_(stencil.radius) {
  std::vector<std::int64_t> offset;
  std::vector<std::uint32_t> first{0};
  std::vector<T> weight;
  long double all = static_cast<T>(stencil.centre);
  for (const Row& row : rows_of(stencil, layout, radius_)) {
    for (const double w : row.weight) all += static_cast<T>(w);
    offset.push_back(row.offset);
    if (row.is_point()) {
      weight.push_back(static_cast<T>(row.weight[row.weight.size() / 2]));
    } else {
      for (const double w : row.weight) weight.push_back(static_cast<T>(w));
    }
    first.push_back(static_cast<std::uint32_t>(weight.size()));
  }
  rest_ = static_cast<double>(2.0L - all);
  offset_ = DeviceArray<std::int64_t>(offset);
  first_ = DeviceArray<std::uint32_t>(first);
  weight_ = DeviceArray<T>(weight);
}

template <class T>
std::uint32_t BoxEnergy<T>::parts_a_layer() const {
  return static_cast<std::uint32_t>(divide_up(layout_.size[0], tile_x * lanes<T>) * divide_up(layout_.size[1], tile_y));
}

template <class T>
void BoxEnergy<T>::launch(const T* after, const T* u, double* sums, Stream stream) const {
  const PointRows<T> points{
      offset_.data(), first_.data(), weight_.data(), static_cast<int>(offset_.size()), static_cast<int>(weight_.size()),
      rest_};
  const dim3 blocks(static_cast<unsigned>(divide_up(layout_.size[0], tile_x * lanes<T>)),
                    static_cast<unsigned>(divide_up(layout_.size[1], tile_y)),
                    static_cast<unsigned>(divide_up(static_cast<int>(layers_.count()), layers_a_block)));
  with_radius(radius_, [&](auto radius) {
    box<T, radius()>
        <<<blocks, threads, points.bytes(), stream>>>(after, u, layout_, layers_.begin, layers_.planes, points, sums);
  });
  FDTD_CUDA(cudaGetLastError());
}

template class BoxEnergy<float>;
template class BoxEnergy<double>;

}  // namespace fdtd::cuda
