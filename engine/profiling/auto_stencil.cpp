#include "engine/profiling/auto_stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "engine/error.hpp"
#include "engine/planning/cost_table.hpp"
#include "engine/planning/geometry_limit.hpp"
#include "engine/planning/grid_choice.hpp"
#include "engine/planning/scene_limits.hpp"
#include "engine/profiling/profile.hpp"
#include "engine/profiling/stencil_cost.hpp"
#include "scenes/parallel_failure.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr std::size_t candidates =
    12;  // members whose grids are chosen: walls and whole cells change the order a little
constexpr std::size_t measured_candidates = 6;
constexpr std::size_t planned_candidates = 2;  // whose grids are chosen with all limits, at least
constexpr std::size_t named_candidates = 3;    // beside the one that is taken
constexpr double most_oblique = 0.2;           // share of a mesh's area, for stencils of other families
constexpr double run_below_limit = 0.999;      // as choose_grid does

struct Candidate {
  const Stencil* stencil;
  double cost;  // of a cubic metre, then of the run; only ratios count
  GridChoice choice;
  double ctpn = 0.0;  // triads, or ns where measured
};

// The frequency at which stencils are compared: with grid_spacing given, the cost grows with the fourth power of the
// bandwidth.
double worth(const Scene& scene, const GridChoice& choice) {
  return scene.simulation.max_frequency ? 1.0 : std::pow(choice.max_frequency, 4);
}

double cost_of(const Scene& scene, const GridChoice& choice, double ctpn) {
  return ctpn * node_updates(scene, choice) / worth(scene, choice);
}

std::vector<Candidate> rank_by_table(const Scene& scene, DeviceClass device) {
  const double f = scene.simulation.max_frequency.value_or(1000.0);
  std::vector<Candidate> ranked;
  const std::vector<Stencil>& known = catalogue();
  std::vector<double> cost(known.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < known.size(); ++i)
    failure.guard([&] {
      cost[i] = seconds_per_cubic_metre(known[i], cost_per_node(known[i], scene.simulation.precision, device), f,
                                        scene.simulation.dispersion_error, scene.air.speed());
    });
  failure.rethrow();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (std::isfinite(cost[i])) ranked.push_back({&known[i], cost[i], {}, 0.0});
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return ranked;
}

// The first few of the ranking whose grids, chosen for the interior, are possible and fit the walls; one variant per
// member is enough. Only leggy stencils meet oblique walls to second order without products (walls.md, section 6).
std::vector<Candidate> shortlist(const Scene& scene, const std::vector<Candidate>& ranked, bool leggy_alone) {
  std::vector<Candidate> list;
  for (const Candidate& one : ranked) {
    if (list.size() == candidates) break;
    if (leggy_alone && one.stencil->family != Family::leggy) continue;
    const auto same_member = [&](const Candidate& other) {
      return member_name(*other.stencil) == member_name(*one.stencil);
    };
    if (std::any_of(list.begin(), list.end(), same_member)) continue;
    try {
      Candidate candidate{one.stencil, 0.0, choose_grid(scene, *one.stencil, nullptr), 0.0};
      if (walls_met(scene, candidate.choice)) list.push_back(std::move(candidate));
    } catch (const Error& error) {
      if (error.status == Status::resource) throw;  // independent of the stencil
    }
  }
  return list;
}

void sort_by_cost(std::vector<Candidate>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
}

// Costs on the grids that all limits need, estimated from how far they hold on the interior's, cheapest first.
void estimate_with_limits(const Scene& scene, std::vector<Candidate>& list, SceneLimits& limits) {
  for (Candidate& one : list) {
    const double held = limits_share(one.choice, limits, WallLimits::Materials::weakest);
    one.cost = cost_of(scene, one.choice, one.ctpn) / std::pow(held, 4);
  }
  sort_by_cost(list);
}

bool all_hold(const GridChoice& choice) { return choice.walls_hold && choice.geometry_holds; }

// The first candidates on the grids that all limits need: at least `count`, and all whose estimates are lower than the
// cost of the cheapest of these. Those on which a limit holds nowhere are left out if there are others.
std::vector<Candidate> with_grids_for_limits(const Scene& scene, std::vector<Candidate>& list, SceneLimits& limits,
                                             std::size_t count) {
  std::vector<Candidate> taken;
  double least = std::numeric_limits<double>::infinity();
  for (Candidate& one : list) {
    if (taken.size() >= count && one.cost >= least) break;
    StencilCost cost = stencil_cost(scene, *one.stencil, &limits);
    const bool usable = eligible(cost);
    one.choice = std::move(cost.choice);
    one.cost = cost_of(scene, one.choice, one.ctpn);
    if (usable) {
      least = std::min(least, one.cost);
      taken.push_back(one);
    }
  }
  if (taken.empty()) return list;
  std::erase_if(list, [](const Candidate& one) { return !all_hold(one.choice); });
  return taken;
}

}  // namespace

double seconds_per_cubic_metre(const Stencil& stencil, double ctpn_ns, double frequency, double tolerance,
                               double sound_speed) {
  const double lambda = std::min(stencil.courant, run_below_limit * stencil.courant_limit);
  const Stencil scaled = at_courant(stencil, lambda);
  const GridStencil grid = on_grid(scaled, {lambda, lambda, lambda});
  const FrequencyMap map = frequency_map(scaled);
  const double omega = rendered_omega(grid, tolerance, map);
  if (!(omega > 1e-4)) return std::numeric_limits<double>::infinity();
  const double time_step = omega / (2.0 * std::numbers::pi * frequency);
  const double spacing = sound_speed * time_step / lambda;
  // A record is as long as its slowest wave needs.
  const double slowest = map.kind() == FrequencyMap::Kind::radial ? slowest_group(grid, omega, map) : 1.0;
  return 1e-9 * ctpn_ns / (slowest * time_step * spacing * spacing * spacing);
}

AutoStencil cheapest_stencil(const Scene& scene, DeviceClass device, const MeasureCtpn& measure) {
  const double oblique = scene.room.mesh ? oblique_share(*scene.room.mesh) : 0.0;
  const bool leggy_alone = oblique > most_oblique;
  std::vector<Candidate> list = shortlist(scene, rank_by_table(scene, device), leggy_alone);
  if (list.empty())
    throw Error(Status::scene,
                fmt::format("simulation.dispersion_error: no stencil reaches {} in this room",
                            scene.simulation.dispersion_error),
                "set a larger dispersion_error, or name a stencil");
  const Precision precision = scene.simulation.precision;
  SceneLimits limits(scene);
  for (Candidate& one : list) one.ctpn = cost_per_node(*one.stencil, precision, device);
  estimate_with_limits(scene, list, limits);
  std::vector<Candidate> taken =
      with_grids_for_limits(scene, list, limits, measure ? measured_candidates : planned_candidates);
  if (measure) {
    for (Candidate& one : taken) {
      one.ctpn = measure(*one.stencil, precision);
      one.cost = cost_of(scene, one.choice, one.ctpn);
    }
    list = taken;
  }
  sort_by_cost(taken);
  const Candidate& front = taken.front();
  std::erase_if(list, [&](const Candidate& one) { return one.stencil == front.stencil; });
  sort_by_cost(list);

  const auto cost = [&](const Candidate& one) {
    return measure ? fmt::format(" ({:.4g} ns a node)", one.ctpn) : std::string();
  };
  AutoStencil best{*front.stencil, {}};
  std::string remark = fmt::format(
      "stencil \"auto\" took {}{} by {}", best.stencil.name, cost(front),
      measure ? "CTPN measured here for --retune" : fmt::format("the cost table of a {}", to_string(device)));
  if (!measure) list.resize(std::min(list.size(), named_candidates));
  for (std::size_t i = 0; i < list.size(); ++i)
    remark += fmt::format("{} {}{} {:.2f} times", i == 0 ? "; a run would take with" : ",", list[i].stencil->name,
                          cost(list[i]), list[i].cost / front.cost);
  if (!list.empty()) remark += " as long";
  best.remarks.push_back(remark);
  if (leggy_alone)
    best.remarks.push_back(
        fmt::format("stencil \"auto\" chose among leggy stencils alone: {:.0f} % of the mesh's area is oblique, and "
                    "theirs are the most accurate walls there",
                    100.0 * oblique));
  return best;
}

}  // namespace fdtd
