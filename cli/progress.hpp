// Progress of a run on stderr: on a terminal one line that is redrawn, elsewhere a line every ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
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

}  // namespace fdtd::cli
