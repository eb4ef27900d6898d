#include "cli/fit/fit_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "cli/sweep/child.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/stop_on_signal.hpp"
#include "engine/results/response_arrays.hpp"

namespace fdtd::cli {

namespace fs = std::filesystem;

namespace {

constexpr int signalled = 128;  // plus the number of the signal: the status of a child that a signal killed

// The figures of a result, without hidden channels and those of higher ambisonic order.
RoomFigures figures_of(const fs::path& result) {
  const ResultFigures read = read_result_figures(result);
  RoomFigures figures;
  if (!read.figures) return figures;
  const FigureTable& table = *read.figures;
  std::vector<std::size_t> bands;
  for (std::size_t band = 0; band < table.centres.size(); ++band)
    if (table.centres[band] > 0.0) {
      bands.push_back(band);
      figures.centres.push_back(table.centres[band]);
    }
  for (std::size_t channel = 0; channel < table.channels; ++channel) {
    const ChannelId &source = read.sources[channel / read.receivers.size()],
                    &receiver = read.receivers[channel % read.receivers.size()];
    if (!source.output() || !receiver.first()) continue;
    PairFigures pair{source.owner, receiver.shown(), {}};
    for (const std::size_t band : bands) {
      OctaveFigures& octave = pair.octaves.emplace_back();
      for (std::size_t f = 0; f < main_figures; ++f) {
        const double value = table.value(f, channel, band);
        if (!std::isnan(value)) octave[f].value = value;
      }
    }
    figures.pairs.push_back(std::move(pair));
  }
  return figures;
}

// The message of a run on stderr, without the program's name; its hint is kept.
Error failure_of(const Child& child, int status, const fs::path& folder) {
  std::string reason = child.err();
  if (const std::size_t at = reason.rfind("fdtd: "); at != reason.npos) reason = reason.substr(at + 6);
  std::string hint;
  if (const std::size_t at = reason.find("\n  hint: "); at != reason.npos) {
    hint = reason.substr(at + 9);
    reason.resize(at);
  }
  for (std::string* text : {&reason, &hint})
    while (!text->empty() && text->back() == '\n') text->pop_back();
  if (status > signalled && reason.empty()) reason = fmt::format("killed by signal {}", status - signalled);
  const bool known = status == 2 || status == 3 || status == 4 || status == 5;
  return Error(known ? static_cast<Status>(status) : Status::resource,
               fmt::format("the run in {} failed: {}", folder.string(), reason), hint);
}

// Its status; a signal to this process is passed on. Polls: one that arrives just before a blocking wait would not end it.
int await(const Child& child) {
  bool passed_on = false;
  for (int how = 0;;) {
    if (::waitpid(child.process(), &how, WNOHANG) == child.process()) return Child::status_of(how);
    if (StopOnSignal::noted() != 0 && !passed_on) {
      passed_on = true;
      child.terminate();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

FitRuns::FitRuns(const SceneOptions& options, const Scene& scene, fs::path folder, bool force, bool quiet)
    : options_(options), scene_(scene), folder_(std::move(folder)), force_(force), quiet_(quiet) {}

std::vector<std::string> FitRuns::overrides_of(const AbsorptionTables& tables, const CalibrationStage& stage) const {
  std::vector<std::string> sets = options_.overrides;
  for (std::string& set : absorption_overrides(scene_.text, tables)) sets.push_back(std::move(set));
  if (stage.max_frequency) {
    if (scene_.simulation.grid_spacing) sets.emplace_back("simulation.grid_spacing=");
    sets.push_back(fmt::format("simulation.max_frequency={:.5g}", *stage.max_frequency));
    sets.emplace_back("above.method=none");
  }
  return sets;
}

bool FitRuns::is_made(const fs::path& folder, const std::vector<std::string>& overrides) const {
  std::error_code ignored;
  const fs::path result = folder / "result.h5";
  if (force_ || !fs::exists(result, ignored)) return false;
  const Provenance from = read_provenance(result);
  if (from.scene_text == scene_.text && from.overrides == overrides) return true;
  throw Error(Status::file, fmt::format("{} is the result of another scene or of other values", result.string()),
              "choose another folder with --folder, or start again with --force");
}

void FitRuns::compute(const fs::path& folder, const std::vector<std::string>& overrides,
                      const CalibrationStage& stage) {
  std::vector<std::string> words = {"run", options_.scene, "-o", folder.string(), "--json", "--quiet"};
  for (const std::string& set : overrides) words.insert(words.end(), {"--set", set});
  if (!options_.device.empty()) words.insert(words.end(), {"--device", options_.device});
  words.insert(words.end(), {"--threads", std::to_string(options_.threads)});
  if (options_.allow_outside) words.emplace_back("--allow-outside");
  if (!stage.max_frequency && !waves_.empty()) words.insert(words.end(), {"--waves", waves_.string()});
  words.emplace_back(force_ ? "--force" : "--resume");
  const StopOnSignal signals;
  const Child child(words);
  const int status = await(child);
  if (StopOnSignal::noted() != 0 || status == static_cast<int>(Status::interrupted))
    throw Error(Status::interrupted, "interrupted");
  if (status != 0) throw failure_of(child, status, folder);
}

RoomFigures FitRuns::run(const AbsorptionTables& tables, const CalibrationStage& stage) {
  const fs::path folder = folder_ / fmt::format("{:03}", ++number_);
  const std::vector<std::string> overrides = overrides_of(tables, stage);
  const bool made = is_made(folder, overrides);
  if (!quiet_)
    say("run {}: {}{}\n", number_,
        stage.max_frequency ? fmt::format("up to {:.0f} Hz", *stage.max_frequency) : std::string("the whole scene"),
        made ? ", is there" : "");
  const auto begin = std::chrono::steady_clock::now();
  if (!made) compute(folder, overrides, stage);
  if (!made && !quiet_)
    say("run {}: {:.1f} s\n", number_, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!stage.max_frequency && scene_.above.method != Above::Method::none) waves_ = folder;
  return figures_of(folder / "result.h5");
}

}  // namespace fdtd::cli
