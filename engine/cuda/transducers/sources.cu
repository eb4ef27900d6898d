#include "engine/cuda/transducers/sources.hpp"

#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/gpu/reduce.cuh"

namespace fdtd::cuda {
namespace {

constexpr int threads = 128;

template <class T>
__global__ void __launch_bounds__(threads) drive(const DriveView<T> view, const double* f, std::int64_t stride, T* u0) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= view.nodes) return;
  const T before = u0[view.offset[i]];
  double force = 0.0;
  for (std::uint32_t p = view.begin[i]; p < view.begin[i + 1]; ++p)
    force += view.pairs[p].gain * f[view.pairs[p].source * stride];
  view.before[i] = before;
  u0[view.offset[i]] = static_cast<T>(static_cast<double>(before) - force);
}

// A block a layer: a fixed order.
template <class T>
__global__ void __launch_bounds__(threads)
    accumulate_injected_energy(const DriveView<T> view, const double* f, std::int64_t stride, const T* u0) {
  const LayerPart part = view.layers[blockIdx.x];
  double sum = 0.0;
  for (std::uint64_t i = part.begin + threadIdx.x; i < part.end; i += threads) {
    double force = 0.0;
    for (std::uint32_t p = view.begin[i]; p < view.begin[i + 1]; ++p)
      force += view.pairs[p].weight * f[view.pairs[p].source * stride];
    sum += force * (static_cast<double>(u0[view.offset[i]]) - static_cast<double>(view.before[i])) / 2.0;
  }
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) view.injected[part.layer] += sum;
}

}  // namespace

template <class T>
void launch_drive(const DriveView<T>& view, const double* f, std::int64_t stride, T* u0, Stream stream) {
  if (view.nodes == 0) return;
  drive<T><<<(view.nodes + threads - 1) / threads, threads, 0, stream>>>(view, f, stride, u0);
  FDTD_CUDA(cudaGetLastError());
}

template <class T>
void launch_accumulate_injected_energy(const DriveView<T>& view, const double* f, std::int64_t stride, const T* u0,
                                       Stream stream) {
  if (view.layer_count == 0) return;
  accumulate_injected_energy<T><<<view.layer_count, threads, 0, stream>>>(view, f, stride, u0);
  FDTD_CUDA(cudaGetLastError());
}

template void launch_drive(const DriveView<float>&, const double*, std::int64_t, float*, Stream);
template void launch_drive(const DriveView<double>&, const double*, std::int64_t, double*, Stream);
template void launch_accumulate_injected_energy(const DriveView<float>&, const double*, std::int64_t, const float*,
                                                Stream);
template void launch_accumulate_injected_energy(const DriveView<double>&, const double*, std::int64_t, const double*,
                                                Stream);

}  // namespace fdtd::cuda
