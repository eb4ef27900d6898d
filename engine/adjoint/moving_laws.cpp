#include "engine/adjoint/moving_laws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace fdtd {
namespace {

bool same_coefficients(const WallLaw& a, const WallLaw& b) {
  return a.inertance == b.inertance && a.taps == b.taps &&
         std::ranges::equal(a.branches, b.branches, [](const LawBranch& one, const LawBranch& other) {
           return one.D == other.D && one.E == other.E && one.F == other.F;
         });
}

// Adds derivatives by the coefficients of a law that is `fit`: by their logarithms, in the order of a stage.
void add_by_logarithms(const GridFit& fit, const LawSlopes& by, std::vector<double>& sums) {
  std::size_t i = 0;
  for (std::size_t b = 0; b < fit.branches.size(); ++b) {
    sums[i++] += by.branches[b].D * fit.branches[b].D;
    sums[i++] += by.branches[b].E * fit.branches[b].E;
    sums[i++] += by.branches[b].F * fit.branches[b].F;
  }
  sums[i] += by.inertance * fit.inertance;
}

}  // namespace

std::vector<WallWave> waves_at(const WallLaw& law, const LawSetting& setting) {
  const double highest = 2.0 * std::numbers::pi * setting.highest * setting.time_step;
  std::vector<WallWave> waves = wall_waves(setting.stencil, law.axis, setting.map, highest);
  if (waves.empty()) return waves;
  if (law.taps.size() > 1)
    load_waves(waves, setting.stencil, law.axis, law.taps);
  else
    load_waves_at_wall(waves, setting.stencil.courant[static_cast<std::size_t>(law.axis)]);
  return waves;
}

MovingLaws::MovingLaws(std::vector<WallLaw> laws, const LawSetting& setting)
    : laws_(std::move(laws)), time_step_(setting.time_step) {
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    const WallLaw& law = laws_[i];
    const auto same = std::ranges::find_if(
        groups_, [&](const Group& group) { return same_coefficients(laws_[group.members.front()], law); });
    if (same != groups_.end()) {
      same->members.push_back(i);
      continue;
    }
    Group group{{i}, waves_at(law, setting)};
    if (group.waves.empty()) throw std::invalid_argument("MovingLaws: no wave meets a wall");
    groups_.push_back(std::move(group));
  }
}

MovingLaws::Place MovingLaws::at(std::vector<Branch> branches) const {
  Place place{std::move(branches), {}};
  for (const Group& group : groups_) place.stages.push_back(smooth_fit_stages(place.branches, time_step_, group.waves));
  return place;
}

std::vector<WallLaw> MovingLaws::laws(const Place& place) const {
  std::vector<WallLaw> moved = laws_;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const GridFit fit = smooth_fit(place.stages[g]);
    for (const std::size_t member : groups_[g].members) {
      if (fit.branches.size() != moved[member].branches.size())
        throw std::invalid_argument("MovingLaws: another number of branches");
      moved[member].branches = fit.branches;
      moved[member].inertance = fit.inertance;
    }
  }
  return moved;
}

std::vector<double> MovingLaws::slopes(const Place& place, std::span<const LawSlopes> by_laws) const {
  std::vector<double> result(3 * place.branches.size(), 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const FitStages& stages = place.stages[g];
    const GridFit fit = smooth_fit(stages);
    std::vector<double> by(stages.back().size(), 0.0);
    for (const std::size_t member : groups_[g].members) add_by_logarithms(fit, by_laws[member], by);
    const std::vector<double> of_group = slopes_of_smooth_fit(stages, place.branches, time_step_, groups_[g].waves, by);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += of_group[i];
  }
  return result;
}

}  // namespace fdtd
