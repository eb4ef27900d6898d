// Small rooms of every kind of wall, and a loss, for tests of gradients.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/adjoint/gradient.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/run/run.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/support/rooms/rooms.hpp"

namespace fdtd::test {

struct KindOfRoom {
  const char* stencil;
  bool obstacles, cut;
};
constexpr KindOfRoom kinds_of_room[] = {{"leggy-2", false, false},       {"leggy-4", true, false},
                                        {"leggy-8/warp1", false, false}, {"compact-5", true, true},
                                        {"box-222", false, true},        {"compact-3/radial1", true, false}};

// Half of the sum of weighted squares of the distance to a random target.
inline RecordLoss distance_loss(const Plan& plan) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> target, weight;
  const std::size_t samples = plan.sources.size() * plan.receivers.size() * static_cast<std::size_t>(plan.steps + 1);
  for (std::size_t i = 0; i < samples; ++i) {
    target.push_back(1e-3 * normal(random));  // about twice the record
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

inline double loss_of(const Plan& plan, const RecordLoss& loss) {
  const Recording recording = run(plan, *make_cpu_backend({1, ""}));
  std::vector<double> slopes(recording.pressure.size());
  return loss(recording, slopes);
}

// Richardson's combination of two central differences of J, where `move(plan, by)` moves a parameter of the plan.
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

// Two sources and two receivers on eight nodes each, beside walls too; the weights of the last of each add to about 0, as
// a derivative's do.
inline void add_transducers(Plan& plan, std::int64_t steps) {
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
  plan.drive_scale = 0.7;
}

// Walls of one to three branches with and without inertance, around obstacles where `obstacles`, on voxels that oblique
// walls cut where `cut`.
inline Plan small_plan(const std::string& stencil, bool obstacles, bool cut, Precision precision = Precision::f64,
                       std::int64_t steps = 120) {
  std::mt19937 random(23);
  RoomSpec spec;
  spec.size = {7, 5, 8};
  spec.stencil = stencil;
  spec.precision = precision;
  if (obstacles) spec.air = random_mask(spec.size, 0.85, random);
  spec.laws = some_laws();
  spec.cut = cut;
  Plan plan = plan_of(spec);
  add_transducers(plan, steps);
  return plan;
}

// Laws fitted to the grid, which read several nodes and are solved together at edges and in corners; in f32 those of f64.
inline Plan coupled_plan(Precision precision = Precision::f64, int planes = 11) {
  RoomSpec spec;
  spec.size = {13, 12, planes};
  spec.stencil = "leggy-4";
  static std::map<int, Plan> in_f64;  // by planes
  if (!in_f64.contains(planes)) in_f64[planes] = box_plan(spec, {"1", "2", "3", "2", "1", "3"}, true, 2.6);
  Plan plan = in_f64[planes];
  if (precision == Precision::f32) {
    spec.precision = precision;
    plan = plan_of(spec);
    plan.boundary = in_f64[planes].boundary;
  }
  add_transducers(plan, 100);
  return plan;
}

inline Gradient gradient_of(const Plan& plan, const GradientOptions& options = {}) {
  return gradient(plan, *make_cpu_backend({1, ""}), distance_loss(plan), options);
}

}  // namespace fdtd::test
