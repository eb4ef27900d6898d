// How the blocks of a marching launch share its work (tickets) and stay within max_lead planes of each other
// (meetings).
#pragma once

#include "engine/cuda/kernels/tma/columns.cuh"

namespace fdtd::cuda {

constexpr unsigned rounds_of_meetings = 4;  // counted apart: more than `ahead`

// Memory that the blocks of a launch share, and behind it, where they skip planes, how many of them have come to each
// meeting. All zero before and after.
struct alignas(16) Tickets {
  unsigned long long arrived[rounds_of_meetings];  // without skipping: at meetings 0, 4, 8 ..., at 1, 5 ..., at 2 ...
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
// Where blocks skip planes without air, those that have less to do should not wait for the others early.
inline constexpr int max_leads_beside_solids[] = {16, 8, 4, 64};

// The meetings of a launch whose blocks fetch so many planes each.
constexpr unsigned meetings_of(std::int64_t planes_a_block, unsigned stride) {
  return static_cast<unsigned>(planes_a_block / stride);
}

// Waits until all blocks have come to a meeting, for some 10 ms at most: to keep step is a gain, never a need, and
// another program's blocks may hold the places of some of this launch's. False: some have not come.
template <class Count>
__device__ __forceinline__ bool await_all(const volatile Count* arrived, Count all) {
  constexpr int patience = 1 << 14;
  for (int polls = 0; *arrived < all; ++polls) {
    if (polls == patience) return false;
    __nanosleep(20);
  }
  return true;
}

// A block's part, its fetching thread's, where every block fetches all planes of its items.
class Lockstep {
 public:
  __device__ __forceinline__ Lockstep(const MarchColumns& c, Tickets* tickets) : c_(c), tickets_(tickets) {}

  // Before a plane is fetched.
  __device__ __forceinline__ void step() {
    if (!in_step_ || ++planes_ % c_.stride != 0) return;
    const unsigned number = planes_ / c_.stride - 1;
    atomicAdd(&tickets_->arrived[number % rounds_of_meetings], 1ULL);
    if (number < c_.ahead) return;
    const unsigned due = number - c_.ahead;
    if (await_all(&tickets_->arrived[due % rounds_of_meetings], gridDim.x * (due / rounds_of_meetings + 1ULL))) return;
    leave();
    in_step_ = false;
  }
  // No block waits for this one any more.
  __device__ __forceinline__ void leave() {
    for (unsigned long long& arrived : tickets_->arrived) atomicAdd(&arrived, 1ULL << 40U);
  }
  // The last block leaves all counts as it found them.
  __device__ __forceinline__ void end() {
    if (atomicAdd(&tickets_->left, 1) == static_cast<int>(gridDim.x) - 1) *tickets_ = {};
  }

 private:
  const MarchColumns& c_;
  Tickets* tickets_;
  unsigned planes_ = 0;
  bool in_step_ = true;
};

// The same where blocks skip planes without air: they keep step by the plane's number, so each meeting has a count.
class LockstepOfSkippers {
 public:
  __device__ __forceinline__ LockstepOfSkippers(const MarchColumns& c, Tickets* tickets) : c_(c), tickets_(tickets) {}

  __device__ __forceinline__ void step() {
    if (attended_ == c_.meetings || ++planes_ / c_.stride <= attended_) return;
    const unsigned number = attended_;
    attend(number + 1);
    if (number >= c_.ahead && !await_all(counters() + (number - c_.ahead), gridDim.x)) attend(c_.meetings);
  }
  // Instead of fetching so many planes: at their meetings nobody waits for this block.
  __device__ __forceinline__ void skip(int planes) {
    planes_ += static_cast<unsigned>(planes);
    attend(planes_ / c_.stride);
  }
  __device__ __forceinline__ void leave() {
    if (attended_ < c_.meetings) {
      attend(c_.meetings);
      __threadfence();  // no count comes after the last block's zeros
    }
  }
  __device__ __forceinline__ void end() {
    if (atomicAdd(&tickets_->left, 1) < static_cast<int>(gridDim.x) - 1) return;
    auto* const four = reinterpret_cast<uint4*>(counters());  // the memory behind them ends with whole ones
    for (unsigned i = 0; i < (c_.meetings + 3) / 4; ++i) four[i] = {};
    *tickets_ = {};
  }

 private:
  __device__ __forceinline__ unsigned* counters() const { return reinterpret_cast<unsigned*>(tickets_ + 1); }
  __device__ __forceinline__ void attend(unsigned until) {
    for (until = min(until, c_.meetings); attended_ < until; ++attended_) atomicAdd(counters() + attended_, 1U);
  }

  const MarchColumns& c_;
  Tickets* tickets_;
  unsigned planes_ = 0, attended_ = 0;  // planes so far; meetings
};

}  // namespace fdtd::cuda
