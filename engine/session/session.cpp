#include "engine/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "engine/devices/batches.hpp"
#include "engine/profiling/predict.hpp"
#include "engine/reports/result_page/report_page.hpp"
#include "engine/results/outputs.hpp"
#include "engine/run/exchanged_recording.hpp"
#include "engine/run/lost_balance.hpp"
#include "engine/session/audio_input.hpp"
#include "engine/session/choices.hpp"
#include "engine/session/known_waves.hpp"
#include "engine/session/room_gradient.hpp"
#include "engine/session/signal_file.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/stopwatch.hpp"
#include "engine/system/version.hpp"
#include "engine/transducers/exchange.hpp"

namespace fdtd {
namespace {

SimulateOptions simulate_options(const RunRequest& request) {
  SimulateOptions how;
  how.threads = request.scene.threads;
  how.kernel = request.kernel;
  how.retune = request.retune;
  how.checkpoint_every = request.checkpoint_every;
  how.max_seconds = request.max_seconds;
  how.rooms_at_once = request.rooms_at_once;
  return how;
}

DeviceChoice device_of(const Scene& scene, const RunRequest& request, Ranks& all) {
  DeviceChoice device = choose_device(scene, request.scene, all);
  if (request.rooms_at_once > 1) require_batches(device.target);
  if (request.dry_run) device.target.rank = -1;
  if (request.retune && !device.target.on_gpu() && !all.alone())
    throw Error(Status::scene,
                "--retune: several ranks on CPUs use a fixed order of work and do not search for another",
                "leave it out, or use one rank or --device cuda");
  return device;
}

// One per source: its signal at the output rate, null for an impulse.
Signals read_signals(const Scene& scene) {
  Signals signals;
  for (const SourceSpec& source : scene.sources)
    signals.push_back(source.signal_path.empty()
                          ? nullptr
                          : open_signal(source.name, source.signal, source.signal_path, scene.output.sample_rate));
  return signals;
}

Rotations rotations_of(const Scene& scene) {
  Rotations rotations;
  for (const ReceiverSpec& one : scene.receivers)
    if (one.directivity.pattern == "binaural") rotations[one.name] = one.head->rotations;
  return rotations;
}

// Throws Error where memory or disk cannot hold the recordings.
void require_recordings(const Scene& scene, const Plan& plan, const Signals& signals,
                        const std::optional<OutputPlace>& place) {
  const auto first = std::ranges::find_if(signals, [](const auto& signal) { return signal != nullptr; });
  if (first == signals.end()) return;
  const auto channels = [](const std::vector<Tap>& taps) {
    std::vector<ChannelId> list;
    for (const Tap& one : taps) list.push_back(one.channel);
    return list;
  };
  const auto samples =
      static_cast<std::uint64_t>(std::ceil(scene.simulation.duration * static_cast<double>(scene.output.sample_rate)));
  const RecordingSize size = recording_size(channels(plan.sources), channels(plan.receivers), signals, samples,
                                            scene.output.format, scene.moving, rotations_of(scene));
  const SourceSpec& source = scene.sources[static_cast<std::size_t>(first - signals.begin())];
  require_memory(source.signal_path.string(), size.memory, "to play the signal",
                 "use a shorter duration or fewer receivers");
  if (place) require_space((place->folder() / "recording_*.wav").string(), size.disk);
}

// The fingerprint of the whole plan, whose walls one rank holds, or all ranks in parts.
PlanFingerprint fingerprint_of(const PlanResult& planned, Ranks& all) {
  if (!planned.part) return fingerprint_of(planned.plan);
  const SlabPlan& part = planned.part->own;
  const int first = part.slab.ghosts_below;
  const std::vector<std::uint64_t> mine = wall_hashes(part.plan, first, first + part.slab.planes());
  std::vector<std::uint64_t> hashes;
  for (const auto& bytes : all.gather(std::as_bytes(std::span(mine)))) {
    const std::size_t begin = hashes.size();
    hashes.resize(begin + bytes.size() / sizeof(std::uint64_t));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(hashes)).begin() +
                                 static_cast<std::ptrdiff_t>(begin * sizeof(std::uint64_t)));
  }
  return fingerprint_of(planned.plan, planned.part->branches, hashes);
}

// Each rank plans its own part. Checks that all use the same scene and program; returns the fingerprint of the plan.
PlanFingerprint check_same_plan(Ranks& all, PlanResult& planned, const Scene& scene) {
  const WhileExchanged computed(planned.plan, planned.exchanged);
  if (all.alone()) return fingerprint_of(planned, all);  // the program's own bytes take milliseconds to read
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

// Those on the stencil and the device as planning leaves them, and those on heads.
std::vector<std::string> joined(std::vector<std::string> remarks, const std::vector<std::string>& heads) {
  remarks.insert(remarks.end(), heads.begin(), heads.end());
  return remarks;
}

OutputRequest output_request(const Scene& scene, const Plan& plan, const RunRequest& how, const OutputPlace& place,
                             Signals signals) {
  OutputRequest request;
  request.folder = place.folder();
  for (const Tap& source : plan.sources) request.sources.push_back(source.channel);
  for (const Tap& receiver : plan.receivers) request.receivers.push_back(receiver.channel);
  request.signals = std::move(signals);
  request.moving = scene.moving;
  request.rotations = rotations_of(scene);
  request.wanted = outputs_of_run();
  request.wanted.insert(how.outputs.begin(), how.outputs.end());
  if (!plan.snapshots.empty()) request.wanted.insert("snapshots");
  request.force = place.may_replace();
  return request;
}

// Where the responses cannot be written, the simulation need not be lost.
Written write_all(const OutputRequest& request, const OutputData& data) {
  try {
    return write_outputs(request, data);
  } catch (const Error& error) {
    std::error_code ignored;
    const std::filesystem::path result = request.folder / "result.h5";
    if (!std::filesystem::exists(result, ignored)) throw;
    throw Error(error.status, error.what(),
                fmt::format("{}{} holds the simulation: `fdtd render` writes its responses",
                            error.remedy.empty() ? "" : error.remedy + "; ", result.string()));
  }
}

// The recording of a run in the order of the scene.
Recording in_scene(Recording recording, bool exchanged) {
  if (exchanged) exchange_recording(recording);
  return recording;
}

// Writes what was recorded before the balance was lost, and throws the error with where it is.
[[noreturn]] void keep_recorded(const LostBalance& lost, const OutputRequest& outputs, const PlanReport& report,
                                SnapshotWriter* snapshots, OutputPlace& place) {
  if (!lost.recording) throw Error(lost);
  std::string remedy = lost.remedy;
  Recording recording = in_scene(*lost.recording, report.planned->exchanged);
  const std::string kept = kept_text(recording, report.planned->plan.steps);
  try {
    Finished done = finish(report, std::move(recording), lost.seconds);
    done.result.rendered.remarks.insert(
        done.result.rendered.remarks.begin(),
        fmt::format("the run ended early: {}. The record in balance is kept: {}; the rest is missing", lost.what(),
                    kept));
    write_all(outputs, {&done.result, 1.0, [](const Result& result) { return report_html(result); }, snapshots});
    place.finish();
    remedy += fmt::format("; {} holds what was in balance: {}", outputs.folder.string(), kept);
  } catch (const Error& error) {
    remedy += fmt::format("; the record in balance ({}) could not be written: {}", kept, error.what());
  }
  throw Error(lost.status, lost.what(), remedy);
}

// The source of a pass, or the receiver where receivers send.
std::string sender_text(const PlanResult& planned, std::size_t pass) {
  return planned.exchanged ? "receiver " + planned.plan.receivers[pass].channel.name
                           : "source " + planned.plan.sources[pass].channel.name;
}

// The fingerprint by which another run finds these waves; empty: this process does not see the whole plan.
std::string print_of(const PlanResult& planned) { return planned.part ? "" : exact_print(planned.plan); }

// The waves of the result that the request names, where there is one: with a record if its plan is the same.
KnownWaves waves_of_request(const RunRequest& request, const PlanReport& report, const std::string& print) {
  return request.waves.empty() ? KnownWaves{} : known_waves(request.waves, report, print);
}

// A remark on the waves that a request named.
std::string remark_of(const KnownWaves& known) {
  return known.why_not.empty()
             ? fmt::format("the waves are those of {}: no time step was computed", known.from.string())
             : fmt::format("the waves of {} were not taken: {}", known.from.string(), known.why_not);
}

// finish(), which the caller may stop while sound above the waves' band is computed. `kept`: the file that holds the
// waves; empty: none does. `known`: it is a result that the request named.
Finished finish_watched(const PlanReport& report, Recording&& recording, double seconds, const SessionCalls& calls,
                        const std::filesystem::path& kept, bool known) {
  const auto check = [&] {
    if (!calls.stop || !calls.stop()) return;
    std::string remedy = "no file holds the waves: start again";
    if (!kept.empty())
      remedy = fmt::format("{} holds the waves: the same command {}", kept.string(),
                           known ? "takes them again" : "with --resume computes the rest alone");
    throw Error(Status::interrupted, "interrupted after the last step, while sound above the waves' band is computed",
                remedy);
  };
  return finish(report, std::move(recording), seconds, {calls.begin_above, calls.above, check, calls.end_above});
}

// The work of rank 0 once the plan is agreed on.
void run_and_write(const RunRequest& request, const SessionCalls& calls, SimulateOptions& how, OutputPlace& place,
                   PlanResult& planned, const PlanReport& report, Signals signals,
                   const std::function<void(const Finished&, const PlanReport&)>& finished) {
  Plan& plan = planned.plan;
  std::optional<Moment> from = place.moment(how.label);
  const OutputRequest outputs = output_request(*report.scene, plan, request, place, std::move(signals));
  check_outputs(outputs);
  const std::string print = print_of(planned);
  KnownWaves known = from ? KnownWaves{} : waves_of_request(request, report, print);
  place.begin();
  const PartialSnapshots partial(place.folder());
  std::optional<SnapshotWriter> snapshots;
  if (!plan.snapshots.empty())
    how.snapshots = &snapshots.emplace(place.folder(), plan, report.planned->choice.offset, from.has_value());
  if (from) how.resumed_from = *place.checkpoint();
  if (from && calls.resumed)
    calls.resumed(how.resumed_from, from->state.step,
                  from->complete() ? "" : sender_text(planned, static_cast<std::size_t>(from->source)));
  how.keep_records = report.above.has_value();
  std::filesystem::path kept;
  std::string not_kept;
  const bool taken = known.recording.has_value();
  if (!taken) try {
      const WhileExchanged computed(plan, planned.exchanged);
      Simulated simulated = simulate(plan, how, std::move(from), calls);
      known.recording = std::move(simulated.recording);
      known.seconds = simulated.seconds;
      kept = simulated.kept;
      not_kept = simulated.not_kept;
    } catch (const LostBalance& lost) {
      keep_recorded(lost, outputs, report, how.snapshots, place);
    }
  if (!taken && planned.exchanged) exchange_recording(*known.recording);
  if (taken) kept = known.from;
  Finished done = finish_watched(report, std::move(*known.recording), known.seconds, calls, kept, taken);
  done.result.wave_print = print;
  if (taken) done.waves_from = known.from;
  if (!known.from.empty()) done.remarks.push_back(remark_of(known));
  if (!not_kept.empty())
    done.remarks.push_back(fmt::format("the records could not be kept for --resume: {}", not_kept));
  const auto page = [](const Result& result) { return report_html(result); };
  done.add(write_all(outputs, {&done.result, 1.0, page, how.snapshots}));
  place.finish();
  if (finished) finished(done, report);
}

void begin_stencil(const PlanningStage& stage, const Scene& scene) {
  if (stage && scene.simulation.stencil == "auto") stage("choosing the stencil");
}

void begin_timing(const PlanningStage& stage) {
  if (stage) stage("timing some steps");
}

// Throws SceneError where the file of a head has a problem.
std::vector<BinauralReceiver> heads_of(const Scene& scene, const SceneRequest& request,
                                       std::vector<std::string>& remarks) {
  std::vector<Problem> problems;
  std::vector<BinauralReceiver> heads = binaural_receivers(scene, remarks, problems);
  if (!problems.empty()) throw SceneError(std::move(problems), request.scene, scene.text);
  return heads;
}

}  // namespace

void plan_scene(const SceneRequest& request, const std::function<void(const PlanReport&)>& report,
                const PlanningStage& shown, const std::optional<GradientRequest>& asked) {
  const Stopwatch begun;
  Ranks& all = ranks();
  const PlanningStage stage = all.first() ? shown : PlanningStage();
  if (stage) stage("reading the scene");
  Scene scene = load(request);
  std::optional<PlannedGradient> gradient;
  if (asked) {
    if (stage) stage("planning the gradient");
    gradient = RoomGradient(request, std::nullopt, asked->memory).timed();
  }
  DeviceChoice device = choose_device(scene, request, all);
  device.target.rank = -1;
  begin_stencil(stage, scene);
  StencilChoice chosen = choose_stencil(scene, device.target, all);
  std::vector<std::string> heads;
  std::vector<BinauralReceiver> binaural = heads_of(scene, request, heads);
  PlanResult planned = plan_on(device, scene, chosen, all, stage);
  if (!all.first()) return;
  begin_timing(stage);
  PredictedTime predicted;
  {
    const WhileExchanged computed(planned.plan, planned.exchanged);
    const bool search = device.target.ranks == 1 && worth_a_search(planned.plan, device.target);
    predicted = predict_time(scene, planned, device.target, request.threads, search, begun.seconds());
  }
  PlanReport made = make_report(scene, planned, device.target, predicted, joined(chosen.remarks, heads));
  made.binaural = std::move(binaural);
  made.gradient = gradient;
  report(made);
}

SessionEnd run_scene(const RunRequest& request, const SessionCalls& calls,
                     const std::function<void(const Finished&, const PlanReport&)>& finished) {
  using How = SessionEnd::How;
  const Stopwatch begun;
  Ranks& all = ranks();
  SimulateOptions how = simulate_options(request);
  const PlanningStage stage = all.first() ? calls.stage : PlanningStage();
  if (stage) stage("reading the scene");
  Scene scene = load(request.scene);
  DeviceChoice device = device_of(scene, request, all);
  if (all.alone() && device.target.ranks > 1 && !request.dry_run) return {How::needs_ranks, device.target.ranks, {}};
  std::optional<OutputPlace> place;
  if (!request.dry_run) place.emplace(scene, request.place, all);
  if (place && place->ended()) return {How::ended_before, 1, place->folder()};
  if (place && all.first() && place->starts_anew() && calls.starts_anew) calls.starts_anew(place->folder());

  begin_stencil(stage, scene);
  StencilChoice stencil =
      stencil_of(scene, device.target, request.retune, place ? place->checkpoint() : std::nullopt, all);
  Signals signals = read_signals(scene);
  std::vector<std::string> heads;
  std::vector<BinauralReceiver> binaural = heads_of(scene, request.scene, heads);
  PlanResult planned = plan_on(device, scene, stencil, ranks(), stage);
  require_recordings(scene, planned.plan, signals, place);
  how.target = device.target;
  how.part = planned.part ? &*planned.part : nullptr;
  how.label = {version(), check_same_plan(all, planned, scene), stencil.remarks};
  PredictedTime predicted;
  if (all.first() && request.predict) {
    begin_timing(stage);
    const WhileExchanged computed(planned.plan, planned.exchanged);
    const bool search = all.alone() && (request.retune || worth_a_search(planned.plan, device.target));
    predicted = predict_time(scene, planned, device.target, request.scene.threads, search, begun.seconds());
  }
  all.wait_for_all();
  PlanReport report = make_report(scene, planned, device.target, predicted, joined(stencil.remarks, heads));
  report.binaural = std::move(binaural);
  report.planning_seconds = begun.seconds();
  if (all.first() && calls.planned) calls.planned(report);
  if (request.dry_run) return {How::planned, 1, {}};

  how.folder = place->folder();
  if (all.first()) {
    run_and_write(request, calls, how, *place, planned, report, std::move(signals), finished);
  } else {
    const WhileExchanged computed(planned.plan, planned.exchanged);
    simulate(planned.plan, how, place->moment(how.label), calls);
  }
  return {How::finished, 1, place->folder()};
}

}  // namespace fdtd
