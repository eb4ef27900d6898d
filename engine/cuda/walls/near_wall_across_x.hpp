// Near-wall corrections where a wall is across x, by warp shuffles. There the 32 nodes of a warp lie in 32 rows, and a
// value that neighbouring nodes share costs 32 accesses: the 50 entries of box-222 cost 1600. But the lanes of
// neighbouring rows read the same values of a row in turn. So each lane loads its own row, once a plane, and takes the
// values of other rows from their lanes; at the ends of a run, where there is no such lane, from memory. Sums add the
// entries in their order, to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cuda/gpu/host_device.hpp"

namespace fdtd::cuda {

// How an entry gets its value: from the lane so many rows on, of one of four registers, which its own row is loaded to
// first.
inline constexpr std::uint32_t step_rows = 7, step_register = 8, step_load = 32;
inline constexpr int max_rows_on = 3;                     // either way: bits of step_rows, less this
inline constexpr std::uint32_t max_registers = 4;         // of a face's nodes
inline constexpr std::uint32_t registers_of_a_batch = 2;  // of near-wall nodes that have few to spare
constexpr std::uint32_t register_of(std::uint32_t step) { return step / step_register % max_registers; }

struct Reach {
  int dx, dy, dz;
};

// Steps of entries in the order of the array, or nothing where they reach too far or would save little.
inline std::vector<std::uint8_t> steps_across(std::span<const Reach> entries, std::uint32_t most = max_registers) {
  std::vector<std::uint8_t> steps;
  std::size_t loads = 0;
  int cached[max_registers] = {};
  std::uint32_t registers = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto [dx, dy, dz] = entries[e];
    if (dy < -max_rows_on || dy > max_rows_on) return {};
    if (e == 0 || dz != entries[e - 1].dz) registers = 0;
    std::uint32_t at = 0;
    while (at < registers && cached[at] != dx) ++at;
    if (at == most) return {};
    auto step = static_cast<std::uint32_t>(dy + max_rows_on) | at * step_register;
    if (at == registers) {
      cached[registers++] = dx;
      step |= step_load;
      ++loads;
    }
    steps.push_back(static_cast<std::uint8_t>(step));
  }
  return 2 * loads <= entries.size() ? steps : std::vector<std::uint8_t>{};
}

#ifdef __CUDACC__

// What a lane knows of those beside it.
struct LanesBeside {
  unsigned lanes;  // of the warp, that are here
  unsigned known;  // bit rows + max_rows_on: the lane so many on has the node so many rows on
};

// All `lanes` must come here, `at` each one's node.
__device__ inline LanesBeside lanes_beside(unsigned lanes, std::int64_t at, std::int64_t row) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned known = 0;
#pragma unroll
  for (int rows = -max_rows_on; rows <= max_rows_on; ++rows) {
    const long long there = __shfl_sync(lanes, static_cast<long long>(at), lane + rows);
    const bool here = lane + rows >= 0 && lane + rows < 32 && (lanes >> (lane + rows) & 1U) != 0;
    if (here && there == at + rows * row) known |= 1U << (rows + max_rows_on);
  }
  return {lanes, known};
}

// Reads u[at + offset], entry by entry in their order, the same for all lanes.
template <class T, std::uint32_t registers>
struct ReadAcross {
  T cached[registers] = {};

  __device__ T operator()(const LanesBeside& beside, std::int32_t offset, std::uint32_t step, const T* u,
                          std::int64_t at, std::int64_t row) {
    const int bit = static_cast<int>(step & step_rows), rows = bit - max_rows_on;
    if (step & step_load) {
      const T own = u[at + offset - rows * row];
#pragma unroll
      for (std::uint32_t i = 0; i < registers; ++i) cached[i] = register_of(step) == i ? own : cached[i];
    }
    T of_row = cached[0];
#pragma unroll
    for (std::uint32_t i = 1; i < registers; ++i) of_row = register_of(step) == i ? cached[i] : of_row;
    const T value = __shfl_sync(beside.lanes, of_row, static_cast<int>(threadIdx.x % 32) + rows);
    return (beside.known >> bit & 1U) != 0 ? value : u[at + offset];
  }
};

// The sum of weight u[at + offset] over entries [begin, end); entry(e): {offset, step, weight}.
template <class T, class Entry>
__device__ T sum_across(const LanesBeside& beside, const Entry& entry, std::uint32_t begin, std::uint32_t end,
                        const T* u, std::int64_t at, std::int64_t row) {
  ReadAcross<T, registers_of_a_batch> read;
  T sum{};
  for (std::uint32_t e = begin; e < end; ++e) {
    const auto [offset, step, weight] = entry(e);
    sum = fused(weight, read(beside, offset, step, u, at, row), sum);
  }
  return sum;
}

#endif

}  // namespace fdtd::cuda
