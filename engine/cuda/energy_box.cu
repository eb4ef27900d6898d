#include "engine/cuda/energy_box.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/cuda/energy_cube.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/reduce.cuh"
#include "engine/cuda/star_weights.cuh"
#include "engine/cuda/vector.cuh"

namespace fdtd::cuda {
namespace {

// A block marches through some layers of a column of tile_x vectors and tile_y rows, a thread a vector: what its planes share
// is found in L1, if the 2 R + 1 planes of the blocks of a multiprocessor fit there.
constexpr int largest_radius = 20;  // stencils/check.hpp
constexpr int largest_star = 8;     // that has a kernel of its own,
constexpr int largest_cube = 3;     // and of those with the cube's symmetries
template <class T, int R>
constexpr int aside = (R + lanes<T> - 1) / lanes<T>* lanes<T>;  // a radius in whole vectors
constexpr int tile_x = 32, tile_y = 16, threads = tile_x * tile_y, layers_a_block = 8;

// A stencil of radius R as a table of rows, any stencil.
template <class T, int R_>
struct PointRows {
  static constexpr int R = R_;
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
template <class T, int R>
__device__ PointRows<T, R> in_shared(const PointRows<T, R>& given) {
  extern __shared__ std::int64_t table[];
  T* const weight = reinterpret_cast<T*>(table + given.rows);
  auto* const first = reinterpret_cast<std::uint32_t*>(weight + given.weights);
  for (int i = static_cast<int>(threadIdx.x); i < given.rows; i += threads) table[i] = given.offset[i];
  for (int i = static_cast<int>(threadIdx.x); i <= given.rows; i += threads) first[i] = given.first[i];
  for (int i = static_cast<int>(threadIdx.x); i < given.weights; i += threads) weight[i] = given.weight[i];
  __syncthreads();
  return {table, first, weight, given.rows, given.weights, given.rest};
}

// A leggy stencil: its offsets are known, so that all its loads are on their way at once.
template <class T, int M>
struct Star {
  static constexpr int R = M;
  StarCoefficients<T, M> weight;
  std::int64_t row, plane;
  double rest;
  static std::size_t bytes() { return 0; }
};
template <class T, int M>
__device__ const Star<T, M>& in_shared(const Star<T, M>& given) {
  return given;
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
template <class T, int M>
__device__ void differences(const Star<T, M>& star, const T* u, const Vector<T>& here, T (&sum)[lanes<T>]) {
  constexpr int width = lanes<T>;
  const auto add = [&](T weight, const Vector<T>& a, const Vector<T>& b) {
#pragma unroll
    for (int i = 0; i < width; ++i) sum[i] += weight * ((here.lane[i] - a.lane[i]) + (here.lane[i] - b.lane[i]));
  };
#pragma unroll
  for (int m = M; m > 0; --m) add(star.weight.z[m - 1], load(u - m * star.plane), load(u + m * star.plane));
#pragma unroll
  for (int m = M; m > 0; --m) add(star.weight.y[m - 1], load(u - m * star.row), load(u + m * star.row));
  T row[2 * aside<T, M> + width];
  load_row<M>(u, row);
#pragma unroll
  for (int m = M; m > 0; --m)
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const T a = row[aside<T, M> + i - m], b = row[aside<T, M> + i + m];
      sum[i] += star.weight.x[m - 1] * ((here.lane[i] - a) + (here.lane[i] - b));
    }
}

// Of the first `count` nodes of a vector; apart: K u but for its rest.
template <class T>
__device__ __forceinline__ double energy_of_vector(const T* after, const T (&u)[lanes<T>], const T (&apart)[lanes<T>],
                                                   double rest, int count) {
  const Vector<T> next = load_streaming(after);
  double sum = 0.0;
#pragma unroll
  for (int i = 0; i < lanes<T>; ++i) {
    const auto here = static_cast<double>(u[i]);
    if (i < count)
      sum += energy_of(static_cast<double>(next.lane[i]), here, static_cast<double>(apart[i]) + rest * here);
  }
  return sum;
}

// Wall voxels hold zeros and add nothing. `planes` planes from first_plane on are the slab's own.
template <class T, class Points>
__global__ void __launch_bounds__(threads, Points::R <= 6 ? 2 : 1)
    box(const T* __restrict__ after, const T* __restrict__ u, const Layout layout, int first_plane, int planes,
        const __grid_constant__ Points given, double* parts) {
  constexpr int width = lanes<T>;
  const Points& points = in_shared(given);
  const int x = (static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x) % tile_x) * width;
  const int y = static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.x) / tile_x;
  const int count = y < layout.size[1] ? layout.size[0] - x : 0;
  const int layers = layer_count(planes), begin = static_cast<int>(blockIdx.z) * layers_a_block;
  for (int layer = begin; layer < min(begin + layers_a_block, layers); ++layer) {
    double sum = 0.0;
    const int end = first_plane + layer_begin(layer + 1, planes);
    for (int z = first_plane + layer_begin(layer, planes); z < end && count > 0; ++z) {
      const std::int64_t at = layout.first + x + y * layout.row + z * layout.plane;
      const Vector<T> here = load(u + at);
      T apart[width] = {};
      differences(points, u + at, here, apart);
      sum += energy_of_vector(after + at, here.lane, apart, points.rest, count);
    }
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0) parts[(layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
    __syncthreads();  // block_sum's memory is used again
  }
}

// The same for stencils with the cube's symmetries: the planes of a column one after the other, those around it as well.
template <class T, int R>
__global__ void __launch_bounds__(threads, R == 1 ? 2 : 1)
    cube_box(const T* __restrict__ after, const T* __restrict__ u, const Layout layout, int first_plane, int planes,
             const __grid_constant__ CubeDifferences<T, R> weight, double rest, double* parts) {
  constexpr int width = lanes<T>;
  const int x = (static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x) % tile_x) * width;
  const int y = static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.x) / tile_x;
  const int count = y < layout.size[1] ? layout.size[0] - x : 0;
  const int layers = layer_count(planes), begin = static_cast<int>(blockIdx.z) * layers_a_block;
  const int first = first_plane + layer_begin(begin, planes), end = min(begin + layers_a_block, layers);
  const std::int64_t column = layout.first + x + y * layout.row;
  ColumnSums<T, R, width> sums;
  double sum = 0.0;
  // z: of what is done, R planes behind what is taken.
  for (int layer = begin, z = first - 2 * R; layer < end; ++z) {
    if (count > 0) {
      const T* const plane = u + column + (z + R) * layout.plane;
      T F[R + 1][width], here[width], done[width], u_done[width];
      plane_differences<T, R, width, aside<T, R>>(
          weight, [&](int dy, T(&row)[2 * aside<T, R> + width]) { load_row<R>(plane + dy * layout.row, row); }, F,
          here);
      sums.take(weight, F, here, done, u_done);
      if (z >= first) sum += energy_of_vector(after + column + z * layout.plane, u_done, done, rest, count);
    }
    if (z + 1 < first_plane + layer_begin(layer + 1, planes)) continue;
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0) parts[(layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
    __syncthreads();  // block_sum's memory is used again
    sum = 0.0;
    ++layer;
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

template <class T>
BoxEnergy<T>::BoxEnergy(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers)
    : layout_(layout),
      layers_(layers),
      radius_(stencil.radius),
      star_(star_weights(stencil)),
      cube_(cube_weights(stencil)) {
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
  const dim3 blocks(static_cast<unsigned>(divide_up(layout_.size[0], tile_x * lanes<T>)),
                    static_cast<unsigned>(divide_up(layout_.size[1], tile_y)),
                    static_cast<unsigned>(divide_up(static_cast<int>(layers_.count()), layers_a_block)));
  const auto launch_of = [&](const auto& points) {
    box<T><<<blocks, threads, points.bytes(), stream>>>(after, u, layout_, layers_.begin, layers_.planes, points, sums);
  };
  if (star_ && radius_ <= largest_star) {
    up_to_radius<largest_star>(radius_, [&](auto M) {
      launch_of(Star<T, M()>{star_coefficients<T, M()>(*star_), layout_.row, layout_.plane, rest_});
    });
  } else if (cube_ && radius_ <= largest_cube) {
    up_to_radius<largest_cube>(radius_, [&](auto R) {
      cube_box<T, R()><<<blocks, threads, 0, stream>>>(after, u, layout_, layers_.begin, layers_.planes,
                                                       cube_differences<T, R()>(*cube_), rest_, sums);
    });
  } else {
    up_to_radius<largest_radius>(radius_, [&](auto R) {
      launch_of(PointRows<T, R()>{offset_.data(), first_.data(), weight_.data(), static_cast<int>(offset_.size()),
                                  static_cast<int>(weight_.size()), rest_});
    });
  }
  FDTD_CUDA(cudaGetLastError());
}

template class BoxEnergy<float>;
template class BoxEnergy<double>;

}  // namespace fdtd::cuda
