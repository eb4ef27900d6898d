// fdtd run SCENE: voxelise, simulate, render, write.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "cli/output_place.hpp"
#include "cli/plan_report.hpp"
#include "cli/profile_options.hpp"
#include "cli/report_page.hpp"
#include "cli/run_report.hpp"
#include "cli/say.hpp"
#include "cli/scene_options.hpp"
#include "cli/simulate.hpp"
#include "engine/error.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/profiling/predict.hpp"
#include "engine/results/outputs.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {
namespace {

struct RunOptions : SceneOptions {
  PlaceOptions place;
  std::string kernel;
  bool dry_run = false;
  bool quiet = false;
  bool sofa = false;
  bool retune = false;
  std::string checkpoint_every = "10min";  // see parse_interval
  std::string max_time;                    // see parse_time; empty: no limit
};

SimulateOptions simulate_options(const RunOptions& options) {
  SimulateOptions how;
  how.threads = options.threads;
  how.kernel = options.kernel;
  how.retune = options.retune;
  how.quiet = options.quiet;
  how.checkpoint_every = parse_interval(options.checkpoint_every);
  how.max_seconds = options.max_time.empty() ? 0.0 : parse_time(options.max_time);
  return how;
}

DeviceChoice device_of(const Scene& scene, const RunOptions& options, Ranks& all) {
  DeviceChoice device = choose_device(scene, options, all);
  if (options.dry_run) device.target.rank = -1;
  if (options.retune && !device.target.on_gpu() && !all.alone())
    throw Error(Status::scene, "--retune: ranks on CPUs all take one order of work, and search for none",
                "leave it out, or take one rank or --device cuda");
  return device;
}

// One channel at the output rate, or Error(scene) for a file that is no mono signal.
std::vector<double> read_signal(const SourceSpec& source, int output_rate) {
  const Audio audio = read_audio(source.signal_path);
  if (audio.channels.size() != 1)
    throw Error(Status::scene,
                fmt::format("source.{}: signal {} has {} channels", source.name, source.signal, audio.channels.size()),
                "a source plays one channel: extract one, or make one source a channel");
  return resample(audio.channels.front(), audio.sample_rate, output_rate);
}

// One per source: its signal at the output rate, empty for an impulse.
std::vector<std::vector<double>> read_signals(const Scene& scene) {
  std::vector<std::vector<double>> signals;
  for (const SourceSpec& source : scene.sources)
    signals.push_back(source.signal_path.empty() ? std::vector<double>{}
                                                 : read_signal(source, scene.output.sample_rate));
  return signals;
}

// Of the whole plan, whose walls are one rank's or in shares those of all.
PlanFingerprint fingerprint_of(const Planned& planned, Ranks& all) {
  if (!planned.share) return fingerprint_of(planned.plan);
  const SlabPlan& part = planned.share->part;
  const int first = part.slab.ghosts_below;
  const std::vector<std::uint64_t> mine = wall_hashes(part.plan, first, first + part.slab.planes());
  std::vector<std::uint64_t> hashes;
  for (const auto& bytes : all.gather(std::as_bytes(std::span(mine)))) {
    const std::size_t begin = hashes.size();
    hashes.resize(begin + bytes.size() / sizeof(std::uint64_t));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(hashes)).begin() +
                                 static_cast<std::ptrdiff_t>(begin * sizeof(std::uint64_t)));
  }
  return fingerprint_of(planned.plan, planned.share->branches, hashes);
}

// Ranks plan each its own share: of the same scene, by the same program. The fingerprint of the whole plan.
PlanFingerprint check_same_plan(Ranks& all, const Planned& planned, const Scene& scene) {
  all.wait_for_all();
  check_alike(all, "the program", program_print());
  const Plan& plan = planned.plan;
  check_alike(all, "the plan",
              fmt::format("{} of {} x {} x {} nodes, {}", plan.stencil_name, plan.grid.size[0], plan.grid.size[1],
                          plan.grid.size[2], to_string(plan.precision)));
  PlanFingerprint fingerprint = fingerprint_of(planned, all);
  // Who builds the walls of a few planes alone sees of a box's what is there.
  check_alike(all, "the plan",
              fmt::format("fingerprint {}, walls {}", fingerprint.hash, fmt::join(scene.room.walls, ", ")));
  return fingerprint;
}

// The stencil of the scene; where "auto" chose, a run goes on with what it chose then.
StencilChoice stencil_of(const Scene& scene, const Target& target,
                         const std::optional<std::filesystem::path>& checkpoint, Ranks& all) {
  if (scene.simulation.stencil != "auto" || !checkpoint) return choose_stencil(scene, target, all);
  const CheckpointLabel label = read_checkpoint_label(*checkpoint);
  return {known_stencil(label.plan.stencil), label.remarks};
}

OutputRequest output_request(const Plan& plan, const RunOptions& options, const OutputPlace& place,
                             std::vector<std::vector<double>> signals) {
  OutputRequest request;
  request.folder = place.folder();
  for (const Tap& source : plan.sources) request.sources.push_back(source.name);
  for (const Tap& receiver : plan.receivers) request.receivers.push_back(receiver.name);
  request.signals = std::move(signals);
  request.sofa = options.sofa;
  request.snapshots = !plan.snapshots.empty();
  request.force = place.may_replace();
  return request;
}

void report_ended(const RunOptions& options, const OutputPlace& place) {
  const std::string result = (place.folder() / "result.h5").string();
  if (options.json) fmt::print("{}\n", nlohmann::ordered_json{{"ended_before", true}, {"result", result}}.dump(2));
  if (!options.quiet) say("{}: this run ended before: nothing to go on with (--force makes it again)\n", result);
}

void report_start(const RunOptions& options, const OutputPlace& place) {
  if (place.starts_anew() && !options.quiet)
    say("no checkpoint in {}: the run begins at its beginning\n", place.folder().string());
}

void report_resumed(const RunOptions& options, const OutputPlace& place, const Plan& plan, const Moment& from) {
  if (options.quiet) return;
  say("going on from {}: step {} of source {}\n", place.checkpoint()->string(), from.state.step,
      plan.sources[static_cast<std::size_t>(from.source)].name);
}

// Returns the exit status.
int run_scene(const RunOptions& options) {
  Ranks& all = ranks();
  SimulateOptions how = simulate_options(options);
  const Scene scene = load(options);
  DeviceChoice device = device_of(scene, options, all);
  if (all.alone() && device.target.ranks > 1 && !options.dry_run) return run_as_ranks(device.target.ranks);
  std::optional<OutputPlace> place;
  if (!options.dry_run) place.emplace(scene, options.place, all);
  if (place && place->ended()) {
    if (all.first()) report_ended(options, *place);
    return 0;
  }
  if (place && all.first()) report_start(options, *place);

  const StencilChoice stencil = stencil_of(scene, device.target, place ? place->checkpoint() : std::nullopt, all);
  std::vector<std::vector<double>> signals = read_signals(scene);
  std::vector<std::string> remarks = stencil.remarks;
  const Planned planned = plan_on(device, scene, stencil.stencil, remarks);
  const Plan& plan = planned.plan;
  how.target = device.target;
  how.share = planned.share ? &*planned.share : nullptr;
  how.label = {version(), check_same_plan(all, planned, scene), stencil.remarks};
  const double seconds = all.first() ? predict_seconds(scene, planned, device.target, options.threads) : 0.0;
  all.wait_for_all();
  const PlanReport report = make_report(scene, planned, device.target, seconds, remarks);
  if (options.dry_run) {
    if (all.first()) print_plan(report, options.json);
    return 0;
  }
  if (!options.json && all.first()) say("{}", plan_text(report));

  how.folder = place->folder();
  std::optional<Moment> from = place->moment(how.label);
  if (!all.first()) {
    simulate(plan, how, std::move(from));
    return 0;
  }
  const OutputRequest request = output_request(plan, options, *place, std::move(signals));
  check_outputs(request);
  place->begin();
  const PartialSnapshots partial(place->folder());
  std::optional<SnapshotWriter> snapshots;
  if (request.snapshots)
    how.snapshots = &snapshots.emplace(place->folder(), plan, planned.choice.offset, from.has_value());
  if (from) report_resumed(options, *place, plan, *from);

  Finished done = finish(report, simulate(plan, how, std::move(from)));
  const auto page = [](const Result& result) { return report_html(result); };
  done.add(write_outputs(request, {&done.result, 1.0, page, how.snapshots}));
  place->finish();
  if (options.json)
    fmt::print("{}\n", run_json(done, report).dump(2));
  else
    print_summary(done, planned);
  return 0;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  add_scene_options(app, *options);
  app.add_option("-o,--output", options->place.folder, "folder for what is written; out/<scene> by default");
  app.add_option(
      "--kernel", options->kernel,
      "CPU: sliding_window, time_slice or rows, with /AVX-512, /AVX2 or /baseline; GPU: one of its table, as "
      "`fdtd profile` lists them; the fastest by default");
  app.add_flag("--force", options->place.force, "replace files that exist");
  app.add_flag("--dry-run", options->dry_run, "tell the plan and stop");
  app.add_flag("--sofa", options->sofa, "SOFA files of the responses as well (SingleRoomSRIR)");
  app.add_flag("--quiet", options->quiet, "no progress");
  app.add_flag(
      "--retune", options->retune,
      "search anew for the fastest order of work (CPU) or tiles (GPU), and keep what is found; results stay the "
      "same");
  app.add_flag("--resume", options->place.resume, "go on from the output folder's checkpoint, if there is one");
  app.add_option("--resume-from", options->place.resume_from, "go on from this checkpoint");
  app.add_option("--checkpoint-every", options->checkpoint_every,
                 "30s, 10min, 2h, 500steps, or off: only when interrupted")
      ->capture_default_str();
  app.add_option("--max-time", options->max_time, "90s, 30min, 24h: then write a checkpoint and end with status 130");
  app.callback([options, &status] { status = run_scene(*options); });
}

}  // namespace fdtd::cli
