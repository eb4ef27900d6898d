// How the blocks of a marching launch share its work and keep step: tickets and meetings.
#pragma once

#include "engine/cuda/kernels/tma/columns.cuh"

namespace fdtd::cuda {

constexpr unsigned rounds_of_meetings = 4;  // counted apart: more than `ahead`

// What the blocks of a launch have in common. All zero before and after.
struct Tickets {
  unsigned long long arrived[rounds_of_meetings];  // at meetings 0, 4, 8 ..., at 1, 5 ..., at 2 ..., at 3 ...
  int next, left;                                  // item to hand out; blocks that have ended
};

// A pace, in planes that a block may be ahead of the last, told as meetings. To meet costs a round trip to L2, the less
// often the better where there is room for it.
constexpr unsigned stride_of(int pace) { return pace < 4 ? 1 : pace < 16 ? 2 : static_cast<unsigned>(pace) / 4; }
constexpr unsigned ahead_of(int pace) { return static_cast<unsigned>(pace) / stride_of(pace) - 1; }
constexpr bool counted_apart(int pace) { return ahead_of(pace) < rounds_of_meetings; }
static_assert(counted_apart(3) && counted_apart(4) && counted_apart(6) && counted_apart(64));
inline constexpr int paces[] = {4, 3, 6, 64};  // 64: as good as none, for those that arithmetic binds

// Nobody waits for this block any more.
__device__ __forceinline__ void leave_meetings(Tickets* tickets) {
  for (unsigned long long& arrived : tickets->arrived) atomicAdd(&arrived, 1ULL << 40U);
}

// The block's meeting of this number, from 0. To keep step is a gain, never a need: a block that has waited for some 10
// ms, as when another program's blocks hold the places of some of this launch's, goes on without. False: it has.
__device__ __forceinline__ bool meet(const MarchColumns& c, Tickets* tickets, unsigned number) {
  constexpr int patience = 1 << 14;
  atomicAdd(&tickets->arrived[number % rounds_of_meetings], 1ULL);
  if (number < c.ahead) return true;
  const unsigned due = number - c.ahead;
  const auto* const arrived =
      reinterpret_cast<volatile unsigned long long*>(&tickets->arrived[due % rounds_of_meetings]);
  const unsigned long long all = gridDim.x * (due / rounds_of_meetings + 1ULL);
  for (int asked = 0; *arrived < all; ++asked) {
    if (asked == patience) {
      leave_meetings(tickets);
      return false;
    }
    __nanosleep(20);
  }
  return true;
}

}  // namespace fdtd::cuda
