#include "engine/adjoint/host_walls.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engine/adjoint/site_filters.hpp"
#include "engine/adjoint/wall_history.hpp"

namespace fdtd {
namespace {

bool reads_rows(const Backend& backend) { return backend.wall_reads() == WallReads::in_rows; }

std::vector<std::uint32_t> row_of(const AdjointPlan& plan, Backend& backend) {
  if (reads_rows(backend)) return backend.wall_row();
  std::vector<std::uint32_t> row(plan.reads);
  std::iota(row.begin(), row.end(), 0U);
  return row;
}

int threads_of(const Backend& backend) {
  return backend.host_threads() > 0 ? backend.host_threads() : omp_get_max_threads();
}

template <class T>
class HostWalls final : public WallCorrelation {
 public:
  HostWalls(const AdjointPlan& plan, Backend& backend, const CorrelationNeeds& needs)
      : HostWalls(plan, backend, needs, row_of(plan, backend)) {}

  void rest() override { now_ = {std::vector<T>(filters_.state_values(), T{}), std::vector<T>(2 * places_, T{})}; }

  void first(const Drive& drive, Samples& samples, std::optional<HistoryPlace> keep) override {
    std::optional<WallHistory<T>> kept;
    if (keep) kept.emplace(format_, places_, drive.steps, now_.filters);
    T* const rows = kept && kept->rows() != nullptr ? kept->rows() : rows_.get();
    read(drive, samples, now_.tail, rows);
    filters_.advance(of_rows(rows), drive.steps, now_.filters.data(), kept ? kept->deltas() : KeptDeltas{});
    if (!keep) return;
    std::vector<std::optional<WallHistory<T>>>& blocks = histories_[keep->pass];
    if (blocks.size() <= keep->block) blocks.resize(keep->block + 1);
    blocks[keep->block] = std::move(kept);
  }
  void push() override { stack_.push_back(now_); }
  void recall() override { now_ = stack_.back(); }
  void pop() override { stack_.pop_back(); }

  void answer_rest() override {
    answering_ = {std::vector<T>(filters_.answer_values(), T{}), std::vector<T>(2 * places_, T{})};
  }
  void second(const Drive& drive, Samples& samples, HistoryPlace of) override {
    const std::optional<WallHistory<T>> kept = std::exchange(histories_[of.pass][of.block], std::nullopt);
    read(drive, samples, answering_.tail, rows_.get());
    filters_.correlate(kept->read(), kept->before().data(), of_rows(rows_.get()), drive.steps,
                       answering_.filters.data());
  }

  // Of a site all ranks but its own have zeros.
  WallSlopes slopes(double scale) override {
    WallSlopes slopes = filters_.slopes(scale);
    if (!reads_rows(backend_)) return slopes;  // recorders: every rank has all
    std::vector<double> terms;
    for (BranchTerms<double>& branch : slopes.branches) each_term([&](double term) { terms.push_back(term); }, branch);
    backend_.add_ranks(terms);
    const double* term = terms.data();
    for (BranchTerms<double>& branch : slopes.branches) each_term([&](double& of) { of = *term++; }, branch);
    for (std::vector<double>* const of : {&slopes.inertance, &slopes.admittance, &slopes.weight})
      backend_.add_ranks(*of);
    return slopes;
  }

 private:
  struct Moment {
    std::vector<T> filters;
    std::vector<T> tail;  // the rows of the last two steps
  };

  HostWalls(const AdjointPlan& plan, Backend& backend, const CorrelationNeeds& needs, std::vector<std::uint32_t> row)
      : made_(plan),
        backend_(backend),
        format_(needs.format),
        places_(row.size()),
        filters_(plan.plan, row, threads_of(backend)),
        rows_(rows_of<T>(places_, needs.block)),
        histories_(needs.passes) {}

  cpu::WallRows<T> of_rows(const T* rows) const {
    return {.values = rows, .row = static_cast<std::ptrdiff_t>(places_)};
  }

  // The rows of a block, behind those of the two steps before.
  void read(const Drive& drive, Samples& samples, std::vector<T>& tail, T* rows) {
    std::ranges::copy(tail, rows);
    T* const own = rows + tail.size();
    if (reads_rows(backend_)) {
      backend_.read_walls(drive, samples, reinterpret_cast<std::byte*>(own));
    } else {
      backend_.advance(drive, samples);
      const auto steps = static_cast<std::size_t>(drive.steps);
      for (std::size_t i = 0; i < places_; ++i)
        for (std::size_t n = 0; n < steps; ++n)
          own[n * places_ + i] = static_cast<T>(samples.p[(made_.first_read + i) * steps + n]);
    }
    std::copy_n(rows + static_cast<std::size_t>(drive.steps) * places_, tail.size(), tail.begin());
  }

  const AdjointPlan& made_;
  Backend& backend_;
  HistoryFormat format_;
  std::size_t places_;
  SiteFilters<T> filters_;
  Values<T> rows_;
  std::vector<std::vector<std::optional<WallHistory<T>>>> histories_;  // by pass, by block
  Moment now_, answering_;                                             // of the first and of the second run
  std::vector<Moment> stack_;
};

}  // namespace

std::unique_ptr<WallCorrelation> make_host_walls(const AdjointPlan& plan, Backend& backend,
                                                 const CorrelationNeeds& needs) {
  if (plan.plan.precision == Precision::f32) return std::make_unique<HostWalls<float>>(plan, backend, needs);
  return std::make_unique<HostWalls<double>>(plan, backend, needs);
}

}  // namespace fdtd
