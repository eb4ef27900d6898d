#include "cli/simulate.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <utility>

#include "cli/progress.hpp"
#include "cli/say.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/error.hpp"
#include "engine/run/rank_backend.hpp"

namespace fdtd::cli {

namespace fs = std::filesystem;

namespace {

volatile std::sig_atomic_t stop_requested = 0;  // the signal, or 0
void request_stop(int signal) {
  stop_requested = signal;
  std::signal(signal, SIG_DFL);  // a second signal ends the process at once
}

// During its lifetime SIGINT, SIGTERM and SIGUSR1 end the run between two blocks of steps, not the process at once.
// mpirun passes SIGUSR1 on to its ranks, and batch systems send it before the time limit.
class StopOnSignal {
 public:
  StopOnSignal() {
    for (std::size_t i = 0; i < signals.size(); ++i) before_[i] = std::signal(signals[i], request_stop);
  }
  ~StopOnSignal() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM, SIGUSR1};
  std::array<void (*)(int), 3> before_{};
};

// A number and the unit after it, without blanks; nothing unless the number is finite and above 0.
std::optional<std::pair<double, std::string>> number_and_unit(const std::string& text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number > 0.0) || number > 1e15) return std::nullopt;
  std::string unit(last, end);
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  return std::pair(number, unit);
}

std::optional<double> seconds_of(const std::string& text) {
  const auto read = number_and_unit(text);
  if (!read) return std::nullopt;
  for (const auto& [unit, seconds] : {std::pair{"s", 1.0}, {"min", 60.0}, {"h", 3600.0}})
    if (read->second == unit) return read->first * seconds;
  return std::nullopt;
}

// Whether the next checkpoint is due.
class Due {
 public:
  explicit Due(Interval every) : every_(every) {}
  bool operator()(const fdtd::Progress& at) {
    if (last_step_ < 0) note(at);
    const bool by_steps = every_.steps > 0 && at.step - last_step_ >= every_.steps;
    const bool by_time = every_.seconds > 0.0 && at.seconds - last_seconds_ >= every_.seconds;
    if (by_steps || by_time) note(at);
    return by_steps || by_time;
  }

 private:
  void note(const fdtd::Progress& at) {
    last_step_ = at.step;
    last_seconds_ = at.seconds;
  }
  Interval every_;
  std::int64_t last_step_ = -1;
  double last_seconds_ = 0.0;
};

}  // namespace

// A search takes some hundred steps on a GPU, up to two thousand on a CPU.
bool worth_a_search(const Plan& plan, const Target& target) {
  const double steps = static_cast<double>(plan.steps) * static_cast<double>(plan.sources.size());
  return steps >= (target.on_gpu() ? 3000.0 : 10000.0) && steps * static_cast<double>(plan.grid.nodes()) >= 5e10;
}

Interval parse_interval(const std::string& text) {
  if (text == "off") return {};
  if (const auto seconds = seconds_of(text)) return {0, *seconds};
  const auto read = number_and_unit(text);
  if (read && (read->second == "steps" || read->second == "step") && read->first >= 1.0)
    return {static_cast<std::int64_t>(read->first), 0.0};
  throw Error(Status::scene, fmt::format("--checkpoint-every: \"{}\" is neither a time nor a number of steps", text),
              "write 30s, 10min, 2h, 500steps or off");
}

double parse_time(const std::string& text) {
  if (const auto seconds = seconds_of(text)) return *seconds;
  throw Error(Status::scene, fmt::format("--max-time: \"{}\" is not a time", text), "write 90s, 30min or 24h");
}

Simulated simulate(const Plan& plan, const SimulateOptions& options, std::optional<Moment> from) {
  BackendOptions backend_options;
  backend_options.threads = options.threads;
  backend_options.kernel = options.kernel;
  backend_options.tune = options.retune || worth_a_search(plan, options.target);
  backend_options.retune = options.retune;
  backend_options.tile_order_file = default_tile_order_file();
  Ranks& all = ranks();
  backend_options.ranks = &all;
  auto backend = make_backend(options.target, backend_options);
  if (!all.alone()) backend = make_rank_backend(std::move(backend), all, options.share);
  cli::Progress progress(plan.grid.nodes(), options.quiet || !all.first());
  const CheckpointFiles files(options.folder);
  Due due(options.checkpoint_every);
  double seconds = from ? from->seconds : 0.0;
  const auto start = std::chrono::steady_clock::now();
  bool late = false;
  RunCallbacks callbacks;
  callbacks.progress = [&](const fdtd::Progress& at) {
    seconds = at.seconds;
    progress.show(at,
                  plan.sources.size() > 1 ? "source " + plan.sources[static_cast<std::size_t>(at.source)].name : "");
  };
  callbacks.stop = [&] {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
    late = of_first(all, options.max_seconds > 0.0 && past.count() >= options.max_seconds);
    const bool stop = any_of(all, stop_requested != 0 || late);
    if (stop && stop_requested == SIGTERM && !all.alone() && all.first())
      say("ending; after SIGTERM mpirun gives its ranks one second to write a checkpoint; send SIGUSR1 to give them "
          "all the time\n");
    return stop;
  };
  callbacks.due = [&](const fdtd::Progress& at) { return of_first(all, due(at)); };
  callbacks.save = [&](const Moment& moment) {
    if (options.snapshots != nullptr) options.snapshots->flush();
    if (all.first()) {
      write_checkpoint(files, options.label, moment);
    } else {
      for (const StatePart part : state_parts) read_state(options.label.plan, moment.state, part, [](auto) {});
    }
    all.wait_for_all();
  };
  // All ranks sum frames, because each holds a part of the field; one rank writes them.
  if (!plan.snapshots.empty())
    callbacks.frame = [&](int source, std::int64_t snapshot, std::int64_t frame, std::span<const float> values) {
      if (options.snapshots != nullptr) options.snapshots->write(source, snapshot, frame, values);
      all.wait_for_all();
    };
  const StopOnSignal signals;
  try {
    Simulated done;
    done.recording = run(plan, *backend, callbacks, std::move(from), &all);
    progress.finish();
    done.seconds = seconds;
    return done;
  } catch (const Error& error) {
    progress.finish();
    if (error.status != Status::interrupted) throw;
    throw Error(
        Status::interrupted, late ? fmt::format("--max-time has passed: {}", error.what()) : error.what(),
        fmt::format("{} holds everything so far: the same command with --resume continues", files.newest.string()));
  } catch (...) {
    progress.finish();
    throw;
  }
}

}  // namespace fdtd::cli
