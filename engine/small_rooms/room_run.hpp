// The run of a planned room with more receivers and sources than its scene has: single nodes.
#pragma once

#include <functional>

#include "engine/run/run.hpp"
#include "engine/small_rooms/room_points.hpp"
#include "engine/small_rooms/wave_scene.hpp"

namespace fdtd {

// Each may be empty.
struct RoomCalls {
  PlanningStage stage;
  // The plan that will run, its memory and the seconds that its steps will take.
  std::function<void(const WavePlan&, const Plan&, std::int64_t bytes, double seconds)> planned;
  std::function<void(const Plan&)> begin;
  std::function<void(const Plan&, const Progress&)> progress;
  std::function<bool()> stop;  // true: the run ends, with Error (interrupted)
  std::function<void()> end;   // after the last step, however it comes
};

// Bytes of the run of `plan` on the waves' grid, records and what is made of them included.
std::int64_t bytes_of_run(const WavePlan& waves, const Plan& plan);

// Throws Error (resource), before anything is allocated, where memory does not hold the run; as run() does.
Recording run_room(WavePlan& waves, const Plan& plan, int threads, const RoomCalls& calls);

}  // namespace fdtd
