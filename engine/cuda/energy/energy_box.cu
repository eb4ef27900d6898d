#include "engine/cuda/energy/energy_box.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "engine/cuda/energy/energy_columns.cuh"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/plan/image_walls.hpp"

namespace fdtd::cuda {
namespace {

constexpr int largest_radius = 20;  // stencils/check.hpp
constexpr int largest_star = 8;     // that has a kernel of its own,
constexpr int largest_cube = 3;     // and of those with the cube's symmetries
constexpr int busy_blocks = 2048;   // so many keep all multiprocessors at work to the end

// A stencil of radius R as a table of rows, any stencil.
template <class T, int R>
struct PointRows {
  const std::int64_t* offset;
  const std::uint32_t* first;
  const T* weight;
  int rows, weights;
  std::size_t bytes() const {
    return static_cast<std::size_t>(rows) * sizeof(std::int64_t) + static_cast<std::size_t>(weights) * sizeof(T) +
           (static_cast<std::size_t>(rows) + 1) * sizeof(std::uint32_t);
  }
};

// The same table in shared memory. All threads of the block must come here.
template <class T, int R>
__device__ PointRows<T, R> in_shared(const PointRows<T, R>& given) {
  extern __shared__ std::int64_t table[];
  T* const weight = reinterpret_cast<T*>(table + given.rows);
  auto* const first = reinterpret_cast<std::uint32_t*>(weight + given.weights);
  for (int i = static_cast<int>(threadIdx.x); i < given.rows; i += threads) table[i] = given.offset[i];
  for (int i = static_cast<int>(threadIdx.x); i <= given.rows; i += threads) first[i] = given.first[i];
  for (int i = static_cast<int>(threadIdx.x); i < given.weights; i += threads) weight[i] = given.weight[i];
  __syncthreads();
  return {table, first, weight, given.rows, given.weights};
}

// (2 - S) u = rest u + sum of weight (u - u_k) at the nodes of a vector, `here` their u: differences of neighbours,
// which are small where the field is smooth, are exact or nearly so in the field's own precision, and no sum of large
// values is needed whose parts cancel. Here the sum.
template <class T, int R>
__device__ void differences(const PointRows<T, R>& points, const T* u, const Vector<T>& here, T (&sum)[lanes<T>]) {
  constexpr int width = lanes<T>;
#pragma unroll 2
  for (int r = 0; r < points.rows; ++r) {
    const T* const there = u + points.offset[r];
    const std::uint32_t first = points.first[r];
    if (points.first[r + 1] - first == 1) {
      const Vector<T> v = load(there);
#pragma unroll
      for (int i = 0; i < width; ++i) sum[i] += points.weight[first] * (here.lane[i] - v.lane[i]);
    } else {
      T row[2 * aside<T, R> + width];
      load_row<R>(there, row);
#pragma unroll
      for (int dx = -R; dx <= R; ++dx) {
        const T weight = points.weight[first + static_cast<unsigned>(dx + R)];
#pragma unroll
        for (int i = 0; i < width; ++i) sum[i] += weight * (here.lane[i] - row[aside<T, R> + dx + i]);
      }
    }
  }
}

// Any stencil: what its planes share is found in L1, if the 2 R + 1 planes of the blocks of a multiprocessor fit there.
template <class T, int R>
__global__ void __launch_bounds__(threads, R <= 6 ? 2 : 1)
    box(const T* __restrict__ after, const T* __restrict__ u, const __grid_constant__ BoxTask task,
        const __grid_constant__ PointRows<T, R> given, double* parts) {
  constexpr int width = lanes<T>;
  const PointRows<T, R> points = in_shared(given);
  const Layout& layout = task.layout;
  const int x = (static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x) % tile_x) * width;
  const int y = static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.x) / tile_x;
  const int count = y < layout.size[1] ? layout.size[0] - x : 0;
  const int layers = layer_count(task.planes), begin = static_cast<int>(blockIdx.z) * task.layers_a_block;
  for (int layer = begin; layer < min(begin + task.layers_a_block, layers); ++layer) {
    double sum = 0.0;
    const int end = task.first_plane + layer_begin(layer + 1, task.planes);
    for (int z = task.first_plane + layer_begin(layer, task.planes); z < end && count > 0; ++z) {
      const std::int64_t at = layout.first + x + y * layout.row + z * layout.plane;
      const Vector<T> here = load(u + at);
      T apart[width] = {};
      differences(points, u + at, here, apart);
      sum += energy_of_vector(load_streaming(after + at), here.lane, apart, task.rest, count);
    }
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0) parts[(layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
    __syncthreads();  // block_sum's memory is used again
  }
}

// function(integral_constant<int, radius>), 1 to `most`.
template <int most, int R = 1, class Function>
void up_to_radius(int radius, const Function& function) {
  if constexpr (R < most) {
    if (radius > R) return up_to_radius<most, R + 1>(radius, function);
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

bool has_columns(const GridStencil& stencil) {
  return star_weights(stencil) ? stencil.radius <= largest_star
                               : cube_weights(stencil) && stencil.radius <= largest_cube;
}

template <class T>
BoxEnergy<T>::BoxEnergy(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers,
                        const ImageWalls& mirror)
    : layout_(layout),
      layers_(layers),
      mirror_(mirror),
      radius_(stencil.radius),
      star_(star_weights(stencil)),
      cube_(cube_weights(stencil)),
      columns_(has_columns(stencil)) {
  if (mirror.sides && !columns_) throw std::logic_error("no energy of mirrored walls for this stencil");
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

// Calls function(what a kernel is given of the stencil, the kernel, rows of a block, bytes of shared memory).
template <class T>
template <class Function>
void BoxEnergy<T>::with_kernel(const Function& function) const {
  const auto columns = [&](const auto& weight) {
    using Differences = std::decay_t<decltype(weight)>;
    function(weight, column_box<T, Differences>, rows_of_block<Differences>, std::size_t{0});
  };
  if (columns_ && star_) {
    up_to_radius<largest_star>(radius_, [&](auto M) { columns(star_differences<T, M()>(*star_)); });
  } else if (columns_) {
    up_to_radius<largest_cube>(radius_, [&](auto R) { columns(cube_differences<T, R()>(*cube_)); });
  } else {
    up_to_radius<largest_radius>(radius_, [&](auto R) {
      const PointRows<T, R()> points{offset_.data(), first_.data(), weight_.data(), static_cast<int>(offset_.size()),
                                     static_cast<int>(weight_.size())};
      function(points, box<T, R()>, tile_y, points.bytes());
    });
  }
}

template <class T>
std::uint32_t BoxEnergy<T>::parts_a_layer() const {
  int parts = 0;
  with_kernel([&](const auto&, auto, int rows, std::size_t) {
    parts = divide_up(layout_.size[0], tile_x * lanes<T>) * divide_up(layout_.size[1], rows);
  });
  return static_cast<std::uint32_t>(parts);
}

template <class T>
void BoxEnergy<T>::launch(const T* after, const T* u, double* sums, Stream stream) const {
  with_kernel([&](const auto& weights, auto kernel, int rows, std::size_t shared) {
    const auto count = static_cast<int>(layers_.count());
    dim3 blocks(static_cast<unsigned>(divide_up(layout_.size[0], tile_x * lanes<T>)),
                static_cast<unsigned>(divide_up(layout_.size[1], rows)), 1);
    const int layers_a_block =
        std::clamp(count / divide_up(busy_blocks, static_cast<int>(blocks.x * blocks.y)), 1, max_layers);
    blocks.z = static_cast<unsigned>(divide_up(count, layers_a_block));
    const BoxTask task{layout_, mirror_, layers_.begin, layers_.planes, layers_a_block, rest_};
    kernel<<<blocks, static_cast<unsigned>(tile_x * rows), shared, stream>>>(after, u, task, weights, sums);
  });
  FDTD_CUDA(cudaGetLastError());
}

template class BoxEnergy<float>;
template class BoxEnergy<double>;

}  // namespace fdtd::cuda
