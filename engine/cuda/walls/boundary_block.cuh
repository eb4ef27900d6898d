// The work of a group of threads at the boundary nodes of a block of the tables, and at a receiver. For .cu files alone.
#pragma once

#include "engine/cuda/gpu/reduce.cuh"
#include "engine/cuda/transducers/receivers.hpp"
#include "engine/cuda/walls/add_losses.cuh"
#include "engine/cuda/walls/boundary_update.hpp"

namespace fdtd::cuda {

template <class Value>
__device__ void copy_words(Value* to, const Value* from, std::uint32_t words, std::uint32_t thread) {
  for (std::uint32_t w = thread; w < words; w += boundary_threads)
    reinterpret_cast<std::uint32_t*>(to)[w] = reinterpret_cast<const std::uint32_t*>(from)[w];
}

template <class T>
__device__ void sample_receiver(const ReceiversView& receivers, std::uint32_t receiver, const T* u) {
  const auto lane = threadIdx.x % 32;
  double p = 0.0;
  for (std::uint64_t i = receivers.begin[receiver] + lane; i < receivers.begin[receiver + 1]; i += 32)
    p += receivers.weight[i] * static_cast<double>(u[receivers.offset[i]]);
  p = warp_sum(p);
  if (lane > 0) return;
  const std::int64_t n = count_step(receivers.counter + receiver);
  if (n >= 0 && n < receivers.capacity) receivers.samples[receiver * receivers.capacity + n] = p;
}

// Memory that the threads share.
template <class T>
struct BoundaryShared {
  BoundaryGroup<T> group;
  FewRules<T> rules;
};

// The boundary nodes of a block: its threads copy what the nodes' group has in common to shared memory once; where that
// takes several turns, they load their nodes' own values meanwhile. Earlier work of the same step writes u0 alone, until
// until_u0() returns: the rest may be read before.
template <class T, class Threads, class Wait>
__device__ void update_boundary_block(const BoundaryView<T>& s, std::uint32_t block, int parity, T* u0,
                                      const Threads& threads, BoundaryShared<T>& shared, const Wait& until_u0) {
  BoundaryGroup<T>& g = shared.group;
  const std::uint32_t thread = threads.number();
  copy_words(&g, s.groups + s.group_of_block[block], sizeof(BoundaryGroup<T>) / 4, thread);
  threads.sync();
  const std::uint32_t i = (block - g.first_block) * boundary_threads + thread;
  const bool is_node = i < g.count;
  double lost = 0.0;
  if (has_few(g)) {
    FewRules<T>& rules = shared.rules;
    if (thread < g.sites) rules.law[thread] = s.laws[s.law_list[g.laws + thread]];
    FewOwn<T> own{};
    if (is_node) own = own_of_few(s, g, i, parity);
    threads.sync();
    if (thread < g.branches) rules.take_branch(s, thread);
    threads.sync();
    until_u0();
    if (is_node) lost = update_node_of_few_sites<T>(s, g, rules, own, i, parity, u0);
  } else if (is_node) {
    lost = update_boundary_node<T>(s, g, i, parity, u0, until_u0);
  }
  if (is_node) s.lost[parity][g.node + i] = static_cast<T>(lost);
}

}  // namespace fdtd::cuda
