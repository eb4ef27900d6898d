// fdtd sweep SCENE: one run per value or combination of values, one line of JSON per run, and a table of all.
//
// Each run is a process with its own folder, DIR/001, DIR/002, ... in the order of the values, where its line is stored
// as run.json. The same command again prints the lines of finished runs, resumes interrupted ones from their
// checkpoints and starts the others.
#include <fmt/format.h>
#include <sys/wait.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "cli/child.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/scene_options.hpp"
#include "cli/sweep_table.hpp"
#include "cli/sweep_values.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/files/output_lock.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/reports/run_report.hpp"
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

struct SweepOptions {
  std::string scene;
  SweepValues values;
  std::string folder, device;
  int jobs = 0;     // at a time; 0: as many as fit
  int threads = 0;  // of each run; 0: the processors divided among the runs
  bool allow_outside = false, force = false, quiet = false;
};

constexpr int killed_by = 128;  // plus the number of the signal: the status of a child that a signal killed

volatile std::sig_atomic_t end_requested = 0;
void note_end(int) { end_requested = 1; }

class EndOnSignal {
 public:
  EndOnSignal() : interrupt_(std::signal(SIGINT, note_end)), terminate_(std::signal(SIGTERM, note_end)) {}
  ~EndOnSignal() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, terminate_);
  }
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;

 private:
  void (*interrupt_)(int);
  void (*terminate_)(int);
};

struct SweepRun {
  std::size_t number = 0;  // from 1
  SweepPoint point;
  fs::path folder;
  Target target;
  std::int64_t bytes = 0;  // of memory on that device
  std::string waves;       // wave_overrides(point)
};

std::string name_of(const SweepRun& run) { return fmt::format("{:03}", run.number); }

// The head of a run's line; the document of a run that succeeded follows.
struct SweepLine {
  const SweepRun* run = nullptr;
  int status = 0;
  std::string error;  // empty: it succeeded
};

TextsByName replaced_keys(const SweepLine& line) {
  TextsByName set;
  for (const std::string& one : line.run->point)
    set.emplace_back(one.substr(0, one.find('=')), one.substr(one.find('=') + 1));
  return set;
}

const JsonFields<SweepLine>& line_fields() {
  static const auto fields =
      JsonFields<SweepLine>()
          .value("run", "", "Number of the run, from 1.", [](const SweepLine& line) { return line.run->number; })
          .value("set", "", "The replaced keys with their values.", replaced_keys)
          .value("folder", "", "Folder of the run's files.",
                 [](const SweepLine& line) { return line.run->folder.string(); })
          .value("status", "", "Exit status of the run.", &SweepLine::status)
          .value("error", "", "The message of the run.", &SweepLine::error)
          .only_if("the run failed", [](const SweepLine& line) { return line.status != 0; });
  return fields;
}

SceneOptions scene_options(const SweepOptions& options, const SweepRun& run) {
  SceneOptions scene;
  scene.scene = options.scene;
  scene.overrides = run.point;
  scene.device = options.device;
  scene.allow_outside = options.allow_outside;
  return scene;
}

std::int64_t planned_bytes(const Scene& scene, const Target& target) {
  const GridChoice choice = choose_grid(scene, choose_stencil(scene, target).stencil);
  const std::vector<MaterialFit> materials = fit_materials(scene, choice.max_frequency);
  return program_bytes + estimate_memory(scene, choice, materials, nullptr, target).total();
}

// A bound on the memory of waves in a small box on the CPU whose stencil is "auto" and surely has a grid: many such runs
// fit, and to choose the stencil takes a third of the time of a run. 0: the plan must say.
std::int64_t small_box_bytes(const Scene& scene, const Target& target) {
  constexpr double points = 20.0, of_node = 256.0,
                   of_sample = 32.0;  // a wavelength; bytes, several times what runs take
  constexpr double reached = 1e-3, spare = 4.0;
  const Simulation& wish = scene.simulation;
  if (scene.room.mesh || target.on_gpu() || target.ranks > 1 || wish.stencil != "auto" || wish.courant ||
      wish.duration_auto || !wish.max_frequency || wish.dispersion_error < reached)
    return 0;
  const double spacing = scene.air.speed() / (points * *wish.max_frequency);
  double nodes = 1.0;
  for (const double side : scene.room.box) nodes *= side / spacing + 2.0;
  const double samples = static_cast<double>(scene.sources.size()) * static_cast<double>(scene.receivers.size() + 1) *
                         wish.duration *
                         std::max(points * *wish.max_frequency, static_cast<double>(scene.output.sample_rate));
  const double bytes = static_cast<double>(program_bytes) + of_node * nodes + of_sample * samples;
  return spare * bytes * hardware_threads() < static_cast<double>(available_memory()) ? static_cast<std::int64_t>(bytes)
                                                                                      : 0;
}

// Every scene is checked before any run starts, so that a mistake in the last value is reported at once.
std::vector<SweepRun> prepare(const SweepOptions& options, const fs::path& folder) {
  std::vector<SweepRun> runs;
  for (const SweepPoint& point : sweep_points(options.values, max_runs)) {
    SweepRun run{runs.size() + 1, point, {}, {}, 0, wave_overrides(point)};
    run.folder = folder / name_of(run);
    std::error_code ignored;
    if (fs::is_symlink(run.folder, ignored))
      throw Error(Status::file,
                  fmt::format("{}: is a link, and the runs of a sweep stay in its folder", run.folder.string()),
                  "remove the link, or choose another folder with -o");
    try {
      const SceneOptions how = scene_options(options, run);
      const Scene scene = load(how);
      run.target = choose_device(scene, how, ranks()).target;
      run.bytes = small_box_bytes(scene, run.target);
      if (run.bytes == 0) run.bytes = planned_bytes(scene, run.target);
    } catch (const Error& error) {
      throw Error(error.status, fmt::format("run {} ({}): {}", name_of(run), listed(point), shortened(error.what())),
                  error.remedy);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

// As many as there are processors and as fit into memory together: that of this machine, and that of the GPU for runs
// that use one. A run that uses all GPUs runs alone.
int jobs_for(const SweepOptions& options, const std::vector<SweepRun>& runs) {
  if (options.jobs > 0) return options.jobs;
  std::int64_t largest = 1, largest_on_gpu = 1, free_on_gpu = std::numeric_limits<std::int64_t>::max();
  for (const SweepRun& run : runs) {
    if (run.target.ranks > 1) return 1;
    largest = std::max(largest, run.bytes);
    if (!run.target.on_gpu()) continue;
    largest_on_gpu = std::max(largest_on_gpu, run.bytes + gpu_context_bytes);
    free_on_gpu = std::min(free_on_gpu, run.target.free_memory);
  }
  const std::int64_t fit = std::min(available_memory() / largest, free_on_gpu / largest_on_gpu);
  const int processors = std::max(hardware_threads() / std::max(options.threads, 1), 1);
  return static_cast<int>(
      std::min<std::int64_t>({std::max<std::int64_t>(fit, 1), processors, static_cast<std::int64_t>(runs.size())}));
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// The line of a finished run; "" for any other. Throws Error(file) when the folder holds another run.
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

// `waves`: the folder of a run whose waves may be this one's; empty: none.
std::vector<std::string> arguments_of(const SweepOptions& options, const SweepRun& run, int threads,
                                      const fs::path& waves) {
  std::vector<std::string> words = {"run", options.scene, "-o", run.folder.string(), "--json", "--quiet"};
  for (const std::string& set : run.point) words.insert(words.end(), {"--set", set});
  if (!options.device.empty()) words.insert(words.end(), {"--device", options.device});
  words.insert(words.end(), {"--threads", std::to_string(threads)});
  if (!waves.empty()) words.insert(words.end(), {"--waves", waves.string()});
  if (options.allow_outside) words.emplace_back("--allow-outside");
  std::error_code ignored;  // a result without its line belongs to this run, as checked before: it is run again
  const bool again = options.force || fs::exists(run.folder / "result.h5", ignored);
  words.emplace_back(again ? "--force" : "--resume");
  return words;
}

// The error message of a run on stderr, without the program's name and in one line.
std::string reason_of(const std::string& err) {
  const std::size_t at = err.rfind("fdtd: ");
  std::string reason = at == err.npos ? err : err.substr(at + 6);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  while (!reason.empty() && reason.back() == ' ') reason.pop_back();
  return reason;
}

// Starts the runs that are not finished, several at a time, and prints the line of each when it ends. Of runs that are
// likely to have the same waves one computes them, and the others wait for it.
class Sweep {
 public:
  Sweep(const SweepOptions& options, std::vector<SweepRun> runs, fs::path folder, int jobs)
      : options_(options),
        runs_(std::move(runs)),
        folder_(std::move(folder)),
        jobs_(jobs),
        threads_(options.threads > 0 ? options.threads : std::max(hardware_threads() / jobs, 1)),
        scene_text_(text_of(options.scene)) {}

  int run() {
    for (const SweepRun& run : runs_) {  // before any starts, to find folders of other sweeps at once
      const std::string line = line_of_finished(run, scene_text_, options_.force);
      if (line.empty()) {
        waiting_.push_back(&run);
      } else {
        ended_[run.number] = {0, ""};
        computed_.try_emplace(run.waves, run.folder);
        put_document(line + "\n");
      }
    }
    std::fflush(stdout);
    std::reverse(waiting_.begin(), waiting_.end());
    const EndOnSignal signals;
    while (!running_.empty() || (!waiting_.empty() && end_requested == 0)) {
      while (end_requested == 0 && !waiting_.empty() && static_cast<int>(running_.size()) < jobs_ && start()) continue;
      await_one();
    }
    if (end_requested != 0)
      throw Error(Status::interrupted, fmt::format("interrupted: {} of {} runs are not finished", left(), runs_.size()),
                  "the same command continues");
    write_table();
    return worst_;
  }

 private:
  struct Running {
    const SweepRun* run = nullptr;
    std::unique_ptr<Child> child;
  };

  // Whether its waves are known, or no run that may have the same is under way.
  bool ready(const SweepRun& run) const {
    return computed_.contains(run.waves) ||
           std::ranges::none_of(running_, [&](const auto& one) { return one.second.run->waves == run.waves; });
  }

  // The next run that is ready; false where none is.
  bool start() {
    const auto next =
        std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const SweepRun* run) { return ready(*run); });
    if (next == waiting_.rend()) return false;
    const SweepRun* run = *next;
    waiting_.erase(std::next(next).base());
    const auto waves = computed_.find(run->waves);
    if (!options_.quiet) say("run {} of {}: {}\n", run->number, runs_.size(), fmt::join(run->point, " "));
    auto child = std::make_unique<Child>(
        arguments_of(options_, *run, threads_, waves == computed_.end() ? fs::path() : waves->second));
    const int process = child->process();
    running_[process] = {run, std::move(child)};
    return true;
  }

  // Polls: a signal that arrives just before a blocking wait would not interrupt it.
  void await_one() {
    int how = 0;
    const pid_t process = ::waitpid(-1, &how, WNOHANG);
    if (end_requested != 0 && !passed_on_) {
      passed_on_ = true;
      for (const auto& [id, one] : running_) one.child->terminate();
    }
    if (process == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto found = running_.find(process);
    if (found == running_.end()) return;
    const Running ended = std::move(found->second);
    running_.erase(found);
    report(*ended.run, Child::status_of(how), *ended.child);
  }

  void report(const SweepRun& run, int status, const Child& child) {
    // Before its first and after its last time step, SIGTERM ends a run like any program.
    if (status == static_cast<int>(Status::interrupted) || (passed_on_ && status == killed_by + SIGTERM)) {
      ++interrupted_;
      end_requested = 1;
      return;
    }
    std::string error;
    if (status != 0)
      error = status > killed_by ? fmt::format("killed by signal {}", status - killed_by) : reason_of(child.err());
    nlohmann::ordered_json line = line_fields().write({&run, status, error});
    if (status == 0) {
      line.update(nlohmann::ordered_json::parse(child.out()));
      write_whole_file(run.folder / "run.json", json_text(line) + "\n", true);
      computed_.try_emplace(run.waves, run.folder);
    }
    if (worst_ == 0) worst_ = status;
    ended_[run.number] = {status, error};
    put_document(json_text(line) + "\n");
    std::fflush(stdout);
  }

  void write_table() const {
    SweepTable table(folder_ / "sweep.csv", runs_.front().point);
    for (const SweepRun& run : runs_) {
      const auto& [status, error] = ended_.at(run.number);
      table.add({run.number, run.point, status, error}, run.folder / "result.h5");
    }
    table.finish();
  }

  std::size_t left() const { return waiting_.size() + interrupted_; }

  const SweepOptions& options_;
  std::vector<SweepRun> runs_;
  fs::path folder_;
  int jobs_, threads_;
  std::string scene_text_;
  std::vector<const SweepRun*> waiting_;  // the next one last
  std::map<int, Running> running_;
  struct Ended {
    int status = 0;
    std::string error;
  };
  std::map<std::size_t, Ended> ended_;        // by number of the run
  std::map<std::string, fs::path> computed_;  // folders of runs that have succeeded, one for each SweepRun::waves
  std::size_t interrupted_ = 0;
  bool passed_on_ = false;
  int worst_ = 0;  // status of the first run that failed
};

int sweep(const SweepOptions& options) {
  const fs::path folder = options.folder.empty()
                              ? fs::path("out") / (fs::path(options.scene).stem().string() + "-sweep")
                              : fs::path(options.folder);
  std::vector<SweepRun> runs = prepare(options, folder);
  OutputFolder output(folder);
  const OutputLock lock(folder);
  output.keep();
  const int jobs = jobs_for(options, runs);
  return Sweep(options, std::move(runs), folder, jobs).run();
}

}  // namespace

DocumentFields sweep_document() {
  DocumentFields list = line_fields().all();
  run_fields().describe("", "", true, list);
  return list;
}

void add_sweep(CLI::App& app, int& status) {
  auto options = std::make_shared<SweepOptions>();
  app.add_option("scene", options->scene, "scene file (TOML)")->required();
  SweepValues& values = options->values;
  CLI::Option* const set =
      app.add_option("--set", values.sets,
                     "key=[value, value, ...]: one run per value; several keys give every combination")
          ->allow_extra_args(false);
  CLI::Option* const zip =
      app.add_option(
             "--zip", values.zips,
             "key=[value, value, ...]: lists of one length whose first values go together, then the second ones")
          ->allow_extra_args(false);
  CLI::Option* const list =
      app.add_option("--list", values.table, "CSV file: keys in its first line, and a line of values for each run");
  CLI::Option* const draw =
      app.add_option("--draw", values.draws,
                     "key=value with uniform(a, b), log_uniform(a, b), normal(mean, sigma), integer(a, b) or "
                     "choice([a, b, ...]) in it: drawn anew for each of --runs")
          ->allow_extra_args(false);
  app.add_option("--runs", values.runs, "number of runs with values drawn by --draw")->check(CLI::Range(1, 100000));
  app.add_option(
         "--seed", values.seed,
         "start of the random numbers of --draw; the same seed draws the same values, and more --runs continue them")
      ->capture_default_str();
  app.add_option("-o,--output", options->folder,
                 "output folder, with one subfolder per run; out/<scene>-sweep by default");
  app.add_option("--jobs", options->jobs, "number of runs at a time; 0: as many as processors and memory allow")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--threads", options->threads,
                 "number of CPU threads of each run; 0: the processors divided among the runs")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--device", options->device,
                 "device instead of that of the scene: auto, cpu, cuda, cuda:N or cuda:all");
  app.add_flag("--allow-outside", options->allow_outside, "allow the scene to name files outside its folder");
  app.add_flag("--force", options->force, "start all runs again and replace their files");
  app.add_flag("--quiet", options->quiet, "do not print on stderr which run starts");
  app.callback([options, &status, set, zip, list, draw] {
    if (set->count() + zip->count() + list->count() + draw->count() == 0)
      throw CLI::RequiredError("one of --set, --zip, --list or --draw");
    const ThreadChoice choice = choose_threads(options->threads);
    if (!choice.note.empty()) say("note: {}\n", choice.note);
    if (options->threads > 0) options->threads = choice.threads;
    status = sweep(*options);
  });
}

}  // namespace fdtd::cli
