// fdtd sweep SCENE: one run per value or combination of values, one line of JSON per run, and a table of all.
//
// Each run is a process, or with --batch a thread (run_workers.hpp), with its own folder, DIR/001, DIR/002, ... in the
// order of the values, where its line is stored as run.json. The same command again prints the lines of finished runs, resumes interrupted ones from their
// checkpoints and starts the others.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/sweep/run_workers.hpp"
#include "cli/sweep/sweep_runs.hpp"
#include "cli/sweep/sweep_table.hpp"
#include "cli/terminal/say.hpp"
#include "engine/devices/batches.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/files/output_lock.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/system/threads.hpp"

namespace fdtd::cli {

namespace fs = std::filesystem;

namespace {

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

// The head of a run's line; the document of a run that succeeded follows.
struct SweepLine {
  const SweepRun* run = nullptr;
  int status = 0;
  std::string error;  // empty: it succeeded
};

TextsByName replaced_keys(const SweepLine& line) {
  TextsByName set;
  for (const std::string& one : line.run->point)
    set.emplace_back(one.substr(0, end_of_key(one)), one.substr(end_of_key(one) + 1));
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

// Starts the runs that are not finished, several at a time, and prints the line of each when it ends. Of runs that are
// likely to have the same waves one computes them, and the others wait for it.
class Sweep {
 public:
  Sweep(const SweepOptions& options, std::vector<SweepRun> runs, fs::path folder, int jobs)
      : options_(options),
        runs_(std::move(runs)),
        folder_(std::move(folder)),
        jobs_(jobs),
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
    const int threads = options_.threads > 0 ? options_.threads : std::max(hardware_threads() / jobs_, 1);
    workers_ = options_.batch != 0 ? run_in_batch(options_, jobs_) : run_in_processes(options_, threads);
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
  // Whether its waves are known, or no run that may have the same is under way.
  bool ready(const SweepRun& run) const {
    return computed_.contains(run.waves) ||
           std::ranges::none_of(running_, [&](const SweepRun* one) { return one->waves == run.waves; });
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
    workers_->start(*run, waves == computed_.end() ? fs::path() : waves->second);
    running_.insert(run);
    return true;
  }

  void await_one() {
    const std::optional<EndedRun> end = workers_->ended();
    if (end_requested != 0 && !passed_on_) {
      passed_on_ = true;
      workers_->end_all();
    }
    if (!end) return;
    running_.erase(end->run);
    report(*end);
  }

  void report(const EndedRun& end) {
    const SweepRun& run = *end.run;
    // Before its first and after its last time step, SIGTERM ends a process like any program.
    if (end.status == static_cast<int>(Status::interrupted) || (passed_on_ && end.status == killed_by + SIGTERM)) {
      ++interrupted_;
      end_requested = 1;
      return;
    }
    nlohmann::ordered_json line = line_fields().write({&run, end.status, end.error});
    if (end.status == 0) {
      line.update(nlohmann::ordered_json::parse(end.document));
      write_whole_file(run.folder / "run.json", json_text(line) + "\n", true);
      computed_.try_emplace(run.waves, run.folder);
    }
    if (worst_ == 0) worst_ = end.status;
    ended_[run.number] = {end.status, end.error};
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
  int jobs_;
  std::string scene_text_;
  std::vector<const SweepRun*> waiting_;  // the next one last
  std::set<const SweepRun*> running_;
  struct Ended {
    int status = 0;
    std::string error;
  };
  std::map<std::size_t, Ended> ended_;        // by number of the run
  std::map<std::string, fs::path> computed_;  // folders of runs that have succeeded, one for each SweepRun::waves
  std::size_t interrupted_ = 0;
  bool passed_on_ = false;
  int worst_ = 0;                        // status of the first run that failed
  std::unique_ptr<RunWorkers> workers_;  // last: its threads end first
};

// "": none. Throws CLI::ValidationError.
int batch_of(const std::string& text) {
  constexpr int most = 256;
  if (text.empty()) return 0;
  if (text == "auto") return automatic_batch;
  int rooms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rooms);
  if (error == std::errc() && end == text.data() + text.size() && rooms >= 1 && rooms <= most) return rooms;
  throw CLI::ValidationError("--batch", fmt::format("{} is neither auto nor a number from 1 to {}", text, most));
}

int sweep(const SweepOptions& options) {
  const fs::path folder = options.folder.empty()
                              ? fs::path("out") / (fs::path(options.scene).stem().string() + "-sweep")
                              : fs::path(options.folder);
  if (options.batch != 0) expect_batches();
  std::vector<SweepRun> runs = prepare_runs(options, folder);
  OutputFolder output(folder);
  const OutputLock lock(folder);
  output.keep();
  const int jobs = options.batch != 0 ? batch_for(options, runs) : jobs_for(options, runs);
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
  CLI::Option* const jobs =
      app.add_option("--jobs", options->jobs, "number of runs at a time; 0: as many as processors and memory allow")
          ->check(CLI::Range(0, 4096))
          ->capture_default_str();
  auto batch = std::make_shared<std::string>();
  CLI::Option* const batches = app.add_option(
      "--batch", *batch,
      "number of runs at a time that one process computes side by side on a GPU (compute capability 9.0), or auto: for "
      "many small rooms; a run that crashes ends them all");
  jobs->excludes(batches);
  app.add_option("--threads", options->threads,
                 "number of CPU threads of each run; 0: the processors divided among the runs")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--device", options->device,
                 "device instead of that of the scene: auto, cpu, cuda, cuda:N or cuda:all");
  app.add_flag("--allow-outside", options->allow_outside, "allow the scene to name files outside its folder");
  app.add_flag("--force", options->force, "start all runs again and replace their files");
  app.add_flag("--quiet", options->quiet, "do not print on stderr which run starts");
  app.callback([options, &status, set, zip, list, draw, batch] {
    if (set->count() + zip->count() + list->count() + draw->count() == 0)
      throw CLI::RequiredError("one of --set, --zip, --list or --draw");
    options->batch = batch_of(*batch);
    const ThreadChoice choice = choose_threads(options->threads);
    if (!choice.note.empty()) say("note: {}\n", choice.note);
    if (options->threads > 0) options->threads = choice.threads;
    status = sweep(*options);
  });
}

}  // namespace fdtd::cli
