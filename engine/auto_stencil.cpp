#include "engine/auto_stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/error.hpp"
#include "engine/grid_choice.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd {
namespace {

// Cost of a node's step in units of the memory traffic all stencils share (two reads, one write): up to about 20 points
// the sums hide behind it, beyond they cost in proportion.
double cost_per_node(const Stencil& stencil) { return std::max(1.0, stencil.point_count() / 20.0); }

struct Candidate {
  const Stencil* stencil;
  double cost;
};

std::optional<Candidate> judge(const Scene& scene, const Stencil& stencil) {
  try {
    const GridChoice choice = choose_grid(scene, stencil);
    return Candidate{&stencil, static_cast<double>(choice.grid.nodes()) * static_cast<double>(choice.steps) * cost_per_node(stencil)};
  } catch (const Error&) {
    return std::nullopt;  // it does not reach the asked error, or its grid can't be counted
  }
}

}  // namespace

AutoStencil cheapest_stencil(const Scene& scene) {
  std::vector<Candidate> candidates;
  for (const Stencil& stencil : catalogue()) {
    if (stencil.family != Family::leggy) continue;  // the family that meets every box exactly
    if (const auto candidate = judge(scene, stencil)) candidates.push_back(*candidate);
  }
  if (candidates.empty())
    throw Error(Status::scene, fmt::format("simulation.dispersion_error: no stencil reaches {}", scene.simulation.dispersion_error),
                "take a larger dispersion_error");
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  AutoStencil best{*candidates.front().stencil, {}};
  std::string remark = fmt::format("stencil \"auto\" took {}", best.stencil.name);
  for (std::size_t i = 1; i < std::min<std::size_t>(4, candidates.size()); ++i)
    remark += fmt::format("{} {} would cost {:.2f} times as much", i == 1 ? ";" : ",", candidates[i].stencil->name, candidates[i].cost / candidates.front().cost);
  best.remarks.push_back(remark);
  return best;
}

}  // namespace fdtd
