#include "engine/system/threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/error.hpp"

namespace fdtd {
namespace {

constexpr int max_per_processor = 4;

int environment_threads() {
  static const int threads = omp_get_max_threads();
  return threads;
}

void* wait_for_gate(void* gate) {
  const std::lock_guard lock(*static_cast<std::mutex*>(gate));
  return nullptr;
}

// Starts `wanted` threads besides this one, all at the same time, and ends them; the error of the first that cannot be
// started, or 0. `started` counts those before it.
int try_threads(int wanted, int& started) {
  std::vector<pthread_t> threads;
  threads.reserve(static_cast<std::size_t>(wanted));
  std::mutex gate;
  int code = 0;
  {
    const std::lock_guard lock(gate);
    while (code == 0 && static_cast<int>(threads.size()) < wanted) {
      pthread_t thread{};
      code = pthread_create(&thread, nullptr, wait_for_gate, &gate);
      if (code == 0) threads.push_back(thread);
    }
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  started = static_cast<int>(threads.size());
  return code;
}

}  // namespace

ThreadChoice choose_threads(int requested, int environment, int processors) {
  const int wanted = std::max(requested > 0 ? requested : environment, 1);
  const int allowed = max_per_processor * std::max(processors, 1);
  ThreadChoice choice{std::min(wanted, allowed), ""};
  if (wanted <= processors) return choice;
  const std::string by = fmt::format("{}{}", requested > 0 ? "--threads " : "OMP_NUM_THREADS=", wanted);
  const std::string has = fmt::format("this process may use {} processor{}", processors, processors == 1 ? "" : "s");
  choice.note = wanted > allowed ? fmt::format("{}: {}; {} threads compute, the limit", by, has, choice.threads)
                                 : fmt::format("{}: {}; more threads than that are slower", by, has);
  return choice;
}

ThreadChoice choose_threads(int requested) {
  return choose_threads(requested, environment_threads(), omp_get_num_procs());
}

void limit_threads() { omp_set_num_threads(choose_threads(0).threads); }

ThreadChoice use_threads(int requested) {
  ThreadChoice choice = choose_threads(requested);
  int started = 0;
  if (const int code = try_threads(choice.threads - 1, started))
    throw Error(Status::resource,
                fmt::format("{} of {} threads can be started: {}", started + 1, choice.threads,
                            std::generic_category().message(code)),
                fmt::format("use --threads {}, or raise the limits on processes and memory (`ulimit -u`, `ulimit -v`)",
                            started + 1));
  omp_set_num_threads(choice.threads);
  return choice;
}

int hardware_threads() { return omp_get_max_threads(); }

}  // namespace fdtd
