#include "engine/profiling/auto_stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/choose/scene_limits.hpp"
#include "engine/planning/costs/cost_table.hpp"
#include "engine/planning/costs/wall_work.hpp"
#include "engine/profiling/profile.hpp"
#include "engine/profiling/stencil_cost.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/known_dispersion.hpp"
#include "stencils/radial.hpp"

namespace fdtd {
namespace {

constexpr std::size_t candidates =
    12;  // members whose grids are chosen: walls and whole cells change the order a little
constexpr std::size_t measured_candidates = 6;
constexpr std::size_t planned_candidates = 2;  // whose grids are chosen with all limits, at least
constexpr std::size_t named_candidates = 3;    // beside the one that is taken

struct Candidate {
  const Stencil* stencil;
  double cost;  // of a cubic metre, then of the run; only ratios count
  GridChoice choice;
  double ctpn = 0.0;       // of the interior: triads, or ns where measured
  double walls = 1.0;      // the time of a step over that of its interior
  bool usable = true;      // false: a limit holds nowhere, or walls stand too far from their place (eligible)
  bool displaced = false;  // walls that stand too far from their place are all that makes it unusable
  bool wrong = false;      // walls that cut voxels are, surely, on every grid that is worth its cost
  bool least = false;      // `cost`, and cost / walls, are as if every limit held: the least that they can be
};

void sort_by_cost(std::vector<Candidate>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
}

// The frequency at which stencils are compared: with grid_spacing given, the cost grows with the fourth power of the
// bandwidth.
double worth(const Scene& scene, const GridChoice& choice) {
  return scene.simulation.max_frequency ? 1.0 : std::pow(choice.max_frequency, 4);
}

double cost_of(const Scene& scene, const Candidate& one) {
  return one.walls * one.ctpn * node_updates(one.choice) / worth(scene, one.choice);
}

// The scene whose stencil is chosen, and for what.
struct Job {
  const Scene& scene;
  DeviceClass device;
  WallWork walls;
  const LeftOut& left_out;
  double over_interior(const Candidate& one, SceneLimits& limits) const {
    const GridChoice& choice = one.choice;
    const double cut = limits.cut_fraction(choice.grid_stencil, choice.grid.mean_spacing());
    return walls.over_interior(*one.stencil, device, choice.grid, cut);
  }
};

// A cubic metre of the room's interior as far as the error alone says: the spacing and its node updates a second.
struct Interior {
  double spacing = 0.0;  // m
  double updates = std::numeric_limits<double>::infinity();
  GridStencil grid;
};

Interior interior_of(const Stencil& stencil, double lambda, double frequency, double tolerance, double sound_speed) {
  const Stencil scaled = at_courant(stencil, lambda);
  Interior interior;
  interior.grid = on_grid(scaled, {lambda, lambda, lambda});
  const FrequencyMap map = frequency_map(scaled);
  const double omega = known_rendered_omega(interior.grid, tolerance, map);
  if (!(omega > 1e-4)) return interior;
  const double time_step = omega / (2.0 * std::numbers::pi * frequency);
  interior.spacing = sound_speed * time_step / lambda;
  // A record is as long as its slowest wave needs.
  const double slowest =
      map.kind() == FrequencyMap::Kind::radial ? known_slowest_group(interior.grid, omega, map) : 1.0;
  interior.updates = 1.0 / (slowest * time_step * std::pow(interior.spacing, 3));
  return interior;
}

// The catalogue by cost for the interior and, where walls cut voxels, on the grid that these need. `limits`: the scene's.
std::vector<Candidate> rank_by_table(const Job& job, SceneLimits& limits) {
  const Simulation& wish = job.scene.simulation;
  const double f = wish.max_frequency.value_or(1000.0);
  const std::vector<Stencil>& known = catalogue();
  std::vector<Interior> interiors(known.size());
  const bool mesh = job.scene.room.mesh != nullptr, oblique = mesh && oblique_fraction(*job.scene.room.mesh) > 0.0;
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (!is_tabulated(wish.dispersion_error))
  for (std::size_t i = 0; i < known.size(); ++i)
    failure.guard([&] {
      const double lambda = own_courant(known[i], oblique || (mesh && certified_courant(known[i]) > 0.0));
      interiors[i] = interior_of(known[i], lambda, f, wish.dispersion_error, job.scene.air.speed());
    });
  failure.rethrow();
  std::vector<Candidate> ranked;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Interior& interior = interiors[i];
    const double cost = cost_per_node(known[i], wish.precision, job.device) * interior.updates;
    if (!std::isfinite(cost)) continue;
    if (job.left_out.whole_voxels && !knows_cut_voxels(interior.grid)) continue;
    if (std::ranges::find(job.left_out.members, member_name(known[i])) != job.left_out.members.end()) continue;
    const double spacing = wish.grid_spacing.value_or(interior.spacing);
    const double courant = interior.grid.courant[0];
    double held =
        limits.geometry_spacing(at_courant(known[i], courant), interior.grid, f * interior.spacing / spacing, spacing) /
        spacing;
    constexpr double surely = 1.2;  // grids that fit the room differ from this one by less
    const bool wrong = held < 1.0 && !limits.affordable({}, courant, surely * held * spacing, spacing);
    if (!(held < 1.0) || !limits.affordable({}, courant, held * spacing, spacing)) held = 1.0;
    const double walls =
        job.walls.over_interior(known[i], job.device, held * spacing, limits.cut_fraction(interior.grid, spacing));
    ranked.push_back({&known[i], walls * cost / std::pow(held, 4), {}});
    ranked.back().wrong = wrong;
  }
  sort_by_cost(ranked);
  return ranked;
}

struct Shortlist {
  std::vector<Candidate> candidates;
  std::vector<std::string> left_out;  // members no variant of which has walls that cut voxels right
  std::vector<std::string> narrow;    // members whose whole voxels are too wide for an opening of the mesh
  std::optional<Error> refused;       // why the cheapest of those without a grid has none
};

// The first few of the ranking whose grids, chosen for the interior, are possible and fit the walls, without members that
// have been `seen`; one variant per member is enough. `limits`: what walls that cut voxels need must be in reach as well;
// null: whatever they need.
Shortlist shortlist(const Job& job, const std::vector<Candidate>& ranked, SceneLimits* limits,
                    const std::vector<std::string>& seen = {}) {
  Shortlist found;
  std::vector<Candidate>& list = found.candidates;
  for (const Candidate& one : ranked) {
    if (list.size() == candidates) break;
    const std::string member = member_name(*one.stencil);
    const auto same_member = [&](const Candidate& other) { return member_name(*other.stencil) == member; };
    if (std::any_of(list.begin(), list.end(), same_member) || std::ranges::find(seen, member) != seen.end()) continue;
    const auto leave_out = [&](std::vector<std::string>& members) {
      if (std::ranges::find(members, member) == members.end()) members.push_back(member);
    };
    if (limits != nullptr && one.wrong) {
      leave_out(found.left_out);
      continue;
    }
    try {
      Candidate candidate{one.stencil, 0.0, interior_grid(job.scene, *one.stencil)};
      if (!walls_met(job.scene, candidate.choice)) continue;
      const GridChoice& choice = candidate.choice;
      if (limits != nullptr && !geometry_reachable(choice, *limits)) {
        leave_out(found.left_out);
        continue;
      }
      // Openings take the parts of space: they are looked for where the stencil may be chosen otherwise.
      if (limits != nullptr && !limits->openings_held(choice.grid_stencil, choice.grid.mean_spacing())) {
        leave_out(found.narrow);
        continue;
      }
      list.push_back(std::move(candidate));
      std::erase(found.left_out, member);  // another variant
    } catch (const Error& error) {
      if (error.status == Status::resource) throw;  // independent of the stencil
      if (!found.refused)
        found.refused = Error(error.status, fmt::format("{}: {}", one.stencil->name, error.what()), error.remedy);
    }
  }
  return found;
}

Error no_stencil(const Scene& scene, std::size_t tried, const std::optional<Error>& refused) {
  if (!refused)
    return {Status::scene,
            fmt::format("simulation.dispersion_error: no stencil reaches {} in this room",
                        scene.simulation.dispersion_error),
            "set a larger dispersion_error, or name a stencil"};
  return {refused->status, fmt::format("none of {} stencils has a grid in this room; {}", tried, refused->what()),
          refused->remedy};
}

// Costs if every limit held on the interior's grid.
void set_least_costs(const Job& job, std::vector<Candidate>& list, SceneLimits& limits) {
  for (Candidate& one : list) {
    one.walls = job.over_interior(one, limits);
    one.cost = cost_of(job.scene, one);
    one.least = true;
  }
}

// The cost on the grid that all limits need, estimated from how far they hold on the interior's.
void estimate_with_limits(const Job& job, Candidate& one, SceneLimits& limits) {
  const double held = limits_fraction(one.choice, limits, WallLimits::Materials::weakest);
  one.walls = 1.0 + (one.walls - 1.0) * held;
  one.cost = cost_of(job.scene, one) / std::pow(held, 4);
  one.least = false;
}

// Brings the cheapest with limits of those from `place` on there. Of the others only those are estimated whose least cost
// leaves them the chance: the fits of walls take most of the time of a choice.
void bring_cheapest(const Job& job, std::vector<Candidate>& list, std::size_t place, SceneLimits& limits) {
  const auto rest = list.begin() + static_cast<std::ptrdiff_t>(place);
  for (;;) {
    std::stable_sort(rest, list.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    if (!rest->least) return;
    estimate_with_limits(job, *rest, limits);
  }
}

bool all_hold(const GridChoice& choice) { return choice.walls_hold && choice.geometry_holds; }

// The first candidates on the grids that all limits need: at least `count`, and all whose estimates are lower than the
// cost of the cheapest of these. Those on which a limit holds nowhere are left out if there are others.
std::vector<Candidate> with_grids_for_limits(const Job& job, std::vector<Candidate>& list, SceneLimits& limits,
                                             std::size_t count) {
  std::vector<Candidate> taken;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < list.size(); ++i) {
    bring_cheapest(job, list, i, limits);
    Candidate& one = list[i];
    if (taken.size() >= count && one.cost >= least) break;
    StencilCost cost = stencil_cost(job.scene, *one.stencil, limits);
    one.usable = eligible(cost);
    one.displaced = !one.usable && std::erase(cost.missed, wall_positions) > 0 && eligible(cost);
    one.choice = std::move(cost.choice);
    one.walls = job.over_interior(one, limits);
    one.cost = cost_of(job.scene, one);
    if (one.usable) {
      least = std::min(least, one.cost);
      taken.push_back(one);
    }
  }
  if (taken.empty()) return list;
  std::erase_if(list, [](const Candidate& one) { return !one.usable || !all_hold(one.choice); });
  return taken;
}

struct Considered {
  std::vector<Candidate> list, taken;  // the shortlist, and those of it whose grids are chosen with all limits
};

// The shortlist with costs; those after it where walls of the box stand too far from their place with all of it: with one
// spacing for all axes a coarse grid meets few boxes.
Considered considered(const Job& job, const std::vector<Candidate>& ranked, std::vector<Candidate> list,
                      SceneLimits& limits, std::size_t count) {
  std::vector<std::string> seen;
  std::optional<Considered> first;
  while (!list.empty()) {
    for (Candidate& one : list) {
      one.ctpn = cost_per_node(*one.stencil, job.scene.simulation.precision, job.device);
      seen.push_back(member_name(*one.stencil));
    }
    set_least_costs(job, list, limits);
    std::vector<Candidate> taken = with_grids_for_limits(job, list, limits, count);
    Considered all{std::move(list), std::move(taken)};
    if (std::ranges::any_of(all.taken, &Candidate::usable)) return all;
    const bool displaced = std::ranges::any_of(all.taken, &Candidate::displaced);
    if (!first) first = std::move(all);
    if (!displaced) break;
    list = shortlist(job, ranked, &limits, seen).candidates;
  }
  return *first;
}

// "walls 31 % of a step".
std::string walls_text(const Candidate& one, bool measured) {
  return fmt::format("{}walls {:.0f} % of a step", measured ? fmt::format("{:.4g} ns a node, ", one.ctpn) : "",
                     100.0 * (1.0 - 1.0 / one.walls));
}

// Which of `others`, if any, would be the fastest if walls took no time.
std::string without_walls(const Job& job, const Candidate& front, std::vector<Candidate>& others, SceneLimits& limits) {
  const auto interior = [](const Candidate& one) { return one.cost / one.walls; };
  auto least = std::ranges::min_element(others, {}, interior);
  while (least != others.end() && least->least && interior(*least) < interior(front)) {
    estimate_with_limits(job, *least, limits);
    least = std::ranges::min_element(others, {}, interior);
  }
  if (least == others.end() || !(interior(*least) < interior(front))) return {};
  return fmt::format("; if walls took no time, {} would take {:.2f} times as long", least->stencil->name,
                     interior(*least) / interior(front));
}

}  // namespace

double seconds_per_cubic_metre(const Stencil& stencil, double ctpn_ns, double frequency, double tolerance,
                               double sound_speed) {
  return 1e-9 * ctpn_ns * interior_of(stencil, own_courant(stencil, false), frequency, tolerance, sound_speed).updates;
}

AutoStencil cheapest_stencil(const Scene& scene, DeviceClass device, const MeasureCtpn& measure,
                             const LeftOut& short_of_band) {
  const Job job{scene, device, WallWork(scene), short_of_band};
  SceneLimits limits(scene);
  const std::vector<Candidate> ranked = rank_by_table(job, limits);
  auto [list, left_out, narrow, refused] = shortlist(job, ranked, &limits);
  if (list.empty()) {
    list = shortlist(job, ranked, nullptr).candidates;
    left_out.clear();
    narrow.clear();
  }
  if (list.empty()) throw no_stencil(scene, ranked.size(), refused);
  const bool measured = static_cast<bool>(measure);
  Considered all =
      considered(job, ranked, std::move(list), limits, measured ? measured_candidates : planned_candidates);
  list = std::move(all.list);
  std::vector<Candidate>& taken = all.taken;
  if (measure) {
    for (Candidate& one : taken) {
      one.ctpn = measure(*one.stencil, scene.simulation.precision);
      one.cost = cost_of(scene, one);
    }
    list = taken;
  }
  sort_by_cost(taken);
  const Candidate& front = taken.front();
  std::erase_if(list, [&](const Candidate& one) { return one.stencil == front.stencil; });
  for (std::size_t i = 0; i < std::min(list.size(), measured ? list.size() : named_candidates); ++i)
    bring_cheapest(job, list, i, limits);

  AutoStencil best{*front.stencil, {}};
  std::string remark = fmt::format(
      "stencil \"auto\" took {} ({}) by {}", best.stencil.name, walls_text(front, measured),
      measured ? "CTPN measured here for --retune" : fmt::format("the cost table of a {}", to_string(device)));
  const std::string rival = without_walls(job, front, list, limits);
  if (!measured) list.resize(std::min(list.size(), named_candidates));
  for (std::size_t i = 0; i < list.size(); ++i)
    remark += fmt::format("{} {} ({}) {:.2f} times", i == 0 ? "; a run would take with" : ",", list[i].stencil->name,
                          walls_text(list[i], measured), list[i].cost / front.cost);
  if (!list.empty()) remark += " as long";
  best.remarks.push_back(remark + rival);
  if (!left_out.empty())
    best.remarks.push_back(fmt::format(
        "stencil \"auto\" left out {}{}: with them, walls of this mesh that cut voxels and its furniture keep "
        "geometry_error and "
        "dispersion_error on no grid up to 2.2 times as fine as the interior needs",
        left_out.front(), left_out.size() > 1 ? fmt::format(" and {} more members", left_out.size() - 1) : ""));
  if (!narrow.empty())
    best.remarks.push_back(
        fmt::format("stencil \"auto\" left out {}{}: walls do not cut their voxels, and an opening of this mesh is "
                    "less than two of "
                    "them wide",
                    narrow.front(), narrow.size() > 1 ? fmt::format(" and {} more members", narrow.size() - 1) : ""));
  return best;
}

}  // namespace fdtd
