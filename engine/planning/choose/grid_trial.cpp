#include "engine/planning/choose/grid_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "stencils/dispersion.hpp"
#include "stencils/known_dispersion.hpp"

namespace fdtd {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;
// How far the search for a box's grid may shrink the spacing that the dispersion error allows. From above it, since the
// time step follows from the mean of three spacings, down to a quarter, beyond which sides are too short for any; in
// steps in which no side of up to 400 cells skips a number of cells.
constexpr double coarsest = 1.04, finest = 0.25, shrink = 0.0025;
constexpr double box_finest = 0.9;  // a run costs 0.9^-4 = 1.5 times there: more than fit_cubic gives for it

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
  const double strict = strict_tolerance(tolerance);
  const double kept = known_usable_omega(stencil, strict, map), usable = known_usable_omega(stencil, tolerance, map);
  return kept > 0.9 * usable ? Strict{strict, kept} : Strict{tolerance, usable};
}

bool reaches(const Trial& trial, const Goal& goal) {
  for (std::size_t d = 0; d < 3; ++d)
    if (trial.grid.size[d] > 1 && trial.grid.spacing[d] > goal.spacing * (1.0 + 1e-9)) return false;
  const double least = goal.frequency * (1.0 - 1e-9);
  const double surely_short = two_pi * least * trial.grid.time_step * (1.0 - 1e-12);
  return goal.reaches.at_least(trial.stencil, surely_short) && bandwidth(trial, goal) >= least;
}

std::array<int, 3> cells_of(const Scene& scene, double h) {
  std::array<int, 3> size{};
  for (std::size_t d = 0; d < 3; ++d) size[d] = cells(scene.room.box[d], h);
  return size;
}

// The largest relative error of a side; one of a single cell has no waves along it.
double largest_shift(const Scene& scene, const std::array<int, 3>& size, double h) {
  double shift = 0.0;
  for (std::size_t d = 0; d < 3; ++d)
    if (size[d] > 1) shift = std::max(shift, std::abs(size[d] * h / scene.room.box[d] - 1.0));
  return shift;
}

// The spacing up to `most` at which that is least on a grid of so many cells.
double balanced_spacing(const Scene& scene, const std::array<int, 3>& size, double most) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (size[d] == 1) continue;
    low = std::min(low, size[d] / scene.room.box[d]);
    high = std::max(high, size[d] / scene.room.box[d]);
  }
  return high > 0.0 ? std::min(most, 2.0 / (low + high)) : most;
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
  trial.grid.size = cells_of(scene, h);
  trial.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  return trial;
}

double Reach::rendered() const { return std::min(usable, branch / branch_margin); }

Reaches::Reaches(const GridStencil& cube, double tolerance, const FrequencyMap& map) : map_(map) {
  const Strict strict = strict_where_cheap(cube, tolerance, map);
  tolerance_ = strict.tolerance;
  known_.emplace_back(cube.courant, Reach{strict.usable, known_second_branch(cube, map)});
}

Reach Reaches::of(const GridStencil& stencil) {
  for (const auto& [courant, reach] : known_)
    if (courant == stencil.courant) return reach;
  known_.emplace_back(stencil.courant,
                      Reach{known_usable_omega(stencil, tolerance_, map_), known_second_branch(stencil, map_)});
  return known_.back().second;
}

bool Reaches::at_least(const GridStencil& stencil, double omega) {
  for (const auto& [courant, reach] : known_)
    if (courant == stencil.courant) return reach.rendered() >= omega;
  if (known_usable_omega(stencil, tolerance_, map_, omega) < omega) return false;
  return of(stencil).rendered() >= omega;
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

// A side that is off by some fraction moves the frequencies of the modes along it as far as a phase velocity that is,
// and sides of another proportion have another pattern of modes: decays of a room of 4.1 x 3.3 x 2.7 m with sides 0.4 %
// apart are within 3 %, 0.8 % apart up to 6 % too long (docs/explanation/validation.md). So an error of half of
// dispersion_error counts as much as a run of twice the cost.
Trial fit_cubic(const Scene& scene, const Stencil& stencil, double h) {
  const double counts_as_double = scene.simulation.dispersion_error / 2.0;
  double best = h, least = std::numeric_limits<double>::infinity();
  std::array<int, 3> last{};
  constexpr int trials = 400;
  for (int i = 0; i <= trials; ++i) {
    const std::array<int, 3> size = cells_of(scene, (1.0 - (1.0 - box_finest) * i / trials) * h);
    if (size == last) continue;
    last = size;
    const double spacing = balanced_spacing(scene, size, h);
    const double shift = largest_shift(scene, cells_of(scene, spacing), spacing);
    const double weight = std::pow(h / spacing, 4) * (1.0 + std::pow(shift / counts_as_double, 2));
    if (weight >= least * (1.0 - 1e-9)) continue;
    least = weight;
    best = spacing;
  }
  return cubic_trial(scene, stencil, best);
}

}  // namespace fdtd
