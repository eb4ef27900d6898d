// A barrier for the threads of a team: waiting threads spin briefly, then sleep.
//
// On an idle machine the last thread arrives within microseconds. On an oversubscribed machine a spinning thread can
// occupy the core that the last thread needs: with OpenMP's own barrier, which spins for milliseconds, steps took 50
// times as long.
#pragma once

#include <atomic>

namespace fdtd::cpu {

inline constexpr int max_spins = 4000;  // some hundred microseconds

inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class SpinBarrier {
 public:
  // Called by every thread of a team of `threads`: what a thread wrote before is visible to all threads after.
  void arrive_and_wait(int threads) {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      here_.store(0, std::memory_order_relaxed);
      // Sequentially consistent: notify_all must see every thread that has read the old value and goes to sleep.
      turn_.store(turn + 1, std::memory_order_seq_cst);
      turn_.notify_all();
      return;
    }
    for (int i = 0; i < max_spins; ++i, spin_pause())
      if (turn_.load(std::memory_order_acquire) != turn) return;
    turn_.wait(turn, std::memory_order_acquire);
  }

 private:
  std::atomic<int> here_{0};
  std::atomic<unsigned> turn_{0};
};

}  // namespace fdtd::cpu
