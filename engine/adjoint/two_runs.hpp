// The passes of a gradient, forwards and backwards (gradient.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/adjoint/adjoint_memory.hpp"
#include "engine/adjoint/gradient_terms.hpp"
#include "engine/adjoint/recomputation.hpp"
#include "engine/backend/backend.hpp"

namespace fdtd {

class TwoRuns {
 public:
  // The backend has loaded plan.plan. All of them must outlive this.
  TwoRuns(const AdjointPlan& plan, Backend& backend, const AdjointMemory& memory, const GradientOptions& options);
  Gradient run(const RecordLoss& loss);

 private:
  enum class Keep { records, filters, history };

  void begin_pass(std::size_t pass);
  void forward(std::int64_t begin, std::int64_t end, Keep keep);  // blocks
  void record(std::int64_t first, std::int64_t steps);
  void evaluate(const RecordLoss& loss);
  void reverse(int begin, int end, int checkpoints);  // segments
  void reverse_segment(int segment);
  void backward(std::int64_t block);
  void drive_backwards(std::int64_t first, std::int64_t steps, Drive& drive) const;
  void take_signals(const Drive& sent, std::int64_t first, std::int64_t steps);
  void add_receiver_changes();

  void ask() const;
  void rest();   // the backend
  void start();  // with the walls of the first run
  void restore_begin(int segment);
  std::int64_t first_of(std::int64_t block) const { return block * memory_.block; }
  std::int64_t steps_of(std::int64_t block) const;
  HistoryPlace place_of(std::int64_t block) const { return {pass_, static_cast<std::size_t>(block)}; }
  std::int64_t blocks() const;
  std::int64_t block_of(int segment) const;
  std::size_t sources_of_pass() const;
  std::span<double> of_recorder(std::size_t r, std::int64_t steps);
  std::span<double> record_of(std::vector<double>& values, std::size_t pass, std::size_t receiver) const;

  const AdjointPlan& made_;
  Backend& backend_;
  const AdjointMemory memory_;
  const GradientOptions& options_;
  std::unique_ptr<WallCorrelation> walls_;
  std::optional<Recomputation> recomputation_;
  Gradient out_;
  std::vector<double> slopes_;  // as the recording
  double largest_slope_ = 0.0;

  std::size_t pass_ = 0;
  bool recorded_ = false;                   // this pass
  std::vector<std::vector<double>> moved_;  // what receivers' changes record, by pass and change
  Samples samples_;
  std::vector<State> checkpoints_;    // the walls have a stack of their own
  std::optional<State> second_;       // of the second run, while segments are computed again
  const RecordLoss* loss_ = nullptr;  // until it is evaluated
};

}  // namespace fdtd
