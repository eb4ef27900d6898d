#include "engine/profiling/auto_stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "engine/error.hpp"
#include "engine/planning/cost_table.hpp"
#include "engine/planning/grid_choice.hpp"
#include "engine/profiling/profile.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr std::size_t candidates =
    12;  // members whose grids are chosen: walls and whole cells change the order a little
constexpr std::size_t measured_candidates = 6;
constexpr double run_below_limit = 0.999;  // as choose_grid does

struct Candidate {
  const Stencil* stencil;
  double cost;  // of a cubic metre, then of the run; only ratios count
  GridChoice choice;
  double ctpn = 0.0;  // triads, or ns where measured
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

std::vector<Candidate> rank_by_table(const Scene& scene, DeviceClass device) {
  const double f = scene.simulation.max_frequency.value_or(1000.0);
  std::vector<Candidate> ranked;
  for (const Stencil& stencil : catalogue()) {
    const double cost = seconds_per_cubic_metre(stencil, cost_per_node(stencil, scene.simulation.precision, device), f,
                                                scene.simulation.dispersion_error, scene.air.speed());
    if (std::isfinite(cost)) ranked.push_back({&stencil, cost, {}, 0.0});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return ranked;
}

// The first few of the ranking whose grids are possible and fit the walls; one variant per member is enough.
std::vector<Candidate> shortlist(const Scene& scene, const std::vector<Candidate>& ranked) {
  std::vector<Candidate> list;
  for (const Candidate& one : ranked) {
    if (list.size() == candidates) break;
    const auto same_member = [&](const Candidate& other) {
      return member_name(*other.stencil) == member_name(*one.stencil);
    };
    if (std::any_of(list.begin(), list.end(), same_member)) continue;
    try {
      Candidate candidate{one.stencil, 0.0, choose_grid(scene, *one.stencil), 0.0};
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
  std::vector<Candidate> list = shortlist(scene, rank_by_table(scene, device));
  if (list.empty())
    throw Error(Status::scene,
                fmt::format("simulation.dispersion_error: no stencil reaches {} in this room",
                            scene.simulation.dispersion_error),
                "set a larger dispersion_error, or name a stencil");
  const Precision precision = scene.simulation.precision;
  const auto rank = [&](const auto& ctpn) {
    for (Candidate& one : list) {
      one.ctpn = ctpn(*one.stencil);
      one.cost = one.ctpn * updates(scene, one.choice) / worth(scene, one.choice);
    }
    std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  };
  rank([&](const Stencil& stencil) { return cost_per_node(stencil, precision, device); });
  if (measure) {
    list.resize(std::min(list.size(), measured_candidates));
    rank([&](const Stencil& stencil) { return measure(stencil, precision); });
  }

  const auto cost = [&](const Candidate& one) {
    return measure ? fmt::format(" ({:.4g} ns a node)", one.ctpn) : std::string();
  };
  AutoStencil best{*list.front().stencil, {}};
  std::string remark = fmt::format(
      "stencil \"auto\" took {}{} by {}", best.stencil.name, cost(list.front()),
      measure ? "CTPN measured here for --retune" : fmt::format("the cost table of a {}", to_string(device)));
  const std::size_t named = measure ? list.size() : std::min<std::size_t>(4, list.size());
  for (std::size_t i = 1; i < named; ++i)
    remark += fmt::format("{} {}{} {:.2f} times", i == 1 ? "; a run would take with" : ",", list[i].stencil->name,
                          cost(list[i]), list[i].cost / list.front().cost);
  if (list.size() > 1) remark += " as long";
  best.remarks.push_back(remark);
  return best;
}

}  // namespace fdtd
