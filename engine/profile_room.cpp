#include "engine/profile_room.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace fdtd {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The same grid full of air: no walls, sources or receivers.
Plan without_walls(const Plan& plan) {
  Plan bare;
  bare.precision = plan.precision;
  bare.grid = plan.grid;
  bare.stencil_name = plan.stencil_name;
  bare.stencil = plan.stencil;
  bare.air = AirMask(plan.grid.size);
  bare.steps = 1;
  return bare;
}

}  // namespace

RoomProfile profile_room(const Plan& plan, const Target& target, const BackendOptions& options, int repeats) {
  RoomProfile profile;
  profile.nodes = plan.grid.nodes();
  profile.energy_interval = plan.energy_interval;
  {
    const auto backend = make_backend(target, options);
    const Clock::time_point start = Clock::now();
    backend->load(plan, whole(plan));
    profile.load_seconds = seconds_since(start);
    profile.kernel = backend->describe();
    profile.room = backend->profile(repeats);
    std::vector<double> energies;
    for (int i = 0; i < 3; ++i) {
      const Clock::time_point begun = Clock::now();
      (void)backend->energy();
      energies.push_back(seconds_since(begun));
    }
    std::ranges::sort(energies);
    profile.energy_seconds = energies[1];
  }
  const Plan bare = without_walls(plan);
  BackendOptions alike = options;
  if (!target.on_gpu() && options.kernel.empty())
    alike.kernel = profile.room.steps > 1 ? "time_slice" : "sliding_window";
  const auto backend = make_backend(target, alike);
  backend->load(bare, whole(bare));
  profile.bare_kernel = backend->describe();
  profile.bare = backend->profile(repeats);
  return profile;
}

}  // namespace fdtd
