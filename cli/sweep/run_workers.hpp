// Runs of a sweep are computed several at a time: by processes, or by threads of this one that share a GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/sweep/sweep_runs.hpp"

namespace fdtd::cli {

struct EndedRun {
  const SweepRun* run = nullptr;
  int status = 0;        // of a process that a signal ended: killed_by and its number
  std::string document;  // of a run that succeeded
  std::string error;     // of any other, in one line
};
inline constexpr int killed_by = 128;

class RunWorkers {
 public:
  virtual ~RunWorkers() = default;
  // `waves`: the folder of a run whose waves may be this one's; empty: none.
  virtual void start(const SweepRun& run, const std::filesystem::path& waves) = 0;
  // A run that has ended since the last call. Where there is none, it waits a moment.
  virtual std::optional<EndedRun> ended() = 0;
  virtual void end_all() = 0;  // each run writes a checkpoint, and ends
};

// Each run is a process, so that a run that dies does not end the sweep.
std::unique_ptr<RunWorkers> run_in_processes(const SweepOptions& options, int threads);
// `rooms` threads of this process. The options outlive them.
std::unique_ptr<RunWorkers> run_in_batch(const SweepOptions& options, int rooms);

// The error message of a run on stderr, without the program's name and in one line.
std::string reason_of(const std::string& err);

}  // namespace fdtd::cli
