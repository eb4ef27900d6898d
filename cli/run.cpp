// fdtd run SCENE: voxelise, simulate, render, write.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <memory>

#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/plan_report.hpp"
#include "cli/progress.hpp"
#include "cli/run_report.hpp"
#include "cli/scene_options.hpp"
#include "engine/atomic_file.hpp"
#include "engine/audio_file.hpp"
#include "engine/error.hpp"
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
  if (scene.air.absorption) options.air = air_state(scene.air);
  return options;
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
  Written written =
      write_audio_files({names_of(scene.sources), names_of(scene.receivers), &result.rendered, signals}, audio);
  write_result(result_file, result, options.force);
  output.keep();

  done.files = std::move(written.files);
  done.files.push_back(result_file);
  done.remarks = result.rendered.remarks;
  done.remarks.insert(done.remarks.end(), written.remarks.begin(), written.remarks.end());
  if (options.json) {
    fmt::print("{}\n", run_json(done, report).dump(2));
  } else {
    print_summary(done, planned);
  }
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
