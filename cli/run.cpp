// fdtd run SCENE: voxelises, simulates, renders, writes.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/audio_input.hpp"
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
#include "cli/threads.hpp"
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
    throw Error(Status::scene,
                "--retune: several ranks on CPUs use a fixed order of work and do not search for another",
                "leave it out, or use one rank or --device cuda");
  return device;
}

// A mono signal at the output rate; Error(scene) for a file with several channels.
// A recording is as long as the run: what the signal holds beyond it is not read.
std::vector<double> read_signal(const SourceSpec& source, double duration, int output_rate) {
  const AudioHeader header = read_audio_header(source.signal_path);
  if (header.channels != 1)
    throw Error(Status::scene,
                fmt::format("source.{}: signal {} has {} channels", source.name, source.signal, header.channels),
                "a source plays one channel: extract one, or define one source per channel");
  constexpr double beyond = 1.0;  // s: resampling reads a little of what follows
  const double wanted = (duration + beyond) * header.sample_rate;
  const double frames = header.frames > 0 ? std::min(static_cast<double>(header.frames), wanted) : wanted;
  require_memory(source.signal_path.string(), 8.0 * frames * (1.0 + output_rate / header.sample_rate),
                 "to play the signal", "use a shorter duration or signal");
  const Audio audio = read_audio(source.signal_path, {static_cast<std::uint64_t>(frames), {}});
  return resample(audio.channels.front(), audio.sample_rate, output_rate);
}

// One per source: its signal at the output rate, empty for an impulse.
std::vector<std::vector<double>> read_signals(const Scene& scene) {
  std::vector<std::vector<double>> signals;
  for (const SourceSpec& source : scene.sources)
    signals.push_back(source.signal_path.empty()
                          ? std::vector<double>{}
                          : read_signal(source, scene.simulation.duration, scene.output.sample_rate));
  return signals;
}

// The fingerprint of the whole plan, whose walls one rank holds, or all ranks in shares.
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

// Each rank plans its own share. Checks that all use the same scene and program; returns the fingerprint of the plan.
PlanFingerprint check_same_plan(Ranks& all, const Planned& planned, const Scene& scene) {
  all.wait_for_all();
  check_alike(all, "the program", program_print());
  const Plan& plan = planned.plan;
  check_alike(all, "the plan",
              fmt::format("{} of {} x {} x {} nodes, {}", plan.stencil_name, plan.grid.size[0], plan.grid.size[1],
                          plan.grid.size[2], to_string(plan.precision)));
  PlanFingerprint fingerprint = fingerprint_of(planned, all);
  // A rank that builds the walls of a few planes of a box sees only some of them, so their materials are compared as
  // well.
  check_alike(all, "the plan",
              fmt::format("fingerprint {}, walls {}", fingerprint.hash, fmt::join(scene.room.walls, ", ")));
  return fingerprint;
}

// The stencil of the scene; a resumed run keeps the one that "auto" chose.
StencilChoice stencil_of(const Scene& scene, const Target& target, bool measure,
                         const std::optional<std::filesystem::path>& checkpoint, Ranks& all) {
  if (scene.simulation.stencil != "auto" || !checkpoint) return choose_stencil(scene, target, all, measure);
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
  if (options.json) print_text("{}\n", json_text({{"ended_before", true}, {"result", result}}, 2));
  if (!options.quiet) say("{}: this run is complete, nothing to resume (--force runs it again)\n", result);
}

void report_start(const RunOptions& options, const OutputPlace& place) {
  if (place.starts_anew() && !options.quiet)
    say("no checkpoint in {}: the run starts from the beginning\n", place.folder().string());
}

void report_resumed(const RunOptions& options, const OutputPlace& place, const Plan& plan, const Moment& from) {
  if (options.quiet) return;
  say("resuming from {}: step {} of source {}\n", place.checkpoint()->string(), from.state.step,
      plan.sources[static_cast<std::size_t>(from.source)].name);
}

// Returns the exit status.
int run_scene(const RunOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  Ranks& all = ranks();
  SimulateOptions how = simulate_options(options);
  Scene scene = load(options);
  DeviceChoice device = device_of(scene, options, all);
  if (all.alone() && device.target.ranks > 1 && !options.dry_run) return run_as_ranks(device.target.ranks);
  std::optional<OutputPlace> place;
  if (!options.dry_run) place.emplace(scene, options.place, all);
  if (place && place->ended()) {
    if (all.first()) report_ended(options, *place);
    return 0;
  }
  if (place && all.first()) report_start(options, *place);

  StencilChoice stencil =
      stencil_of(scene, device.target, options.retune, place ? place->checkpoint() : std::nullopt, all);
  std::vector<std::vector<double>> signals = read_signals(scene);
  const Planned planned = plan_on(device, scene, stencil);
  const Plan& plan = planned.plan;
  how.target = device.target;
  how.share = planned.share ? &*planned.share : nullptr;
  how.label = {version(), check_same_plan(all, planned, scene), stencil.remarks};
  PredictedTime predicted;
  if (all.first()) {
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - begun;
    const bool search = all.alone() && (options.retune || worth_a_search(plan, device.target));
    predicted = predict_time(scene, planned, device.target, options.threads, search, so_far.count());
  }
  all.wait_for_all();
  const PlanReport report = make_report(scene, planned, device.target, predicted, stencil.remarks);
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
  try {
    done.add(write_outputs(request, {&done.result, 1.0, page, how.snapshots}));
  } catch (const Error& error) {
    std::error_code ignored;
    if (!std::filesystem::exists(place->folder() / "result.h5", ignored)) throw;
    throw Error(error.status, error.what(),
                fmt::format("{}{} holds the simulation: `fdtd render` writes its responses",
                            error.remedy.empty() ? "" : error.remedy + "; ", (place->folder() / "result.h5").string()));
  }
  place->finish();
  if (options.json)
    print_text("{}\n", json_text(run_json(done, report), 2));
  else
    print_summary(done, planned);
  return 0;
}

std::string files_help() {
  std::string text = "Files in the output folder:\n";
  for (const Output& output : outputs()) text += fmt::format("  {:<18}{}\n", output.name, output.contents);
  return text;
}

}  // namespace

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
  app.add_flag("--sofa", options->sofa, "also write the responses as SOFA files (SingleRoomSRIR)");
  app.add_flag("--quiet", options->quiet, "do not print progress");
  app.add_flag(
      "--retune", options->retune,
      "repeat the search for the fastest order of work (CPU) or tiles (GPU) and store what it finds, which changes no "
      "result; time the candidates of stencil = \"auto\" here instead of relying on the program's table, which may "
      "change its choice: the result then states the times");
  app.add_flag("--resume", options->place.resume, "resume from the checkpoint in the output folder, if there is one");
  app.add_option("--resume-from", options->place.resume_from, "resume from this checkpoint file");
  app.add_option("--checkpoint-every", options->checkpoint_every,
                 "interval between checkpoints: 30s, 10min, 2h, 500steps, or off (only when interrupted)")
      ->capture_default_str();
  app.add_option("--max-time", options->max_time,
                 "write a checkpoint and exit with status 130 after this time: 90s, 30min, 24h");
  app.footer(files_help());
  app.callback([options, &status] {
    options->threads = take_threads(options->threads, ranks().first());
    status = run_scene(*options);
  });
}

}  // namespace fdtd::cli
