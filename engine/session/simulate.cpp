#include "engine/session/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"
#include "engine/run/lost_balance.hpp"
#include "engine/run/rank_backend.hpp"
#include "engine/system/stopwatch.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

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
  bool operator()(const Progress& at) {
    if (last_step_ < 0) note(at);
    const bool by_steps = every_.steps > 0 && at.step - last_step_ >= every_.steps;
    const bool by_time = every_.seconds > 0.0 && at.seconds - last_seconds_ >= every_.seconds;
    if (by_steps || by_time) note(at);
    return by_steps || by_time;
  }

 private:
  void note(const Progress& at) {
    last_step_ = at.step;
    last_seconds_ = at.seconds;
  }
  Interval every_;
  std::int64_t last_step_ = -1;
  double last_seconds_ = 0.0;
};

// The caller knows when time steps begin, and that they have ended, however they do.
class StepsOf {
 public:
  StepsOf(const SessionCalls& calls, const Plan& plan) : calls_(calls) {
    if (calls_.begin) calls_.begin(plan);
  }
  ~StepsOf() {
    if (calls_.end) calls_.end();
  }
  StepsOf(const StepsOf&) = delete;
  StepsOf& operator=(const StepsOf&) = delete;

 private:
  const SessionCalls& calls_;
};

std::unique_ptr<Backend> backend_of(const Plan& plan, const SimulateOptions& options, Ranks& all) {
  BackendOptions how;
  how.threads = options.threads;
  how.kernel = options.kernel;
  how.tune = options.retune || worth_a_search(plan, options.target);
  how.retune = options.retune;
  how.rooms_at_once = options.target.on_gpu() ? options.rooms_at_once : 1;
  how.tile_order_file = default_tile_order_file();
  how.ranks = &all;
  auto backend = make_backend(options.target, how);
  return all.alone() ? std::move(backend) : make_rank_backend(std::move(backend), all, options.part);
}

// A checkpoint of the records of a run whose passes are done. Where it cannot be written, the run need not be lost.
void keep_records(const CheckpointFiles& files, const SimulateOptions& options, Simulated& done) {
  Moment moment;
  moment.source = static_cast<std::int64_t>(done.recording.sources.size());
  moment.state.precision = options.label.plan.precision == "f64" ? Precision::f64 : Precision::f32;
  moment.seconds = done.seconds;
  moment.recording = std::move(done.recording);
  try {
    if (options.snapshots != nullptr) options.snapshots->flush();
    write_checkpoint(files, options.label, moment);
    done.kept = files.newest;
  } catch (const Error& error) {
    done.not_kept = error.what();
  }
  done.recording = std::move(moment.recording);
}

}  // namespace

// A search takes some hundred steps on a GPU, up to two thousand on a CPU.
bool worth_a_search(const Plan& plan, const Target& target) {
  const double steps = static_cast<double>(plan.steps) * static_cast<double>(pass_count(plan));
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

Simulated simulate(const Plan& plan, const SimulateOptions& options, std::optional<Moment> from,
                   const SessionCalls& calls) {
  if (from && from->complete()) return {std::move(from->recording), from->seconds, options.resumed_from, ""};
  Ranks& all = ranks();
  const auto backend = backend_of(plan, options, all);
  const CheckpointFiles files(options.folder);
  Due due(options.checkpoint_every);
  double seconds = from ? from->seconds : 0.0;
  const Stopwatch since_start;
  bool late = false, saved = from.has_value();
  RunCallbacks callbacks;
  callbacks.progress = [&](const Progress& at) {
    seconds = at.seconds;
    if (calls.progress) calls.progress(plan, at);
  };
  callbacks.stop = [&] {
    late = of_first(all, options.max_seconds > 0.0 && since_start.seconds() >= options.max_seconds);
    const bool wanted = calls.stop && calls.stop();
    return any_of(all, wanted || late);
  };
  callbacks.due = [&](const Progress& at) { return of_first(all, due(at)); };
  callbacks.save = [&](const Moment& moment) {
    if (options.snapshots != nullptr) options.snapshots->flush();
    if (all.first()) {
      write_checkpoint(files, options.label, moment);
    } else {
      for (const StatePart part : state_parts) read_state(options.label.plan, moment.state, part, [](auto) {});
    }
    all.wait_for_all();
    saved = true;
  };
  // All ranks sum frames, because each holds a part of the field; one rank writes them.
  if (!plan.snapshots.empty())
    callbacks.frame = [&](int source, std::int64_t snapshot, std::int64_t frame, std::span<const float> values) {
      if (options.snapshots != nullptr) options.snapshots->write(source, snapshot, frame, values);
      all.wait_for_all();
    };
  const StepsOf steps(calls, plan);
  try {
    Simulated done;
    done.recording = run(plan, *backend, callbacks, std::move(from), &all);
    done.seconds = seconds;
    // A run with checkpoints of its steps has one of its records as well, from which it never computes a step again.
    if (all.first() && (options.keep_records || saved)) keep_records(files, options, done);
    return done;
  } catch (LostBalance& lost) {
    lost.seconds = seconds;
    throw;
  } catch (const Error& error) {
    if (error.status != Status::interrupted) throw;
    throw Error(
        Status::interrupted, late ? fmt::format("--max-time has passed: {}", error.what()) : error.what(),
        fmt::format("{} holds everything so far: the same command with --resume continues", files.newest.string()));
  }
}

}  // namespace fdtd
