// The gradient of a room in two runs, against differences of runs.
#include "engine/adjoint/gradient.hpp"

#include <cmath>
#include <random>
#include <tuple>

#include "engine/cpu/make_backend.hpp"
#include "engine/run/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Half of the sum of weighted squares of the distance to a random target.
RecordLoss distance_loss(const Plan& plan) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> target, weight;
  for (std::size_t i = 0; i < plan.sources.size() * plan.receivers.size() * static_cast<std::size_t>(plan.steps + 1);
       ++i) {
    target.push_back(0.01 * normal(random));
    weight.push_back(1.0 + 0.5 * std::abs(normal(random)));
  }
  return [target, weight](const Recording& recording, std::span<double> slopes) {
    double J = 0.0;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const double d = recording.pressure[i] - target[i];
      J += 0.5 * weight[i] * d * d;
      slopes[i] = weight[i] * d;
    }
    return J;
  };
}

double loss_of(const Plan& plan, const RecordLoss& loss) {
  const Recording recording = run(plan, *make_cpu_backend({1, ""}));
  std::vector<double> slopes(recording.pressure.size());
  return loss(recording, slopes);
}

// Richardson's combination of two central differences of J where `move(plan, h)` moves a parameter of the plan by h.
template <class Move>
double slope_by_differences(const Plan& plan, const RecordLoss& loss, double h, const Move& move) {
  const auto moved = [&](double by) {
    Plan changed = plan;
    move(changed, by);
    return loss_of(changed, loss);
  };
  const double narrow = (moved(h) - moved(-h)) / (2.0 * h), wide = (moved(2.0 * h) - moved(-2.0 * h)) / (4.0 * h);
  return (4.0 * narrow - wide) / 3.0;
}

void add_transducers(Plan& plan, std::int64_t steps = 120) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> weight(0.2, 1.0);
  const auto tap = [&](const std::string& name, bool derivative) {
    Tap one = random_tap(plan, 8, random, name);
    for (std::size_t i = 0; i < one.weights.size(); ++i)
      one.weights[i] *= (derivative && i % 2 == 1 ? -1.0 : 1.0) * weight(random);
    return one;
  };
  plan.sources = {tap("S1", false), tap("S2", true)};
  plan.receivers = {tap("R1", false), tap("R2", true)};
  plan.steps = steps;
}

void check_walls(const Plan& plan) {
  const RecordLoss loss = distance_loss(plan);
  const Gradient g = gradient(plan, *make_cpu_backend({1, ""}), loss);
  const std::vector<LawSlopes> laws = by_law(plan, g.walls);
  CHECK(g.loss == Approx(loss_of(plan, loss)).epsilon(1e-12));
  for (std::size_t l = 0; l < laws.size(); ++l) {
    for (std::size_t b = 0; b < laws[l].branches.size(); ++b)
      for (double LawBranch::*term : {&LawBranch::D, &LawBranch::E, &LawBranch::F}) {
        const double value = plan.boundary.laws[l].branches[b].*term;
        if (value < 1e-3) continue;
        const double numeric = slope_by_differences(
            plan, loss, 2e-3 * value, [&](Plan& moved, double by) { moved.boundary.laws[l].branches[b].*term += by; });
        CAPTURE(l, b, value);
        CHECK(laws[l].branches[b].*term == Approx(numeric).epsilon(1e-6));
      }
  }
}

}  // namespace

TEST_CASE("the gradient by wall branches is that of differences of runs") {
  RoomSpec spec;
  spec.size = {9, 8, 7};
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  add_transducers(plan);
  check_walls(plan);
}
