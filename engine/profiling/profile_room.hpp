// Profiles a whole room: its step with walls, branches and receivers, compared with the bare kernel on the same grid
// and the triad of the same run, and the cost of the energy balances. The room and the bare kernel alternate, so that
// both run under the same conditions.
#pragma once

#include <string>

#include "engine/backend/backend.hpp"
#include "engine/devices/target.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd {

struct RoomProfile {
  std::string kernel,
      bare_kernel;  // as the backends describe themselves; both with one step per sweep, or both with several
  std::int64_t nodes = 0;
  double load_seconds = 0.0;  // allocation, tables of the walls, choice of a kernel
  Timing room, bare;
  double energy_seconds = 0.0;  // of one energy balance
  int energy_interval = 0;      // steps from one to the next
  int turns = 0;                // whose medians are reported; 1: one after the other, where memory does not hold both
  double of_bare =
      0.0;  // rate of the room in total over that of the bare kernel: from the turns, or each by its own triad
  // In total: a step and its part of the energy balances.
  double ctpn_ns() const { return room.ctpn_ns + energy_seconds / energy_interval / static_cast<double>(nodes) * 1e9; }
  double gpts_per_second() const { return 1.0 / ctpn_ns(); }
  double eff() const { return room.triad_ctpn_ns / ctpn_ns(); }
};

// The grid of `plan` full of air: no walls, sources or receivers.
Plan without_walls(const Plan& plan);

// Does free memory hold the fields of `plan`, besides what is allocated already?
bool fields_fit(const Plan& plan, const Target& target);

// `repeats`: pairs of steps and triads, of the room and of the bare kernel each. Allocates the plan, and its grid
// alone; throws Error(resource) where they do not fit one after the other.
RoomProfile profile_room(const Plan& plan, const Target& target, const BackendOptions& options, int repeats);

}  // namespace fdtd
