#include "engine/reports/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/problem.hpp"
#include "engine/above/marry.hpp"
#include "engine/above/overlap.hpp"
#include "engine/above/ray_spread.hpp"
#include "engine/above/trace_above.hpp"
#include "engine/notches/notch_fields.hpp"
#include "engine/reports/json_text.hpp"
#include "engine/reports/materials_report.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/ray_fields.hpp"
#include "engine/reports/result_notches.hpp"
#include "engine/results/interaural_figures.hpp"
#include "engine/results/lateral_response.hpp"
#include "engine/results/make_result.hpp"
#include "engine/system/stopwatch.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_tables = 4;   // of room-acoustic parameters in the summary
constexpr std::size_t max_listed = 50;  // responses in the summary

struct Peak {
  double value = 0.0, time = 0.0;  // s
};

// The largest absolute sample of a response.
Peak peak_of(const Rendered& rendered, std::size_t channel) {
  const auto samples = static_cast<std::size_t>(rendered.samples);
  if (samples == 0) return {};
  const double* const ir = rendered.ir.data() + channel * samples;
  const double* const peak =
      std::max_element(ir, ir + samples, [](double a, double b) { return std::abs(a) < std::abs(b); });
  return {std::abs(*peak), static_cast<double>(peak - ir) / rendered.sample_rate};
}

// The sums of the energies of all passes, and their largest balance error.
struct EnergySums {
  double injected = 0.0, final = 0.0, dissipated = 0.0, balance_error = 0.0;
};

EnergySums energy_of(const Recording& recording) {
  EnergySums sums;
  for (const auto& course : recording.energy) {
    if (course.empty()) continue;
    sums.injected += course.back().energy.injected;
    sums.final += course.back().energy.stored;
    sums.dissipated += course.back().energy.dissipated;
    for (const EnergyPoint& point : course)
      sums.balance_error = std::max(sums.balance_error, std::abs(point.balance_error));
  }
  return sums;
}

struct StepTiming {
  double seconds = 0.0, updates = 0.0;                  // of nodes
  double above = 0.0, planning = 0.0, rendering = 0.0;  // s
  double ctpn_ns() const { return 1e9 * seconds / updates; }
  double gpts_per_second() const { return 1e-9 * updates / seconds; }
};

StepTiming timing_of(const Plan& plan, const Finished& done) {
  std::int64_t steps = 0;
  for (const auto& course : done.result.recording.energy) steps += course.empty() ? 0 : course.back().step;
  const double updates = static_cast<double>(plan.grid.nodes()) * static_cast<double>(steps);
  // A clock may stand still.
  return {std::max(done.seconds, 1e-9), updates, done.above_seconds, done.planning_seconds, done.rendering_seconds};
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

const JsonFields<Agreement>& agreement_fields();

}  // namespace

namespace {

constexpr double noted_losses = 1e-3;  // of all reflections

// Of rays that left the room.
std::string lost_text(const AboveTrace& trace, double from) {
  const double all = static_cast<double>(trace.hits + trace.lost), lost = static_cast<double>(trace.lost);
  if (lost <= noted_losses * all) return {};
  return fmt::format(
      "{:.2g} % of the reflections of rays find no wall, the first beyond ({:.4g}, {:.4g}, {:.4g}): the mesh has gaps "
      "that the grid closes, and above {:.0f} Hz sound is lost through them",
      100.0 * lost / all, trace.first_lost[0], trace.first_lost[1], trace.first_lost[2], from);
}

// Traces what is above the waves' band and renders both parts as one. A run is not lost where that fails.
void add_sound_above(Finished& done, const PlanReport& report, const AboveCalls& calls) {
  try {
    AboveTrace trace = trace_above(*report.scene, *report.above, calls);
    if (std::string text = lost_text(trace, report.above->crossover.to); !text.empty())
      done.remarks.push_back(std::move(text));
    const Scene& scene = *report.scene;
    OverlapRoom room;
    if (std::isfinite(report.decay.schroeder_frequency)) room.schroeder = report.decay.schroeder_frequency;
    room.narrowest = *std::ranges::min_element(scene.room.box);
    room.sound_speed = report.above->sound_speed;
    room.relief = std::ranges::any_of(scene.room.materials().names, [&](const std::string& name) {
      const std::vector<double>& scattering = scene.materials.at(name).scattering;
      return std::ranges::any_of(scattering, [](double s) { return s > 0.0; });
    });
    done.agreement = agreement_below(trace, done.result.rendered, room);
    done.result.agreement_json = json_text(agreement_fields().write(*done.agreement));
    done.result.above = std::move(trace.record);
    add_above(*done.result.above, done.result.rendered);
  } catch (const Error& error) {
    if (error.status == Status::interrupted) throw;
    done.remarks.push_back(
        fmt::format("responses end at {:.0f} Hz: {}; {}", report.planned->bandwidth(), error.what(), error.remedy));
  }
}

}  // namespace

Finished finish(const PlanReport& report, Recording&& recording, double seconds, const AboveCalls& calls) {
  const Scene& scene = *report.scene;
  const PlanResult& planned = *report.planned;
  const Stopwatch whole;
  Finished done;
  done.seconds = seconds;
  done.planning_seconds = report.planning_seconds;
  Result& result = done.result;
  result =
      make_result(scene, planned.plan, render_options(scene, planned.plan, planned.bandwidth()), std::move(recording));
  const Stopwatch above;
  if (report.above) add_sound_above(done, report, calls);
  if (report.above) done.above_seconds = above.seconds();
  weigh_receivers(result.rendered.ir, result.rendered.samples, result.options.weights);
  result.binaural = report.binaural;
  render_ears(result.recording.sources, result.recording.receivers, result.rendered, result.options, result.binaural);
  Measured measured = measure_all(result);
  done.metrics = std::move(measured.metrics);
  result.figures = std::move(measured.figures);
  done.remarks.insert(done.remarks.end(), result.rendered.remarks.begin(), result.rendered.remarks.end());
  if (!done.metrics.empty()) result.metrics_json = metrics_text_of(result, done.metrics);
  if (const auto notches = result_notches(scene, result); !notches.empty())
    result.notches_json = json_text(json_list(pair_notches_fields(), notches));
  PlanReport stored = report;
  stored.above_bytes = report.above_bytes_of_one;  // the same bytes for any number of threads
  result.plan_json = json_text(stored_plan_fields().write(stored), 2);
  result.materials_json =
      json_text(json_list(wall_material_fields(), wall_materials(planned.materials, planned.walls)));
  result.run = {report.device, now_text(), done.seconds};
  done.rendering_seconds = std::max(whole.seconds() - done.above_seconds, 0.0);
  return done;
}

void Finished::add(Written written) {
  std::move(written.files.begin(), written.files.end(), std::back_inserter(files));
  std::move(written.remarks.begin(), written.remarks.end(), std::back_inserter(remarks));
}

MetricsOptions metrics_options(const Result& result, std::size_t channel) {
  MetricsOptions options;
  options.static_pressure = result.options.low_cut <= 0.0;
  if (result.sound_speed > 0.0) options.earliest = distance_of(result, channel) / result.sound_speed;
  options.valid_bandwidth = result.valid_to();
  options.scale = 1.0;
  options.parts = result.parts();
  options.with.distance = distance_of(result, channel);
  options.with.no_ears = "the receiver is not binaural";
  return options;
}

Metrics measure_channel(const Result& result, std::size_t channel, const std::optional<SpeechConditions>& speech,
                        bool keep_decays) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  MetricsOptions options = metrics_options(result, channel);
  options.speech = speech;
  options.keep_decays = keep_decays;
  const LateralResponse lateral = lateral_response(result, channel);
  options.with.lateral = lateral.samples;
  options.with.lateral_from = lateral.from;
  options.with.no_lateral = lateral.reason;
  if (!lateral.samples.empty()) options.with.lateral_axis = lateral.axis;
  Metrics metrics =
      measure(std::span(result.rendered.ir).subspan(channel * samples, samples), result.rendered.sample_rate, options);
  add_interaural(metrics, result, channel, metrics_options(result, channel));
  return metrics;
}

Measured measure_all(const Result& result) {
  const std::size_t channels = result.recording.sources.size() * result.recording.receivers.size();
  Measured measured;
  if (channels <= max_single_responses) measured.metrics.resize(channels);
  FigureTableMaker table(channels);
  const std::vector<ShownChannel> shown = shown_channels(result.recording);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (shown.size() > 1)
  for (std::size_t i = 0; i < shown.size(); ++i)
    failure.guard([&] {
      const std::size_t channel = shown[i].channel;
      Metrics metrics = measure_channel(result, channel);
      table.put(channel, metrics);
      if (!measured.metrics.empty()) measured.metrics[channel] = std::move(metrics);
    });
  failure.rethrow();
  measured.figures = table.finish();
  return measured;
}

std::string metrics_text_of(const Result& result, const std::vector<Metrics>& metrics) {
  auto list = nlohmann::ordered_json::array();
  for (const ShownChannel& channel : shown_channels(result.recording)) {
    nlohmann::ordered_json one{{"source", channel.source}, {"receiver", channel.receiver}};
    metrics_fields().write_into(one, metrics[channel.channel]);
    list.push_back(std::move(one));
  }
  return json_text(list);
}

namespace {

// The means over all responses by octave, where there are several.
std::string means_text(const std::optional<FigureTable>& figures, const std::vector<ShownChannel>& shown,
                       const BandParts& parts) {
  if (!figures || shown.size() < 2) return "";
  std::vector<std::size_t> channels;
  for (const ShownChannel& one : shown) channels.push_back(one.channel);
  return fmt::format("mean of {}\n{}", counted_means(*figures, channels),
                     table_text(mean_table(*figures, channels, parts)));
}

}  // namespace

namespace {

// Nothing where no pair of a source and a receiver has a figure of both parts.
std::string agreement_line(const Agreement& agreement) {
  const bool known = agreement.G.pairs > 0 || agreement.C80.pairs > 0 || agreement.T20.pairs > 0;
  return known ? agreement_text(agreement) + "\n" : "";
}

}  // namespace

std::string summary_text(const Finished& done, const PlanReport& report) {
  const PlanResult& planned = *report.planned;
  std::string text = materials_text(planned.materials, planned.choice.max_frequency, {}, report.above.has_value());
  text += fmt::format("{:<14}{:<14}{:>10}{:>12}{:>14}\n", "source", "receiver", "distance", "peak", "peak at");
  const std::vector<ShownChannel> shown = shown_channels(done.result.recording);
  for (std::size_t i = 0; i < std::min(shown.size(), max_listed); ++i) {
    const Peak peak = peak_of(done.result.rendered, shown[i].channel);
    text += fmt::format("{:<14}{:<14}{:>8.2f} m{:>12.4g}{:>11.2f} ms\n", shown[i].source, shown[i].receiver,
                        distance_of(done.result, shown[i].channel), peak.value, 1e3 * peak.time);
  }
  if (shown.size() > max_listed) text += fmt::format("and {} more responses\n", shown.size() - max_listed);
  text += means_text(done.result.figures, shown, done.result.parts());
  for (std::size_t i = 0; i < shown.size() && shown.size() <= max_tables; ++i)
    text +=
        fmt::format("{} at {}\n{}", shown[i].source, shown[i].receiver, metrics_text(done.metrics[shown[i].channel]));
  if (shown.size() > max_tables) text += fmt::format("`fdtd metrics` prints the parameters of each response\n");
  if (done.agreement) text += agreement_line(*done.agreement);
  if (done.result.above) text += spread_text(*done.result.above);
  if (report.blocked && report.blocked->blocked > 0) text += blocked_text(*report.blocked, *report.scene) + "\n";
  const EnergySums energy = energy_of(done.result.recording);
  text += fmt::format(
      "energy: {:.1f} dB below the injected energy at the end, balance error {:.1e}; both count all frequencies of the "
      "grid, up to its Nyquist frequency, {:.0f} Hz: waves end at {:.0f} Hz in responses\n",
      10.0 * std::log10(energy.injected / std::max(energy.final, 1e-300 * energy.injected)), energy.balance_error,
      0.5 / planned.plan.grid.time_step, planned.bandwidth());
  const StepTiming timing = timing_of(planned.plan, done);
  text += fmt::format("time: {:.2f} s, {:.3g} Gpts/s, CTPN {:.3g} ns\n", done.seconds, timing.gpts_per_second(),
                      timing.ctpn_ns());
  for (const std::string& remark : done.remarks) text += fmt::format("note: {}\n", shortened(remark));
  text += fmt::format("wrote:\n");
  for (const auto& file : done.files) text += fmt::format("  {}\n", file.string());
  return text;
}

namespace {

struct ReceiverInRun {
  ShownChannel channel;
  Peak peak;
  double distance = 0.0;  // m
  const std::vector<ResidualTone>* tones = nullptr;
  const Metrics* metrics = nullptr;  // null: too many responses
};

std::vector<ReceiverInRun> receivers_of(const RunReport& run) {
  std::vector<ReceiverInRun> list;
  const Result& result = run.done->result;
  const std::vector<Metrics>& metrics = run.done->metrics;
  for (const ShownChannel& one : shown_channels(result.recording))
    list.push_back({one, peak_of(result.rendered, one.channel), distance_of(result, one.channel),
                    &result.rendered.tones[one.channel], metrics.empty() ? nullptr : &metrics[one.channel]});
  return list;
}

const JsonFields<ResidualTone>& tone_fields() {
  static const auto fields =
      JsonFields<ResidualTone>()
          .value("frequency", "Hz", "Frequency.", &ResidualTone::frequency)
          .value("level", "dB", "Amplitude at the end of the record, relative to the largest sample of the response.",
                 &ResidualTone::level)
          .value("removed", "", "Whether the low-pass of rendering leaves less than -80 dB of it in the response.",
                 &ResidualTone::removed);
  return fields;
}

const JsonFields<ReceiverInRun>& receiver_fields() {
  using Of = ReceiverInRun;
  static const auto fields =
      JsonFields<Of>()
          .value("name", "", "Name of the receiver.", [](const Of& of) { return of.channel.receiver; })
          .value("source", "", "Name of the source.", [](const Of& of) { return of.channel.source; })
          .value("peak", "", "Largest absolute sample of the response.", [](const Of& of) { return of.peak.value; })
          .value("peak_time", "s", "Time of that sample after the emission.", [](const Of& of) { return of.peak.time; })
          .value("distance", "m", "Distance between source and receiver.", &Of::distance)
          .list("residual_tones",
                "Tones at or above the bandwidth that ring on in the record after their neighbours have decayed, down "
                "to -80 dB.",
                tone_fields(), [](const Of& of) { return *of.tones; })
          .elements("there is such a tone")
          .object("metrics",
                  "Figures of merit, with the fields of `fdtd metrics --json` from `sample_rate` on; of more responses "
                  "than that /metrics of result.h5 alone holds them.",
                  metrics_fields(), [](const Of& of) -> const Metrics& { return *of.metrics; })
          .only_if("up to 1000 responses", [](const Of& of) { return of.metrics != nullptr; })
          .elsewhere();
  return fields;
}

const JsonFields<EnergySums>& energy_fields() {
  static const auto fields =
      JsonFields<EnergySums>()
          .value("injected", "", "Energy that the sources have injected.", &EnergySums::injected)
          .value("final", "", "Energy that is left at the end.", &EnergySums::final)
          .value("dissipated", "", "Energy that the walls have absorbed.", &EnergySums::dissipated)
          .value("balance_error", "",
                 "Largest |stored + dissipated - injected| at any time, relative to the injected energy.",
                 &EnergySums::balance_error);
  return fields;
}

const JsonFields<StepTiming>& timing_fields() {
  static const auto fields =
      JsonFields<StepTiming>()
          .value("seconds", "s", "Wall-clock time of the steps.", &StepTiming::seconds)
          .value("ctpn_ns", "ns", "Compute time per node: time of a step / number of grid points.",
                 &StepTiming::ctpn_ns)
          .value("gpts_per_second", "10⁹/s", "Grid points updated per second.", &StepTiming::gpts_per_second)
          .value("above_seconds", "s", "Wall-clock time of geometry above the waves' band; 0: there is none.",
                 &StepTiming::above)
          .value("planning_seconds", "s", "Wall-clock time from the scene to its plan.", &StepTiming::planning)
          .value("rendering_seconds", "s", "Wall-clock time of responses and figures.", &StepTiming::rendering);
  return fields;
}

const JsonFields<MeanDifference>& difference_fields() {
  static const auto fields =
      JsonFields<MeanDifference>()
          .value("pairs", "", "Pairs of a source and a receiver that have both figures.", &MeanDifference::pairs)
          .value("mean", "", "Mean of geometry less waves.", &MeanDifference::mean)
          .value("absolute", "", "Mean of the absolute differences.", &MeanDifference::absolute)
          .value("error", "", "Standard error of the mean; null for fewer than two pairs.", &MeanDifference::error);
  return fields;
}

const JsonFields<Agreement>& agreement_fields() {
  static const auto fields =
      JsonFields<Agreement>()
          .value("low", "Hz", "Lower end of the octave below the crossover, where waves are right.", &Agreement::low)
          .value("high", "Hz", "Its upper end.", &Agreement::high)
          .object("G", "Differences of G in dB.", difference_fields(), &Agreement::G)
          .object("C80", "Differences of C80 in dB.", difference_fields(), &Agreement::C80)
          .object("T20", "Differences of T20 in per cent.", difference_fields(), &Agreement::T20)
          .value("chance", "dB", "Spread of G by chance alone, waves from everywhere interfering; null: not known.",
                 &Agreement::chance)
          .value("trust", "", "`good`, `fair` or `poor`.", [](const Agreement& one) { return name_of(one.trust); })
          .value("reasons", "", "Why it is not good, or may not be.", &Agreement::reasons);
  return fields;
}

std::vector<std::string> outputs_of(const RunReport& run) {
  std::vector<std::string> files;
  for (const auto& file : run.done->files) files.push_back(file.string());
  return files;
}

}  // namespace

const JsonFields<RunReport>& run_fields() {
  static const auto fields =
      JsonFields<RunReport>()
          .value("outputs", "", "Paths of the files that were written.", outputs_of)
          .object("plan", "The plan, with the fields of `fdtd plan --json` without `materials`.", plan_fields(),
                  [](const RunReport& run) -> const PlanReport& { return *run.plan; })
          .elsewhere()
          .object("energy", "The energy balance, in the units of the discrete energy; sums over all passes.",
                  energy_fields(), [](const RunReport& run) { return energy_of(run.done->result.recording); })
          .list("receivers", "One element for each pair of a source and a receiver.", receiver_fields(), receivers_of)
          .list("materials", "The materials of the walls, with their fields in `fdtd plan --json`.",
                wall_material_fields(),
                [](const RunReport& run) {
                  return wall_materials(run.plan->planned->materials, run.plan->planned->walls);
                })
          .elsewhere()
          .object("timing", "The time of the steps, over all sessions of the run.", timing_fields(),
                  [](const RunReport& run) { return timing_of(run.plan->planned->plan, *run.done); })
          .object("agreement", "Geometry compared with waves, in the octave below the crossover.", agreement_fields(),
                  [](const RunReport& run) -> const Agreement& { return *run.done->agreement; })
          .only_if("the plan has `above`", [](const RunReport& run) { return run.done->agreement.has_value(); })
          .value("waves_from", "", "The result whose waves were taken: no time step was computed.",
                 [](const RunReport& run) { return run.done->waves_from.string(); })
          .only_if("with `--waves`, and its plan is the same",
                   [](const RunReport& run) { return !run.done->waves_from.empty(); })
          .object("rays", "The rays of the part above the waves' band.", ray_fields(),
                  [](const RunReport& run) -> const AboveRecord& { return *run.done->result.above; })
          .only_if("the plan has `above`, and that part was made",
                   [](const RunReport& run) { return run.done->result.above.has_value(); })
          .value("remarks", "", "Notes on the responses and files.",
                 [](const RunReport& run) { return run.done->remarks; });
  return fields;
}

nlohmann::ordered_json run_json(const Finished& done, const PlanReport& report) {
  return run_fields().write({&done, &report});
}

}  // namespace fdtd
