#include "engine/cuda/energy_box.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "engine/cuda/energy_columns.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/reduce.cuh"
#include "engine/cuda/unfold.hpp"
#include "engine/cuda/vector.cuh"

namespace fdtd::cuda {
namespace {

constexpr int largest_radius = 20;  // stencils/check.hpp
constexpr int largest_star = 8;     // that has a kernel of its own,
constexpr int largest_cube = 3;     // and of those with the cube's symmetries
template <class T, int R>
constexpr int aside = (R + lanes<T> - 1) / lanes<T>* lanes<T>;  // a radius in whole vectors
// A block marches through some layers of a column of tile_x vectors and some rows (`box`: tile_y), a thread a vector.
constexpr int tile_x = 32, tile_y = 16, threads = tile_x * tile_y, most_layers = 16;
constexpr int busy_blocks = 2048;  // so many keep all multiprocessors at work to the end

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

// The values of a row from u - aside to u + aside + a vector.
template <int R, class T>
__device__ __forceinline__ void load_row(const T* u, T (&row)[2 * aside<T, R> + lanes<T>]) {
#pragma unroll
  for (int k = 0; k < 2 * aside<T, R> + lanes<T>; k += lanes<T>) {
    const Vector<T> v = load(u - aside<T, R> + k);
#pragma unroll
    for (int i = 0; i < lanes<T>; ++i) row[k + i] = v.lane[i];
  }
}

// (2 - S) u = rest u + sum of weight (u - u_k) at the nodes of a vector, `here` their u: differences of neighbours, which are
// small where the field is smooth, are exact or nearly so in the field's own precision, and no sum of large values is needed
// whose parts cancel. Here the sum.
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

// Of the first `count` nodes of a vector; apart: K u but for its rest.
template <class T>
__device__ __forceinline__ double energy_of_vector(const Vector<T>& after, const T (&u)[lanes<T>],
                                                   const T (&apart)[lanes<T>], double rest, int count) {
  double sum = 0.0;
#pragma unroll
  for (int i = 0; i < lanes<T>; ++i) {
    const auto here = static_cast<double>(u[i]);
    if (i < count)
      sum += energy_of(static_cast<double>(after.lane[i]), here, static_cast<double>(apart[i]) + rest * here);
  }
  return sum;
}

// What a launch is about. Wall voxels hold zeros and add nothing. `planes` planes from first_plane on are the slab's own.
struct BoxTask {
  Layout layout;
  Mirror mirror;  // column_box alone does it
  int first_plane, planes, layers_a_block;
  double rest;
};

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

// Where a block's rows and planes are read, mirror images in place of what lies behind walls: of row r and plane z of the
// slab's own, counted from the block's first, at row[R + r] and plane[R + z].
template <int R, int rows>
struct Places {
  std::int64_t row[rows + 2 * R], plane[(most_layers + 1) * layer_planes + 2 * R];

  // All threads of the block come here.
  __device__ __forceinline__ void fill(const BoxTask& task, int first_row, int first_plane) {
    const auto& [nx, ny, nz] = task.layout.size;
    const Mirror& mirror = task.mirror;
    for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(std::size(row));
         i += static_cast<int>(blockDim.x)) {
      const int y = min(first_row + i - R, ny + R - 1);
      row[i] = (mirror.sides ? unfolded(y, ny) : y) * task.layout.row;
    }
    for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(std::size(plane));
         i += static_cast<int>(blockDim.x)) {
      const int z = min(first_plane + i - R, nz + R - 1);
      plane[i] = ((mirror.below && z < 0) || (mirror.above && z >= nz) ? unfolded(z, nz) : z) * task.layout.plane;
    }
    __syncthreads();
  }
};

// The rows around a thread's vector; images: they may reach behind a wall across x whose images are read.
template <class T, int R, bool images>
struct BoxRows {
  const T* u;                       // node (x, 0, 0)
  const std::int64_t *row, *plane;  // Places, of the vector's own
  int x, wall;                      // nodes before the vector, and from its first on

  __device__ __forceinline__ void operator()(int dy, int dz, T (&values)[lanes<T>]) const {
    const Vector<T> v = load((u + plane[dz]) + row[dy]);
#pragma unroll
    for (int i = 0; i < lanes<T>; ++i) values[i] = v.lane[i];
  }
  __device__ __forceinline__ void operator()(int dy, T (&values)[lanes<T> + 2 * aside<T, R>]) const {
    constexpr int width = lanes<T>, before = aside<T, R>;
    const T* const from = (u + plane[0]) + row[dy];
    load_row<R>(from, values);
    if (!images) return;
    if (x < R) {
      const T* const image = from - 2 * x - 1;  // of from[k]: image[-k]
#pragma unroll
      for (int k = -R; k < 0; ++k)
        if (x + k < 0) values[before + k] = image[-k];
    }
    if (wall < width + R) {
      const T* const image = from + 2 * wall - 1;
#pragma unroll
      for (int k = 1; k < width + R; ++k)
        if (k >= wall && k < wall + R) values[before + k] = image[-k];
    }
  }
};

// A block's layers, from warm_up planes before them on; energy_at(z): a thread's, 0.0 before the first. Warps wait for each
// other at the end alone: what binds is each one's wait for memory before its arithmetic.
template <int warps, class Energy>
__device__ __forceinline__ void sum_layers(const BoxTask& task, int warm_up, double* parts, const Energy& energy_at) {
  __shared__ double of_warp[most_layers][warps];
  const int begin = static_cast<int>(blockIdx.z) * task.layers_a_block;
  const int end = min(begin + task.layers_a_block, layer_count(task.planes));
  double sum = 0.0;
  for (int layer = begin, z = task.first_plane + layer_begin(begin, task.planes) - warm_up; layer < end; ++z) {
    sum += energy_at(z);
    if (z + 1 < task.first_plane + layer_begin(layer + 1, task.planes)) continue;
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) of_warp[layer - begin][threadIdx.x / 32] = sum;
    sum = 0.0;
    ++layer;
  }
  __syncthreads();
  const int layer = begin + static_cast<int>(threadIdx.x);
  if (layer >= end) return;
  sum = 0.0;
  for (int w = 0; w < warps; ++w) sum += of_warp[threadIdx.x][w];
  parts[(layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
}

// Leggy stencils: what a plane's rows share with others is found in L1.
template <class D>
constexpr int rows_of_block = D::R == 3 ? 14 : 16;
template <class D>
constexpr int blocks_at_once = D::R <= 4 ? 2 : 1;
template <class T, int M, bool images>
__device__ __forceinline__ void go_through(const T* __restrict__ after, BoxRows<T, M, images> rows, const BoxTask& task,
                                           const StarDifferences<T, M>& weight, int count, int first, double* parts) {
  constexpr int width = lanes<T>, before = aside<T, M>;
  const std::int64_t* const plane = rows.plane;  // of the block's first
  sum_layers<rows_of_block<StarDifferences<T, M>>>(task, 0, parts, [&](int z) {
    if (count <= 0) return 0.0;
    const Vector<T> next = load_streaming(after + z * task.layout.plane);
    rows.plane = plane + (z - first);
    T own[width + 2 * before], here[width], apart[width];
    rows(0, own);
#pragma unroll
    for (int i = 0; i < width; ++i) here[i] = own[before + i];
    star_sums<T, M, width, before>(weight, own, rows, apart);
    return energy_of_vector(next, here, apart, task.rest, count);
  });
}

// Have blocks that read no images a loop of their own? Not where registers are short.
template <class D>
constexpr bool inside_apart = D::R <= 2;

// Stencils with the cube's symmetries, a column of nodes plane by plane.
template <class T, int R>
constexpr int rows_of_block<CubeDifferences<T, R>> = R == 1                       ? 24
                                                     : R == 2                     ? 16
                                                     : sizeof(T) == sizeof(float) ? 12
                                                                                  : 8;
template <class T, int R>
constexpr int blocks_at_once<CubeDifferences<T, R>> = 1;
template <class T, int R>
constexpr bool inside_apart<CubeDifferences<T, R>> = true;
template <class T, int R, bool images>
__device__ __forceinline__ void go_through(const T* __restrict__ after, BoxRows<T, R, images> rows, const BoxTask& task,
                                           const CubeDifferences<T, R>& weight, int count, int first, double* parts) {
  constexpr int width = lanes<T>;
  const std::int64_t* const plane = rows.plane;  // of the block's first
  ColumnSums<T, R, width> sums;
  // z: of what is done, R planes behind what is taken.
  sum_layers<rows_of_block<CubeDifferences<T, R>>>(task, 2 * R, parts, [&](int z) {
    if (count <= 0) return 0.0;
    Vector<T> next{};
    T F[R + 1][width], here[width], done[width], now[width] = {};
    if (z >= first) {
      next = load_streaming(after + z * task.layout.plane);
      rows.plane = plane + (z - first);
      rows(0, 0, now);
    }
    rows.plane = plane + (z - first + R);
    plane_differences<T, R, width, aside<T, R>>(weight, rows, F, here);
    sums.take(weight, F, here, done);
    return z >= first ? energy_of_vector(next, now, done, task.rest, count) : 0.0;
  });
}

// Stencils that energy_columns.hpp knows, as many rows a block as registers allow without spills.
template <class T, class Differences>
__global__ void __launch_bounds__(tile_x* rows_of_block<Differences>, blocks_at_once<Differences>)
    column_box(const T* __restrict__ after, const T* __restrict__ u, const __grid_constant__ BoxTask task,
               const __grid_constant__ Differences weight, double* parts) {
  constexpr int R = Differences::R, rows = rows_of_block<Differences>;
  __shared__ Places<R, rows> places;
  const Layout& layout = task.layout;
  const int block_y = static_cast<int>(blockIdx.y) * rows, own_row = static_cast<int>(threadIdx.x) / tile_x;
  const int first = task.first_plane + layer_begin(static_cast<int>(blockIdx.z) * task.layers_a_block, task.planes);
  places.fill(task, block_y, first);
  constexpr int across = tile_x * lanes<T>;
  const int block_x = static_cast<int>(blockIdx.x) * across, nx = layout.size[0];
  const int x = block_x + static_cast<int>(threadIdx.x) % tile_x * lanes<T>, y = block_y + own_row;
  const int count = y < layout.size[1] ? nx - x : 0;
  after += layout.first + x + y * layout.row;
  u += layout.first + x;
  const std::int64_t *const row = places.row + R + own_row, *const plane = places.plane + R;
  const bool images = task.mirror.sides && (block_x < R || block_x + across + R > nx);
  if (inside_apart<Differences> && !images)
    go_through(after, BoxRows<T, R, false>{u, row, plane, 0, 0}, task, weight, count, first, parts);
  else  // without images no node is before them, and the wall is far away
    go_through(after, BoxRows<T, R, true>{u, row, plane, images ? x : R, images ? nx - x : lanes<T> + R}, task, weight,
               count, first, parts);
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
BoxEnergy<T>::BoxEnergy(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers, const Mirror& mirror)
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
        std::clamp(count / divide_up(busy_blocks, static_cast<int>(blocks.x * blocks.y)), 1, most_layers);
    blocks.z = static_cast<unsigned>(divide_up(count, layers_a_block));
    const BoxTask task{layout_, mirror_, layers_.begin, layers_.planes, layers_a_block, rest_};
    kernel<<<blocks, static_cast<unsigned>(tile_x * rows), shared, stream>>>(after, u, task, weights, sums);
  });
  FDTD_CUDA(cudaGetLastError());
}

template class BoxEnergy<float>;
template class BoxEnergy<double>;

}  // namespace fdtd::cuda
