#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

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

Progress::Progress(std::int64_t nodes, std::int64_t total_steps, bool quiet)
    : nodes_(nodes),
      total_(total_steps),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::show(std::int64_t steps_done, const std::string& label) {
  if (quiet_) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < (terminal_ ? terminal_interval : plain_interval)) return;
  last_ = now;
  const double elapsed = seconds();
  const double rate = static_cast<double>(nodes_) * static_cast<double>(steps_done) / elapsed * 1e-9;
  const double left =
      elapsed * static_cast<double>(total_ - steps_done) / static_cast<double>(steps_done > 0 ? steps_done : 1);
  const std::string line = fmt::format("{:5.1f} %  step {} of {}  {}  {:.3g} Gpts/s  {} left",
                                       100.0 * static_cast<double>(steps_done) / static_cast<double>(total_),
                                       steps_done, total_, label, rate, clock_text(left));
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void Progress::finish() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace fdtd::cli
