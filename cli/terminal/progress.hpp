// Progress on stderr, of a run and of work that is counted: on a terminal one line that is redrawn, elsewhere a line
// every ten seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "engine/run/run.hpp"

namespace fdtd::cli {

// The line: when it is due again, and how it is drawn.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  ProgressLine();
  bool due();  // since the last time it was; then that is now
  void draw(const std::string& line);
  void finish();  // removes what is drawn

 private:
  bool terminal_, drawn_ = false;
  Clock::time_point last_;
};

// "planning, 12 s: 10082 triangles on a grid of 60 x 40 x 30 nodes": on a terminal alone, once the work has taken a
// moment, and again each second.
class PlanningLine {
 public:
  explicit PlanningLine(std::string what = "planning");
  ~PlanningLine() { finish(); }
  PlanningLine(const PlanningLine&) = delete;
  PlanningLine& operator=(const PlanningLine&) = delete;
  void stage(const std::string& begins);
  void finish();  // removes what is drawn, until the next stage()

 private:
  void draw_until_finished();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_, stage_;
  bool finished_ = true;
  ProgressLine::Clock::time_point start_;
  std::thread thread_;
};

class Progress {
 public:
  Progress(std::int64_t nodes, bool quiet);
  void show(const fdtd::Progress& at, const std::string& label);  // `label` names the current pass ("source S1")
  void finish() { line_.finish(); }

 private:
  std::int64_t nodes_;
  bool quiet_;
  ProgressLine line_;
};

// "limits of accuracy: 12 of 609 stencils". Any thread may add.
class CountProgress {
 public:
  // `what` is done to `total` `things`.
  CountProgress(std::string what, std::string things, std::int64_t total);
  void add();
  void finish();

 private:
  std::mutex mutex_;
  std::string what_, things_;
  std::int64_t total_, done_ = 0;
  ProgressLine line_;
  ProgressLine::Clock::time_point start_;
};

}  // namespace fdtd::cli
