#include "cli/sweep/sweep_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/devices/batches.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/results/result.hpp"
#include "engine/session/choices.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/threads.hpp"

namespace fdtd::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_runs = 100000;
constexpr std::int64_t gpu_context_bytes = std::int64_t{1} << 30;  // of a process, besides its arrays; an upper bound

std::int64_t planned_bytes(const Scene& scene, const Target& target) {
  const GridChoice choice = choose_grid(scene, choose_stencil(scene, target).stencil);
  const std::vector<MaterialFit> materials = fit_materials(scene, choice.max_frequency);
  return program_bytes + estimate_memory(scene, choice, materials, nullptr, target).total();
}

// A bound on the memory of waves in a small box whose stencil is "auto" and surely has a grid: many such runs fit, and to
// choose the stencil takes a third of the time of a run. 0: the plan must say.
std::int64_t small_box_bytes(const Scene& scene, const Target& target) {
  constexpr double points = 20.0, of_node = 256.0,
                   of_sample = 32.0;  // a wavelength; bytes, several times what runs take
  constexpr double reached = 1e-3, spare = 4.0;
  const Simulation& wish = scene.simulation;
  if (scene.room.mesh || target.ranks > 1 || wish.stencil != "auto" || wish.courant || wish.duration_auto ||
      !wish.max_frequency || wish.dispersion_error < reached)
    return 0;
  const double spacing = scene.air.speed() / (points * *wish.max_frequency);
  double nodes = 1.0;
  for (const double side : scene.room.box) nodes *= side / spacing + 2.0;
  const double samples = static_cast<double>(scene.sources.size()) * static_cast<double>(scene.receivers.size() + 1) *
                         wish.duration *
                         std::max(points * *wish.max_frequency, static_cast<double>(scene.output.sample_rate));
  const double bytes = static_cast<double>(program_bytes) + of_node * nodes + of_sample * samples;
  const auto fits = [&](std::int64_t memory) {
    return spare * bytes * hardware_threads() < static_cast<double>(memory);
  };
  return fits(available_memory()) && (!target.on_gpu() || fits(target.free_memory)) ? static_cast<std::int64_t>(bytes)
                                                                                    : 0;
}

void check_run(const SweepOptions& options, SweepRun& run) {
  try {
    const SceneOptions how = scene_options(options, run);
    const Scene scene = load(how);
    run.target = choose_device(scene, how, ranks()).target;
    if (options.batch != 0) require_batches(run.target);
    run.bytes = small_box_bytes(scene, run.target);
    if (run.bytes == 0) run.bytes = planned_bytes(scene, run.target);
  } catch (const Error& error) {
    throw Error(error.status, fmt::format("run {} ({}): {}", name_of(run), listed(run.point), shortened(error.what())),
                error.remedy);
  }
}

// Runs that fit into memory together.
std::int64_t fitting_runs(const std::vector<SweepRun>& runs, bool one_process) {
  std::int64_t largest = 1, largest_on_gpu = 1, free_on_gpu = std::numeric_limits<std::int64_t>::max();
  for (const SweepRun& run : runs) {
    largest = std::max(largest, run.bytes);
    if (!run.target.on_gpu()) continue;
    largest_on_gpu = std::max(largest_on_gpu, run.bytes + (one_process ? 0 : gpu_context_bytes));
    free_on_gpu = std::min(free_on_gpu, run.target.free_memory);
  }
  return std::max<std::int64_t>(std::min(available_memory() / largest, free_on_gpu / largest_on_gpu), 1);
}

}  // namespace

std::string name_of(const SweepRun& run) { return fmt::format("{:03}", run.number); }

SceneOptions scene_options(const SweepOptions& options, const SweepRun& run) {
  SceneOptions scene;
  scene.scene = options.scene;
  scene.overrides = run.point;
  scene.device = options.device;
  scene.allow_outside = options.allow_outside;
  return scene;
}

std::vector<SweepRun> prepare_runs(const SweepOptions& options, const fs::path& folder) {
  std::vector<SweepRun> runs;
  for (const SweepPoint& point : sweep_points(options.values, max_runs)) {
    SweepRun run{runs.size() + 1, point, {}, {}, 0, wave_overrides(point)};
    run.folder = folder / name_of(run);
    std::error_code ignored;
    if (fs::is_symlink(run.folder, ignored))
      throw Error(Status::file,
                  fmt::format("{}: is a link, and the runs of a sweep stay in its folder", run.folder.string()),
                  "remove the link, or choose another folder with -o");
    runs.push_back(std::move(run));
  }
  // All scenes of a batch at once, for a run of a small room takes no longer than its check.
  std::vector<std::exception_ptr> failed(runs.size());
#pragma omp parallel for schedule(dynamic) if (options.batch != 0)
  for (std::size_t i = 0; i < runs.size(); ++i) {
    try {
      check_run(options, runs[i]);
    } catch (...) {
      failed[i] = std::current_exception();
    }
  }
  for (const std::exception_ptr& one : failed)
    if (one) std::rethrow_exception(one);
  return runs;
}

int jobs_for(const SweepOptions& options, const std::vector<SweepRun>& runs) {
  if (options.jobs > 0) return options.jobs;
  for (const SweepRun& run : runs)
    if (run.target.ranks > 1) return 1;
  const int processors = std::max(hardware_threads() / std::max(options.threads, 1), 1);
  return static_cast<int>(
      std::min<std::int64_t>({fitting_runs(runs, false), processors, static_cast<std::int64_t>(runs.size())}));
}

int batch_for(const SweepOptions& options, const std::vector<SweepRun>& runs) {
  constexpr std::int64_t most = 32;
  const std::int64_t wanted = options.batch > 0 ? options.batch : std::clamp<std::int64_t>(hardware_threads(), 1, most);
  return static_cast<int>(
      std::min<std::int64_t>({wanted, fitting_runs(runs, true), static_cast<std::int64_t>(runs.size())}));
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string line_of_finished(const SweepRun& run, const std::string& scene_text, bool force) {
  std::error_code ignored;
  const fs::path result = run.folder / "result.h5", line = run.folder / "run.json";
  if (force || !fs::exists(result, ignored)) return "";
  const Provenance from = read_provenance(result);
  if (from.scene_text != scene_text || from.overrides != run.point)
    throw Error(Status::file, fmt::format("{} is the result of another scene or of other values", result.string()),
                "choose another folder with -o, or start again with --force");
  if (!fs::exists(line, ignored)) return "";  // killed before it was written
  std::string text = text_of(line);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool replaces_files(const SweepOptions& options, const SweepRun& run) {
  std::error_code ignored;
  return options.force || fs::exists(run.folder / "result.h5", ignored);
}

}  // namespace fdtd::cli
