// A scene planned, and a scene run from its text to the files in the output folder: what `fdtd plan` and `fdtd run` do,
// without a word printed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "engine/reports/plan_report.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/session/output_place.hpp"
#include "engine/session/scene_request.hpp"
#include "engine/session/simulate.hpp"

namespace fdtd {

struct RunRequest {
  SceneRequest scene;
  PlaceOptions place;
  std::string kernel;             // empty: the fastest
  bool dry_run = false;           // the plan alone
  std::set<std::string> outputs;  // Output::name of those that have a flag
  bool retune = false;
  bool predict = true;  // the time that the run will take, for SessionCalls::planned
  Interval checkpoint_every{0, 600.0};
  double max_seconds = 0.0;  // for this session; 0: no limit
  // Sessions of this process that threads compute at a time on one GPU, each with a share of it; 1: this one alone, or on
  // CPUs. Where the device takes none, run_scene throws Error (resource).
  int rooms_at_once = 1;
  std::filesystem::path waves;  // a result whose record is taken where its plan is the same; empty: none
};

// Of a gradient by all materials that may move (room_gradient.hpp).
struct GradientRequest {
  std::int64_t memory = 0;  // bytes for the histories of its walls; 0: what is free
};

// Calls `report` at rank 0 with the plan of the scene, and of its gradient where that is asked for. The report refers to a
// scene and a plan that live as long as the call.
void plan_scene(const SceneRequest& request, const std::function<void(const PlanReport&)>& report,
                const PlanningStage& stage = {}, const std::optional<GradientRequest>& gradient = std::nullopt);

struct SessionEnd {
  enum class How {
    finished,
    ended_before,  // the run to resume is complete already, in `folder`
    planned,       // a dry run
    needs_ranks,   // nothing was done: the scene asks for so many ranks, and this process is alone
  };
  How how = How::finished;
  int ranks = 1;
  std::filesystem::path folder;
};

// `finished`: at rank 0 when every file is written. Threads are those that use_threads() has set for the calling
// thread. Several sessions may run at once in one process, each in its own folder. Throws Error.
SessionEnd run_scene(const RunRequest& request, const SessionCalls& calls,
                     const std::function<void(const Finished&, const PlanReport&)>& finished);

}  // namespace fdtd
