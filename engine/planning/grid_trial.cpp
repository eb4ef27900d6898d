#include "engine/planning/grid_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/error.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;
// How far the search for a box's grid may shrink the spacing that the dispersion error allows.
constexpr double coarsest = 1.04, finest = 0.25, shrink = 0.0025;
constexpr double box_finest = 0.97;

int cells(double length, double h) {
  const double n = std::round(length / h);
  if (!(n < 2147483647.0))
    throw Error(Status::resource,
                fmt::format("a room side of {} m has {:.3g} cells of {:.3g} m: too many to count", length, n, h),
                "lower simulation.max_frequency or raise simulation.grid_spacing");
  return std::max(1, static_cast<int>(n));
}

struct Strict {
  double tolerance, usable;
};
Strict strict_where_cheap(const GridStencil& stencil, double tolerance, const FrequencyMap& map) {
  const double strict = tolerance - std::min(1e-4, tolerance / 101.0);
  const double kept = usable_omega(stencil, strict, map), usable = usable_omega(stencil, tolerance, map);
  return kept > 0.9 * usable ? Strict{strict, kept} : Strict{tolerance, usable};
}

bool reaches(const Trial& trial, const Goal& goal) {
  for (std::size_t d = 0; d < 3; ++d)
    if (trial.grid.size[d] > 1 && trial.grid.spacing[d] > goal.spacing * (1.0 + 1e-9)) return false;
  return bandwidth(trial, goal) >= goal.frequency * (1.0 - 1e-9);
}

double largest_shift(const Scene& scene, const Grid& grid) {
  double shift = 0.0;
  for (std::size_t d = 0; d < 3; ++d)
    shift = std::max(shift, std::abs(grid.size[d] * grid.spacing[d] - scene.room.box[d]));
  return shift;
}

}  // namespace

// Leggy: every side is divided exactly. A side of one cell drops out of the wave equation (folding maps every neighbour
// along it onto the node itself), so it neither limits the time step nor has weights.
Trial leggy_trial(const Scene& scene, const Stencil& stencil, double h) {
  Trial trial;
  trial.grid.sound_speed = scene.air.speed();
  double inverse_square = 0.0;
  int active = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    trial.grid.size[d] = cells(scene.room.box[d], h);
    trial.grid.spacing[d] = scene.room.box[d] / trial.grid.size[d];
    if (trial.grid.size[d] == 1) continue;
    inverse_square += 1.0 / (trial.grid.spacing[d] * trial.grid.spacing[d]);
    ++active;
  }
  // lambda^2 = c^2 T^2 mean(1/h_d^2); with fewer active axes the same sum is the limit, so T grows by sqrt(3/active).
  const double root = active > 0 ? std::sqrt(3.0 / inverse_square) : h;
  trial.grid.time_step = stencil.courant * root / trial.grid.sound_speed;
  std::array<double, 3> courant{};
  for (std::size_t d = 0; d < 3; ++d) {
    const bool dead = trial.grid.size[d] == 1;
    courant[d] = active == 0 ? stencil.courant
                 : dead      ? 0.0
                             : trial.grid.sound_speed * trial.grid.time_step / trial.grid.spacing[d];
  }
  trial.stencil = on_grid(stencil, courant);
  return trial;
}

Trial cubic_trial(const Scene& scene, const Stencil& stencil, double h) {
  Trial trial;
  trial.grid.sound_speed = scene.air.speed();
  trial.grid.spacing = {h, h, h};
  trial.grid.time_step = stencil.courant * h / trial.grid.sound_speed;
  for (std::size_t d = 0; d < 3; ++d) trial.grid.size[d] = cells(scene.room.box[d], h);
  trial.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  return trial;
}

double Reach::rendered() const { return std::min(usable, branch / branch_margin); }

Reaches::Reaches(const GridStencil& cube, double tolerance, const FrequencyMap& map) : map_(map) {
  const Strict strict = strict_where_cheap(cube, tolerance, map);
  tolerance_ = strict.tolerance;
  known_.emplace_back(cube.courant, Reach{strict.usable, second_branch(cube, map)});
}

Reach Reaches::of(const GridStencil& stencil) {
  for (const auto& [courant, reach] : known_)
    if (courant == stencil.courant) return reach;
  known_.emplace_back(stencil.courant, Reach{usable_omega(stencil, tolerance_, map_), second_branch(stencil, map_)});
  return known_.back().second;
}

double bandwidth(const Trial& trial, const Goal& goal) {
  const double omega = std::min(goal.map.limit(), goal.reaches.of(trial.stencil).rendered());
  return omega / (two_pi * trial.grid.time_step);
}

Trial fit_leggy(const Scene& scene, const Stencil& stencil, double h, const Goal& goal) {
  std::array<int, 3> last{};
  for (double scale = coarsest; scale > finest; scale -= shrink) {
    Trial trial = leggy_trial(scene, stencil, scale * h);
    if (trial.grid.size == last && trial.grid.nodes() > 1)
      continue;  // the same grid; a single cell still has its time step
    last = trial.grid.size;
    if (reaches(trial, goal)) return trial;
  }
  throw Error(Status::scene,
              fmt::format("no grid of {} divides the room and keeps a dispersion error of {}", stencil.name,
                          goal.reaches.tolerance()),
              "choose another stencil, or a room without extremely short sides");
}

Trial fit_cubic(const Scene& scene, const Stencil& stencil, double h) {
  Trial best = cubic_trial(scene, stencil, h);
  double best_shift = largest_shift(scene, best.grid);
  constexpr int trials = 240;
  for (int i = 1; i <= trials; ++i) {
    const double scale = 1.0 - (1.0 - box_finest) * i / trials;
    Grid grid = best.grid;
    for (std::size_t d = 0; d < 3; ++d) {
      grid.spacing[d] = scale * h;
      grid.size[d] = cells(scene.room.box[d], scale * h);
    }
    const double shift = largest_shift(scene, grid);
    if (shift < best_shift * (1.0 - 1e-9)) {
      best = cubic_trial(scene, stencil, scale * h);
      best_shift = shift;
    }
  }
  return best;
}

}  // namespace fdtd
