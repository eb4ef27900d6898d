// Runs a plan for the command line: progress on stderr, signals, time limit, checkpoints in the output folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/devices/target.hpp"
#include "engine/planning/plan_share.hpp"
#include "engine/results/checkpoint.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/run/run.hpp"

namespace fdtd::cli {

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
  const PlanShare* share = nullptr;  // of this rank, for a plan that several share
  int threads = 0;
  std::string kernel;   // empty: the fastest
  bool retune = false;  // search for the fastest order of work or tiles even if one is stored
  bool quiet = false;
  std::filesystem::path folder;  // of the checkpoints
  Interval checkpoint_every;
  double max_seconds = 0.0;  // for this session; 0: no limit
  CheckpointLabel label;
  SnapshotWriter* snapshots = nullptr;  // of a plan with snapshots
};

// Whether the run is so long that a search for the fastest order of work or tiles costs little of it.
bool worth_a_search(const Plan& plan, const Target& target);

struct Simulated {
  Recording recording;
  double seconds = 0.0;  // spent in time steps, over all sessions
};

// Throws Error(interrupted) at SIGINT, SIGTERM, SIGUSR1 or max_seconds, with a checkpoint written; a second signal ends
// the program at once.
Simulated simulate(const Plan& plan, const SimulateOptions& options, std::optional<Moment> from);

}  // namespace fdtd::cli
