// Adds up the energy that the walls took in the previous step, by layers. For .cu files alone.
#pragma once

#include "engine/cuda/gpu/reduce.cuh"
#include "engine/cuda/walls/loss_sums.hpp"

namespace fdtd::cuda {

// The next number of a counter that this thread alone uses; -1 at first, when there is no previous step.
__device__ inline std::int64_t count_step(std::int64_t* counter) {
  const std::int64_t n = *counter;
  *counter = n + 1;
  return n;
}

// Memory that the threads share.
struct LossShared {
  double of_warp[boundary_threads / 32];
  bool last;
};

// A part; the threads that end the last of a layer add its parts, in their order, to what the layer has lost so far. A
// thread reads `at_once` values at a time: first where they lie, then all of them.
template <int at_once, class T, class Threads>
__device__ void add_losses(const LossesView<T>& losses, std::uint32_t number, const Threads& together,
                           LossShared& shared) {
  constexpr int threads = boundary_threads, rounds = loss_part_nodes / threads / at_once;
  static_assert(rounds * at_once * threads == loss_part_nodes);
  const LossSumsView& loss_sums = losses.loss_sums;
  const LayerPart part = loss_sums.parts[number];
  double sum = 0.0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t place[at_once];
    T value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const std::uint64_t i = part.begin + together.number() + (round * at_once + k) * threads;
      place[k] = i < part.end ? loss_sums.place[i] : no_member;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) value[k] = place[k] == no_member ? T{} : losses.lost[place[k]];
#pragma unroll
    for (int k = 0; k < at_once; ++k) sum += static_cast<double>(value[k]);
  }
  sum = sum_of<threads>(together, sum, shared.of_warp);
  const std::uint32_t begin = loss_sums.first[part.layer], end = loss_sums.first[part.layer + 1];
  if (together.number() == 0) {
    loss_sums.sum[number] = sum;
    __threadfence();
    shared.last = atomicAdd(loss_sums.done + part.layer, 1U) + 1 == end - begin;
  }
  together.sync();
  if (!shared.last) return;
  __threadfence();
  sum = 0.0;
  for (std::uint32_t i = begin + together.number(); i < end; i += threads) sum += __ldcg(loss_sums.sum + i);
  sum = sum_of<threads>(together, sum, shared.of_warp);
  if (together.number() > 0) return;
  loss_sums.done[part.layer] = 0;
  if (count_step(losses.counter + part.layer) >= 0) losses.dissipated[part.layer] += sum;
}

// The same by a block.
template <int at_once, class T>
__device__ void add_losses(const LossesView<T>& losses, std::uint32_t block) {
  __shared__ LossShared shared;
  add_losses<at_once>(losses, block, WholeBlock{}, shared);
}

}  // namespace fdtd::cuda
