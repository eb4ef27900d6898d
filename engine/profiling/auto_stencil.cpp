#include "engine/profiling/auto_stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "engine/error.hpp"
#include "engine/planning/grid_choice.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr std::size_t measured_candidates = 6;
constexpr double run_below_limit = 0.999;  // as choose_grid does

struct Candidate {
  const Stencil* stencil;
  double cost;  // modelled, then in seconds
  GridChoice choice;
};

// A wall displaced by more than the requested error times the room's length would spoil the accuracy of the stencil.
bool walls_met(const Scene& scene, const GridChoice& choice) {
  for (std::size_t d = 0; d < 3; ++d)
    if (std::abs(choice.wall_shift[2 * d] + choice.wall_shift[2 * d + 1]) >
        scene.simulation.dispersion_error * scene.room.box[d])
      return false;
  return true;
}

double updates(const Scene& scene, const GridChoice& choice) {
  return static_cast<double>(choice.grid.nodes()) * static_cast<double>(choice.steps) *
         static_cast<double>(std::max<std::size_t>(1, scene.sources.size()));
}

// The frequency at which stencils are compared: with grid_spacing given, the cost grows with the fourth power of the
// bandwidth.
double worth(const Scene& scene, const GridChoice& choice) {
  return scene.simulation.max_frequency ? 1.0 : std::pow(choice.valid_bandwidth, 4);
}

std::vector<Candidate> rank_by_model(const Scene& scene, const CtpnCache& cache) {
  const double f = scene.simulation.max_frequency.value_or(1000.0);
  std::vector<Candidate> ranked;
  for (const Stencil& stencil : catalogue()) {
    const double cost = seconds_per_cubic_metre(stencil, cache.modelled(stencil), f, scene.simulation.dispersion_error,
                                                scene.air.speed());
    if (std::isfinite(cost)) ranked.push_back({&stencil, cost, {}});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return ranked;
}

// The first few of the ranking whose grids are possible and fit the walls; one variant per member is enough.
std::vector<Candidate> shortlist(const Scene& scene, const std::vector<Candidate>& ranked) {
  std::vector<Candidate> list;
  for (const Candidate& one : ranked) {
    if (list.size() == measured_candidates) break;
    const auto same_member = [&](const Candidate& other) {
      return member_name(*other.stencil) == member_name(*one.stencil);
    };
    if (std::any_of(list.begin(), list.end(), same_member)) continue;
    try {
      Candidate candidate{one.stencil, 0.0, choose_grid(scene, *one.stencil)};
      if (walls_met(scene, candidate.choice)) list.push_back(std::move(candidate));
    } catch (const Error& error) {
      if (error.status == Status::resource) throw;  // independent of the stencil
    }
  }
  return list;
}

}  // namespace

double seconds_per_cubic_metre(const Stencil& stencil, double ctpn_ns, double frequency, double tolerance,
                               double sound_speed) {
  const double lambda = std::min(stencil.courant, run_below_limit * stencil.courant_limit);
  const Stencil scaled = at_courant(stencil, lambda);
  const double omega =
      usable_omega(on_grid(scaled, {lambda, lambda, lambda}), tolerance, stencil.time_dispersion_removal);
  if (!(omega > 1e-4)) return std::numeric_limits<double>::infinity();
  const double time_step = omega / (2.0 * std::numbers::pi * frequency);
  const double spacing = sound_speed * time_step / lambda;
  return 1e-9 * ctpn_ns / (time_step * spacing * spacing * spacing);
}

AutoStencil cheapest_stencil(const Scene& scene, CtpnCache& cache) {
  std::vector<Candidate> list = shortlist(scene, rank_by_model(scene, cache));
  if (list.empty())
    throw Error(Status::scene,
                fmt::format("simulation.dispersion_error: no stencil reaches {} in this room",
                            scene.simulation.dispersion_error),
                "set a larger dispersion_error, or name a stencil");
  for (Candidate& one : list)
    one.cost = 1e-9 * cache.ctpn_ns(*one.stencil, scene.simulation.precision) * updates(scene, one.choice) /
               worth(scene, one.choice);
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });

  AutoStencil best{*list.front().stencil, {}};
  std::string remark = fmt::format("stencil \"auto\" took {}", best.stencil.name);
  for (std::size_t i = 1; i < std::min<std::size_t>(4, list.size()); ++i)
    remark += fmt::format("{} {} {:.2f} times", i == 1 ? "; by the CTPN measured here a run would take with" : ",",
                          list[i].stencil->name, list[i].cost / list.front().cost);
  if (list.size() > 1) remark += " as long";
  best.remarks.push_back(remark);
  if (!cache.remark().empty()) best.remarks.push_back(cache.remark());
  return best;
}

}  // namespace fdtd
