#include "engine/planning/choose/grid_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/planning/choose/geometry_limit.hpp"
#include "engine/planning/choose/grid_trial.hpp"
#include "engine/planning/choose/scene_limits.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/known_dispersion.hpp"
#include "stencils/radial.hpp"

namespace fdtd {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;
// A stencil whose design Courant number is its limit runs a thousandth below it: at the limit the highest mode may grow
// linearly, and single precision needs a margin (docs/explanation/stencils.md, section 5).
constexpr double limit_margin = 0.999;
// In f32 rows of S are off by up to 2^-24 of what they sum in magnitude. At the limit S may reach -2, and an eigenvalue
// beyond that grows; K scaled by the square of this keeps 6e-5 from it (docs/explanation/walls.md, section 8).
constexpr double max_in_f32 = 1.0 - 0x1p-17;
// Leggy stencils beside oblique walls: near the limit their voxels lack mass for the stiffness along the wall, and waves
// that graze it crowd there and decay too fast (docs/explanation/walls.md, section 6).
constexpr double oblique_margin = 0.98;

double courant_to_run_at(const Scene& scene, const Stencil& stencil, std::vector<Note>& warnings) {
  if (scene.simulation.courant) {
    const double requested = *scene.simulation.courant;
    if (requested > stencil.courant_limit * (1.0 + 1e-12))
      throw Error(Status::scene,
                  fmt::format("simulation.courant: {} is above the Courant limit {:.6f} of {}", requested,
                              stencil.courant_limit, stencil.name),
                  fmt::format("use at most {:.6f}, or leave the key out", stencil.courant_limit));
    if (requested > stencil.courant_limit * limit_margin)
      warnings.emplace_back(
          "the Courant number is within 0.1 % of the stencil's limit: the highest mode is barely stable");
    const double most = scene.simulation.precision == Precision::f32 ? max_in_f32 : 1.0,
                 certified = certified_courant(stencil);
    return std::min(requested, most * (requested <= certified ? certified : stencil.courant_limit));
  }
  return own_courant(stencil, scene.room.mesh && lowers_courant(*scene.room.mesh, stencil));
}

// A value up to `start` at which walls hold, and 2 % above which they do not, from the fraction of a value up to which
// they do; 0: they do not hold at finest_fraction of `start`.
template <class Fraction>
double largest_held(double start, const Fraction& fraction) {
  constexpr double close = 1.02;
  double broken = start;
  for (double value = start; value >= finest_fraction * start;) {
    const double part = fraction(value);
    if (part >= 1.0) {
      // Where walls read another number of nodes the fraction jumps: the step down may be too large.
      while (broken > close * value) {
        const double middle = std::sqrt(value * broken);
        (fraction(middle) >= 1.0 ? value : broken) = middle;
      }
      return value;
    }
    broken = value;
    // A law that fails far below the top fails on this grid alone, and the fraction shows no way to the next: a step.
    value *= part < finest_fraction ? std::cbrt(finest_fraction) : std::min(part, 1.0 / close);
  }
  return 0.0;
}

std::size_t coarsest_axis(const Grid& grid) {
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (grid.size[d] > 1 && (grid.size[axis] == 1 || grid.spacing[d] > grid.spacing[axis])) axis = d;
  return axis;
}

void place_walls(const Scene& scene, GridChoice& choice) {
  for (std::size_t d = 0; d < 3; ++d) {
    const double extra = choice.grid.size[d] * choice.grid.spacing[d] - scene.room.box[d];
    const double half = std::abs(extra) < 1e-12 * scene.room.box[d] ? 0.0 : extra / 2.0;
    choice.offset[d] = half - scene.room.origin[d];
    if (scene.room.mesh && knows_cut_voxels(choice.grid_stencil)) continue;  // walls stay where they are
    choice.wall_shift[2 * d] = half;
    choice.wall_shift[2 * d + 1] = half;
    if (!scene.room.mesh && std::abs(half) > 0.005 * scene.room.box[d])
      choice.warnings.emplace_back(
          fmt::format("the walls {} and {} stand {:.1f} mm {} than in the scene: {} needs one spacing for all axes; a "
                      "leggy stencil meets them exactly",
                      wall_names[2 * d], wall_names[2 * d + 1], 1000.0 * std::abs(half),
                      half > 0.0 ? "further out" : "further in", choice.stencil.name),
          NoteWeight::room);
  }
}

// Over the speed of sound. With a radial map the waves of the band may be much slower on the grid; other stencils are
// designed for the speed of sound.
double slowest_wave(const GridChoice& choice) {
  if (choice.frequency_map.kind() != FrequencyMap::Kind::radial) return 1.0;
  return known_slowest_group(choice.grid_stencil, 2.0 * std::numbers::pi * choice.max_frequency * choice.grid.time_step,
                             choice.frequency_map);
}

double steps_of(const Scene& scene, const GridChoice& choice, double bandwidth) {
  // The low-pass of rendering is not causal: the record must be a little longer than the requested duration.
  const double recorded = scene.simulation.duration + render_tail(bandwidth, choice.branch_frequency);
  const double steps = std::ceil(recorded / slowest_wave(choice) / choice.grid.time_step * (1.0 - 1e-12));
  if (!(steps < 9e15))
    throw Error(Status::resource, fmt::format("{:.3g} steps are too many to count", steps),
                "shorten simulation.duration");
  return std::max(1.0, steps);
}

void require_countable(const Grid& grid) {
  double nodes = 1.0;
  for (int n : grid.size) nodes *= n;
  if (nodes > 4.0e18)
    throw Error(Status::resource, fmt::format("{:.3g} nodes are too many to count", nodes),
                "lower simulation.max_frequency or raise simulation.grid_spacing");
}

}  // namespace

double own_courant(const Stencil& stencil, bool oblique) {
  if (const double certified = certified_courant(stencil); oblique && certified > 0.0) return limit_margin * certified;
  const double margin = oblique && stencil.family == Family::leggy ? oblique_margin : limit_margin;
  return std::min(stencil.courant, margin * stencil.courant_limit);
}

double Grid::mean_spacing() const {
  double sum = 0.0;
  int active = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (size[d] == 1) continue;
    sum += 1.0 / (spacing[d] * spacing[d]);
    ++active;
  }
  return active > 0 ? std::sqrt(3.0 / sum) : spacing[0];
}

namespace {

// Without a request, the map that the weights are designed for.
FrequencyMap requested_map(const Simulation& wish, const Stencil& stencil) {
  const FrequencyMap own = frequency_map(stencil);
  if (!wish.remove_time_dispersion) return own;
  if (!*wish.remove_time_dispersion) return {};
  return own.undoes() ? own : FrequencyMap::time();
}

void remark_on_walls(bool hold, const Scene& scene, GridChoice& choice) {
  choice.walls_hold = hold;
  if (hold) return;
  const bool spacing = scene.simulation.max_frequency.has_value();
  choice.warnings.emplace_back(fmt::format("walls keep a wall_error of {} with {} {}: the interior alone sets {}",
                                           scene.simulation.wall_error, choice.stencil.name,
                                           spacing ? "on no grid up to 2.2 times as fine as the interior needs"
                                                   : "at no frequency from the interior's highest down to half of it",
                                           spacing ? "the grid spacing" : "max_frequency"),
                               NoteWeight::band);
}

// The spacing of a cubic grid for max_frequency; `interior`: what the interior allows.
double spacing_for_walls(const GridStencil& cube, double interior, const Scene& scene, WallLimits& walls,
                         GridChoice& choice) {
  const double frequency = *scene.simulation.max_frequency;
  const double omega_of_spacing = two_pi * frequency * cube.courant[0] / scene.air.speed();
  const double spacing = largest_held(interior, [&](double h) {
    return walls.valid_fraction(cube, 0, choice.frequency_map, {omega_of_spacing * h, frequency});
  });
  remark_on_walls(spacing > 0.0, scene, choice);
  return choice.walls_hold ? spacing : interior;
}

double frequency_for_walls(const Trial& trial, double interior, const Scene& scene, WallLimits& walls,
                           GridChoice& choice) {
  const auto axis = static_cast<int>(coarsest_axis(trial.grid));
  const double frequency = largest_held(interior, [&](double f) {
    return walls.valid_fraction(trial.stencil, axis, choice.frequency_map,
                                {two_pi * f * trial.grid.time_step, f, trial.grid.size});
  });
  remark_on_walls(frequency > 0.0, scene, choice);
  return choice.walls_hold ? frequency : interior;
}

// Spacings of a cubic grid that sources, receivers and walls that cut voxels need, beside interior and walls.
void needs_of_others(const GridStencil& cube, double interior, const Scene& scene, SceneLimits& limits,
                     GridChoice& choice) {
  const double frequency = *scene.simulation.max_frequency;
  const auto obey = [&](const char* what, double needed) {
    const bool obeyed = limits.affordable(choice.passes, cube.courant[0], needed, interior);
    choice.needs.push_back({what, needed, obeyed});
    return obeyed;
  };
  obey("transducers", limits.transducer_wave() * scene.air.speed() / (two_pi * frequency));
  if (!scene.room.mesh) return;
  const double needed = limits.geometry_spacing(choice.stencil, cube, frequency, interior);
  if (!std::isfinite(needed)) return;
  choice.geometry_holds = obey("geometry", needed);
  if (!choice.geometry_holds)
    choice.warnings.emplace_back(
        fmt::format("walls that cut voxels, and furniture, keep a geometry_error of {} and a dispersion_error of {} "
                    "with {} on a grid of "
                    "{:.3g} m, {:.3g} times the cost of what the interior needs: they do not set the grid spacing",
                    scene.simulation.geometry_error, scene.simulation.dispersion_error, choice.stencil.name, needed,
                    std::pow(interior / needed, 4)),
        NoteWeight::band);
}

// Notes the cost that walls in cut voxels add to a run, where it is much.
void remark_on_cost(double without, double spacing, const GridStencil& cube, GridChoice& choice) {
  constexpr double worth_saying = 1.5;
  const double cost = std::pow(without / spacing, 4);
  if (cost > worth_saying)
    choice.warnings.emplace_back(
        fmt::format("walls that cut voxels, and furniture, set the grid spacing: the run takes {:.1f} times what the "
                    "other limits need; "
                    "a larger simulation.geometry_error (T20, EDT) or dispersion_error (modes) takes less{}",
                    cost,
                    knows_cut_voxels(cube)
                        ? ""
                        : ", and so does a leggy stencil, or a compact or box stencil of radius 2 or less"),
        NoteWeight::cost);
}

// A side of a mesh's box that the spacing does not divide gets one voxel more, so that its walls pass close to the centres
// of voxels: the nodes, whose pressure they read. Near the faces of voxels they would lie half a voxel from the nodes, and
// absorb too little: T20 of a box of 5.03 x 4.07 x 2.97 m came out 14 to 16 % long at 7 points a wavelength, now 1 to 4 %.
// Walls on faces, of sides that are divided, read several nodes.
void centre_walls(const Scene& scene, Grid& grid) {
  constexpr double divided = 1e-3;  // of the spacing
  for (std::size_t d = 0; d < 3; ++d)
    if (grid.size[d] > 1 && std::abs(grid.size[d] * grid.spacing[d] - scene.room.box[d]) > divided * grid.spacing[d])
      ++grid.size[d];
}

// The grids of one stencil: the interior's spacing is found once, whatever else limits them.
class Chooser {
 public:
  Chooser(const Scene& scene, const Stencil& stencil) : scene_(scene), named_(stencil) {
    own_.stencil = at_courant(stencil, courant_to_run_at(scene, stencil, own_.warnings));
    own_.frequency_map = requested_map(scene.simulation, own_.stencil);
    own_.passes = passes_of(scene);
    const double lambda = own_.stencil.courant;
    cube_ = on_grid(own_.stencil, {lambda, lambda, lambda});
    reaches_.emplace(cube_, scene.simulation.dispersion_error, own_.frequency_map);
  }
  Chooser(const Chooser&) = delete;  // reaches_ refers to own_
  Chooser& operator=(const Chooser&) = delete;

  // `limits`: null, the interior alone decides. All but the dispersion error.
  GridChoice choose(SceneLimits* limits) {
    GridChoice choice = own_;
    const Simulation& wish = scene_.simulation;
    Goal goal{*reaches_, wish.max_frequency.value_or(0.0), own_.frequency_map};
    Trial trial = wish.max_frequency ? fitted(limits, goal, choice) : simple(*wish.grid_spacing);
    if (scene_.room.mesh && !leggy() && knows_cut_voxels(trial.stencil)) centre_walls(scene_, trial.grid);
    // A grid that divides the sides may carry the band with a little more than a cubic one needs.
    const double coarsest = trial.grid.spacing[coarsest_axis(trial.grid)];
    for (SpacingNeed& need : choice.needs)
      if (need.obeyed) need.spacing = std::max(need.spacing, coarsest);
    choice.grid = trial.grid;
    choice.grid_stencil = trial.stencil;
    choice.interior_bandwidth = bandwidth(trial, goal);
    if (wish.max_frequency) {
      choice.max_frequency = *wish.max_frequency;
    } else {
      choice.max_frequency = limits != nullptr
                                 ? frequency_for_walls(trial, choice.interior_bandwidth, scene_, limits->walls, choice)
                                 : choice.interior_bandwidth;
    }
    choice.branch_frequency = reaches_->of(trial.stencil).branch / (two_pi * choice.grid.time_step);
    choice.steps = static_cast<std::int64_t>(steps_of(scene_, choice, choice.max_frequency));
    require_countable(choice.grid);
    place_walls(scene_, choice);
    return choice;
  }

 private:
  bool leggy() const { return named_.family == Family::leggy; }

  Trial simple(double h) const {
    return leggy() ? leggy_trial(scene_, own_.stencil, h) : cubic_trial(scene_, own_.stencil, h);
  }

  // The coarsest spacing of a cubic grid on which the interior reaches max_frequency.
  double interior_spacing() {
    const Simulation& wish = scene_.simulation;
    const double omega = reaches_->of(cube_).rendered();
    if (!(omega > 1e-4))
      throw Error(
          Status::scene,
          fmt::format("simulation.dispersion_error: {} cannot be reached with {}, whose error is larger even at "
                      "low frequencies",
                      wish.dispersion_error, named_.name),
          "use a larger dispersion_error or another stencil (`fdtd stencils` lists them)");
    return omega * scene_.air.speed() / (two_pi * *wish.max_frequency * own_.stencil.courant);
  }

  // The grid for max_frequency.
  Trial fitted(SceneLimits* limits, Goal& goal, GridChoice& choice) {
    const double interior = interior_spacing();
    choice.needs.push_back({"interior", interior, true});
    double h = interior;
    if (limits != nullptr) {
      const double for_walls = spacing_for_walls(cube_, interior, scene_, limits->walls, choice);
      if (choice.walls_hold) choice.needs.push_back({"walls", for_walls, true});
      needs_of_others(cube_, interior, scene_, *limits, choice);
      for (SpacingNeed& need : choice.needs) {
        need.spacing = std::min(need.spacing, limits->required(need.what));
        if (limits->given_up(need.what)) give_up(need, choice);
        if (need.obeyed) h = std::min(h, need.spacing);
      }
      if (choice.needs.back().what == "geometry" && choice.needs.back().spacing <= h) {
        double without = interior;
        for (const SpacingNeed& one : choice.needs)
          if (one.obeyed && one.what != "geometry") without = std::min(without, one.spacing);
        remark_on_cost(without, h, cube_, choice);
      }
    }
    if (h < interior) goal.spacing = h;
    const auto fit = [&](double spacing) {
      return leggy() ? fit_leggy(scene_, own_.stencil, spacing, goal) : fit_cubic(scene_, own_.stencil, spacing);
    };
    Trial trial = fit(h);
    if (limits == nullptr || !choice.walls_hold) return trial;
    // The error of walls does not fall evenly from grid to grid a few per cent finer, and walls across each axis have a
    // spacing of their own: where they do not hold on the grid that fits the room, a finer one is taken.
    constexpr double finer = 0.98;
    const Trial first = trial;
    while (!walls_hold(trial, *limits)) {
      goal.spacing = finer * trial.grid.spacing[coarsest_axis(trial.grid)];
      if (goal.spacing < finest_fraction * interior) {
        std::erase_if(choice.needs, [](const SpacingNeed& need) { return need.what == "walls"; });
        remark_on_walls(false, scene_, choice);
        return first;
      }
      trial = fit(goal.spacing);
      for (SpacingNeed& need : choice.needs)
        if (need.what == "walls") need.spacing = std::min(need.spacing, goal.spacing);
    }
    return trial;
  }

  // On finer grids the limit did not hold either (SceneLimits::give_up).
  void give_up(SpacingNeed& need, GridChoice& choice) const {
    if (!need.obeyed) return;
    need.obeyed = false;
    if (need.what == "geometry") choice.geometry_holds = false;
    if (need.what == "walls") return remark_on_walls(false, scene_, choice);
    choice.warnings.emplace_back(
        fmt::format(
            "{} hold up to max_frequency with {} on no grid up to 2.2 times as fine as the interior needs: they do "
            "not set the grid spacing",
            need.what == "geometry" ? "walls that cut voxels" : "sources and receivers", choice.stencil.name),
        NoteWeight::band);
  }

  // Whether walls across every axis hold.
  bool walls_hold(const Trial& trial, SceneLimits& limits) const {
    const double frequency = *scene_.simulation.max_frequency;
    const auto& courant = trial.stencil.courant;
    const bool cube = courant[0] == courant[1] && courant[1] == courant[2];
    for (std::size_t d = 0; d < (cube ? 1U : 3U); ++d) {
      if (courant[d] <= 0.0) continue;
      if (limits.walls.valid_fraction(trial.stencil, static_cast<int>(d), own_.frequency_map,
                                      {two_pi * frequency * trial.grid.time_step, frequency, trial.grid.size}) < 1.0)
        return false;
    }
    return true;
  }

  const Scene& scene_;
  const Stencil& named_;
  GridChoice own_;  // what all choices share
  GridStencil cube_;
  std::optional<Reaches> reaches_;
};

}  // namespace

GridChoice choose_grid(const Scene& scene, const Stencil& stencil, SceneLimits* limits) {
  GridChoice choice = Chooser(scene, stencil).choose(limits);
  // A hair below: at the bandwidth itself rounding may leave a direction without a wave, and no error is finite there.
  constexpr double below = 1.0 - 1e-9;
  choice.dispersion_error = known_worst_error(
      choice.grid_stencil, below * two_pi * choice.max_frequency * choice.grid.time_step, choice.frequency_map);
  return choice;
}

GridChoice interior_grid(const Scene& scene, const Stencil& stencil) { return Chooser(scene, stencil).choose(nullptr); }

GridChoices choose_grids(const Scene& scene, const Stencil& stencil, SceneLimits& limits) {
  Chooser chooser(scene, stencil);
  GridChoices choices;
  choices.all = chooser.choose(&limits);
  // Where nothing needs a finer grid, the interior's is this one.
  const bool interior_sets = std::ranges::all_of(choices.all.needs, [&](const SpacingNeed& need) {
    return !need.obeyed || need.spacing >= choices.all.needs.front().spacing;
  });
  choices.interior = interior_sets && !choices.all.needs.empty() ? choices.all : chooser.choose(nullptr);
  return choices;
}

GridChoice choose_grid(const Scene& scene, const Stencil& stencil) {
  SceneLimits limits(scene);
  return choose_grid(scene, stencil, &limits);
}

std::int64_t steps_for(const Scene& scene, const GridChoice& choice, double bandwidth) {
  return std::max(choice.steps, static_cast<std::int64_t>(steps_of(scene, choice, bandwidth)));
}

double limits_fraction(const GridChoice& choice, SceneLimits& limits, WallLimits::Materials which) {
  const double spacing = choice.grid.spacing[coarsest_axis(choice.grid)], top = choice.max_frequency;
  double fraction = wall_fraction(choice, limits.walls, which);
  const double transducers = limits.transducer_wave() * choice.grid.sound_speed / (two_pi * top);
  fraction = std::min(fraction, transducers / spacing);
  const double geometry = limits.geometry_spacing(choice.stencil, choice.grid_stencil, top, spacing);
  if (limits.affordable(choice.passes, choice.grid.courant(), geometry, spacing))
    fraction = std::min(fraction, geometry / spacing);
  return fraction;
}

bool geometry_reachable(const GridChoice& choice, SceneLimits& limits) {
  const double spacing = choice.grid.spacing[coarsest_axis(choice.grid)];
  const double needed = limits.geometry_spacing(choice.stencil, choice.grid_stencil, choice.max_frequency, spacing);
  constexpr double surely = 1.05;  // estimates of a mesh on other grids differ a little
  return limits.affordable(choice.passes, choice.grid.courant(), needed / surely, spacing);
}

double wall_fraction(const GridChoice& choice, WallLimits& walls, WallLimits::Materials which) {
  return walls.valid_fraction(
      choice.grid_stencil, static_cast<int>(coarsest_axis(choice.grid)), choice.frequency_map,
      {two_pi * choice.max_frequency * choice.grid.time_step, choice.max_frequency, choice.grid.size}, which);
}

}  // namespace fdtd
