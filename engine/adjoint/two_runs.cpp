#include "engine/adjoint/two_runs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/adjoint/host_walls.hpp"
#include "engine/run/pass_drive.hpp"
#include "engine/run/run.hpp"

namespace fdtd {
namespace {

// The transpose of undo_signals: y = H x of a record becomes dJ/dx = H^T dJ/dy, which is H as time runs backwards.
void undo_signals_transposed(const JointPass& pass, std::span<double> slopes) {
  JointFilter filter(pass);
  for (auto slope = slopes.rbegin(); slope != slopes.rend(); ++slope) *slope = filter(*slope);
}

}  // namespace

TwoRuns::TwoRuns(const AdjointPlan& plan, Backend& backend, const AdjointMemory& memory, const GradientOptions& options)
    : made_(plan), backend_(backend), memory_(memory), options_(options) {
  const CorrelationNeeds needs{memory.format, plan.passes.size(), memory.block};
  walls_ = backend.wall_reads() == WallReads::correlated ? backend.wall_correlation(needs)
                                                         : make_host_walls(plan, backend, needs);
  if (memory_.segments > 1) recomputation_.emplace(memory_.segments, memory_.checkpoints);
  Recording& recording = out_.recording;
  recording.sample_rate = 1.0 / plan.plan.grid.time_step;
  recording.samples = plan.plan.steps + 1;
  for (std::size_t s = 0; s < plan.sources; ++s) recording.sources.push_back(plan.plan.sources[s].channel);
  for (std::size_t r = 0; r < plan.receivers; ++r) recording.receivers.push_back(plan.plan.receivers[r].channel);
  recording.pressure.assign(plan.sources * plan.receivers * static_cast<std::size_t>(recording.samples), 0.0);
  recording.energy.resize(plan.sources);
  const auto steps = static_cast<std::size_t>(plan.plan.steps);
  out_.signals.assign(plan.sources, std::vector<double>(steps, 0.0));
  out_.source_changes.assign(options.source_changes.size(), 0.0);
  out_.receiver_changes.assign(options.receiver_changes.size(), 0.0);
  moved_.assign(plan.passes.size() * options.receiver_changes.size(), std::vector<double>(steps, 0.0));
}

Gradient TwoRuns::run(const RecordLoss& loss) {
  const bool together = memory_.all_passes, several = made_.passes.size() > 1;
  if (together || several) {
    for (std::size_t pass = 0; pass < made_.passes.size(); ++pass) {
      begin_pass(pass);
      forward(0, blocks(), together ? Keep::history : Keep::records);
      recorded_ = true;
    }
    evaluate(loss);
  } else {
    loss_ = &loss;
  }
  for (std::size_t pass = 0; pass < made_.passes.size(); ++pass) {
    begin_pass(pass);
    recorded_ = together || several;
    if (together)
      reverse_segment(0);
    else
      reverse(0, memory_.segments, memory_.checkpoints);
    add_receiver_changes();
  }
  out_.walls = walls_->slopes(largest_slope_ / made_.plan.drive_scale);
  return std::move(out_);
}

void TwoRuns::begin_pass(std::size_t pass) {
  pass_ = pass;
  recorded_ = false;
  start();
  second_.reset();
  walls_->answer_rest();
}

void TwoRuns::rest() {
  State silence;
  silence.precision = made_.plan.precision;
  backend_.restore(silence);
}

void TwoRuns::start() {
  rest();
  walls_->rest();
}

void TwoRuns::ask() const {
  if (options_.stop && options_.stop()) throw Error(Status::interrupted, "interrupted during a gradient");
}

// ---- the first run

void TwoRuns::forward(std::int64_t begin, std::int64_t end, Keep keep) {
  for (std::int64_t block = begin; block < end; ++block) {
    ask();
    const std::int64_t first = first_of(block), steps = steps_of(block);
    const Drive drive = drive_of_block(made_.plan, made_.passes[pass_], first, steps);
    if (keep == Keep::records)
      backend_.advance(drive, samples_);
    else
      walls_->first(drive, samples_, keep == Keep::history ? std::optional(place_of(block)) : std::nullopt);
    if (!recorded_) record(first, steps);
  }
  if (recorded_ || end < blocks()) return;
  EnergyPoint point;
  point.step = backend_.step();
  point.energy = backend_.energy();
  const double error = point.energy.stored + point.energy.dissipated - point.energy.injected;
  point.balance_error = point.energy.injected != 0.0 ? error / std::abs(point.energy.injected) : error;
  if (!(std::abs(point.balance_error) <= balance_tolerance(made_.plan.precision)))
    throw Error(Status::numerical, "the first run of the gradient is unstable: its energy is not in balance",
                "`fdtd run` names the cause");
  out_.recording.energy[made_.passes[pass_]] = {point};
}

void TwoRuns::record(std::int64_t first, std::int64_t steps) {
  for (std::size_t r = 0; r < made_.receivers; ++r)
    std::ranges::copy(of_recorder(r, steps), record_of(out_.recording.pressure, pass_, r).begin() + first + 1);
  const std::size_t changes = options_.receiver_changes.size();
  for (std::size_t c = 0; c < changes; ++c)
    std::ranges::copy(of_recorder(made_.first_receiver_change + c, steps), moved_[pass_ * changes + c].begin() + first);
}

void TwoRuns::evaluate(const RecordLoss& loss) {
  Recording& recording = out_.recording;
  for (std::size_t pass = 0; pass < made_.passes.size(); ++pass)
    if (const JointPass* const joint = joint_pass_of(made_.plan, made_.passes[pass]))
      for (std::size_t r = 0; r < made_.receivers; ++r)
        undo_signals(*joint, record_of(recording.pressure, pass, r), recording.samples - 1);
  slopes_.assign(recording.pressure.size(), 0.0);
  out_.loss = loss(recording, slopes_);
  for (std::size_t pass = 0; pass < made_.passes.size(); ++pass)
    for (std::size_t r = 0; r < made_.receivers; ++r) {
      const std::span<double> slopes = record_of(slopes_, pass, r);
      slopes[0] = 0.0;
      if (const JointPass* const joint = joint_pass_of(made_.plan, made_.passes[pass]))
        undo_signals_transposed(*joint, slopes);
      for (const double slope : slopes) {
        if (!std::isfinite(slope)) throw Error(Status::numerical, "a slope of the loss is not a finite number");
        largest_slope_ = std::max(largest_slope_, std::abs(slope));
      }
    }
}

// ---- the second run

// The live state is at the beginning of segment `begin`, which is 0 or that of the last checkpoint.
void TwoRuns::reverse(int begin, int end, int checkpoints) {
  if (end - begin > 1 && checkpoints > 0) {
    const int middle = begin + recomputation_->split(end - begin, checkpoints);
    forward(block_of(begin), block_of(middle), Keep::filters);
    backend_.save_own(checkpoints_.emplace_back());
    walls_->push();
    reverse(middle, end, checkpoints - 1);
    checkpoints_.pop_back();
    walls_->pop();
    restore_begin(begin);
    reverse(begin, middle, checkpoints);
    return;
  }
  for (int segment = end - 1; segment >= begin; --segment) {
    if (segment < end - 1) restore_begin(begin);
    forward(block_of(begin), block_of(segment), Keep::filters);
    forward(block_of(segment), block_of(segment + 1), Keep::history);
    if (loss_ != nullptr) evaluate(*std::exchange(loss_, nullptr));
    recorded_ = true;
    reverse_segment(segment);
  }
}

void TwoRuns::restore_begin(int segment) {
  if (segment == 0) return start();
  backend_.restore_own(checkpoints_.back());
  walls_->recall();
}

void TwoRuns::reverse_segment(int segment) {
  if (second_)
    backend_.restore_own(*second_);
  else
    rest();
  for (std::int64_t block = block_of(segment + 1) - 1; block >= block_of(segment); --block) backward(block);
  if (segment > 0) backend_.save_own(second_.emplace());
}

void TwoRuns::backward(std::int64_t block) {
  ask();
  const std::int64_t first = first_of(block), steps = steps_of(block);
  Drive drive;
  drive_backwards(first, steps, drive);
  walls_->second(drive, samples_, place_of(block));
  take_signals(drive_of_block(made_.plan, made_.passes[pass_], first, steps), first, steps);
}

// The receivers send the slopes of u^{first + 1} to u^{first + steps}, the last first, over the largest.
void TwoRuns::drive_backwards(std::int64_t first, std::int64_t steps, Drive& drive) const {
  drive.steps = steps;
  drive.f.assign(made_.plan.sources.size() * static_cast<std::size_t>(steps), 0.0);
  if (largest_slope_ <= 0.0) return;
  const auto samples = static_cast<std::size_t>(out_.recording.samples);
  for (std::size_t r = 0; r < made_.receivers; ++r) {
    const double* const slopes =
        slopes_.data() + (made_.passes[pass_] * made_.receivers + r) * samples + static_cast<std::size_t>(first) + 1;
    double* const f = drive.f.data() + (made_.sources + r) * static_cast<std::size_t>(steps);
    for (std::int64_t m = 0; m < steps; ++m) f[m] = slopes[steps - 1 - m] / largest_slope_;
  }
}

void TwoRuns::take_signals(const Drive& sent, std::int64_t first, std::int64_t steps) {
  const std::size_t source = made_.passes[pass_];
  for (std::size_t s = source; s < source + sources_of_pass(); ++s) {
    const std::span<double> answers = of_recorder(made_.first_source + s, steps);
    for (std::int64_t m = 0; m < steps; ++m) {
      const double answer = answers[static_cast<std::size_t>(m)];
      out_.signals[s][static_cast<std::size_t>(first + steps - 1 - m)] = largest_slope_ * answer;
    }
  }
  for (std::size_t c = 0; c < options_.source_changes.size(); ++c) {
    const std::span<double> answers = of_recorder(made_.first_source_change + c, steps);
    const double* const f = sent.f.data() + options_.source_changes[c].tap * static_cast<std::size_t>(steps);
    for (std::int64_t m = 0; m < steps; ++m)
      out_.source_changes[c] += largest_slope_ * f[steps - 1 - m] * answers[static_cast<std::size_t>(m)];
  }
}

void TwoRuns::add_receiver_changes() {
  const std::size_t changes = options_.receiver_changes.size();
  for (std::size_t c = 0; c < changes; ++c) {
    const std::span<const double> slopes = record_of(slopes_, pass_, options_.receiver_changes[c].tap);
    const std::vector<double>& moved = moved_[pass_ * changes + c];
    for (std::size_t n = 0; n < moved.size(); ++n) out_.receiver_changes[c] += slopes[n + 1] * moved[n];
  }
}

// ---- places

std::int64_t TwoRuns::blocks() const { return (made_.plan.steps + memory_.block - 1) / memory_.block; }

std::int64_t TwoRuns::steps_of(std::int64_t block) const {
  return std::min(memory_.block, made_.plan.steps - first_of(block));
}

std::int64_t TwoRuns::block_of(int segment) const {
  return std::min(blocks(), segment * ((memory_.segment_steps + memory_.block - 1) / memory_.block));
}

std::size_t TwoRuns::sources_of_pass() const {
  const JointPass* const joint = joint_pass_of(made_.plan, made_.passes[pass_]);
  return joint != nullptr ? joint->parts.count : 1;
}

std::span<double> TwoRuns::of_recorder(std::size_t r, std::int64_t steps) {
  return std::span(samples_.p).subspan(r * static_cast<std::size_t>(steps), static_cast<std::size_t>(steps));
}

std::span<double> TwoRuns::record_of(std::vector<double>& values, std::size_t pass, std::size_t receiver) const {
  const auto samples = static_cast<std::size_t>(out_.recording.samples);
  return std::span(values).subspan((made_.passes[pass] * made_.receivers + receiver) * samples, samples);
}

}  // namespace fdtd
