// Runs a plan with a time limit, checkpoints in the output folder, and a caller who watches and may end it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/checkpoint/checkpoint.hpp"
#include "engine/devices/target.hpp"
#include "engine/planning/outline/rank_part.hpp"
#include "engine/reports/plan_report.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/run/run.hpp"

namespace fdtd {

// How often a checkpoint is written: by steps or by time; neither: only when the run is interrupted.
struct Interval {
  std::int64_t steps = 0;
  double seconds = 0.0;
};
// "500 steps", "30s", "10min", "2h", "off". Throws Error(scene).
Interval parse_interval(const std::string& text);
// "90s", "30min", "24h". Throws Error(scene).
double parse_time(const std::string& text);

struct SimulateOptions {
  Target target;
  const PlanPart* part = nullptr;  // of this rank, for a plan that several share
  int threads = 0;
  std::string kernel;                       // empty: the fastest
  bool retune = false;                      // search for the fastest order of work or tiles even if one is stored
  std::filesystem::path folder;             // of the checkpoints
  std::filesystem::path resumed_from = {};  // the checkpoint of `from`
  Interval checkpoint_every;
  double max_seconds = 0.0;   // for this session; 0: no limit
  int rooms_at_once = 1;      // of RunRequest
  bool keep_records = false;  // write a checkpoint of the records once all passes are done: long work follows
  CheckpointLabel label;
  SnapshotWriter* snapshots = nullptr;  // of a plan with snapshots
};

// Whether the run is so long that a search for the fastest order of work or tiles costs little of it.
bool worth_a_search(const Plan& plan, const Target& target);

struct Simulated {
  Recording recording;
  double seconds = 0.0;        // spent in time steps, over all sessions
  std::filesystem::path kept;  // the checkpoint that holds the records; empty: none was asked for, or see `not_kept`
  std::string not_kept;        // why it could not be written; the run goes on
};

// Calls by which the caller sees a session and ends its steps. Each may be empty. Called from the thread that
// runs the session, on every rank.
struct SessionCalls {
  // of rank 0, after the steps: before the part above the waves' band, what it begins with next, and after it
  std::function<void()> begin_above;
  PlanningStage above;
  std::function<void()> end_above;                                // also where it ended by an error; must not throw
  PlanningStage stage;                                            // of rank 0: what planning begins with next
  std::function<void(const PlanReport&)> planned;                 // of rank 0: before anything is computed
  std::function<void(const std::filesystem::path&)> starts_anew;  // of rank 0: nothing to resume from in that folder
  // of rank 0: the checkpoint, the step, and what sends in the pass that it continues: "source S1", or nothing where all
  // steps are done
  std::function<void(const std::filesystem::path&, std::int64_t, const std::string&)> resumed;
  std::function<void(const Plan&)> begin;                      // before the first time step
  std::function<void(const Plan&, const Progress&)> progress;  // between blocks of steps, about once a second
  // true: write a checkpoint and end; when `progress` is called, before, and while sound above the waves' band is computed
  std::function<bool()> stop;
  std::function<void()> end;  // after the last time step, or where steps ended by an error; must not throw
};

// Throws Error(interrupted) when the caller stops it and at max_seconds, with a checkpoint written; LostBalance as run. What `progress` or
// `stop` throw ends the run without one.
Simulated simulate(const Plan& plan, const SimulateOptions& options, std::optional<Moment> from,
                   const SessionCalls& calls = {});

}  // namespace fdtd
