// Progress on stderr, of a run and of work that is counted: on a terminal one line that is redrawn, elsewhere a line
// every ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "engine/run/run.hpp"

namespace fdtd::cli {

class Progress {
 public:
  Progress(std::int64_t nodes, bool quiet);
  void show(const fdtd::Progress& at, const std::string& label);  // `label` names the current pass ("source S1")
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t nodes_;
  bool quiet_, terminal_;
  bool drawn_ = false;
  Clock::time_point last_;
};

// "limits of accuracy: 12 of 609 stencils". Any thread may add.
class CountProgress {
 public:
  // `what` is done to `total` `things`.
  CountProgress(std::string what, std::string things, std::int64_t total);
  void add();
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  std::string what_, things_;
  std::int64_t total_, done_ = 0;
  bool terminal_, drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace fdtd::cli
