// fdtd run SCENE: voxelise, simulate, render, write.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "cli/outputs.hpp"
#include "cli/plan_report.hpp"
#include "cli/profile_options.hpp"
#include "cli/report_page.hpp"
#include "cli/run_report.hpp"
#include "cli/say.hpp"
#include "cli/scene_options.hpp"
#include "cli/simulate.hpp"
#include "engine/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_lock.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/profiling/predict.hpp"
#include "engine/results/result.hpp"
#include "engine/results/sofa.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/version.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd::cli {
namespace {

struct RunOptions : SceneOptions {
  std::string kernel;
  std::string folder;
  bool force = false;
  bool dry_run = false;
  bool quiet = false;
  bool sofa = false;
  bool resume = false;
  bool retune = false;
  std::string resume_from;                 // a checkpoint; empty: the output folder's
  std::string checkpoint_every = "10min";  // see parse_interval
  std::string max_time;                    // see parse_time; empty: no limit
};

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
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

template <class Spec>
std::vector<std::string> names_of(const std::vector<Spec>& list) {
  std::vector<std::string> names;
  for (const Spec& one : list) names.push_back(one.name);
  return names;
}

RenderOptions render_options(const Scene& scene, const Planned& planned) {
  RenderOptions options;
  options.output_rate = scene.output.sample_rate;
  options.low_cut = scene.output.low_cut;
  options.bandwidth = planned.choice.max_frequency;
  options.duration = scene.simulation.duration;
  options.remove_time_dispersion = planned.choice.time_dispersion_removal;
  options.gain = channel_gain(planned.plan);
  options.capsules = capsule_options(scene, planned.plan);
  if (scene.air.absorption) options.air = air_state(scene.air);
  return options;
}

// What a run needs of its output folder, from before the plan is made until everything is written.
struct Place {
  explicit Place(const std::filesystem::path& where) : folder(where), lock(where) {}
  OutputFolder folder;
  OutputLock lock;
};

// Of the whole plan, whose walls are one rank's or in shares those of all.
PlanLabel label_of(const Planned& planned, Ranks& all) {
  if (!planned.share) return label_of(planned.plan);
  const SlabPlan& part = planned.share->part;
  const int first = part.slab.ghosts_below;
  const std::vector<std::uint64_t> mine = wall_prints(part.plan, first, first + part.slab.planes());
  std::vector<std::uint64_t> prints;
  for (const auto& bytes : all.gather(std::as_bytes(std::span(mine)))) {
    const std::size_t begin = prints.size();
    prints.resize(begin + bytes.size() / sizeof(std::uint64_t));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(prints)).begin() +
                                 static_cast<std::ptrdiff_t>(begin * sizeof(std::uint64_t)));
  }
  return label_of(planned.plan, planned.share->branches, prints);
}

// Ranks plan each its own share: of the same scene, by the same program. The label of what they make together.
PlanLabel check_same_plan(Ranks& all, const Planned& planned, const Scene& scene) {
  all.wait_for_all();
  check_alike(all, "the program", program_print());
  const Plan& plan = planned.plan;
  check_alike(all, "the plan",
              fmt::format("{} of {} x {} x {} nodes, {}", plan.stencil_name, plan.grid.size[0], plan.grid.size[1],
                          plan.grid.size[2], to_string(plan.precision)));
  PlanLabel label = label_of(planned, all);
  // Who builds the walls of a few planes alone sees of a box's what is there.
  check_alike(all, "the plan",
              fmt::format("fingerprint {}, walls {}", label.fingerprint, fmt::join(scene.room.walls, ", ")));
  return label;
}

// The checkpoint to go on from, if there is one; without --resume there must be none.
std::optional<std::filesystem::path> checkpoint_to_resume(const RunOptions& options,
                                                          const std::filesystem::path& folder) {
  if (!options.resume && options.resume_from.empty()) {
    if (!options.force) refuse_checkpoints(folder);
    return std::nullopt;
  }
  return find_checkpoint(folder, options.resume_from);
}

// Is there nothing left to go on with: has this very run ended here before? (One that was killed on its way to the end is
// abandoned, and one whose process was killed past its end is not.)
bool ended_before(const RunOptions& options, const Scene& scene, const std::filesystem::path& folder, bool abandoned) {
  const std::filesystem::path result = folder / "result.h5";
  std::error_code ignored;
  if (!options.resume || options.force || abandoned || !std::filesystem::exists(result, ignored)) return false;
  const Provenance from = read_provenance(result);
  return from.version == version() && from.scene_text == scene.text && from.overrides == scene.overrides;
}

void tell_ended_before(const RunOptions& options, const std::filesystem::path& folder) {
  const std::string result = (folder / "result.h5").string();
  if (options.json) fmt::print("{}\n", nlohmann::ordered_json{{"ended_before", true}, {"result", result}}.dump(2));
  if (!options.quiet) say("{}: this run ended before: nothing to go on with (--force makes it again)\n", result);
}

// The stencil of the scene; where "auto" chose, a run goes on with what it chose then.
StencilChoice stencil_of(const Scene& scene, const Target& target,
                         const std::optional<std::filesystem::path>& checkpoint, Ranks& all) {
  if (scene.simulation.stencil != "auto" || !checkpoint) return choose_stencil(scene, target, all);
  const CheckpointLabel label = read_checkpoint_label(*checkpoint);
  return {known_stencil(label.plan.stencil), label.remarks};
}

// At all ranks the path that rank 0 found.
std::optional<std::filesystem::path> path_of_first(Ranks& all, const std::optional<std::filesystem::path>& found) {
  const std::string path = of_first(all, found ? found->string() : std::string());
  return path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
}

struct Signals {
  std::vector<std::vector<double>> samples;  // one a source, at the output rate; empty for an impulse
  std::vector<bool> given;
};

Signals read_signals(const Scene& scene) {
  Signals signals;
  for (const SourceSpec& source : scene.sources) {
    signals.given.push_back(!source.signal_path.empty());
    signals.samples.push_back(signals.given.back() ? read_signal(source, scene.output.sample_rate)
                                                   : std::vector<double>{});
  }
  return signals;
}

// A record's names before there is one.
Recording recorded_names(const Plan& plan) {
  Recording recording;
  for (const Tap& tap : plan.sources) recording.sources.push_back(tap.name);
  for (const Tap& tap : plan.receivers) recording.receivers.push_back(tap.name);
  return recording;
}

// Frames without a checkpoint that a run could go on from are nobody's.
struct UnfinishedSnapshots {
  std::filesystem::path folder;
  ~UnfinishedSnapshots() {
    std::error_code ignored;
    if (!find_checkpoint(folder, "")) std::filesystem::remove(unfinished_snapshots(folder), ignored);
  }
};

// Renders, measures and notes where it all comes from.
Finished finish(const Scene& scene, const Planned& planned, const PlanReport& report, Simulated&& simulated) {
  Finished done;
  done.seconds = simulated.seconds;
  Result& result = done.result;
  result.recording = std::move(simulated.recording);
  result.options = render_options(scene, planned);
  if (result.recording.samples <= planned.plan.steps) {  // simulation.stop ended it
    const double recorded = static_cast<double>(result.recording.samples - 1) * planned.plan.grid.time_step;
    result.options.duration =
        std::min(result.options.duration, std::max(recorded - render_tail(result.options.bandwidth), 0.5 * recorded));
  }
  result.rendered = render(result.recording, result.options);
  done.metrics = measure_all(result);
  if (result.options.duration < scene.simulation.duration)
    result.rendered.remarks.push_back(
        fmt::format("every receiver has decayed by {:g} dB: {:.4g} s of {:g} s were needed",
                    scene.simulation.stop_decay_db, result.options.duration, scene.simulation.duration));
  result.metrics_json = metrics_text_of(result, done.metrics);
  result.version = version();
  result.build = build_description();
  result.scene_text = scene.text;
  result.overrides = scene.overrides;
  nlohmann::ordered_json plan = plan_json(report);
  plan.erase("predicted_seconds");  // timed, so not the same twice
  for (const char* of_device :
       {"device", "ranks", "gpus_needed", "expected_efficiency", "expected_efficiency_error", "expected_scaling"})
    plan.erase(of_device);
  result.plan_json = plan.dump(2);
  result.run = {report.device, now_text(), done.seconds};
  for (const Capsule& source : source_capsules(scene)) {
    result.source_positions.push_back(source.position);
    result.source_directions.push_back(source.direction);
  }
  for (const Capsule& receiver : receiver_capsules(scene)) {
    result.receiver_positions.push_back(receiver.position);
    result.receiver_directions.push_back(receiver.direction);
  }
  if (!scene.room.mesh) result.room_box = scene.room.box;
  result.surface = surface_of(scene.room);
  result.materials_json = materials_json(planned.materials).dump();
  result.format = scene.output.format;
  result.raw = scene.output.raw;
  return done;
}

void write_all(Finished& done, const Scene& scene, const Signals& signals, const std::filesystem::path& folder,
               bool sofa, bool force) {
  const AudioOptions audio{folder, scene.output.format,           scene.output.sample_rate,
                           1.0,    done.result.options.bandwidth, force};
  const Recording& recording = done.result.recording;
  Written written =
      write_audio_files({recording.sources, recording.receivers, &done.result.rendered, signals.samples}, audio);
  write_result(folder / "result.h5", done.result, force);
  done.files = std::move(written.files);
  done.files.push_back(folder / "result.h5");
  write_whole_file(folder / "report.html", report_html(done.result), force);
  done.files.push_back(folder / "report.html");
  for (const SofaFile& file : sofa ? sofa_files(recording) : std::vector<SofaFile>{}) {
    write_sofa(folder / file.name, done.result, file, force);
    done.files.push_back(folder / file.name);
  }
  done.remarks = done.result.rendered.remarks;
  done.remarks.insert(done.remarks.end(), written.remarks.begin(), written.remarks.end());
}

// Returns the exit status.
int run_scene(const RunOptions& options) {
  SimulateOptions how;
  how.threads = options.threads;
  how.kernel = options.kernel;
  how.retune = options.retune;
  how.quiet = options.quiet;
  how.checkpoint_every = parse_interval(options.checkpoint_every);
  how.max_seconds = options.max_time.empty() ? 0.0 : parse_time(options.max_time);
  Ranks& all = ranks();
  const Scene scene = load(options);
  DeviceChoice device = choose_device(scene, options, all);
  if (options.dry_run) device.target.rank = -1;
  if (options.retune && !device.target.on_gpu() && !all.alone())
    throw Error(Status::scene, "--retune: ranks on CPUs all take one order of work, and search for none",
                "leave it out, or take one rank or --device cuda");
  if (all.alone() && device.target.ranks > 1 && !options.dry_run) return run_as_ranks(device.target.ranks);
  how.folder =
      options.folder.empty() ? std::filesystem::path("out") / scene.file.stem() : std::filesystem::path(options.folder);
  std::optional<Place> place;
  std::optional<std::filesystem::path> checkpoint;
  if (!options.dry_run && all.first()) {
    place.emplace(how.folder);
    checkpoint = checkpoint_to_resume(options, how.folder);
  }
  checkpoint = path_of_first(all, checkpoint);
  const bool anew = place && options.resume && !checkpoint;
  if (of_first(all, anew && ended_before(options, scene, how.folder, place->lock.abandoned()))) {
    if (all.first()) tell_ended_before(options, how.folder);
    return 0;
  }
  if (anew && !options.quiet) say("no checkpoint in {}: the run begins at its beginning\n", how.folder.string());

  const StencilChoice chosen = stencil_of(scene, device.target, checkpoint, all);
  const Signals signals = read_signals(scene);
  std::vector<std::string> remarks = chosen.remarks;
  const Planned planned = plan_on(device, scene, chosen.stencil, remarks);
  how.target = device.target;
  how.share = planned.share ? &*planned.share : nullptr;
  how.label = {version(), check_same_plan(all, planned, scene), chosen.remarks};
  const double seconds = all.first() ? predict_seconds(scene, planned, device.target, options.threads) : 0.0;
  all.wait_for_all();
  const PlanReport report = make_report(scene, planned, device.target, seconds, remarks);
  if (options.dry_run) {
    if (all.first()) print_plan(report, options.json);
    return 0;
  }
  if (!options.json && all.first()) say("{}", plan_text(report));

  std::optional<Moment> from;
  std::error_code ignored;
  if (checkpoint) from = take_checkpoint(*checkpoint, how.folder, how.label).moment;
  if (!all.first()) {
    simulate(planned.plan, how, std::move(from));
    return 0;
  }
  // What an interrupted run that is gone on with has written is its own.
  const bool own = checkpoint && std::filesystem::equivalent(*checkpoint, how.folder / checkpoint->filename(), ignored);
  const bool force = options.force || own || (options.resume && place->lock.abandoned());
  std::vector<std::filesystem::path> files =
      audio_files(names_of(scene.sources), names_of(scene.receivers), signals.given, how.folder);
  for (const char* file : {"result.h5", "report.html"}) files.push_back(how.folder / file);
  if (!planned.plan.snapshots.empty())
    for (const auto& file : snapshot_files(how.folder)) files.push_back(file);
  for (const SofaFile& file : options.sofa ? sofa_files(recorded_names(planned.plan)) : std::vector<SofaFile>{})
    files.push_back(how.folder / file.name);
  for (const auto& file : files) check_writable(file, force);
  place->lock.begin();
  remove_leftovers(how.folder);
  if (!from) {
    remove_checkpoints(how.folder);
    std::filesystem::remove(unfinished_snapshots(how.folder), ignored);
  }
  const UnfinishedSnapshots unfinished{how.folder};
  std::optional<SnapshotWriter> snapshots;
  if (!planned.plan.snapshots.empty())
    how.snapshots = &snapshots.emplace(how.folder, planned.plan, planned.choice.offset, from.has_value());
  if (from && !options.quiet)
    say("going on from {}: step {} of source {}\n", checkpoint->string(), from->state.step,
        planned.plan.sources[static_cast<std::size_t>(from->source)].name);

  Finished done = finish(scene, planned, report, simulate(planned.plan, how, std::move(from)));
  write_all(done, scene, signals, how.folder, options.sofa, force);
  if (snapshots)
    for (auto& file : snapshots->finish()) done.files.push_back(std::move(file));
  place->folder.keep();
  remove_checkpoints(how.folder);
  if (options.json) {
    fmt::print("{}\n", run_json(done, report).dump(2));
  } else {
    print_summary(done, planned);
  }
  return 0;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  add_scene_options(app, *options);
  app.add_option("-o,--output", options->folder, "folder for what is written; out/<scene> by default");
  app.add_option(
      "--kernel", options->kernel,
      "CPU: sliding_window, time_slice or rows, with /AVX-512, /AVX2 or /baseline; GPU: one of its table, as "
      "`fdtd profile` lists them; the fastest by default");
  app.add_flag("--force", options->force, "replace files that exist");
  app.add_flag("--dry-run", options->dry_run, "tell the plan and stop");
  app.add_flag("--sofa", options->sofa, "SOFA files of the responses as well (SingleRoomSRIR)");
  app.add_flag("--quiet", options->quiet, "no progress");
  app.add_flag(
      "--retune", options->retune,
      "search anew for the fastest order of work (CPU) or tiles (GPU), and keep what is found; results stay the "
      "same");
  app.add_flag("--resume", options->resume, "go on from the output folder's checkpoint, if there is one");
  app.add_option("--resume-from", options->resume_from, "go on from this checkpoint");
  app.add_option("--checkpoint-every", options->checkpoint_every,
                 "30s, 10min, 2h, 500steps, or off: only when interrupted")
      ->capture_default_str();
  app.add_option("--max-time", options->max_time, "90s, 30min, 24h: then write a checkpoint and end with status 130");
  app.callback([options, &status] { status = run_scene(*options); });
}

}  // namespace fdtd::cli
