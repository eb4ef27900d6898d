#include "engine/reports/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <span>
#include <utility>

#include "base/parallel_failure.hpp"
#include "base/problem.hpp"
#include "engine/reports/json_text.hpp"
#include "engine/reports/materials_report.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/results/make_result.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_tables = 4;   // of room-acoustic parameters in the summary
constexpr std::size_t max_listed = 50;  // responses in the summary

nlohmann::ordered_json tones_json(const std::vector<ResidualTone>& tones) {
  auto list = nlohmann::ordered_json::array();
  for (const ResidualTone& tone : tones)
    list.push_back({{"frequency", tone.frequency}, {"level", tone.level}, {"removed", tone.removed}});
  return list;
}

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

nlohmann::ordered_json receivers_json(const Result& result, const std::vector<Metrics>& metrics) {
  auto list = nlohmann::ordered_json::array();
  for (const ShownChannel& one : shown_channels(result.recording)) {
    const Peak peak = peak_of(result.rendered, one.channel);
    nlohmann::ordered_json json{{"name", one.receiver},
                                {"source", one.source},
                                {"peak", peak.value},
                                {"peak_time", peak.time},
                                {"distance", distance_of(result, one.channel)},
                                {"residual_tones", tones_json(result.rendered.tones[one.channel])}};
    if (!metrics.empty()) json["metrics"] = metrics_json(metrics[one.channel]);
    list.push_back(std::move(json));
  }
  return list;
}

// The largest balance error of all sources, and the sums of their energies.
nlohmann::ordered_json energy_json(const Recording& recording) {
  double injected = 0.0, final = 0.0, dissipated = 0.0, worst = 0.0;
  for (const auto& course : recording.energy) {
    if (course.empty()) continue;
    injected += course.back().energy.injected;
    final += course.back().energy.stored;
    dissipated += course.back().energy.dissipated;
    for (const EnergyPoint& point : course) worst = std::max(worst, std::abs(point.balance_error));
  }
  return {{"injected", injected}, {"final", final}, {"dissipated", dissipated}, {"balance_error", worst}};
}

nlohmann::ordered_json timing_json(const Plan& plan, const Recording& recording, double seconds) {
  std::int64_t steps = 0;
  for (const auto& course : recording.energy) steps += course.empty() ? 0 : course.back().step;
  const double updates = static_cast<double>(plan.grid.nodes()) * static_cast<double>(steps);
  seconds = std::max(seconds, 1e-9);  // a clock may stand still
  return {{"seconds", seconds}, {"ctpn_ns", 1e9 * seconds / updates}, {"gpts_per_second", 1e-9 * updates / seconds}};
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// Without what depends on the device or on measured times, which differ from run to run.
nlohmann::ordered_json plan_of_result(const PlanReport& report) {
  nlohmann::ordered_json plan = plan_json(report);
  for (const char* of_device : {"predicted_seconds", "predicted", "device", "ranks", "gpus_needed",
                                "expected_efficiency", "expected_efficiency_error", "expected_scaling"})
    plan.erase(of_device);
  return plan;
}

}  // namespace

Finished finish(const PlanReport& report, Recording&& recording, double seconds) {
  const Scene& scene = *report.scene;
  const Planned& planned = *report.planned;
  Finished done;
  done.seconds = seconds;
  Result& result = done.result;
  result =
      make_result(scene, planned.plan, render_options(scene, planned.plan, planned.bandwidth()), std::move(recording));
  Measured measured = measure_all(result);
  done.metrics = std::move(measured.metrics);
  result.figures = std::move(measured.figures);
  done.remarks = result.rendered.remarks;
  if (!done.metrics.empty()) result.metrics_json = metrics_text_of(result, done.metrics);
  result.plan_json = json_text(plan_of_result(report), 2);
  result.materials_json = json_text(materials_json(planned.materials, planned.walls));
  result.run = {report.device, now_text(), done.seconds};
  return done;
}

void Finished::add(Written written) {
  std::move(written.files.begin(), written.files.end(), std::back_inserter(files));
  std::move(written.remarks.begin(), written.remarks.end(), std::back_inserter(remarks));
}

std::vector<ShownChannel> shown_channels(const Recording& recording) {
  std::vector<ShownChannel> list;
  for (std::size_t s = 0; s < recording.sources.size(); ++s)
    for (std::size_t r = 0; r < recording.receivers.size(); ++r) {
      const ChannelName source = read_channel_name(recording.sources[s]),
                        receiver = read_channel_name(recording.receivers[r]);
      if (!source.hidden && !receiver.hidden && receiver.acn <= 0)
        list.push_back({s * recording.receivers.size() + r, source.owner, receiver.owner});
    }
  return list;
}

MetricsOptions metrics_options(const Result& result, std::size_t channel) {
  MetricsOptions options;
  options.static_pressure = result.options.low_cut <= 0.0;
  if (result.sound_speed > 0.0) options.earliest = distance_of(result, channel) / result.sound_speed;
  options.valid_bandwidth = result.options.bandwidth;
  options.scale = 1.0;
  return options;
}

Measured measure_all(const Result& result) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const std::size_t channels = result.recording.sources.size() * result.recording.receivers.size();
  Measured measured;
  if (channels <= max_single_responses) measured.metrics.resize(channels);
  FigureTableMaker table(channels);
  const std::vector<ShownChannel> shown = shown_channels(result.recording);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < shown.size(); ++i)
    failure.guard([&] {
      const std::size_t channel = shown[i].channel;
      Metrics metrics = measure(std::span(result.rendered.ir).subspan(channel * samples, samples),
                                result.rendered.sample_rate, metrics_options(result, channel));
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
    one.update(metrics_json(metrics[channel.channel]));
    list.push_back(std::move(one));
  }
  return json_text(list);
}

namespace {

// The means over all responses by octave, where there are several.
std::string means_text(const std::optional<FigureTable>& figures, const std::vector<ShownChannel>& shown) {
  if (!figures || shown.size() < 2) return "";
  std::vector<std::size_t> channels;
  for (const ShownChannel& one : shown) channels.push_back(one.channel);
  return fmt::format("mean of {} responses\n{}", shown.size(), table_text(mean_table(*figures, channels)));
}

}  // namespace

std::string summary_text(const Finished& done, const Planned& planned) {
  std::string text = materials_text(planned.materials, planned.choice.max_frequency);
  text += fmt::format("{:<14}{:<14}{:>10}{:>12}{:>14}\n", "source", "receiver", "distance", "peak", "peak at");
  const std::vector<ShownChannel> shown = shown_channels(done.result.recording);
  for (std::size_t i = 0; i < std::min(shown.size(), max_listed); ++i) {
    const Peak peak = peak_of(done.result.rendered, shown[i].channel);
    text += fmt::format("{:<14}{:<14}{:>8.2f} m{:>12.4g}{:>11.2f} ms\n", shown[i].source, shown[i].receiver,
                        distance_of(done.result, shown[i].channel), peak.value, 1e3 * peak.time);
  }
  if (shown.size() > max_listed) text += fmt::format("and {} more responses\n", shown.size() - max_listed);
  text += means_text(done.result.figures, shown);
  for (std::size_t i = 0; i < shown.size() && shown.size() <= max_tables; ++i)
    text +=
        fmt::format("{} at {}\n{}", shown[i].source, shown[i].receiver, metrics_text(done.metrics[shown[i].channel]));
  if (shown.size() > max_tables) text += fmt::format("`fdtd metrics` prints the parameters of each response\n");
  const auto energy = energy_json(done.result.recording);
  const double injected = energy["injected"].get<double>();
  text += fmt::format(
      "energy: {:.1f} dB below the injected energy at the end, balance error {:.1e}; both count all frequencies of the "
      "grid, up to its Nyquist frequency, {:.0f} Hz: responses end at {:.0f} Hz\n",
      10.0 * std::log10(injected / std::max(energy["final"].get<double>(), 1e-300 * injected)),
      energy["balance_error"].get<double>(), 0.5 / planned.plan.grid.time_step, planned.bandwidth());
  const auto timing = timing_json(planned.plan, done.result.recording, done.seconds);
  text += fmt::format("time: {:.2f} s, {:.3g} Gpts/s, CTPN {:.3g} ns\n", done.seconds,
                      timing["gpts_per_second"].get<double>(), timing["ctpn_ns"].get<double>());
  for (const std::string& remark : done.remarks) text += fmt::format("note: {}\n", shortened(remark));
  text += fmt::format("wrote:\n");
  for (const auto& file : done.files) text += fmt::format("  {}\n", file.string());
  return text;
}

nlohmann::ordered_json run_json(const Finished& done, const PlanReport& report) {
  auto files = nlohmann::ordered_json::array();
  for (const auto& file : done.files) files.push_back(file.string());
  return {{"outputs", files},
          {"plan", plan_json(report)},
          {"energy", energy_json(done.result.recording)},
          {"receivers", receivers_json(done.result, done.metrics)},
          {"materials", materials_json(report.planned->materials, report.planned->walls)},
          {"timing", timing_json(report.planned->plan, done.result.recording, done.seconds)},
          {"remarks", done.remarks}};
}

}  // namespace fdtd
