#include "cli/terminal/stop_on_signal.hpp"

namespace fdtd::cli {
namespace {

volatile std::sig_atomic_t stop_requested = 0;
void request_stop(int signal) {
  stop_requested = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopOnSignal::StopOnSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) before_[i] = std::signal(signals[i], request_stop);
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
}

int StopOnSignal::noted() { return stop_requested; }

}  // namespace fdtd::cli
