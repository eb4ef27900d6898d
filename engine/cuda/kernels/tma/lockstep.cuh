// How the blocks of a marching launch share its work (tickets) and stay within max_lead planes of each other
// (meetings).
#pragma once

#include "engine/cuda/kernels/tma/columns.cuh"

namespace fdtd::cuda {

constexpr unsigned rounds_of_meetings = 4;  // counted apart: more than `ahead`

// Memory that the blocks of a launch share. All zero before and after.
struct Tickets {
  unsigned long long arrived[rounds_of_meetings];  // at meetings 0, 4, 8 ..., at 1, 5 ..., at 2 ..., at 3 ...
  int next, left;                                  // item to hand out; blocks that have ended
};

// max_lead: how many planes a block may be ahead of the last one. Blocks compare their progress at meetings, every
// stride_of() planes; a meeting costs a round trip to L2, so the fewer the better.
constexpr unsigned stride_of(int max_lead) {
  return max_lead < 4 ? 1 : max_lead < 16 ? 2 : static_cast<unsigned>(max_lead) / 4;
}
constexpr unsigned ahead_of(int max_lead) { return static_cast<unsigned>(max_lead) / stride_of(max_lead) - 1; }
constexpr bool counted_apart(int max_lead) { return ahead_of(max_lead) < rounds_of_meetings; }
static_assert(counted_apart(3) && counted_apart(4) && counted_apart(6) && counted_apart(64));
inline constexpr int max_leads[] = {4, 3, 6, 64};  // 64: as good as none, for those that arithmetic binds

// No block waits for this one any more.
__device__ __forceinline__ void leave_meetings(Tickets* tickets) {
  for (unsigned long long& arrived : tickets->arrived) atomicAdd(&arrived, 1ULL << 40U);
}

// The block's meeting of this number, from 0. To keep step is a gain, never a need: a block that has waited for some 10
// ms, as when another program's blocks hold the places of some of this launch's, continues without. False: it has.
__device__ __forceinline__ bool meet(const MarchColumns& c, Tickets* tickets, unsigned number) {
  constexpr int patience = 1 << 14;
  atomicAdd(&tickets->arrived[number % rounds_of_meetings], 1ULL);
  if (number < c.ahead) return true;
  const unsigned due = number - c.ahead;
  const auto* const arrived =
      reinterpret_cast<volatile unsigned long long*>(&tickets->arrived[due % rounds_of_meetings]);
  const unsigned long long all = gridDim.x * (due / rounds_of_meetings + 1ULL);
  for (int polls = 0; *arrived < all; ++polls) {
    if (polls == patience) {
      leave_meetings(tickets);
      return false;
    }
    __nanosleep(20);
  }
  return true;
}

}  // namespace fdtd::cuda
