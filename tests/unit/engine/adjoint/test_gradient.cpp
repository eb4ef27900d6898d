// The gradient of a room in two runs, against differences of runs.
#include "engine/adjoint/gradient.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "engine/adjoint/adjoint_memory.hpp"
#include "engine/adjoint/sensitivity_map.hpp"
#include "engine/adjoint/tap_shift.hpp"
#include "engine/run/rank_backend.hpp"
#include "engine/transducers/taps.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/unit/engine/adjoint/gradient_rooms.hpp"
#include "tests/unit/engine/adjoint/oblique_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double tolerance = 1e-6;

// Within the tolerance, and the rounding of the differences.
void check_slope(double slope, double loss, const Plan& plan, double h,
                 const std::function<void(Plan&, double)>& move) {
  const double numeric = slope_by_differences(plan, distance_loss(plan), h, move);
  const double rounding = 2e-15 * loss / h;
  CHECK(std::abs(numeric) > 1e3 * rounding);
  CHECK(std::abs(slope - numeric) < tolerance * std::abs(numeric) + rounding);
}

// Every `stride`-th of the laws that sites have.
void check_laws(const Plan& plan, const Gradient& found, std::size_t stride) {
  const std::vector<LawSlopes> slopes = by_law(plan, found.walls);
  std::vector<std::size_t> used;
  for (const BoundarySite& site : plan.boundary.sites) used.push_back(site.law);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (std::size_t i = stride - 1; i < used.size(); i += stride) {
    const std::size_t l = used[i];
    const WallLaw& law = plan.boundary.laws[l];
    CAPTURE(l, law.taps.size());
    for (std::size_t b = 0; b < law.branches.size(); ++b)
      for (double LawBranch::*term : {&LawBranch::D, &LawBranch::E, &LawBranch::F}) {
        const double value = law.branches[b].*term;
        if (value < 1e-2) continue;  // differences of a term that must not be negative
        CAPTURE(b, value);
        check_slope(slopes[l].branches[b].*term, found.loss, plan, 1e-3 * value,
                    [&](Plan& moved, double by) { moved.boundary.laws[l].branches[b].*term += by; });
      }
    if (law.inertance > 0.0)
      check_slope(slopes[l].inertance, found.loss, plan, 1e-3 * law.inertance,
                  [&](Plan& moved, double by) { moved.boundary.laws[l].inertance += by; });
  }
}

void check_sites(const Plan& plan, const Gradient& found) {
  for (std::size_t s = 0; s < plan.boundary.sites.size(); s += plan.boundary.sites.size() / 3) {
    CAPTURE(s);
    check_slope(found.walls.weight[s], found.loss, plan, 1e-3 * plan.boundary.sites[s].weight,
                [&](Plan& moved, double by) { moved.boundary.sites[s].weight += by; });
  }
}

// A branch of admittance g on all sites of a law.
void add_admittance(Plan& plan, std::size_t law, double g) {
  Boundary& boundary = plan.boundary;
  boundary.laws[law].branches.push_back({0.0, 1.0 / g, 0.0});
  for (std::size_t s = 0; s < boundary.sites.size(); ++s)
    boundary.branch_begin[s + 1] = boundary.branch_begin[s] + boundary.laws[boundary.sites[s].law].branches.size();
}

}  // namespace

TEST_CASE("the gradient by walls is that of differences of runs, for every kind of wall and stencil") {
  for (const auto& [stencil, obstacles, cut] : kinds_of_room) {
    CAPTURE(stencil, obstacles, cut);
    const Plan plan = small_plan(stencil, obstacles, cut);
    const Gradient found = gradient_of(plan);
    CHECK(found.loss == Approx(loss_of(plan, distance_loss(plan))).epsilon(1e-12));
    check_laws(plan, found, obstacles || cut ? 3 : 1);
    check_sites(plan, found);
  }
}

TEST_CASE("the gradient by walls is that of differences of runs where walls read several nodes and meet") {
  const Plan plan = coupled_plan();
  REQUIRE(plan.boundary.groups() > 0);
  const Gradient found = gradient_of(plan);
  check_laws(plan, found, 5);
  check_sites(plan, found);
}

TEST_CASE("the gradient by oblique walls of a mesh, whose voxels they cut, is that of differences of runs") {
  const Plan plan = oblique_plan();
  REQUIRE(!plan.near_wall.masses.empty());
  const Gradient found = gradient_of(plan);
  check_laws(plan, found, 2);
  check_sites(plan, found);
}

TEST_CASE("the gradient by an admittance beside a law's branches is that of a further branch") {
  const Plan plan = small_plan("leggy-2", true, false);
  const Gradient found = gradient_of(plan);
  const WallSlopes& walls = found.walls;
  const std::vector<LawSlopes> slopes = by_law(plan, walls);
  for (std::size_t l = 0; l < slopes.size(); ++l)
    check_slope(slopes[l].admittance, found.loss, plan, 1e-3,
                [&](Plan& moved, double by) { add_admittance(moved, l, by); });
  std::vector<LawChange> changes;
  for (const WallLaw& law : plan.boundary.laws) changes.push_back(beside_as_it_is(law));
  const SensitivityMap map = sensitivity_map(plan, walls, changes);
  double whole = 0.0, area = 0.0, weights = 0.0;
  for (std::size_t s = 0; s < map.value.size(); ++s) {
    whole += map.value[s] * map.area[s];
    area += map.area[s];
    weights += plan.boundary.sites[s].weight;
  }
  const std::uint64_t node = plan.boundary.nodes[0];  // whose sites come first, with their centre
  const auto nx = static_cast<std::uint64_t>(plan.grid.size[0]), ny = static_cast<std::uint64_t>(plan.grid.size[1]);
  const std::array<std::uint64_t, 3> voxel = {node % nx, node / nx % ny, node / nx / ny};
  for (std::size_t d = 0; d < 3; ++d)
    CHECK(map.position[0][d] / plan.grid.spacing[d] == Approx(static_cast<double>(voxel[d]) + 0.5));
  CHECK(whole == Approx(slopes[0].admittance + slopes[1].admittance + slopes[2].admittance));
  const double face = plan.grid.spacing[0] * plan.grid.spacing[1];
  CHECK(area == Approx(weights * face * plan.grid.spacing[2] / (plan.grid.sound_speed * plan.grid.time_step)));
}

TEST_CASE("the gradient by weights and by positions of sources and receivers is that of differences of runs") {
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
  const Gradient found = gradient_of(plan, options);
  const auto shifted = [&](const std::array<double, 3>& from, std::size_t axis, double by) {
    std::array<double, 3> at = from;
    at[axis] += by;
    return tap_at(at);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    check_slope(found.source_changes[axis], found.loss, plan, 0.01 * h,
                [&](Plan& moved, double by) { moved.sources[0] = shifted(of_source, axis, by); });
    check_slope(found.receiver_changes[axis], found.loss, plan, 0.01 * h,
                [&](Plan& moved, double by) { moved.receivers[1] = shifted(of_receiver, axis, by); });
  }
}

namespace {

// Of the two sources, through a filter, as the parts of a directional source send.
JointPass random_signals(std::int64_t steps, std::mt19937& random) {
  std::normal_distribution<double> normal;
  JointPass joint;
  joint.parts = {0, 1.0, 2};
  joint.lead = 1, joint.zero = 0.9, joint.pole = 0.6;
  joint.signals.resize(2);
  for (auto& signal : joint.signals)
    for (std::int64_t n = 0; n < steps; ++n) signal.push_back(normal(random));
  return joint;
}

}  // namespace

TEST_CASE("the adjoint of sources, field, receivers and a joint pass's filter is their transpose") {
  for (const bool coupled : {false, true}) {
    Plan plan = coupled ? coupled_plan() : small_plan("compact-5", true, true);
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    plan.joint = {random_signals(plan.steps, random)};
    std::vector<double> y(2 * 2 * static_cast<std::size_t>(plan.steps + 1));
    for (double& one : y) one = normal(random);
    const RecordLoss product = [&](const Recording& recording, std::span<double> slopes) {
      double J = 0.0;
      for (std::size_t i = 0; i < y.size(); ++i) J += y[i] * recording.pressure[i], slopes[i] = y[i];
      return J;
    };
    const Gradient found = gradient(plan, *make_cpu_backend({1, ""}), product);
    double forth = 0.0, back = 0.0, size = 0.0;  // <A x, y> and <x, A^T y>
    forth = loss_of(plan, product);
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t n = 0; n < found.signals[s].size(); ++n) {
        const double part = plan.joint[0].signals[s][n] * found.signals[s][n];
        back += part, size += std::abs(part);
      }
    CHECK(std::abs(forth) > 1e-3 * size);
    CHECK(std::abs(forth - back) < 1e-12 * size);
    CHECK(found.loss == Approx(forth).epsilon(1e-12));
  }
}

TEST_CASE("the gradient in f32 is that in f64 within a thousandth, however its history is kept") {
  for (const int room : {0, 1, 2}) {
    const auto plan_in = [&](Precision precision) {
      if (room == 2) return coupled_plan(precision);
      return room == 0 ? small_plan("leggy-2", false, false, precision)
                       : small_plan("compact-5", true, true, precision);
    };
    const Plan plan = plan_in(Precision::f64);
    Plan single = plan_in(Precision::f32);
    single.boundary = plan.boundary;
    const std::vector<LawSlopes> exact = by_law(plan, gradient_of(plan).walls);
    for (const HistoryFormat format : {HistoryFormat::f32, HistoryFormat::i16}) {
      GradientOptions options;
      options.history = format;
      const std::vector<LawSlopes> rounded = by_law(single, gradient_of(single, options).walls);
      const auto each = [&](const auto& function) {
        for (std::size_t l = 0; l < exact.size(); ++l)
          for (std::size_t b = 0; b < exact[l].branches.size(); ++b)
            for (double LawBranch::*term : {&LawBranch::D, &LawBranch::E, &LawBranch::F}) {
              const double value = plan.boundary.laws[l].branches[b].*term;
              function(value * exact[l].branches[b].*term, value * rounded[l].branches[b].*term);
            }
      };
      double largest = 0.0, worst = 0.0;
      each([&](double slope, double) { largest = std::max(largest, std::abs(slope)); });
      each([&](double slope, double other) {
        worst = std::max(worst, std::abs(other - slope) / std::max(std::abs(slope), largest / 100.0));
      });
      CAPTURE(room, static_cast<int>(format));
      CHECK(worst > 0.0);
      CHECK(worst < 1e-3);
    }
  }
}

namespace {

// Of two ranks, each of which may take so much memory.
void check_two_ranks(const Plan& plan, const Gradient& alone, std::int64_t memory) {
  ThreadRanks::run(2, [&](Ranks& ranks) {
    BackendOptions options;
    options.threads = 1;
    options.ranks = &ranks;
    const auto backend = make_rank_backend(make_cpu_backend(options), ranks);
    GradientOptions of_two;
    of_two.memory = memory;
    of_two.history = HistoryFormat::f64;
    const Gradient found = gradient(plan, *backend, distance_loss(plan), of_two);
    CHECK(found.walls.admittance == alone.walls.admittance);
    CHECK(found.walls.inertance == alone.walls.inertance);
    CHECK(found.walls.weight == alone.walls.weight);
    for (std::size_t b = 0; b < alone.walls.branches.size(); ++b)
      REQUIRE(found.walls.branches[b].F == alone.walls.branches[b].F);
    CHECK(found.signals == alone.signals);
  });
}

}  // namespace

TEST_CASE("two ranks find the gradient of one, with all of their history or from checkpoints") {
  Plan plan = small_plan("leggy-2", false, false, Precision::f64, 700);
  plan.sources.resize(1);
  const Gradient alone = gradient_of(plan);
  check_two_ranks(plan, alone, std::int64_t{1} << 30U);
  const std::int64_t little = 2 * adjoint_memory(plan, std::int64_t{1} << 30U, HistoryFormat::f64, 0.5).bytes / 5;
  REQUIRE(adjoint_memory(plan, little, HistoryFormat::f64, 0.5).checkpoints > 0);
  check_two_ranks(plan, alone, little);
  const Plan coupled = coupled_plan(Precision::f64, 18);  // walls that read the other rank's nodes
  check_two_ranks(coupled, gradient_of(coupled), std::int64_t{1} << 30U);
}

TEST_CASE("a gradient ends at a request to stop, where a loss has no slope, and at a law of too many branches") {
  Plan plan = small_plan("leggy-2", false, false);
  const auto refusal = [&](const RecordLoss& loss, const GradientOptions& options) {
    try {
      gradient(plan, *make_cpu_backend({1, ""}), loss, options);
    } catch (const Error& error) {
      return error;
    }
    return Error(Status::file, "nothing");
  };
  int asked = 0;
  GradientOptions stopped;
  stopped.stop = [&] { return ++asked > 2; };
  CHECK(refusal(distance_loss(plan), stopped).status == Status::interrupted);
  CHECK(asked == 3);
  const RecordLoss steep = [](const Recording&, std::span<double> slopes) {
    slopes.back() = std::numeric_limits<double>::quiet_NaN();
    return 0.0;
  };
  CHECK(refusal(steep, {}).status == Status::numerical);
  plan.boundary.laws[0].branches.resize(129, {0.0, 1000.0, 0.0});
  for (std::size_t s = 0; s < plan.boundary.sites.size(); ++s)
    plan.boundary.branch_begin[s + 1] =
        plan.boundary.branch_begin[s] + plan.boundary.laws[plan.boundary.sites[s].law].branches.size();
  const Error many = refusal(distance_loss(plan), {});
  CHECK(many.status == Status::scene);
  CHECK(std::string(many.what()).find("has 129 branches, and a gradient takes up to 128") != std::string::npos);
}
