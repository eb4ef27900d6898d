#include "engine/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/error.hpp"

namespace fdtd {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Source `source` sends (1, -1, 0, ...), the others are silent.
Drive drive_of_block(const Plan& plan, std::size_t source, std::int64_t first, std::int64_t steps) {
  Drive drive;
  drive.steps = steps;
  drive.f.assign(plan.sources.size() * static_cast<std::size_t>(steps), 0.0);
  double* f = drive.f.data() + source * static_cast<std::size_t>(steps);
  if (first == 0) f[0] = 1.0;
  if (first <= 1 && first + steps > 1) f[1 - first] = -1.0;
  return drive;
}

[[noreturn]] void fail(const Plan& plan, const Backend& backend, const EnergyPoint& point, std::int64_t block) {
  const Extreme extreme = backend.extreme();
  const auto nx = static_cast<std::uint64_t>(plan.grid.size[0]), ny = static_cast<std::uint64_t>(plan.grid.size[1]);
  const std::uint64_t x = extreme.node % nx, y = extreme.node / nx % ny, z = extreme.node / nx / ny;
  const auto metres = [&](std::uint64_t i, std::size_t d) {
    return (static_cast<double>(i) + 0.5) * plan.grid.spacing[d];
  };
  const std::string where = fmt::format("node ({}, {}, {}) at ({:.4g}, {:.4g}, {:.4g}) m, pressure {:.4g}", x, y, z,
                                        metres(x, 0), metres(y, 1), metres(z, 2), extreme.value);
  std::string what;
  if (!std::isfinite(extreme.value)) {
    what = fmt::format("the field is not finite between steps {} and {}: {}", point.step - block, point.step, where);
  } else if (point.energy.stored > point.energy.injected) {
    what = fmt::format("the energy grows: at step {} the room holds {:.4g} times what was injected; largest at {}",
                       point.step, point.energy.stored / point.energy.injected, where);
  } else {
    what = fmt::format("the energy balance is off by {:.3g} of the injected energy at step {}; largest at {}",
                       point.balance_error, point.step, where);
  }
  throw Error(
      Status::numerical, what,
      fmt::format("stencil {} at Courant number {:.6g} is not stable in this room: take a smaller Courant number or "
                  "another stencil; if the plan chose both, this is a defect worth reporting",
                  plan.stencil_name, plan.grid.courant()));
}

EnergyPoint weigh(const Backend& backend, double& largest_injected) {
  EnergyPoint point;
  point.step = backend.step();
  point.energy = backend.energy();
  largest_injected = std::max(largest_injected, std::abs(point.energy.injected));
  const double error = point.energy.stored + point.energy.dissipated - point.energy.injected;
  point.balance_error = largest_injected > 0.0 ? error / largest_injected : error;
  return point;
}

bool healthy(const EnergyPoint& point, Precision precision) {
  return std::isfinite(point.energy.stored) && std::abs(point.balance_error) <= balance_tolerance(precision);
}

}  // namespace

double balance_tolerance(Precision precision) { return precision == Precision::f64 ? 1e-6 : 1e-2; }

Recording run(const Plan& plan, Backend& backend, const RunCallbacks& callbacks) {
  if (plan.steps < 1 || plan.energy_interval < 1) throw Error(Status::scene, "a run needs at least one step");
  const std::size_t receivers = plan.receivers.size();
  Recording recording;
  recording.sample_rate = 1.0 / plan.grid.time_step;
  recording.samples = plan.steps + 1;
  for (const Tap& tap : plan.sources) recording.sources.push_back(tap.name);
  for (const Tap& tap : plan.receivers) recording.receivers.push_back(tap.name);
  recording.pressure.assign(plan.sources.size() * receivers * static_cast<std::size_t>(recording.samples), 0.0);
  recording.energy.resize(plan.sources.size());

  const Clock::time_point start = Clock::now();
  Progress progress;
  progress.total = plan.steps * static_cast<std::int64_t>(plan.sources.size());
  Samples samples;
  State silence;
  silence.precision = plan.precision;
  for (std::size_t source = 0; source < plan.sources.size(); ++source) {
    if (source == 0) {
      backend.load(plan, whole(plan));
    } else {
      backend.restore(silence);
    }
    double largest_injected = 0.0;
    for (std::int64_t first = 0; first < plan.steps; first += plan.energy_interval) {
      if (callbacks.stop && callbacks.stop()) {
        throw Error(Status::interrupted,
                    fmt::format("interrupted after {} of {} steps", progress.step, progress.total));
      }
      const std::int64_t steps = std::min<std::int64_t>(plan.energy_interval, plan.steps - first);
      backend.advance(drive_of_block(plan, source, first, steps), samples);
      for (std::size_t r = 0; r < receivers; ++r) {
        const auto* from = samples.p.data() + r * static_cast<std::size_t>(steps);
        std::copy(from, from + steps,
                  recording.pressure.begin() + static_cast<std::ptrdiff_t>(source * receivers + r) * recording.samples +
                      first + 1);
      }
      const EnergyPoint point = weigh(backend, largest_injected);
      if (!healthy(point, plan.precision)) fail(plan, backend, point, steps);
      recording.energy[source].push_back(point);
      if (callbacks.energy) callbacks.energy(static_cast<int>(source), point);
      progress.step += steps;
      progress.source = static_cast<int>(source);
      progress.seconds = seconds_since(start);
      progress.gpts_per_second = static_cast<double>(plan.grid.nodes()) * static_cast<double>(progress.step) /
                                 std::max(progress.seconds, 1e-9) * 1e-9;
      if (callbacks.progress) callbacks.progress(progress);
    }
  }
  return recording;
}

}  // namespace fdtd
