// fdtd run SCENE: voxelise, simulate, render, write.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <memory>

#include "cli/command.hpp"
#include "cli/metrics_report.hpp"
#include "cli/outputs.hpp"
#include "cli/plan_report.hpp"
#include "cli/progress.hpp"
#include "cli/scene_options.hpp"
#include "engine/atomic_file.hpp"
#include "engine/audio_file.hpp"
#include "engine/error.hpp"
#include "engine/metrics.hpp"
#include "engine/result.hpp"
#include "engine/run.hpp"
#include "engine/source_gain.hpp"
#include "engine/version.hpp"

namespace fdtd::cli {
namespace {

struct RunOptions : SceneOptions {
  std::string folder;
  bool force = false;
  bool dry_run = false;
  bool quiet = false;
};

volatile std::sig_atomic_t stop_requested = 0;
void request_stop(int) { stop_requested = 1; }

// While it lives, SIGINT and SIGTERM end the run at the next block instead of the process at once.
class StopOnSignal {
 public:
  StopOnSignal() : interrupt_(std::signal(SIGINT, request_stop)), terminate_(std::signal(SIGTERM, request_stop)) {}
  ~StopOnSignal() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, terminate_);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  void (*interrupt_)(int);
  void (*terminate_)(int);
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
  return options;
}

constexpr std::size_t most_tables = 4;  // of figures of merit, in the summary

// Everything one run hands on to its report.
struct Finished {
  Result result;
  Written written;
  std::vector<Metrics> metrics;
  double seconds = 0.0;  // of stepping
};

// Figures of merit, one a channel [s * receivers + r].
std::vector<Metrics> measure_all(const Result& result) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const std::size_t channels = result.recording.sources.size() * result.recording.receivers.size();
  MetricsOptions options;
  options.valid_bandwidth = result.options.bandwidth;
  options.scale = 1.0;
  std::vector<Metrics> metrics(channels);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < channels; ++c)
    metrics[c] =
        measure(std::span(result.rendered.ir).subspan(c * samples, samples), result.rendered.sample_rate, options);
  return metrics;
}

// As result.h5 keeps them: a list of {source, receiver, ...}.
std::string metrics_text_of(const Result& result, const std::vector<Metrics>& metrics) {
  auto list = nlohmann::ordered_json::array();
  const std::size_t receivers = result.recording.receivers.size();
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    nlohmann::ordered_json one{{"source", result.recording.sources[c / receivers]},
                               {"receiver", result.recording.receivers[c % receivers]}};
    one.update(metrics_json(metrics[c]));
    list.push_back(std::move(one));
  }
  return list.dump();
}

nlohmann::ordered_json receivers_json(const Result& result, const std::vector<Metrics>& metrics) {
  auto list = nlohmann::ordered_json::array();
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const std::size_t receivers = result.recording.receivers.size();
  for (std::size_t s = 0; s < result.recording.sources.size(); ++s)
    for (std::size_t r = 0; r < receivers; ++r) {
      const double* ir = result.rendered.ir.data() + (s * receivers + r) * samples;
      const double* peak =
          std::max_element(ir, ir + samples, [](double a, double b) { return std::abs(a) < std::abs(b); });
      double distance = 0.0;
      for (std::size_t d = 0; d < 3; ++d)
        distance += std::pow(result.source_positions[s][d] - result.receiver_positions[r][d], 2);
      list.push_back({{"name", result.recording.receivers[r]},
                      {"source", result.recording.sources[s]},
                      {"peak", samples > 0 ? std::abs(*peak) : 0.0},
                      {"peak_time", static_cast<double>(peak - ir) / result.rendered.sample_rate},
                      {"distance", std::sqrt(distance)},
                      {"metrics", metrics_json(metrics[s * receivers + r])}});
    }
  return list;
}

// The worst balance of all sources, and the energies of all together.
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

nlohmann::ordered_json timing_json(const Plan& plan, double seconds) {
  const double updates = static_cast<double>(plan.grid.nodes()) * static_cast<double>(plan.steps) *
                         static_cast<double>(plan.sources.size());
  return {{"seconds", seconds}, {"ctpn_ns", 1e9 * seconds / updates}, {"gpts_per_second", 1e-9 * updates / seconds}};
}

void print_summary(const Finished& done, const Planned& planned, const std::vector<std::string>& remarks) {
  fmt::print("{}", materials_text(planned.materials));
  fmt::print("{:<14}{:<14}{:>10}{:>12}{:>14}\n", "source", "receiver", "distance", "peak", "peak at");
  for (const auto& one : receivers_json(done.result, done.metrics))
    fmt::print("{:<14}{:<14}{:>8.2f} m{:>12.4g}{:>11.2f} ms\n", one["source"].get<std::string>(),
               one["name"].get<std::string>(), one["distance"].get<double>(), one["peak"].get<double>(),
               1e3 * one["peak_time"].get<double>());
  const std::size_t receivers = done.result.recording.receivers.size();
  for (std::size_t c = 0; c < done.metrics.size() && done.metrics.size() <= most_tables; ++c)
    fmt::print("{} at {}\n{}", done.result.recording.sources[c / receivers],
               done.result.recording.receivers[c % receivers], metrics_text(done.metrics[c]));
  if (done.metrics.size() > most_tables) fmt::print("`fdtd metrics` tells the figures of each response\n");
  const auto energy = energy_json(done.result.recording);
  const double injected = energy["injected"].get<double>();
  fmt::print("energy: {:.1f} dB below the injected at the end, balance error {:.1e}\n",
             10.0 * std::log10(injected / std::max(energy["final"].get<double>(), 1e-300 * injected)),
             energy["balance_error"].get<double>());
  const auto timing = timing_json(planned.plan, done.seconds);
  fmt::print("time: {:.2f} s, {:.3g} Gpts/s, CTPN {:.3g} ns\n", done.seconds, timing["gpts_per_second"].get<double>(),
             timing["ctpn_ns"].get<double>());
  for (const std::string& remark : remarks) fmt::print("note: {}\n", remark);
  fmt::print("wrote:\n");
  for (const auto& file : done.written.files) fmt::print("  {}\n", file.string());
}

Recording simulate(const Plan& plan, const RunOptions& options, double& seconds) {
  BackendOptions backend_options;
  backend_options.threads = options.threads;
  const auto backend = make_cpu_backend(backend_options);
  const std::int64_t total = plan.steps * static_cast<std::int64_t>(plan.sources.size());
  Progress progress(plan.grid.nodes(), total, options.quiet);
  RunCallbacks callbacks;
  callbacks.progress = [&](const fdtd::Progress& at) {
    progress.show(at.step,
                  plan.sources.size() > 1 ? "source " + plan.sources[static_cast<std::size_t>(at.source)].name : "");
  };
  callbacks.stop = [] { return stop_requested != 0; };
  const StopOnSignal signals;
  try {
    Recording recording = run(plan, *backend, callbacks);
    progress.finish();
    seconds = progress.seconds();
    return recording;
  } catch (...) {
    progress.finish();
    throw;
  }
}

void run_scene(const RunOptions& options) {
  const Scene scene = load(options);
  const std::string device = choose_device(scene, options);
  const StencilChoice chosen = choose_stencil(scene);
  const std::filesystem::path folder =
      options.folder.empty() ? std::filesystem::path("out") / scene.file.stem() : std::filesystem::path(options.folder);

  std::vector<std::vector<double>> signals;
  std::vector<bool> has_signal;
  for (const SourceSpec& source : scene.sources) {
    has_signal.push_back(!source.signal_path.empty());
    signals.push_back(has_signal.back() ? read_signal(source, scene.output.sample_rate) : std::vector<double>{});
  }

  const Planned planned = make_plan(scene, chosen.stencil);
  const PlanReport report =
      make_report(scene, planned, device, predict_seconds(scene, planned, options.threads), chosen.remarks);
  if (options.dry_run) {
    print_plan(report, options.json);
    return;
  }
  if (!options.json) fmt::print(stderr, "{}", plan_text(report));

  OutputFolder output(folder);
  const std::filesystem::path result_file = folder / "result.h5";
  for (const auto& file : audio_files(names_of(scene.sources), names_of(scene.receivers), has_signal, folder))
    check_writable(file, options.force);
  check_writable(result_file, options.force);

  Finished done;
  done.result.recording = simulate(planned.plan, options, done.seconds);
  Result& result = done.result;
  result.options = render_options(scene, planned);
  result.rendered = render(result.recording, result.options);
  done.metrics = measure_all(result);
  result.metrics_json = metrics_text_of(result, done.metrics);
  result.version = version();
  result.build = build_description();
  result.scene_text = scene.text;
  result.overrides = scene.overrides;
  nlohmann::ordered_json plan = plan_json(report);
  plan.erase("predicted_seconds");  // timed, so not the same twice
  plan.erase("device");
  result.plan_json = plan.dump(2);
  result.run = {device, now_text(), done.seconds};
  for (const SourceSpec& source : scene.sources) result.source_positions.push_back(source.position);
  for (const ReceiverSpec& receiver : scene.receivers) result.receiver_positions.push_back(receiver.position);
  result.format = scene.output.format;
  result.raw = scene.output.raw;

  const AudioOptions audio{folder, scene.output.format,      scene.output.sample_rate,
                           1.0,    result.options.bandwidth, options.force};
  done.written =
      write_audio_files({names_of(scene.sources), names_of(scene.receivers), &result.rendered, signals}, audio);
  write_result(result_file, result, options.force);
  done.written.files.push_back(result_file);
  output.keep();

  std::vector<std::string> remarks = result.rendered.remarks;
  remarks.insert(remarks.end(), done.written.remarks.begin(), done.written.remarks.end());
  if (!options.json) {
    print_summary(done, planned, remarks);
    return;
  }
  auto files = nlohmann::ordered_json::array();
  for (const auto& file : done.written.files) files.push_back(file.string());
  const nlohmann::ordered_json json{{"outputs", files},
                                    {"plan", plan_json(report)},
                                    {"energy", energy_json(result.recording)},
                                    {"receivers", receivers_json(result, done.metrics)},
                                    {"materials", materials_json(planned.materials)},
                                    {"timing", timing_json(planned.plan, done.seconds)},
                                    {"remarks", remarks}};
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  add_scene_options(app, *options);
  app.add_option("-o,--output", options->folder, "folder for what is written; out/<scene> by default");
  app.add_flag("--force", options->force, "replace files that exist");
  app.add_flag("--dry-run", options->dry_run, "tell the plan and stop");
  app.add_flag("--quiet", options->quiet, "no progress");
  app.callback([options, &status] {
    run_scene(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli
