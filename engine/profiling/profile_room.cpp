#include "engine/profiling/profile_room.hpp"

#include <algorithm>
#include <vector>

#include "base/math/median.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/stopwatch.hpp"

namespace fdtd {
namespace {

// The times of one backend.
struct Turns {
  std::vector<double> step, triad;  // ns per node
  Timing last;
  void take(Backend& backend, int repeats) {
    last = backend.profile(repeats);
    step.push_back(last.ctpn_ns);
    triad.push_back(last.triad_ctpn_ns);
  }
  Timing timing(std::int64_t nodes) const {
    Timing timing = last;
    timing.ctpn_ns = median(step);
    timing.triad_ctpn_ns = median(triad);
    timing.seconds_per_step = timing.ctpn_ns * static_cast<double>(nodes) / 1e9;
    return timing;
  }
};

}  // namespace

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

bool fields_fit(const Plan& plan, const Target& target) {
  const std::int64_t free = target.on_gpu() ? gpu_target(target.gpu).free_memory : available_memory();
  return static_cast<double>(field_bytes(target, plan)) < 0.9 * static_cast<double>(free);
}

RoomProfile profile_room(const Plan& plan, const Target& target, const BackendOptions& options, int repeats) {
  constexpr int max_turns = 8;
  RoomProfile profile;
  profile.nodes = plan.grid.nodes();
  profile.energy_interval = plan.energy_interval;
  auto room = make_backend(target, options);
  const Stopwatch start;
  room->load(plan, whole(plan));
  profile.load_seconds = start.seconds();
  profile.kernel = room->describe();

  Turns of_room, of_bare;
  std::vector<double> energies, rates;
  const auto time_room = [&](int repeats_a_turn) {
    of_room.take(*room, repeats_a_turn);
    const Stopwatch begun;
    (void)room->energy();
    energies.push_back(begun.seconds());
  };
  const Plan without = without_walls(plan);
  std::unique_ptr<Backend> bare;
  const auto load_bare = [&] {
    BackendOptions alike = options;
    if (!target.on_gpu() && options.kernel.empty())
      alike.kernel = of_room.last.steps > 1 ? "time_slice" : "sliding_window";
    bare = make_backend(target, alike);
    bare->load(without, whole(without));
    profile.bare_kernel = bare->describe();
  };
  const auto balances = [&](double seconds) {  // their part of a step, ns per node
    return seconds / profile.energy_interval / static_cast<double>(profile.nodes) * 1e9;
  };

  profile.turns = fields_fit(without, target) ? std::clamp(repeats, 1, max_turns) : 1;
  const int repeats_a_turn = (std::max(repeats, 1) + profile.turns - 1) / profile.turns;
  for (int turn = 0; turn < profile.turns; ++turn) {
    time_room(repeats_a_turn);
    if (profile.turns == 1) room.reset();
    if (!bare) load_bare();
    of_bare.take(*bare, repeats_a_turn);
    rates.push_back(of_bare.step.back() / (of_room.step.back() + balances(energies.back())));
  }
  profile.room = of_room.timing(profile.nodes);
  profile.bare = of_bare.timing(profile.nodes);
  profile.energy_seconds = median(energies);
  profile.of_bare =
      profile.turns > 1 ? median(rates) : profile.eff() * profile.bare.ctpn_ns / profile.bare.triad_ctpn_ns;
  return profile;
}

}  // namespace fdtd
