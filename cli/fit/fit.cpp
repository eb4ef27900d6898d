// fdtd fit SCENE MEASURED -o FITTED.toml: absorption that explains measured figures of merit, and the scene with it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "cli/command.hpp"
#include "cli/fit/fit_report.hpp"
#include "cli/fit/fit_runs.hpp"
#include "cli/scene_options.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/files/output_lock.hpp"
#include "engine/session/measured_room.hpp"
#include "engine/system/version.hpp"
#include "scenes/toml/parse.hpp"

namespace fdtd::cli {

namespace fs = std::filesystem;

namespace {

struct FitCommand : SceneOptions {
  std::string measured, output, folder;
  CalibrationOptions fit;
  double spread_percent = 50.0, common_percent = 100.0;
  bool force = false, quiet = false;
};

constexpr const char* interrupted_head = "# fdtd fit was interrupted: ";

// A file that an interrupted fit has left may be replaced by the one that continues it.
bool may_replace(const FitCommand& command) {
  std::string line;
  std::ifstream file(command.output);
  return command.force || (std::getline(file, line) && line.starts_with(interrupted_head));
}

AbsorptionTables prior_tables(const CalibrationProblem& problem) {
  AbsorptionTables tables;
  for (const CalibrationMaterial& one : problem.materials) tables[one.name] = {one.bands, one.alpha};
  return tables;
}

// The fitted scene must find what the scene names, and its materials must be replaceable: before any run.
void require_fitted_file(const FitCommand& command, const Scene& scene, const CalibrationProblem& problem) {
  check_writable(command.output, may_replace(command));
  (void)replace_absorption(scene.text, scene.file, prior_tables(problem));
  const ParseOptions how{scene.overrides, command.allow_outside};
  if (parse_scene(scene.text, command.output, how).problems.empty()) return;
  throw Error(Status::scene,
              fmt::format("{}: files that the scene names would not be found from its folder", command.output),
              fmt::format("write it beside the scene: -o {}",
                          (scene.file.parent_path() / fs::path(command.output).filename()).string()));
}

std::string provenance(const FitCommand& command, const CalibrationResult& result, bool interrupted) {
  std::size_t runs = 0;
  for (const std::size_t one : result.runs) runs += one;
  std::vector<std::string> octaves;
  for (const CalibratedOctave& one : result.octaves)
    if (one.fitted()) octaves.push_back(fmt::format("{:g}", one.octave));
  const auto name = [](const std::string& path) { return printable(fs::path(path).filename().string()); };
  std::string text = fmt::format(
      "# Absorption fitted by fdtd {} fit to {}: {} runs; octaves {} Hz; spread of the prior {:g} % by "
      "material, {:g} % of all together",
      version(), name(command.measured), runs, fmt::join(octaves, ", "), command.spread_percent,
      command.common_percent);
  if (!command.fit.hold.empty()) text += fmt::format("; held out: {}", fmt::join(command.fit.hold, ", "));
  if (!command.overrides.empty()) text += fmt::format("; with --set {}", fmt::join(command.overrides, " --set "));
  return (interrupted ? std::string(interrupted_head) + "this is the best so far, and the same command continues.\n"
                      : "") +
         printable(text) + ".\n";
}

void write_fitted(const FitCommand& command, const Scene& scene, const CalibrationResult& result, bool interrupted) {
  std::string text = replace_absorption(scene.text, scene.file, result.tables);
  const std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  text.insert(begin, provenance(command, result, interrupted));
  write_whole_file(command.output, text, may_replace(command));
}

void put_report(const FitCommand& command, const FitReport& report) {
  if (command.json)
    put_document(json_text(fit_json(report), 2) + "\n");
  else if (!command.quiet)
    put_text(fit_text(report));
}

// Of a fit whose runs ended too early: the best so far, and how to go on.
[[noreturn]] void end_early(const FitCommand& command, const Scene& scene, FitReport report, const Error& error) {
  write_fitted(command, scene, *report.result, true);
  report.unfinished = error.what();
  put_report(command, report);
  const std::string held = fmt::format("{} holds the best so far", command.output);
  if (error.status == Status::interrupted)
    throw Error(Status::interrupted, "interrupted: " + held, "the same command continues");
  throw Error(error.status, fmt::format("{}; {}", error.what(), held),
              error.remedy.empty() ? "the same command continues" : error.remedy + "; then the same command continues");
}

// The names and places by which responses are found, without figures.
RoomFigures pairs_of(const Scene& scene) {
  RoomFigures known;
  for (const SourceSpec& source : scene.sources) known.sources.push_back({source.name, source.position});
  for (const ReceiverSpec& receiver : scene.receivers) known.receivers.push_back({receiver.name, receiver.position});
  for (const SourceSpec& source : scene.sources)
    for (const ReceiverSpec& receiver : scene.receivers) known.pairs.push_back({source.name, receiver.name, {}});
  return known;
}

void fit_scene(const FitCommand& command) {
  const Scene scene = load(command);
  const MeasuredRoom measured = read_measured_room({command.measured}, pairs_of(scene));
  for (const std::string& warning : measured.warnings) say("warning: {}\n", shortened(warning));
  const CalibrationProblem problem = calibration_problem(scene, measured.figures, command.measured, command.fit);
  require_fitted_file(command, scene, problem);
  const fs::path folder = command.folder.empty() ? fs::path("out") / (fs::path(command.scene).stem().string() + "-fit")
                                                 : fs::path(command.folder);
  const std::vector<CalibrationStage> stages = calibration_stages(scene, problem.octaves);
  Calibration calibration(problem, estimate_sensitivities(scene, problem.octaves));
  OutputFolder created(folder);
  const OutputLock lock(folder);
  FitRuns runs(command, scene, folder, command.force, command.quiet);
  try {
    calibration.run(stages, [&](const AbsorptionTables& tables, const CalibrationStage& stage) {
      created.keep();
      return runs.run(tables, stage);
    });
  } catch (const Error& error) {
    if (!calibration.any_run()) throw;
    const CalibrationResult result = calibration.result();
    end_early(command, scene, {&result, &stages, command.output, command.fit.hold, {}}, error);
  }
  const CalibrationResult result = calibration.result();
  if (std::ranges::none_of(result.octaves, &CalibratedOctave::fitted))
    throw Error(Status::scene, "the runs give none of the measured figures: nothing is fitted",
                "a longer simulation.duration gives T20; a higher max_frequency, or geometry above it, gives octaves");
  write_fitted(command, scene, result, false);
  put_report(command, {&result, &stages, command.output, command.fit.hold, {}});
}

constexpr const char* footer =
    "Fitted are T20, EDT, C80 and G, as far as they are measured, of pairs of sources and receivers that the scene has "
    "by the same names. Each material and octave has its own coefficient, from 0.001 to 0.95, which is drawn to that "
    "of "
    "the scene the more, the less the figures say. Materials of the library, porous layers and impedances become "
    "tables "
    "of absorption; those without absorption stay.\n"
    "The first slopes come from the diffusion equation (`fdtd estimate`), and every run corrects them. Octaves that "
    "waves carry are fitted from below, two or three at a time: the lowest have runs of their own, of waves up to an "
    "octave above them, and the last runs, which cost most and are four at most, are of the scene as it is, with all "
    "octaves. Octaves above max_frequency, which image "
    "sources and rays carry, are fitted by the same last runs: those take the waves of the run before where nothing "
    "that "
    "waves depend on has changed, and compute them again where it has, as nearly every change of a material does.\n"
    "A fit that is interrupted, or one of whose runs fails, writes and prints what it has and says that it is not "
    "finished; the same command continues it.\n";

}  // namespace

void add_fit(CLI::App& app, int& status) {
  auto command = std::make_shared<FitCommand>();
  add_scene_options(app, *command);
  app.add_option("measured", command->measured,
                 "what was measured in the room: a file of figures (JSON, CSV); responses, as a SOFA file or a folder "
                 "of ir_SOURCE_RECEIVER.wav (or .flac); or the folder of a run")
      ->required();
  app.add_option("-o,--output", command->output, "the fitted scene: SCENE with other absorption, its comments kept")
      ->required();
  app.add_option("--hold", command->fit.hold, "source or receiver whose pairs are judged and not fitted; repeatable")
      ->allow_extra_args(false);
  app.add_option("--only", command->fit.only, "material to fit, instead of all; repeatable")->allow_extra_args(false);
  app.add_option("--keep", command->fit.keep, "material that stays as it is; repeatable")->allow_extra_args(false);
  app.add_option("--octaves", command->fit.octaves, "octaves to fit, such as 63,125,250 (Hz); by default all measured")
      ->delimiter(',');
  app.add_option("--spread", command->spread_percent,
                 "how far the absorption of each material may be from that of the scene, in percent: one standard "
                 "deviation of its logarithm is that of 1 + spread")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app.add_option("--common-spread", command->common_percent,
                 "how far the absorption of all materials together may be from that of the scene in an octave, in "
                 "percent, beside the spread of each: 0 leaves that alone")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--runs", command->fit.runs, "number of runs of each stage, two or three octaves, at most")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--whole-runs", command->fit.whole_runs,
                 "number of runs of the whole scene, at most, where low octaves have runs of their own")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--folder", command->folder,
                 "folder of the runs, with one subfolder each; out/<scene>-fit by default");
  app.add_flag("--force", command->force, "replace the fitted scene, and start all runs again");
  app.add_flag("--quiet", command->quiet, "print neither runs nor tables");
  app.footer(footer);
  app.callback([command, &status] {
    command->threads = take_threads(command->threads, !command->quiet);
    command->fit.spread = command->spread_percent / 100.0;
    command->fit.common = command->common_percent / 100.0;
    fit_scene(*command);
    status = 0;
  });
}

}  // namespace fdtd::cli
