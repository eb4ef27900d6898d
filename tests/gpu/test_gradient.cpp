// The gradient of a room on the GPU: that of the CPU, in every kind of room, and the same bytes twice.
#include "engine/adjoint/gradient.hpp"

#include <algorithm>
#include <cmath>

#include "engine/adjoint/adjoint_memory.hpp"
#include "engine/adjoint/tap_shift.hpp"
#include "engine/devices/devices.hpp"
#include "engine/run/rank_backend.hpp"
#include "engine/session/room_gradient.hpp"
#include "engine/transducers/taps.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/unit/engine/adjoint/oblique_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double f64_tolerance = 1e-9, f32_tolerance = 1e-3;

Gradient on_gpu(const Plan& plan, const GradientOptions& options = {}) {
  return gradient(plan, *make_cuda_backend(), distance_loss(plan), options);
}

// The largest difference, over the largest value.
double distance(const std::vector<double>& values, const std::vector<double>& exact) {
  REQUIRE(values.size() == exact.size());
  double worst = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!std::isfinite(values[i])) return values[i];
    worst = std::max(worst, std::abs(values[i] - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return worst / std::max(largest, 1e-300);
}

std::vector<double> terms_of(const Gradient& found, double LawBranch::*term) {
  std::vector<double> values;
  for (const BranchTerms<double>& branch : found.walls.branches) values.push_back(branch.*term);
  return values;
}

void check_walls(const Gradient& found, const Gradient& exact, double tolerance) {
  for (double LawBranch::*term : {&LawBranch::D, &LawBranch::E, &LawBranch::F})
    CHECK(distance(terms_of(found, term), terms_of(exact, term)) < tolerance);
  CHECK(distance(found.walls.inertance, exact.walls.inertance) < tolerance);
  CHECK(distance(found.walls.admittance, exact.walls.admittance) < tolerance);
  CHECK(distance(found.walls.weight, exact.walls.weight) < tolerance);
}

void check_all(const Gradient& found, const Gradient& exact, double tolerance) {
  CHECK(found.loss == Approx(exact.loss).epsilon(tolerance));
  CHECK(distance(found.recording.pressure, exact.recording.pressure) < tolerance);
  check_walls(found, exact, tolerance);
  for (std::size_t s = 0; s < exact.signals.size(); ++s)
    CHECK(distance(found.signals[s], exact.signals[s]) < tolerance);
}

void check_same_bytes(const Gradient& found, const Gradient& other) {
  CHECK(found.loss == other.loss);
  for (double LawBranch::*term : {&LawBranch::D, &LawBranch::E, &LawBranch::F})
    CHECK(terms_of(found, term) == terms_of(other, term));
  CHECK(found.walls.inertance == other.walls.inertance);
  CHECK(found.walls.admittance == other.walls.admittance);
  CHECK(found.walls.weight == other.walls.weight);
  CHECK(found.signals == other.signals);
}

// The room in f32, with the walls of that in f64.
template <class Make>
void check_room(const Make& make) {
  const Plan plan = make(Precision::f64);
  Plan single = make(Precision::f32);
  single.boundary = plan.boundary;
  const Gradient exact = gradient_of(plan), found = on_gpu(plan);
  check_all(found, exact, f64_tolerance);
  CHECK(on_gpu(single).loss == Approx(exact.loss).epsilon(f32_tolerance));
  check_walls(on_gpu(single), exact, f32_tolerance);
}

// Walls of one to five branches, fitted to the grid; `points`: box_walls.hpp.
Plan fitted_box(const char* stencil, std::array<int, 3> size, double points, Precision precision, std::int64_t steps) {
  RoomSpec spec;
  spec.size = size;
  spec.stencil = stencil;
  spec.precision = precision;
  Plan plan = box_plan(spec, {"1", "2", "3", "5", "4", "3"}, true, points);
  add_transducers(plan, steps);
  return plan;
}

}  // namespace

TEST_CASE("the gradient on the GPU is that of the CPU, for every kind of wall and stencil") {
  for (const auto& [stencil, obstacles, cut] : kinds_of_room) {
    INFO(stencil);
    const auto make = [&](Precision precision) { return small_plan(stencil, obstacles, cut, precision); };
    check_room(make);
  }
}

TEST_CASE("the gradient on the GPU is that of the CPU where walls read several nodes and meet") {
  check_room([](Precision precision) { return coupled_plan(precision); });
  for (const char* stencil : {"leggy-4", "compact-3"}) {
    INFO(stencil);
    check_room([&](Precision precision) { return fitted_box(stencil, {33, 24, 20}, 6.0, precision, 100); });
  }
}

TEST_CASE("the gradient by oblique walls of a mesh on the GPU is that of the CPU") {
  REQUIRE(!oblique_plan().near_wall.masses.empty());
  check_room([](Precision precision) { return oblique_plan(precision); });
}

TEST_CASE("the gradient on the GPU by faces of a large box is that of the CPU") {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const Plan plan = fitted_box("leggy-4", {164, 160, 162}, 4.0, precision, 70);
    INFO(to_string(precision));
    const Gradient exact = gradient(plan, *make_cpu_backend({0, ""}), distance_loss(plan));
    check_all(on_gpu(plan), exact, precision == Precision::f64 ? f64_tolerance : f32_tolerance);
  }
}

TEST_CASE("the gradient by places of sources and receivers on the GPU is that of the CPU") {
  Plan plan = small_plan("leggy-4", false, false);
  const auto tap_at = [&](const std::array<double, 3>& at) { return make_tap("moving", at, plan.grid, plan.air, 8); };
  const double h = plan.grid.spacing[0];
  const std::array<double, 3> of_source = {3.3 * h, 3.2 * h, 2.6 * h}, of_receiver = {4.8 * h, 2.7 * h, 3.4 * h};
  plan.sources[0] = tap_at(of_source), plan.receivers[1] = tap_at(of_receiver);
  GradientOptions options;
  for (int axis = 0; axis < 3; ++axis) {
    options.source_changes.push_back(tap_shift(0, of_source, axis, 5e-4 * h, tap_at));
    options.receiver_changes.push_back(tap_shift(1, of_receiver, axis, 5e-4 * h, tap_at));
  }
  const Gradient exact = gradient_of(plan, options), found = on_gpu(plan, options);
  CHECK(distance(found.source_changes, exact.source_changes) < f64_tolerance);
  CHECK(distance(found.receiver_changes, exact.receiver_changes) < f64_tolerance);
}

TEST_CASE("the gradient on the GPU has the same bytes twice, and from checkpoints") {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    Plan plan = small_plan("leggy-2", true, false, precision, 2000);
    for (const std::size_t sources : {std::size_t{2}, std::size_t{1}}) {
      plan.sources.resize(sources);
      INFO(to_string(precision) << ", sources: " << sources);
      GradientOptions options;
      options.history = precision == Precision::f64 ? HistoryFormat::f64 : HistoryFormat::f32;
      options.memory = std::int64_t{1} << 32U;
      const Gradient whole = on_gpu(plan, options);
      check_same_bytes(on_gpu(plan, options), whole);
      const AdjointMemory all = adjoint_memory(plan, options.memory, options.history);
      for (const double fraction : {0.6, 0.4}) {
        options.memory = static_cast<std::int64_t>(fraction * static_cast<double>(all.bytes));
        CHECK(adjoint_memory(plan, options.memory, options.history).runs > 2.0);
        check_same_bytes(on_gpu(plan, options), whole);
      }
    }
  }
}

namespace {

// Of two GPUs, a thread each, whose walls the host correlates.
void check_two_gpus(const Plan& plan, const GradientOptions& options, double tolerance) {
  const Gradient exact = on_gpu(plan);
  ThreadRanks::run(2, [&](Ranks& ranks) {
    BackendOptions of_rank;
    of_rank.threads = 1;
    of_rank.ranks = &ranks;
    const auto backend = make_rank_backend(make_cuda_backend(of_rank, ranks.local_rank()), ranks);
    const Gradient found = gradient(plan, *backend, distance_loss(plan), options);
    ranks.wait_for_all();
    if (ranks.first()) check_all(found, exact, tolerance);  // assertions are for one thread
    ranks.wait_for_all();
  });
}

}  // namespace

TEST_CASE("two GPUs find the gradient of one, with all of its history or from checkpoints") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to compare");
    return;
  }
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    RoomSpec spec;
    spec.size = {40, 34, 60};
    spec.stencil = "leggy-4";
    spec.precision = precision;
    spec.laws = some_laws();
    Plan plan = plan_of(spec);
    add_transducers(plan, 400);
    INFO(to_string(precision));
    const double tolerance = precision == Precision::f64 ? f64_tolerance : f32_tolerance;
    GradientOptions options;
    options.history = precision == Precision::f64 ? HistoryFormat::f64 : HistoryFormat::f32;
    options.memory = std::int64_t{1} << 32U;
    check_two_gpus(plan, options, tolerance);
    options.memory = adjoint_memory(plan, options.memory, options.history).bytes / 2;
    REQUIRE(adjoint_memory(plan, options.memory, options.history).runs > 2.0);
    check_two_gpus(plan, options, tolerance);
  }
  Plan coupled = coupled_plan(Precision::f64, 40);  // walls that read the other GPU's nodes
  check_two_gpus(coupled, {}, f64_tolerance);
}

namespace {

constexpr const char* scene = R"(
schema = 1
[simulation]
max_frequency = 400
duration = 0.05
precision = "f64"
[above]
method = "none"
[room]
box = [2.0, 1.7, 1.5]
[room.walls]
default = "hard"
floor = "soft"
[materials.soft]
absorption = { bands = [125, 250], alpha = [0.25, 0.4] }
[materials.hard]
admittance = 0.1
[[source]]
name = "S"
position = [0.5, 0.4, 0.6]
[[receiver]]
name = "R"
position = [1.4, 1.1, 0.9]
)";

// By the coefficients of both materials, of half the energy of all responses.
ParameterSlopes slopes_on(const char* device) {
  SceneRequest request;
  request.scene = "scene.toml";
  request.text = scene;
  request.device = device;
  RoomGradient room(request, std::vector<std::string>{"soft", "hard"});
  std::vector<double> values;
  for (const WallParameter& one : room.parameters()) values.push_back(one.value);
  const auto energy = [](const Rendered& rendered, const auto&, const auto&, std::span<double> slopes) {
    double sum = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      sum += 0.5 * rendered.ir[i] * rendered.ir[i];
      slopes[i] = rendered.ir[i];
    }
    return sum;
  };
  return room(values, energy, true);
}

}  // namespace

TEST_CASE("the gradient of a scene on the GPU that its request names is that of the CPU") {
  const ParameterSlopes exact = slopes_on("cpu"), found = slopes_on("cuda:0");
  REQUIRE(exact.slopes.size() == 3);
  CHECK(found.loss == Approx(exact.loss).epsilon(f64_tolerance));
  CHECK(distance(found.slopes, exact.slopes) < 1e-8);
  CHECK(distance(found.map->value, exact.map->value) < 1e-8);
}

TEST_CASE("a small room's gradient on the GPU in few steps") {  // few enough for a memory checker
  const Plan plan = small_plan("compact-3", true, true, Precision::f32, 20);
  check_all(on_gpu(plan), gradient_of(plan), f32_tolerance);
}
