#include "engine/cuda/energy.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/lose.hpp"
#include "engine/cuda/reduce.cuh"
#include "engine/slab.hpp"

namespace fdtd::cuda {
namespace {

constexpr int threads = site_threads;
// A block takes one layer (slab.hpp) of `rows` rows: threads run along x and z, and what their nodes' neighbours above and
// below share is found in L1.
constexpr int rows = 8, across = 128, box_threads = across * layer_planes;

// (2 - S) u = rest u + sum of weight (u - u_k): differences of neighbours, which are small where the field is smooth, are
// exact or nearly so in the field's own precision, and no sum of large values is needed whose parts cancel.
template <class T>
struct Points {
  const std::int64_t* offset;
  const T* weight;
  int count;
  double rest;
};

// The same table in shared memory. All threads of the block must come here.
template <class T>
__device__ Points<T> shared_points(const Points<T>& points) {
  extern __shared__ std::int64_t table[];
  T* const weight = reinterpret_cast<T*>(table + points.count);
  for (int k = static_cast<int>(threadIdx.x); k < points.count; k += static_cast<int>(blockDim.x)) {
    table[k] = points.offset[k];
    weight[k] = points.weight[k];
  }
  __syncthreads();
  return {table, weight, points.count, points.rest};
}

// Of n <= N nodes `apart` from each other; those behind the nth are taken for the nth.
template <int N, class T>
__device__ void stiffness(const Points<T>& points, const T* u, std::uint32_t apart, int n, double (&K_u)[N]) {
  T here[N], sum[N];
  std::uint32_t at[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    at[i] = static_cast<std::uint32_t>(min(i, n - 1)) * apart;
    here[i] = u[at[i]];
    sum[i] = T{};
  }
#pragma unroll 2
  for (int k = 0; k < points.count; ++k) {
    const T weight = points.weight[k];
    const T* const there = u + points.offset[k];
#pragma unroll
    for (int i = 0; i < N; ++i) sum[i] += weight * (here[i] - there[at[i]]);
  }
#pragma unroll
  for (int i = 0; i < N; ++i) K_u[i] = static_cast<double>(sum[i]) + points.rest * static_cast<double>(here[i]);
}

// 1/2 (|d|^2 + <u+, (2 - S) u>) at one node, d = u+ - u.
__device__ double energy_of(double after, double u, double K_u) {
  const double d = after - u;
  return 0.5 * (d * d + after * K_u);
}

// Corrections not counted. Wall voxels hold zeros and add nothing. `planes` planes from first_plane on are the slab's own.
template <class T>
__global__ void __launch_bounds__(box_threads, sizeof(T) == sizeof(float) ? 2 : 1)
    box(const T* __restrict__ after, const T* __restrict__ u, const Layout layout, int first_plane, int planes,
        const Points<T> given, double* parts) {
  const Points<T> points = shared_points(given);
  const int columns = (layout.size[1] + rows - 1) / rows;
  const int layer = static_cast<int>(blockIdx.x) / columns, y0 = static_cast<int>(blockIdx.x) % columns * rows;
  const int n = min(rows, layout.size[1] - y0);
  const int end = first_plane + layer_begin(layer + 1, planes);
  double sum = 0.0;
  for (int z = first_plane + layer_begin(layer, planes) + static_cast<int>(threadIdx.x) / across; z < end;
       z += layer_planes) {
    const std::int64_t first = layout.first + y0 * layout.row + z * layout.plane;
    for (int x = static_cast<int>(threadIdx.x) % across; x < layout.size[0]; x += across) {
      double K_u[rows];
      stiffness(points, u + first + x, static_cast<std::uint32_t>(layout.row), n, K_u);
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        const std::int64_t at = first + x + i * layout.row;
        if (i < n) sum += energy_of(static_cast<double>(after[at]), static_cast<double>(u[at]), K_u[i]);
      }
    }
  }
  sum = block_sum<box_threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

template <class T>
__global__ void __launch_bounds__(threads)
    corrections(const SegmentsView<T> view, const LayerPart* layer_parts, const T* __restrict__ after,
                const T* __restrict__ u, double* parts) {
  const LayerPart part = layer_parts[blockIdx.x];
  double sum = 0.0;
  for (std::uint64_t i = part.begin + threadIdx.x / segment_lanes; i < part.end; i += threads / segment_lanes)
    sum += view.energy(i, threadIdx.x % segment_lanes, after, u);
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

template <class T>
__global__ void __launch_bounds__(threads) branches(const SiteView<T> sites, const TallyView tally, double* parts) {
  const LayerPart part = tally.parts[blockIdx.x];
  double sum = 0.0;
  for (std::uint64_t i = part.begin + threadIdx.x; i < part.end; i += threads) sum += held(sites, tally.place[i]);
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// Masses other than 1: (mass - 1) times the node's energy, corrections counted.
template <class T>
__global__ void __launch_bounds__(threads)
    heavy(const HeavyNode* nodes, const LayerPart* layer_parts, const __grid_constant__ NearView<T> near,
          const Points<T> points, const T* after, const T* u, double* parts) {
  const LayerPart part = layer_parts[blockIdx.x];
  double sum = 0.0;
  for (std::uint64_t i = part.begin + threadIdx.x; i < part.end; i += threads) {
    const std::int64_t at = nodes[i].offset;
    double K_u[1];
    stiffness(points, u + at, 0, 1, K_u);
    const double here = energy_of(static_cast<double>(after[at]), static_cast<double>(u[at]),
                                  K_u[0] - near.exact_correction(nodes[i].pattern, u, at));
    // The corrections' own part is counted with mass 1 elsewhere.
    sum += nodes[i].excess * here;
  }
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

}  // namespace

template <class T>
EnergyMeter<T>::EnergyMeter(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers,
                            const EnergyTables<T>& tables, const std::vector<HeavyNode>& heavy, const Tally& tally,
                            const WallsView<T>& walls)
    : layout_(layout),
      layers_(layers),
      walls_(walls),
      segments_(tables.segments),
      entry_begin_(tables.entry_begin),
      entry_offset_(tables.entry_offset),
      entry_weight_(tables.entry_weight),
      segment_parts_(tables.segment_parts),
      heavy_parts_(tables.heavy_parts),
      heavy_(heavy) {
  std::vector<std::int64_t> offsets;
  std::vector<T> weights;
  long double all = 0.0L;
  for (const FlatPoint& point : flat_points(stencil, layout)) {
    const T weight = static_cast<T>(point.weight);
    all += weight;
    if (point.offset == 0) continue;
    offsets.push_back(point.offset);
    weights.push_back(weight);
  }
  rest_ = static_cast<double>(2.0L - all);
  offset_ = DeviceArray<std::int64_t>(offsets);
  weight_ = DeviceArray<T>(weights);
  const int columns = divide_up(layout.size[1], rows);
  for (std::uint32_t layer = 0; layer < layers.count(); ++layer)
    layer_of_.insert(layer_of_.end(), static_cast<std::size_t>(columns), layer);
  box_blocks_ = static_cast<std::uint32_t>(layer_of_.size());
  for (const auto* parts : {&tables.segment_parts, &tally.parts, &tables.heavy_parts})
    for (const LayerPart& part : *parts) layer_of_.push_back(part.layer);
  sums_ = DeviceArray<double>(layer_of_.size());
}

template <class T>
std::vector<double> EnergyMeter<T>::stored(const T* after, const T* u, Stream stream) const {
  const Points<T> points{offset_.data(), weight_.data(), static_cast<int>(offset_.size()), rest_};
  double* sums = sums_.data();
  const std::size_t table = static_cast<std::size_t>(points.count) * (sizeof(std::int64_t) + sizeof(T));
  box<T><<<box_blocks_, box_threads, table, stream>>>(after, u, layout_, layers_.begin, layers_.planes, points, sums);
  sums += box_blocks_;
  if (const auto blocks = static_cast<std::uint32_t>(segment_parts_.size()); blocks > 0) {
    corrections<T><<<blocks, threads, 0, stream>>>(segments(), segment_parts_.data(), after, u, sums);
    sums += blocks;
  }
  if (walls_.tally.count > 0) {
    branches<T><<<walls_.tally.count, threads, 0, stream>>>(walls_.sites, walls_.tally, sums);
    sums += walls_.tally.count;
  }
  if (const auto blocks = static_cast<std::uint32_t>(heavy_parts_.size()); blocks > 0)
    heavy<T><<<blocks, threads, 0, stream>>>(heavy_.data(), heavy_parts_.data(), walls_.near, points, after, u, sums);
  FDTD_CUDA(cudaGetLastError());
  std::vector<double> layers(layers_.count(), 0.0);
  const std::vector<double> of_parts = sums_.get();
  for (std::size_t part = 0; part < of_parts.size(); ++part) layers[layer_of_[part]] += of_parts[part];
  return layers;
}

template class EnergyMeter<float>;
template class EnergyMeter<double>;

}  // namespace fdtd::cuda
