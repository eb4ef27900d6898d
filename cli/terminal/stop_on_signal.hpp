// Signals that end a run between two blocks of its steps.
#pragma once

#include <array>
#include <csignal>

namespace fdtd::cli {

// During its lifetime SIGINT, SIGTERM and SIGUSR1 are noted and end no process; the second of a kind ends it at once.
// mpirun passes SIGUSR1 on to its ranks, and batch systems send it before the time limit.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  static int noted();                    // the signal, or 0
  static void answer(const char* text);  // what a signal that is noted from here on prints on stderr; nullptr: nothing

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM, SIGUSR1};
  std::array<void (*)(int), 3> before_{};
};

}  // namespace fdtd::cli
