#include "engine/cuda/adjoint/correlation.hpp"

#include <iterator>

#include "engine/cuda/gpu/launch.cuh"

namespace fdtd::cuda {
namespace {

constexpr int threads = correlation_threads;

template <class T, int B>
__global__ void __launch_bounds__(threads)
    correlate_known(const __grid_constant__ CorrelationView<T> view, std::uint32_t first_part,
                    const __grid_constant__ CorrelatedRows<T> rows) {
  __shared__ BranchCoefficients<T> rule[B];
  const CorrelationPart part = view.parts[first_part + blockIdx.x];
  const LawCoefficients<T> law = view.laws[part.law];
  if (threadIdx.x < B) rule[threadIdx.x] = view.branches[law.branch_begin + threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= part.count) return;
  BranchValues<T>* const state = view.state + part.state + threadIdx.x;
  KnownSite<T, B> site{};
#pragma unroll
  for (std::uint32_t stage = 0; stage < correlation_stages; ++stage)
#pragma unroll
    for (std::uint32_t b = 0; b < B; ++b) site.states[stage][b] = state[(stage * B + b) * threads];
  correlate_block(rows, view.place[part.site + threadIdx.x], law, rule, site);
#pragma unroll
  for (std::uint32_t stage = 0; stage < correlation_stages; ++stage)
#pragma unroll
    for (std::uint32_t b = 0; b < B; ++b) state[(stage * B + b) * threads] = site.states[stage][b];
  double* sum = view.sum + part.sum + threadIdx.x;
  const auto add = [&sum](T value) {
    *sum += static_cast<double>(value);
    sum += threads;
  };
#pragma unroll
  for (int b = 0; b < B; ++b) add(site.by_terms[b].D), add(site.by_terms[b].E), add(site.by_terms[b].F);
  add(site.by_inertance), add(site.by_admittance), add(site.by_weight);
}

template <class T>
__global__ void __launch_bounds__(threads)
    correlate_any(const __grid_constant__ CorrelationView<T> view, std::uint32_t first_part,
                  const __grid_constant__ CorrelatedRows<T> rows) {
  const CorrelationPart part = view.parts[first_part + blockIdx.x];
  const LawCoefficients<T> law = view.laws[part.law];
  if (threadIdx.x >= part.count) return;
  AnySite<T> site{view.state + part.state + threadIdx.x, view.sum + part.sum + threadIdx.x,
                  law.branch_end - law.branch_begin, threads};
  correlate_block(rows, view.place[part.site + threadIdx.x], law, view.branches + law.branch_begin, site);
}

}  // namespace

template <class T>
void launch_correlation(const CorrelationView<T>& view, const std::vector<PartsOfLaws>& by_branches,
                        const CorrelatedRows<T>& rows, Stream stream) {
  constexpr decltype(&correlate_any<T>) kernels[] = {correlate_any<T>,      correlate_known<T, 1>,
                                                     correlate_known<T, 2>, correlate_known<T, 3>,
                                                     correlate_known<T, 4>, correlate_known<T, 5>};
  static_assert(std::size(kernels) == most_known_branches + 1);
  for (const PartsOfLaws& some : by_branches) {
    const auto kernel = kernels[some.branches <= most_known_branches ? some.branches : 0];
    kernel<<<some.end - some.begin, threads, 0, stream>>>(view, some.begin, rows);
    FDTD_CUDA(cudaGetLastError());
  }
}

template void launch_correlation(const CorrelationView<float>&, const std::vector<PartsOfLaws>&,
                                 const CorrelatedRows<float>&, Stream);
template void launch_correlation(const CorrelationView<double>&, const std::vector<PartsOfLaws>&,
                                 const CorrelatedRows<double>&, Stream);

}  // namespace fdtd::cuda
