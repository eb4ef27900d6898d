#include "engine/system/heartbeat.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <utility>

namespace fdtd {
namespace {

// Seconds between beats at most, and beats within the patience at least: ranks may differ in patience.
constexpr double max_interval = 0.5, min_beats = 20.0;

// Signals go to the thread that computes.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Heartbeat::Heartbeat(HeartLine line, double patience)
    : line_(std::move(line)), thread_([this, patience](const std::stop_token& stop) { live(stop, patience); }) {}

// Silence is counted in this thread's own beats: when all processes have been stopped and continued, no time has
// passed.
void Heartbeat::live(const std::stop_token& stop, double patience) const {
  block_signals();
  const std::chrono::duration<double> between{std::min(max_interval, patience / min_beats)};
  std::mutex mutex;
  std::condition_variable_any asleep;
  std::unique_lock lock(mutex);
  for (double silent = 0.0; !stop.stop_requested(); asleep.wait_for(lock, stop, between, [] { return false; })) {
    line_.beat();
    silent = line_.received() ? 0.0 : silent + between.count();
    if (silent <= patience) continue;
    line_.silence(silent);
    return;
  }
}

}  // namespace fdtd
