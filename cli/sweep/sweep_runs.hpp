// The runs of a sweep: which there are, whether they fit, and which are finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/scene_options.hpp"
#include "cli/sweep/sweep_values.hpp"
#include "engine/devices/target.hpp"

namespace fdtd::cli {

struct SweepOptions {
  std::string scene;
  SweepValues values;
  std::string folder, device;
  int jobs = 0;     // at a time; 0: as many as fit
  int threads = 0;  // of each run; 0: the processors divided among the runs
  // Runs at a time that threads of this process compute side by side on a GPU; 0: each run is a process; automatic_batch
  int batch = 0;
  bool allow_outside = false, force = false, quiet = false;
};
inline constexpr int automatic_batch = -1;

struct SweepRun {
  std::size_t number = 0;  // from 1
  SweepPoint point;
  std::filesystem::path folder;
  Target target;
  std::int64_t bytes = 0;  // of memory on that device
  std::string waves;       // wave_overrides(point)
};

std::string name_of(const SweepRun& run);
SceneOptions scene_options(const SweepOptions& options, const SweepRun& run);

// Every scene is checked before any run starts, so that a mistake in the last value is reported at once: throws the
// error of the first run that has one.
std::vector<SweepRun> prepare_runs(const SweepOptions& options, const std::filesystem::path& folder);

// Runs at a time: as many as there are processors and as fit into memory together, that of this machine and, for runs
// that use one, that of the GPU. A run that uses all GPUs runs alone.
int jobs_for(const SweepOptions& options, const std::vector<SweepRun>& runs);
// The same of a batch. Throws Error (resource) for runs that a batch does not take: those of the CPU, of several GPUs, and
// of GPUs that compute one room at a time.
int batch_for(const SweepOptions& options, const std::vector<SweepRun>& runs);

std::string text_of(const std::filesystem::path& file);
// The line of a finished run; "" for any other. Throws Error(file) when the folder holds another run.
std::string line_of_finished(const SweepRun& run, const std::string& scene_text, bool force);
// Whether the run starts anew over files that are there: a result without its line belongs to this run, as
// line_of_finished has checked, and is computed again.
bool replaces_files(const SweepOptions& options, const SweepRun& run);

}  // namespace fdtd::cli
