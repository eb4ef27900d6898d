#include "engine/adjoint/host_walls.hpp"

#include <utility>
#include <vector>

#include "engine/adjoint/site_filters.hpp"
#include "engine/adjoint/wall_history.hpp"

namespace fdtd {
namespace {

class HostWalls final : public WallCorrelation {
 public:
  HostWalls(const AdjointPlan& plan, Backend& backend, const CorrelationNeeds& needs)
      : made_(plan), backend_(backend), filters_(plan.plan), histories_(needs.passes, {needs.format, plan.reads}) {}

  void rest() override {
    now_ = {filters_.at_rest(), std::vector<double>(made_.reads, 0.0), {}}, now_.before = now_.read;
  }

  void first(const Drive& drive, Samples& samples, std::optional<HistoryPlace> keep) override {
    backend_.advance(drive, samples);
    difference(samples);
    if (keep) histories_[keep->pass].keep(keep->block, deltas_, drive.steps, now_.filters);
    filters_.advance(deltas_.data(), drive.steps, now_.filters);
  }
  void push() override { stack_.push_back(now_); }
  void recall() override { now_ = stack_.back(); }
  void pop() override { stack_.pop_back(); }

  void answer_rest() override { answering_ = filters_.at_rest(); }
  void second(const Drive& drive, Samples& samples, HistoryPlace of) override {
    backend_.advance(drive, samples);
    histories_[of.pass].take(of.block, deltas_, at_block_);
    filters_.correlate(deltas_.data(), at_block_,
                       samples.p.data() + made_.first_read * static_cast<std::size_t>(drive.steps), answering_,
                       drive.steps);
  }

  WallSlopes slopes(double scale) override { return filters_.slopes(scale); }

 private:
  struct Moment {
    SiteFilters::States filters;
    std::vector<double> read, before;  // by wall node
  };

  // delta = (u+ - u-)/2 of what the walls read.
  void difference(const Samples& samples) {
    const auto count = static_cast<std::size_t>(samples.steps);
    deltas_.resize(made_.reads * count);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < made_.reads; ++i) {
      const double* const read = samples.p.data() + (made_.first_read + i) * count;
      double* const delta = deltas_.data() + i * count;
      double before = now_.before[i], now = now_.read[i];
      for (std::size_t n = 0; n < count; ++n) {
        delta[n] = 0.5 * (read[n] - before);
        before = std::exchange(now, read[n]);
      }
      now_.before[i] = before, now_.read[i] = now;
    }
  }

  const AdjointPlan& made_;
  Backend& backend_;
  SiteFilters filters_;
  std::vector<WallHistory> histories_;  // by pass
  std::vector<double> deltas_;
  Moment now_;                                // of the first run
  SiteFilters::States at_block_, answering_;  // before a block of the first run; of the second
  std::vector<Moment> stack_;
};

}  // namespace

std::unique_ptr<WallCorrelation> make_host_walls(const AdjointPlan& plan, Backend& backend,
                                                 const CorrelationNeeds& needs) {
  return std::make_unique<HostWalls>(plan, backend, needs);
}

}  // namespace fdtd
