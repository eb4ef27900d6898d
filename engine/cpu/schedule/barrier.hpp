// Where all threads of a team wait for the last one. It is there within microseconds on a machine that is ours, and is
// waited for awake; on one with more work than processors someone else has its processor, and who goes on looking keeps it from
// coming back: 50 times slower steps were measured with OpenMP's own barrier, which looks for milliseconds. So those who
// have waited for a while sleep until they are woken.
#pragma once

#include <atomic>

namespace fdtd::cpu {

inline constexpr int patience = 4000;  // looks at what is waited for: some hundred microseconds

inline void look_again() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class Gate {
 public:
  // By every thread of a team of `threads`. What each did before is seen by all after.
  void pass(int threads) {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      here_.store(0, std::memory_order_relaxed);
      // In the one order of all: notify_all looks for sleepers, and one that has just looked here must be seen.
      turn_.store(turn + 1, std::memory_order_seq_cst);
      turn_.notify_all();
      return;
    }
    for (int i = 0; i < patience; ++i, look_again())
      if (turn_.load(std::memory_order_acquire) != turn) return;
    turn_.wait(turn, std::memory_order_acquire);
  }

 private:
  std::atomic<int> here_{0};
  std::atomic<unsigned> turn_{0};
};

}  // namespace fdtd::cpu
