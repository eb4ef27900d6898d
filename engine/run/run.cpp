#include "engine/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/run/instability.hpp"
#include "engine/run/lost_balance.hpp"
#include "engine/run/pass_drive.hpp"
#include "engine/run/snapshots.hpp"
#include "engine/run/stop_rule.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/stopwatch.hpp"

namespace fdtd {
namespace {

[[noreturn]] void fail(const Plan& plan, const Backend& backend, const EnergyPoint& point, std::int64_t healthy_step) {
  const Extreme extreme = backend.extreme();
  const auto nx = static_cast<std::uint64_t>(plan.grid.size[0]), ny = static_cast<std::uint64_t>(plan.grid.size[1]);
  const std::uint64_t x = extreme.node % nx, y = extreme.node / nx % ny, z = extreme.node / nx / ny;
  const auto metres = [&](std::uint64_t i, std::size_t d) {
    return (static_cast<double>(i) + 0.5) * plan.grid.spacing[d];
  };
  const std::string where = fmt::format("node ({}, {}, {}) at ({:.4g}, {:.4g}, {:.4g}) m, pressure {:.4g}", x, y, z,
                                        metres(x, 0), metres(y, 1), metres(z, 2), extreme.value);
  std::string what;
  if (!std::isfinite(extreme.value) || !std::isfinite(point.energy.stored)) {
    what = fmt::format("the field is not finite between steps {} and {}: {}", healthy_step, point.step, where);
  } else if (point.energy.dissipated < 0.0 && std::abs(point.balance_error) <= balance_tolerance(plan.precision)) {
    what = fmt::format("the walls supply energy: up to step {} {:.4g} times the injected energy; largest at {}",
                       point.step, -point.energy.dissipated / point.energy.injected, where);
  } else if (point.energy.stored > point.energy.injected) {
    what = fmt::format("the energy grows: at step {} the room holds {:.4g} times the injected energy; largest at {}",
                       point.step, point.energy.stored / point.energy.injected, where);
  } else {
    what = fmt::format("the energy balance is off by {:.3g} of the injected energy at step {}; largest at {}",
                       point.balance_error, point.step, where);
  }
  const Diagnosis diagnosis = diagnose(plan);
  throw Error(Status::numerical, fmt::format("{}; likely cause: {}", what, diagnosis.cause), diagnosis.remedy);
}

EnergyPoint energy_point(const Backend& backend, double& largest_injected) {
  EnergyPoint point;
  point.step = backend.step();
  point.energy = backend.energy();
  largest_injected = std::max(largest_injected, std::abs(point.energy.injected));
  const double error = point.energy.stored + point.energy.dissipated - point.energy.injected;
  point.balance_error = largest_injected > 0.0 ? error / largest_injected : error;
  return point;
}

// Finite, in balance, and no more than was injected: walls of negative impedance keep the balance but supply energy.
bool healthy(const EnergyPoint& point, double largest_injected, Precision precision) {
  const double slack = balance_tolerance(precision) * largest_injected;
  return std::isfinite(point.energy.stored) && std::isfinite(point.balance_error) &&
         std::abs(point.balance_error) <= balance_tolerance(precision) &&
         point.energy.stored <= largest_injected + slack && point.energy.dissipated >= -slack;
}

Recording empty_recording(const Plan& plan) {
  Recording recording;
  recording.sample_rate = 1.0 / plan.grid.time_step;
  recording.samples = plan.steps + 1;
  for (const Tap& tap : plan.sources) recording.sources.push_back(tap.channel);
  for (const Tap& tap : plan.receivers) recording.receivers.push_back(tap.channel);
  recording.pressure.assign(plan.sources.size() * plan.receivers.size() * static_cast<std::size_t>(recording.samples),
                            0.0);
  recording.energy.resize(plan.sources.size());
  return recording;
}

// One run, from its start or from the moment where it resumes.
class Runner {
 public:
  Runner(const Plan& plan, Backend& backend, const RunCallbacks& callbacks, std::optional<Moment> from, Ranks* ranks)
      : plan_(plan), backend_(backend), callbacks_(callbacks), ranks_(ranks) {
    progress_.total = plan.steps * static_cast<std::int64_t>(pass_count(plan));
    if (from) {
      moment_ = std::move(*from);
    } else {
      moment_.recording = empty_recording(plan);
    }
    before_ = moment_.seconds;
    began_ = steps_before() + moment_.state.step;
    progress_.step = began_;
    progress_.seconds = before_;
  }

  Recording run() {
    backend_.load(plan_, whole(plan_));
    if (moment_.state.step > 0) backend_.restore(moment_.state);
    State silence;
    silence.precision = plan_.precision;
    release(moment_.state);
    for (bool first = true; moment_.source < static_cast<std::int64_t>(plan_.sources.size());
         moment_.source += sources_of_pass()) {
      if (!first) backend_.restore(silence);
      first = false;
      try {
        pass();
      } catch (const Error& error) {
        if (error.status != Status::numerical) throw;
        undo_joint();
        throw LostBalance(error, healthy_part(std::move(moment_.recording), moment_.source, sources_of_pass()));
      }
      undo_joint();
    }
    cut_to_longest(moment_.recording);
    return std::move(moment_.recording);
  }

 private:
  void pass() {
    auto& course = moment_.recording.energy[static_cast<std::size_t>(moment_.source)];
    DecayWatch watch(plan_);
    SnapshotSums sums = sums_of_pass();
    joint_ = joint_pass_of(plan_, static_cast<std::size_t>(moment_.source));
    heard_.clear();
    if (joint_ != nullptr) heard_.resize(plan_.receivers.size(), JointFilter(*joint_));
    for (std::size_t r = 0; r < plan_.receivers.size(); ++r) hear(watch, r, record(r).subspan(1, past()));
    double largest_injected = 0.0;
    for (const EnergyPoint& point : course)
      largest_injected = std::max(largest_injected, std::abs(point.energy.injected));
    while (backend_.step() < plan_.steps) {
      look_up(course, largest_injected, sums);
      block(watch, sums);
      report();
      if (backend_.step() % plan_.energy_interval != 0 && backend_.step() < plan_.steps) continue;
      course.push_back(healthy_point(course, largest_injected));
      if (callbacks_.energy) callbacks_.energy(static_cast<int>(moment_.source), course.back());
      if (watch.ended()) return;
    }
  }

  EnergyPoint healthy_point(const std::vector<EnergyPoint>& course, double& largest_injected) const {
    const EnergyPoint point = energy_point(backend_, largest_injected);
    if (!healthy(point, largest_injected, plan_.precision))
      fail(plan_, backend_, point, course.empty() ? 0 : course.back().step);
    return point;
  }

  // Between two blocks: checkpoints and interruptions. Only a healthy field is saved, so that an unstable one never
  // replaces a good checkpoint.
  void look_up(const std::vector<EnergyPoint>& course, double largest_injected, const SnapshotSums& sums) {
    const bool stop = callbacks_.stop && callbacks_.stop();
    if (callbacks_.save && (stop || (callbacks_.due && callbacks_.due(progress_)))) {
      healthy_point(course, largest_injected);
      save(sums);
    }
    if (stop)
      throw Error(Status::interrupted, fmt::format("interrupted after {} of {} steps", done(), progress_.total));
  }

  void save(const SnapshotSums& sums) {
    moment_.seconds = seconds();
    moment_.frames = sums.under_way();
    moment_.state = backend_.state();
    callbacks_.save(moment_);
    moment_.frames.clear();
    release(moment_.state);
  }

  // The pass of a hidden channel has no snapshots of its own.
  SnapshotSums sums_of_pass() {
    const auto source = static_cast<std::size_t>(moment_.source);
    if (!callbacks_.frame || !plan_.sources[source].channel.output()) return {plan_, source, {}};
    const auto done = [this, source](std::int64_t snapshot, std::int64_t frame, std::span<const float> values) {
      callbacks_.frame(static_cast<int>(source), snapshot, frame, values);
    };
    return {plan_, source, done, std::exchange(moment_.frames, {})};
  }
  // A state is as large as the field: it is released as soon as possible.
  static void release(State& state) { state = {}; }

  // Steps to the next energy point or snapshot, but at most for about a second.
  void block(DecayWatch& watch, SnapshotSums& sums) {
    const std::int64_t first = backend_.step();
    const std::int64_t next =
        std::min<std::int64_t>(plan_.steps, (first / plan_.energy_interval + 1) * plan_.energy_interval);
    const std::int64_t steps = std::min({next - first, sums.next(first) - first, at_most_});
    const Stopwatch start;
    const auto source = static_cast<std::size_t>(moment_.source);
    backend_.advance(drive_of_block(plan_, source, first, steps), samples_);
    const double taken = ranks_ != nullptr ? of_first(*ranks_, start.seconds()) : start.seconds();
    at_most_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(steps) / std::max(taken, 1e-9)),
                                        1, plan_.energy_interval);
    sums.take(backend_);
    constexpr std::size_t many = 256;
#pragma omp parallel for schedule(static) if (plan_.receivers.size() >= many)
    for (std::size_t r = 0; r < plan_.receivers.size(); ++r) {
      const std::span<const double> samples(samples_.p.data() + r * static_cast<std::size_t>(steps),
                                            static_cast<std::size_t>(steps));
      std::ranges::copy(samples, record(r).begin() + first + 1);
      hear(watch, r, samples);
    }
  }

  // The watch gets the samples of a response, not those of a joint pass.
  void hear(DecayWatch& watch, std::size_t r, std::span<const double> samples) {
    if (joint_ == nullptr || plan_.stop.decay_db <= 0.0) return watch.add(r, samples);
    std::vector<double> undone(samples.begin(), samples.end());
    for (double& x : undone) x = heard_[r](x);
    watch.add(r, undone);
  }

  // Of the pass that ends.
  void undo_joint() {
    const auto& course = moment_.recording.energy[static_cast<std::size_t>(moment_.source)];
    if (joint_ == nullptr || course.empty()) return;
    for (std::size_t r = 0; r < plan_.receivers.size(); ++r) undo_signals(*joint_, record(r), course.back().step);
  }
  std::int64_t sources_of_pass() const {
    return joint_ != nullptr ? static_cast<std::int64_t>(joint_->parts.count) : 1;
  }

  // The samples of receiver r for the current source.
  std::span<double> record(std::size_t r) {
    Recording& recording = moment_.recording;
    const auto samples = static_cast<std::size_t>(recording.samples);
    return std::span(recording.pressure)
        .subspan((static_cast<std::size_t>(moment_.source) * plan_.receivers.size() + r) * samples, samples);
  }
  std::size_t past() const { return static_cast<std::size_t>(backend_.step()); }

  void report() {
    progress_.step = done();
    progress_.source = static_cast<int>(moment_.source);
    progress_.seconds = seconds();
    progress_.gpts_per_second = static_cast<double>(plan_.grid.nodes()) * static_cast<double>(done() - began_) /
                                std::max(start_.seconds(), 1e-9) * 1e-9;
    if (callbacks_.progress) callbacks_.progress(progress_);
  }

  std::int64_t steps_before() const {
    return plan_.steps * static_cast<std::int64_t>(passes_before(plan_, static_cast<std::size_t>(moment_.source)));
  }
  std::int64_t done() const { return steps_before() + backend_.step(); }
  double seconds() const { return before_ + start_.seconds(); }

  const Plan& plan_;
  Backend& backend_;
  const RunCallbacks& callbacks_;
  Ranks* ranks_;
  Moment moment_;
  Progress progress_;
  Samples samples_;
  const JointPass* joint_ = nullptr;  // of this pass
  std::vector<JointFilter> heard_;    // by receiver, of what its watch got
  Stopwatch start_;
  double before_ = 0.0;       // seconds of the earlier sessions
  std::int64_t began_ = 0;    // steps done in them
  std::int64_t at_most_ = 1;  // steps per block, for about a second
};

}  // namespace

double balance_tolerance(Precision precision) { return precision == Precision::f64 ? 1e-6 : 1e-2; }

Recording run(const Plan& plan, Backend& backend, const RunCallbacks& callbacks, std::optional<Moment> from,
              Ranks* ranks) {
  if (plan.steps < 1 || plan.energy_interval < 1) throw Error(Status::scene, "a run needs at least one step");
  return Runner(plan, backend, callbacks, std::move(from), ranks).run();
}

}  // namespace fdtd
