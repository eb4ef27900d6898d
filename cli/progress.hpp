// Progress of a run on stderr: one line redrawn on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fdtd::cli {

class Progress {
 public:
  // `nodes` times steps give Gpts/s; `label` names what runs ("source S1").
  Progress(std::int64_t nodes, std::int64_t total_steps, bool quiet);
  void show(std::int64_t steps_done, const std::string& label);
  void finish();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t nodes_, total_;
  bool quiet_, terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace fdtd::cli
