// Gradients within little memory: which segments of a run are computed again, and that the result is the same.
#include "engine/adjoint/recomputation.hpp"

#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "engine/adjoint/adjoint_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/engine/adjoint/gradient_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::int64_t binomial(int n, int k) {
  std::int64_t value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

// Griewank and Walther's least number of steps for l of them with c checkpoints, in their count with the start among the
// checkpoints: r l - binomial(c + r, r - 1), r the least number of sweeps with binomial(c + r, c) >= l; and each segment is
// computed once more where it is used.
std::int64_t least_cost(int l, int c) {
  int r = 0;
  while (binomial(c + 1 + r, c + 1) < l) ++r;
  return std::int64_t{r} * l - binomial(c + 1 + r, r - 1) + l;
}

}  // namespace

TEST_CASE("segments are computed again no more often than binomial checkpointing must") {
  const Recomputation table(120, 6);
  for (int checkpoints = 0; checkpoints <= 6; ++checkpoints)
    for (const int segments : {2, 3, 7, 20, 56, 84, 120}) {
      CAPTURE(segments, checkpoints);
      CHECK(table.cost(segments, checkpoints) == least_cost(segments, checkpoints));
    }
  CHECK(table.cost(1, 0) == 1);
  CHECK(table.cost(2, 1) == 3);
}

TEST_CASE("a gradient within little memory is that with all of its history, to the bit") {
  Plan plan = small_plan("leggy-2", true, false, Precision::f64, 700);
  GradientOptions options;
  options.history = HistoryFormat::f64;
  for (const std::size_t sources : {std::size_t{2}, std::size_t{1}}) {
    plan.sources.resize(sources);
    options.memory = std::int64_t{1} << 32U;
    const Gradient whole = gradient_of(plan, options);
    const AdjointMemory all = adjoint_memory(plan, options.memory, options.history);
    CHECK(all.segments == 1);
    CHECK(all.runs == 2.0);
    int most = 0;
    for (const double fraction : {0.6, 0.4, 0.3}) {
      options.memory = static_cast<std::int64_t>(fraction * static_cast<double>(all.bytes));
      CAPTURE(sources, fraction);
      const AdjointMemory memory = adjoint_memory(plan, options.memory, options.history);
      CHECK(memory.bytes <= options.memory);
      CHECK(memory.runs > 2.0);
      most = std::max(most, memory.segments);
      const Gradient found = gradient_of(plan, options);
      CHECK(found.loss == whole.loss);
      CHECK(found.walls.admittance == whole.walls.admittance);
      CHECK(found.walls.weight == whole.walls.weight);
      CHECK(found.signals == whole.signals);
    }
    CHECK(most > 2);
  }
}

TEST_CASE("a gradient that cannot fit into its memory says what it needs") {
  const Plan plan = small_plan("leggy-2", false, false);
  GradientOptions options;
  options.memory = 10000;
  try {
    gradient_of(plan, options);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.status == Status::resource);
    CHECK(std::string(error.what()).find("at least beside the field, and may take 10") != std::string::npos);
    CHECK(error.remedy.find("more memory") != std::string::npos);
  }
}

namespace {

// Bytes of this process in memory.
double resident() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0, pages = 0.0;
  file >> all >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("the memory that a gradient states is what it takes") {
  RoomSpec spec;
  spec.size = {64, 52, 42};
  spec.stencil = "leggy-2";
  spec.precision = Precision::f32;
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  add_transducers(plan, 640);
  plan.sources.resize(1);
  const auto backend = make_cpu_backend({1, ""});
  backend->load(plan, whole(plan));
  const double before = resident();
  double most = 0.0;
  const RecordLoss loss = [&](const Recording&, std::span<double>) {  // the first run's history is complete
    most = resident() - before;
    return 0.0;
  };
  GradientOptions options;
  options.memory = std::int64_t{1} << 40U;
  gradient(plan, *backend, loss, options);
  const auto stated = static_cast<double>(adjoint_memory(plan, options.memory).bytes);
  CAPTURE(most, stated);
  if (!sanitized) CHECK(std::abs(stated - most) < 0.1 * most);
}

TEST_CASE("a gradient keeps the finest history that fits, and computes again what does not") {
  const Plan plan = small_plan("leggy-2", false, false, Precision::f32, 5000);
  const std::int64_t fine = adjoint_memory(plan, std::int64_t{1} << 32U).bytes;
  CHECK(adjoint_memory(plan, fine).format == HistoryFormat::f32);
  const AdjointMemory coarse = adjoint_memory(plan, fine - 1);
  CHECK(coarse.format == HistoryFormat::i16);
  CHECK(coarse.segments == 1);
  CHECK(coarse.all_passes);
  const AdjointMemory one_pass = adjoint_memory(plan, coarse.bytes - 1);
  CHECK(one_pass.segments == 1);
  CHECK(!one_pass.all_passes);
  CHECK(one_pass.runs == 3.0);
  const AdjointMemory again = adjoint_memory(plan, coarse.bytes / 3);
  CHECK(again.segments > 1);
  CHECK(again.checkpoints > 0);
  CHECK(again.runs > 3.0);
  CHECK(adjoint_memory(plan, coarse.bytes / 4).runs >= again.runs);
}
