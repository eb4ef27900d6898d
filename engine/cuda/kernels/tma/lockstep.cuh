// How the blocks of a marching launch share its work (tickets) and stay within max_lead planes of each other
// (meetings).
#pragma once

#include "engine/cuda/kernels/tma/columns.cuh"

namespace fdtd::cuda {

// Memory that the blocks of a launch share: this, and behind it how many blocks have come to each meeting. All zero
// before and after.
struct alignas(16) Tickets {
  int next, left;  // item to hand out; blocks that have ended
};

// max_lead: how many planes a block may be ahead of the last one. Blocks compare their progress at meetings, every
// stride_of() planes; a meeting costs a round trip to L2, so the fewer the better.
constexpr unsigned stride_of(int max_lead) {
  return max_lead < 4 ? 1 : max_lead < 16 ? 2 : static_cast<unsigned>(max_lead) / 4;
}
constexpr unsigned ahead_of(int max_lead) { return static_cast<unsigned>(max_lead) / stride_of(max_lead) - 1; }
inline constexpr int max_leads[] = {4, 3, 6, 64};  // 64: as good as none, for those that arithmetic binds
// Where blocks skip planes without air, those that have less to do should not wait for the others early.
inline constexpr int max_leads_beside_solids[] = {16, 8, 4, 64};

// The meetings of a launch whose blocks fetch so many planes each.
constexpr unsigned meetings_of(std::int64_t planes_a_block, unsigned stride) {
  return static_cast<unsigned>(planes_a_block / stride);
}

// A block's part, its fetching thread's. To keep step is a gain, never a need: a block that has waited for some 10 ms,
// as when another program's blocks hold the places of some of this launch's, continues without.
class Lockstep {
 public:
  __device__ __forceinline__ Lockstep(const MarchColumns& c, Tickets* tickets) : c_(c), tickets_(tickets) {}

  // Before a plane is fetched.
  __device__ __forceinline__ void step() {
    constexpr int patience = 1 << 14;
    if (attended_ == c_.meetings || ++planes_ / c_.stride <= attended_) return;
    const unsigned number = attended_;
    attend(number + 1);
    if (number < c_.ahead) return;
    const volatile unsigned* const arrived = counters() + (number - c_.ahead);
    for (int polls = 0; *arrived < gridDim.x; ++polls) {
      if (polls == patience) {
        attend(c_.meetings);
        return;
      }
      __nanosleep(20);
    }
  }
  // Instead of fetching so many planes: at their meetings nobody waits for this block.
  __device__ __forceinline__ void skip(int planes) {
    planes_ += static_cast<unsigned>(planes);
    attend(planes_ / c_.stride);
  }
  // No more items. The last block leaves all counts as it found them.
  __device__ __forceinline__ void end() {
    if (attended_ < c_.meetings) {
      attend(c_.meetings);
      __threadfence();  // no count comes after the last block's zeros
    }
    if (atomicAdd(&tickets_->left, 1) < static_cast<int>(gridDim.x) - 1) return;
    auto* const four = reinterpret_cast<uint4*>(counters());  // what is taken for them ends with whole ones
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
