// fdtd run SCENE: voxelises, simulates, renders, writes.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/launch.hpp"
#include "cli/lifeline.hpp"
#include "cli/output_flags.hpp"
#include "cli/print_plan.hpp"
#include "cli/scene_options.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/stop_on_signal.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/results/outputs.hpp"
#include "engine/session/session.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd::cli {
namespace {

struct RunOptions : SceneOptions {
  PlaceOptions place;
  std::string kernel;
  bool dry_run = false;
  bool quiet = false;
  std::set<std::string> outputs;
  bool retune = false;
  std::string checkpoint_every = "10min";  // see parse_interval
  std::string max_time;                    // see parse_time; empty: no limit
  std::string waves;                       // result.h5 or its folder; empty: none
};

RunRequest request_of(const RunOptions& options) {
  RunRequest request;
  request.scene = options;
  request.place = options.place;
  request.kernel = options.kernel;
  request.dry_run = options.dry_run;
  request.waves = options.waves;
  request.outputs = options.outputs;
  request.retune = options.retune;
  request.predict = options.dry_run || !options.quiet;
  request.checkpoint_every = parse_interval(options.checkpoint_every);
  request.max_seconds = options.max_time.empty() ? 0.0 : parse_time(options.max_time);
  return request;
}

// Of the path of the result.
const JsonFields<std::string>& completed_fields() {
  static const auto fields =
      JsonFields<std::string>()
          .value("ended_before", "", "Always true.", [](const std::string&) { return true; })
          .value("result", "", "Path of the run's result.h5.", [](const std::string& result) { return result; });
  return fields;
}

void report_ended(const RunOptions& options, const std::filesystem::path& folder) {
  const std::string result = (folder / "result.h5").string();
  if (options.json) put_document(json_text(completed_fields().write(result), 2) + "\n");
  if (!options.quiet) say("{}: this run is complete, nothing to resume (--force runs it again)\n", result);
}

// The progress of a session: on stderr, and on stdout for a dry run.
class RunDisplay {
 public:
  explicit RunDisplay(const RunOptions& options) : options_(options) {}

  SessionCalls calls() {
    SessionCalls calls;
    if (!options_.quiet) calls.stage = [this](const std::string& stage) { planning_.stage(stage); };
    calls.planned = [this](const PlanReport& report) {
      planning_.finish();
      exchanged_ = report.planned->exchanged;
      above_follows_ = report.above.has_value();
      if (options_.dry_run)
        print_plan(report, options_.json);
      else if (!options_.json && !options_.quiet)
        say("{}", plan_text(report));
    };
    calls.begin = [this](const Plan& plan) {
      progress_.emplace(plan.grid.nodes(), options_.quiet || !ranks().first());
      signals_.emplace();
      launcher_.begin_steps();
    };
    calls.progress = [this](const Plan& plan, const fdtd::Progress& at) {
      const std::string& sender = plan.sources[static_cast<std::size_t>(at.source)].channel.name;
      progress_->show(at, pass_count(plan) > 1 ? (exchanged_ ? "receiver " : "source ") + sender : "");
    };
    calls.stop = [this] {
      if (StopOnSignal::noted() == SIGTERM && !ranks().alone() && ranks().first())
        say("ending; after SIGTERM mpirun gives its ranks one second to write a checkpoint; send SIGUSR1 to give them "
            "all the time\n");
      return StopOnSignal::noted() != 0 || launcher_.told_to_stop();
    };
    calls.end = [this] {
      progress_->finish();
      if (!above_follows_) let_files_be_written();
    };
    calls.begin_above = [this] {
      if (!signals_) signals_.emplace();
    };
    calls.end_above = [this] { let_files_be_written(); };
    if (options_.quiet) return calls;
    calls.above = [this](const std::string& stage) {
      if (!above_) above_.emplace("above");
      above_->stage(stage);
    };
    calls.starts_anew = [this](const std::filesystem::path& folder) {
      planning_.finish();
      say("no checkpoint in {}: the run starts from the beginning\n", folder.string());
    };
    calls.resumed = [](const std::filesystem::path& checkpoint, std::int64_t step, const std::string& sender) {
      if (sender.empty())
        say("resuming from {}: all steps are done\n", checkpoint.string());
      else
        say("resuming from {}: step {} of {}\n", checkpoint.string(), step, sender);
    };
    return calls;
  }
  void end_lines() {
    signals_.reset();
    planning_.finish();
    if (above_) above_->finish();
  }

 private:
  // Figures and files take seconds, and a checkpoint is not always left: at a signal the run ends with its files.
  void let_files_be_written() {
    if (!options_.quiet && ranks().first())
      StopOnSignal::answer("the time steps have ended: files are written first; a second signal ends this at once\n");
  }

  const RunOptions& options_;
  bool exchanged_ = false;      // the receivers send
  bool above_follows_ = false;  // after the steps
  PlanningLine planning_;
  std::optional<PlanningLine> above_;  // its clock begins with its work
  std::optional<Progress> progress_;
  std::optional<StopOnSignal> signals_;
  Lifeline launcher_;
};

// Returns the exit status.
int run(const RunOptions& options) {
  RunDisplay display(options);
  const auto print = [&](const Finished& done, const PlanReport& report) {
    display.end_lines();
    if (options.json)
      put_document(json_text(run_json(done, report), 2) + "\n");
    else if (!options.quiet)
      put_text(summary_text(done, report));
  };
  const SessionEnd end = run_scene(request_of(options), display.calls(), print);
  display.end_lines();
  if (end.how == SessionEnd::How::needs_ranks) return run_as_ranks(end.ranks, own_command());
  if (end.how == SessionEnd::How::ended_before && ranks().first()) report_ended(options, end.folder);
  return 0;
}

std::string files_help() {
  std::string text = "Files in the output folder:\n";
  for (const Output& output : outputs()) text += fmt::format("  {:<18}{}\n", output.text, output.contents);
  return text;
}

}  // namespace

DocumentFields completed_document() { return completed_fields().all(); }

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  add_scene_options(app, *options);
  app.add_option("-o,--output", options->place.folder, "output folder; out/<scene> by default");
  app.add_option(
      "--kernel", options->kernel,
      "kernel; CPU: sliding_window, time_slice or rows, optionally with /AVX-512, /AVX2 or /baseline; GPU: a name that "
      "`fdtd profile` lists; by default the fastest");
  app.add_flag("--force", options->place.force,
               "replace output files that exist, and start again even if there is a checkpoint");
  app.add_flag("--dry-run", options->dry_run, "print the plan and stop");
  add_output_flags(app, options->outputs);
  app.add_flag(
      "--quiet", options->quiet,
      "print no report and no progress, and predict no time; errors and the document of --json are still printed");
  app.add_flag(
      "--retune", options->retune,
      "repeat the search for the fastest order of work (CPU) or tiles (GPU) and store what it finds, which changes no "
      "result; time the candidates of stencil = \"auto\" here instead of relying on the program's table, which may "
      "change its choice: the result then states the times");
  app.add_flag("--resume", options->place.resume, "resume from the checkpoint in the output folder, if there is one");
  app.add_option("--resume-from", options->place.resume_from, "resume from this checkpoint file");
  app.add_option(
         "--checkpoint-every", options->checkpoint_every,
         "interval between checkpoints: 30s, 10min, 2h, 500steps, or off (only when interrupted, and of the records "
         "before rays and image sources)")
      ->capture_default_str();
  app.add_option(
      "--max-time", options->max_time,
      "write a checkpoint and exit with status 130 where time steps are left after this time: 90s, 30min, 24h");
  app.add_option("--waves", options->waves,
                 "result.h5 of a run, or its folder: its waves are taken where all that they depend on is the same, "
                 "and no time step is computed; other keys, such as above.*, scattering and output.*, may differ");
  app.footer(files_help());
  app.callback([options, &status] {
    options->threads = take_threads(options->threads, ranks().first() && !options->quiet);
    status = run(*options);
  });
}

}  // namespace fdtd::cli
