// A gradient takes the memory and the runs that are stated before it is computed; too little memory is refused.
#include "engine/adjoint/planned_gradient.hpp"

#include <malloc.h>

#include "base/error.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/engine/adjoint/oblique_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Bytes that this process has allocated and not given back.
double allocated() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd);
}

Plan box_of(Precision precision) {
  RoomSpec spec;
  spec.size = {40, 32, 28};
  spec.stencil = "leggy-2";
  spec.precision = precision;
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  add_transducers(plan, 900);
  plan.sources.resize(1);
  return plan;
}

// A room of the examples, a mesh with furniture.
Plan furnished(Precision precision) {
  const ParsedScene parsed = load_scene(std::string(FDTD_SOURCE_DIR) + "/scenes/examples/studio.toml",
                                        {{"simulation.max_frequency=400", "simulation.stencil=\"leggy-4\"",
                                          std::string("simulation.precision=") + to_string(precision)},
                                         true});
  REQUIRE(parsed.problems.empty());
  Plan plan = make_plan(parsed.scene, *find_stencil("leggy-4")).plan;
  plan.snapshots.clear();
  plan.stop = {};
  plan.sources.resize(1);
  plan.steps = 1800;
  return plan;
}

struct Taken {
  double bytes = 0.0;  // the most beside a loaded backend and a copy of the plan
  std::int64_t blocks = 0;
};

Taken taken_by(const Plan& plan, std::int64_t memory) {
  const auto backend = make_cpu_backend({1, ""});
  backend->load(plan, whole(plan));
  auto copy = std::make_unique<Plan>(plan);  // of which the gradient has one
  Taken taken;
  const double with_copy = allocated();
  copy.reset();
  const double before = allocated(), of_copy = with_copy - before;
  GradientOptions options;
  options.memory = memory;
  options.stop = [&] {  // asked once a block of each run
    ++taken.blocks;
    taken.bytes = std::max(taken.bytes, allocated() - before - of_copy);
    return false;
  };
  const RecordLoss loss = [](const Recording& recording, std::span<double> slopes) {
    std::ranges::copy(recording.pressure, slopes.begin());
    return 0.0;
  };
  gradient(plan, *backend, loss, options);
  return taken;
}

}  // namespace

TEST_CASE("a gradient takes the memory that it states, within a twentieth, and as many runs") {
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const bool mesh : {false, true}) {
      const Plan plan = mesh ? furnished(precision) : box_of(precision);
      CAPTURE(to_string(precision), mesh);
      const PlannedGradient stated = planned_gradient(plan, std::int64_t{1} << 40U, false);
      CHECK(stated.wall_nodes == static_cast<std::int64_t>(plan.boundary.nodes.size()));
      CHECK(stated.memory.runs == 2.0);
      const Taken taken = taken_by(plan, std::int64_t{1} << 40U);
      const double bytes = static_cast<double>(stated.memory.bytes);
      CAPTURE(bytes, taken.bytes, stated.memory.histories);
      if (!sanitized) CHECK(std::abs(taken.bytes - bytes) < 0.05 * bytes);
      const std::int64_t a_run = (plan.steps + stated.memory.block - 1) / stated.memory.block;
      CHECK(taken.blocks == 2 * a_run);
    }
}

TEST_CASE("a gradient from checkpoints takes the memory and the runs that it states") {
  Plan plan = box_of(Precision::f32);
  plan.steps = 64 * 29;  // no multiple of most segments
  const double all = static_cast<double>(planned_gradient(plan, std::int64_t{1} << 40U, false).memory.bytes);
  for (const std::size_t sources : {std::size_t{1}, std::size_t{2}}) {
    const double fraction = sources == 1 ? 0.2 : 0.3;
    const auto allowed = static_cast<std::int64_t>(fraction * all);
    const PlannedGradient stated = planned_gradient(plan, allowed, false);
    CHECK(stated.memory.segments > 1);
    CHECK(stated.memory.checkpoints > 0);
    CHECK(stated.memory.bytes <= allowed);
    const Taken taken = taken_by(plan, allowed);
    const double bytes = static_cast<double>(stated.memory.bytes);
    CAPTURE(fraction, sources, bytes, taken.bytes, stated.memory.segments, stated.memory.checkpoints);
    if (!sanitized) CHECK(std::abs(taken.bytes - bytes) < 0.05 * bytes);
    CHECK(static_cast<double>(taken.blocks) == Approx(stated.memory.runs * 29.0 * static_cast<double>(sources)));
    plan.sources.push_back(plan.sources[0]);
  }
}

TEST_CASE("the time of a gradient is that of its runs, and of what walls take beside them") {
  PlannedGradient planned;
  CHECK(gradient_seconds(planned, 10.0) == Approx(26.0));
  planned.memory.runs = 5.0;
  CHECK(gradient_seconds(planned, 10.0) == Approx(65.0));
  planned.on_gpu = true;
  CHECK(gradient_seconds(planned, 10.0) == Approx(57.5));
}

TEST_CASE("on a GPU the histories of a gradient have the run's precision, however little memory there is") {
  const Plan plan = small_plan("leggy-2", false, false, Precision::f32, 5000);
  const PlannedGradient all = planned_gradient(plan, std::int64_t{1} << 40U, true);
  CHECK(all.on_gpu);
  CHECK(all.memory.format == HistoryFormat::f32);
  const PlannedGradient less = planned_gradient(plan, all.memory.bytes / 2, true);
  CHECK(less.memory.format == HistoryFormat::f32);
  CHECK(less.memory.runs > 2.0);
}
