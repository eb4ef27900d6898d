#include "engine/cpu/thread_count.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "engine/cpu/schedule/barrier.hpp"

namespace fdtd::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double seconds_a_weight = 5e-11;  // of a core with vectors
constexpr double min_of_a_thread = 20e-6;   // s a step: less does not hide an idle machine's barrier
constexpr double long_step = 5e-3;          // s in a thread: few waits are longer
constexpr double trial_window = 0.01;       // s
constexpr int trials = 3;                   // of each number of threads, by turns: one may be lucky
constexpr double worth_trying = 0.2;        // s of a run on one core

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Arithmetic that no compiler leaves out.
double work(double rounds) {
  double x = 1.0;
  for (double i = 0.0; i < rounds; i += 1.0) x = 0.5 * x + 1.0;
  return x;
}

// Rounds of work() a second of a core that nothing disturbs: the fastest of some short trials.
double rounds_a_second() {
  static const double rate = [] {
    constexpr double rounds = 5000.0;
    double best = 0.0;
    std::atomic<double> sink = 0.0;
    for (int i = 0; i < 20; ++i) {
      const auto start = Clock::now();
      sink = work(rounds);
      best = std::max(best, rounds / std::max(since(start), 1e-9));
    }
    return best;
  }();
  return rate;
}

}  // namespace

double core_seconds(const Plan& plan) {
  double weights = static_cast<double>(plan.grid.nodes()) * plan.stencil.point_count();
  for (const Tap& receiver : plan.receivers) weights += static_cast<double>(receiver.weights.size());
  return seconds_a_weight * weights;
}

double try_threads(double core_seconds, int threads) {
  const double rounds = rounds_a_second() * core_seconds / threads;
  SpinBarrier barrier;
  std::atomic<bool> over = false;
  std::atomic<double> sink = 0.0;
  int steps = 0;
  Clock::time_point start;
  double seconds = 0.0;
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads();
    barrier.arrive_and_wait(team);
#pragma omp master
    start = Clock::now();
    while (!over.load(std::memory_order_relaxed)) {
      sink.store(work(rounds), std::memory_order_relaxed);
      barrier.arrive_and_wait(team);
#pragma omp master
      {
        ++steps;
        seconds = since(start);
        if (seconds >= trial_window) over.store(true, std::memory_order_relaxed);
      }
      barrier.arrive_and_wait(team);  // all see whether it is over
    }
  }
  return seconds / steps;
}

bool busy_machine() {
  constexpr double crowded = 1.5;  // of the processors; this program's own threads count too
  double load = 0.0;
  return ::getloadavg(&load, 1) == 1 && load > crowded * static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
}

int threads_for(const Plan& plan, int most, bool busy, const StepTrial& trial) {
  const double alone = core_seconds(plan);
  const int wanted = std::clamp(static_cast<int>(std::min(alone / min_of_a_thread, 1e6)), 1, most);
  if (wanted == 1) return 1;
  const double passes = static_cast<double>(std::max<std::size_t>(1, pass_count(plan)));
  if (alone * static_cast<double>(plan.steps) * passes < worth_trying) return 1;
  if (alone / wanted > long_step) return wanted;
  if (busy) return 1;
  std::vector<int> candidates;
  for (int threads = wanted; threads > 1; threads /= 2) candidates.push_back(threads);
  candidates.push_back(1);
  std::vector<double> seconds(candidates.size(), 0.0);
  for (int i = 0; i < trials; ++i)
    for (std::size_t c = 0; c < candidates.size(); ++c) seconds[c] += trial(alone, candidates[c]);
  return candidates[static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin())];
}

}  // namespace fdtd::cpu
