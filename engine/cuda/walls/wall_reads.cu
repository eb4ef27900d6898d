#include "engine/cuda/walls/wall_reads.hpp"

#include <vector>

#include "engine/cuda/gpu/dependent_launch.cuh"

namespace fdtd::cuda {
namespace {

constexpr std::uint32_t threads = 128, values_a_thread = 4, values_a_block = threads * values_a_thread;

template <class T>
__global__ void __launch_bounds__(threads) keep_reads(const __grid_constant__ ReadsView<T> view, const T* q) {
  trigger_launch_completion();
  grid_dependency_sync();
  const std::int64_t row = view.counter[blockIdx.x];
  const ReadsTarget<T> target = *view.target;
  __syncthreads();  // all have read the counter
  if (threadIdx.x == 0) view.counter[blockIdx.x] = row + 1;
  if (target.rows == nullptr || row >= target.capacity) return;
  T* const to = target.rows + static_cast<std::uint64_t>(row) * view.values;
#pragma unroll
  for (std::uint32_t k = 0; k < values_a_thread; ++k) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * values_a_block + k * threads + threadIdx.x;
    if (i < view.values) to[i] = q[i];
  }
}

}  // namespace

template <class T>
ReadsMemory<T>::ReadsMemory(std::uint64_t values)
    : values_(values), target_(1), counter_((values + values_a_block - 1) / values_a_block) {}

template <class T>
void ReadsMemory<T>::start(const ReadsTarget<T>& target, std::int64_t rows) {
  target_.set({target});
  counter_.set(std::vector<std::int64_t>(counter_.size(), rows));
}

template class ReadsMemory<float>;
template class ReadsMemory<double>;

template <class T>
void launch_keep_reads(const ReadsView<T>& view, const T* q, Stream stream) {
  if (view.blocks > 0) launch_dependent(keep_reads<T>, view.blocks, threads, 0, stream, view, q);
}
template void launch_keep_reads(const ReadsView<float>&, const float*, Stream);
template void launch_keep_reads(const ReadsView<double>&, const double*, Stream);

}  // namespace fdtd::cuda
