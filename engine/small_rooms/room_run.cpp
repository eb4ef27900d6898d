#include "engine/small_rooms/room_run.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"
#include "engine/profiling/predict.hpp"
#include "engine/session/simulate.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {
namespace {

// Calls back when steps have ended, also by an exception.
class EndOfSteps {
 public:
  explicit EndOfSteps(const RoomCalls& calls) : calls_(calls) {}
  ~EndOfSteps() {
    if (calls_.end) calls_.end();
  }
  EndOfSteps(const EndOfSteps&) = delete;
  EndOfSteps& operator=(const EndOfSteps&) = delete;

 private:
  const RoomCalls& calls_;
};

}  // namespace

std::int64_t bytes_of_run(const WavePlan& waves, const Plan& plan) {
  // Records, and once more while a block of them is copied.
  const auto records = static_cast<std::int64_t>(plan.sources.size() * plan.receivers.size()) * (plan.steps + 1) * 8;
  return waves.planned.memory.total() + 2 * records;
}

Recording run_room(WavePlan& waves, const Plan& plan, int threads, const RoomCalls& calls) {
  const std::int64_t bytes = bytes_of_run(waves, plan), available = available_memory();
  if (bytes > available)
    throw Error(Status::resource,
                fmt::format("{} sources, {} receivers and {} steps need {} of memory, {} are available",
                            plan.sources.size(), plan.receivers.size(), plan.steps,
                            human_bytes(static_cast<double>(bytes)), human_bytes(static_cast<double>(available))),
                "a lower --to needs less, and so do fewer points or places");
  if (calls.planned) {
    const bool search = worth_a_search(plan, waves.device.target);
    const PredictedTime time = predict_time(waves.scene, waves.planned, waves.device.target, threads, search, 0.0);
    // Of the passes of the scene alone.
    const double passes = static_cast<double>(plan.sources.size()) / static_cast<double>(waves.planned.passes());
    calls.planned(waves, plan, bytes, time.steps * passes);
  }
  BackendOptions options;
  options.threads = threads;
  options.tune = worth_a_search(plan, waves.device.target);
  options.tile_order_file = default_tile_order_file();
  options.ranks = &ranks();
  const auto backend = make_backend(waves.device.target, options);
  RunCallbacks callbacks;
  if (calls.progress) callbacks.progress = [&](const Progress& at) { calls.progress(plan, at); };
  callbacks.stop = calls.stop;
  if (calls.begin) calls.begin(plan);
  const EndOfSteps end(calls);
  return run(plan, *backend, callbacks);
}

}  // namespace fdtd
