#include "base/known_values.hpp"
#include "engine/walls/grid_fit.hpp"

namespace fdtd {
namespace {

// All that a search depends on.
std::vector<double> arguments_of(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves,
                                 const GridFit* near) {
  std::vector<double> all = {time_step, static_cast<double>(branches.size())};
  for (const Branch& branch : branches) all.insert(all.end(), {branch.D, branch.E, branch.F});
  for (const WallWave& wave : waves)
    all.insert(all.end(),
               {wave.truth, wave.cosine, wave.points, wave.omega, wave.stretch, wave.load.real(), wave.load.imag()});
  if (near == nullptr) return all;
  all.push_back(near->inertance);
  for (const LawBranch& branch : near->branches) all.insert(all.end(), {branch.D, branch.E, branch.F});
  return all;
}

}  // namespace

GridFit fit_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves,
                    const GridFit* near) {
  static KnownValues<GridFit> known(512);  // of some kilobytes each
  return known.of(arguments_of(branches, time_step, waves, near),
                  [&] { return search_on_grid(branches, time_step, waves, near); });
}

}  // namespace fdtd
