#include "cli/terminal/progress.hpp"

#include "cli/terminal/say.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

namespace fdtd::cli {
namespace {

constexpr double terminal_interval = 0.1, plain_interval = 10.0;  // s between two lines

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0), last_(Clock::now()) {}

bool ProgressLine::due() {
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < (terminal_ ? terminal_interval : plain_interval))
    return false;
  last_ = now;
  return true;
}

void ProgressLine::draw(const std::string& line) {
  if (terminal_) {
    say_over(line);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    say("{}\n", line);
  }
}

void ProgressLine::finish() {
  if (drawn_) say_over("");
  std::fflush(stderr);
  drawn_ = false;
}

PlanningLine::PlanningLine(std::string what) : what_(std::move(what)), start_(ProgressLine::Clock::now()) {}

void PlanningLine::stage(const std::string& begins) {
  if (isatty(STDERR_FILENO) == 0) return;
  const std::lock_guard lock(mutex_);
  stage_ = begins;
  if (!finished_) return;
  finished_ = false;
  try {
    thread_ = std::thread([this] { draw_until_finished(); });
  } catch (const std::system_error&) {  // no thread for it: the work goes on unseen
    finished_ = true;
  }
}

void PlanningLine::draw_until_finished() {
  constexpr auto moment = std::chrono::milliseconds(500);
  ProgressLine line;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, moment, [this] { return finished_; })) {
    const double passed = std::chrono::duration<double>(ProgressLine::Clock::now() - start_).count();
    line.draw(fmt::format("{}, {}: {}", what_, clock_text(passed), stage_));
  }
  line.finish();
}

void PlanningLine::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Progress::Progress(std::int64_t nodes, bool quiet) : nodes_(nodes), quiet_(quiet) {}

void Progress::show(const fdtd::Progress& at, const std::string& label) {
  if (quiet_ || !line_.due()) return;
  const double left =
      static_cast<double>(nodes_) * static_cast<double>(at.total - at.step) / std::max(1e9 * at.gpts_per_second, 1.0);
  line_.draw(fmt::format("{:5.1f} %  step {} of {}  {}  {:.3g} Gpts/s  {} left",
                         100.0 * static_cast<double>(at.step) / static_cast<double>(at.total), at.step, at.total, label,
                         at.gpts_per_second, clock_text(left)));
}

CountProgress::CountProgress(std::string what, std::string things, std::int64_t total)
    : what_(std::move(what)), things_(std::move(things)), total_(total), start_(ProgressLine::Clock::now()) {}

void CountProgress::add() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (!line_.due()) return;
  const double passed = std::chrono::duration<double>(ProgressLine::Clock::now() - start_).count();
  line_.draw(fmt::format("{}: {} of {} {}, {} left", what_, done_, total_, things_,
                         clock_text(passed * static_cast<double>(total_ - done_) / static_cast<double>(done_))));
}

void CountProgress::finish() {
  const std::lock_guard lock(mutex_);
  line_.finish();
}

}  // namespace fdtd::cli
