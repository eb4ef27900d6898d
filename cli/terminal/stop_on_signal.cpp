#include "cli/terminal/stop_on_signal.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace fdtd::cli {
namespace {

volatile std::sig_atomic_t stop_requested = 0;
std::atomic<const char*> answer_text = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

void request_stop(int signal) {
  stop_requested = signal;
  std::signal(signal, SIG_DFL);
  const char* const text = answer_text;
  if (text == nullptr) return;
  const int before = errno;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  errno = before;
}

}  // namespace

StopOnSignal::StopOnSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) before_[i] = std::signal(signals[i], request_stop);
}

StopOnSignal::~StopOnSignal() {
  answer(nullptr);
  for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
}

int StopOnSignal::noted() { return stop_requested; }

void StopOnSignal::answer(const char* text) { answer_text = text; }

}  // namespace fdtd::cli
