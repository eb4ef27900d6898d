#include "engine/multigrid/profile.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "engine/multigrid/box_poisson.hpp"

namespace fdtd::multigrid {
namespace {

constexpr int max_cycles = 30;

template <class Work>
double seconds_of(const Work& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  // A clock may stand still, or go backward.
  return std::max(1e-9, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int Profile::cycles_to_single() const {
  for (std::size_t i = 0; i < residuals.size(); ++i)
    if (residuals[i] <= single_precision) return static_cast<int>(i);
  return 0;
}

double Profile::convergence_factor() const {
  const int last = cycles_to_single();
  return last > 0 ? std::pow(residuals[static_cast<std::size_t>(last)], 1.0 / last) : 1.0;
}

float profile_right_side(int x, int y, int z) {
  auto bits = static_cast<std::uint32_t>(x) * 73856093U ^ static_cast<std::uint32_t>(y) * 19349663U ^
              static_cast<std::uint32_t>(z) * 83492791U;
  bits = (bits ^ bits >> 16U) * 0x7feb352dU;
  bits = (bits ^ bits >> 15U) * 0x846ca68bU;
  return static_cast<float>(bits >> 8U) / 8388608.0F;
}

Profile profile_on_cpu(const std::array<int, 3>& nodes, const Cycle& cycle, int repeats) {
  Profile profile;
  profile.grid = nodes;
  profile.cycle = cycle;
  BoxPoisson problem(nodes, cycle);
  const NodeGrid& grid = problem.grid();
  for (int z = 0; z < nodes[2]; ++z)
    for (int y = 0; y < nodes[1]; ++y)
      for (int x = 0; x < nodes[0]; ++x) problem.right_side()[grid.index(x, y, z)] = profile_right_side(x, y, z);
  std::vector<double> cycles, sweeps, triads;
  profile.residuals.push_back(problem.residual());
  while (profile.residuals.back() > single_precision && static_cast<int>(profile.residuals.size()) <= max_cycles) {
    double left = 0.0;
    cycles.push_back(seconds_of([&] {
      problem.cycle();
      left = problem.residual();
    }));
    profile.residuals.push_back(left);
    sweeps.push_back(seconds_of([&] { problem.sweep_once(); }));
    triads.push_back(seconds_of([&] { problem.triad(); }));
  }
  while (static_cast<int>(cycles.size()) < repeats) {
    cycles.push_back(seconds_of([&] {
      problem.cycle();
      (void)problem.residual();
    }));
    sweeps.push_back(seconds_of([&] { problem.sweep_once(); }));
    triads.push_back(seconds_of([&] { problem.triad(); }));
  }
  if (cycles.empty()) return profile;
  profile.cycle_seconds = median(cycles);
  profile.sweep_seconds = median(sweeps);
  profile.triad_seconds = median(triads);
  return profile;
}

}  // namespace fdtd::multigrid
