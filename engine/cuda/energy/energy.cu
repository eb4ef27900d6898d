#include "engine/cuda/energy/energy.hpp"
#include "engine/cuda/field/flat_points.hpp"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/gpu/reduce.cuh"
#include "engine/cuda/walls/boundary_update.hpp"
#include "engine/plan/image_walls.hpp"

namespace fdtd::cuda {
namespace {

constexpr int threads = boundary_threads;
// (2 - S) u = rest u + sum of weight (u - u_k), as in energy_box.cu.
template <class T>
struct Points {
  const std::int64_t* offset;
  const T* weight;
  int count;
  double rest;
};

template <class T>
__device__ double stiffness(const Points<T>& points, const T* u) {
  T sum{};
  for (int k = 0; k < points.count; ++k) sum += points.weight[k] * (*u - u[points.offset[k]]);
  return static_cast<double>(sum) + points.rest * static_cast<double>(*u);
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
__global__ void __launch_bounds__(threads)
    branches(const BoundaryView<T> sites, const LossSumsView loss_sums, double* parts) {
  const LayerPart part = loss_sums.parts[blockIdx.x];
  double sum = 0.0;
  for (std::uint64_t i = part.begin + threadIdx.x; i < part.end; i += threads)
    sum += stored_energy(sites, loss_sums.place[i]);
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// Masses other than 1: (mass - 1) times the node's energy, corrections counted.
template <class T>
__global__ void __launch_bounds__(threads)
    mass_energy(const MassNode* nodes, const LayerPart* layer_parts, const __grid_constant__ NearView<T> near,
                const Points<T> points, const T* after, const T* u, double* parts) {
  const LayerPart part = layer_parts[blockIdx.x];
  double sum = 0.0;
  for (std::uint64_t i = part.begin + threadIdx.x; i < part.end; i += threads) {
    const std::int64_t at = nodes[i].offset;
    const double here = energy_of(static_cast<double>(after[at]), static_cast<double>(u[at]),
                                  stiffness(points, u + at) - near.exact_correction(nodes[i].row, u, at));
    // The corrections' own part is counted with mass 1 elsewhere.
    sum += nodes[i].excess * here;
  }
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// A layer's parts of all kinds, in their order.
struct PartSums {
  const double* sum[4];
  const std::uint32_t* first[4];  // of a layer's parts, and one more
};
__global__ void __launch_bounds__(threads) add_parts(const PartSums parts, double* layers) {
  double sum = 0.0;
  for (int kind = 0; kind < 4; ++kind)
    for (std::uint32_t p = parts.first[kind][blockIdx.x] + threadIdx.x; p < parts.first[kind][blockIdx.x + 1];
         p += threads)
      sum += parts.sum[kind][p];
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) layers[blockIdx.x] = sum;
}

}  // namespace

template <class T>
EnergyMeter<T>::EnergyMeter(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers,
                            const ImageWalls& mirror, const EnergyTables<T>& tables,
                            const std::vector<MassNode>& mass_nodes, const LossSums& loss_sums,
                            const WallsView<T>& walls)
    : layers_(layers),
      walls_(walls),
      box_(stencil, layout, layers, mirror),
      segments_(tables.segments),
      entry_begin_(tables.entry_begin),
      entry_offset_(tables.entry_offset),
      entry_weight_(tables.entry_weight),
      segment_parts_(tables.segment_parts),
      mass_parts_(tables.mass_parts),
      mass_nodes_(mass_nodes) {
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
  std::vector<std::uint32_t> of_box(std::size_t{layers.count()} + 1);
  for (std::uint32_t layer = 0; layer <= layers.count(); ++layer) of_box[layer] = layer * box_.parts_a_layer();
  const std::array<std::vector<std::uint32_t>, 4> first = {of_box, first_parts(tables.segment_parts, layers.count()),
                                                           loss_sums.first,
                                                           first_parts(tables.mass_parts, layers.count())};
  for (std::size_t kind = 0; kind < first.size(); ++kind) {
    first_[kind] = DeviceArray<std::uint32_t>(first[kind]);
    sums_[kind] = DeviceArray<double>(first[kind].back());
  }
  layers_sum_ = DeviceArray<double>(layers.count());
}

template <class T>
std::vector<double> EnergyMeter<T>::stored(const T* after, const T* u, Stream stream) const {
  const Points<T> points{offset_.data(), weight_.data(), static_cast<int>(offset_.size()), rest_};
  box_.launch(after, u, sums_[0].data(), stream);
  if (const auto blocks = static_cast<std::uint32_t>(segment_parts_.size()); blocks > 0)
    corrections<T><<<blocks, threads, 0, stream>>>(segments(), segment_parts_.data(), after, u, sums_[1].data());
  if (walls_.loss_sums.count > 0)
    branches<T><<<walls_.loss_sums.count, threads, 0, stream>>>(walls_.sites, walls_.loss_sums, sums_[2].data());
  if (const auto blocks = static_cast<std::uint32_t>(mass_parts_.size()); blocks > 0)
    mass_energy<T><<<blocks, threads, 0, stream>>>(mass_nodes_.data(), mass_parts_.data(), walls_.near, points, after,
                                                   u, sums_[3].data());
  PartSums parts{};
  for (std::size_t kind = 0; kind < sums_.size(); ++kind) {
    parts.sum[kind] = sums_[kind].data();
    parts.first[kind] = first_[kind].data();
  }
  add_parts<<<static_cast<std::uint32_t>(layers_sum_.size()), threads, 0, stream>>>(parts, layers_sum_.data());
  FDTD_CUDA(cudaGetLastError());
  return layers_sum_.get();
}

template class EnergyMeter<float>;
template class EnergyMeter<double>;

}  // namespace fdtd::cuda
