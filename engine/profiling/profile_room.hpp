// A whole room in profiling mode: its step with walls, branches and receivers, beside the bare kernel on the same grid and
// the triad of the same run; and what the energy balance adds now and then. The room and the bare kernel take turns, so that
// both see the same machine.
#pragma once

#include <string>

#include "engine/backend/backend.hpp"
#include "engine/devices/target.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd {

struct RoomProfile {
  std::string kernel, bare_kernel;  // as the backends describe themselves; both one step a sweep, or both several
  std::int64_t nodes = 0;
  double load_seconds = 0.0;  // taking the memory, packing the walls' tables, choosing a kernel
  Timing room, bare;
  double energy_seconds = 0.0;  // of one energy balance
  int energy_interval = 0;      // steps from one to the next
  int turns = 0;                // of which medians are told; 1: one after the other, where memory does not hold both
  double of_bare = 0.0;         // rate of the room, all in, over the bare kernel's: of turns, or each by its own triad
  // All in: a step and its share of the energy balances.
  double ctpn_ns() const { return room.ctpn_ns + energy_seconds / energy_interval / static_cast<double>(nodes) * 1e9; }
  double gpts_per_second() const { return 1.0 / ctpn_ns(); }
  double eff() const { return room.triad_ctpn_ns / ctpn_ns(); }
};

// `repeats`: pairs of steps and triads, of the room and of the bare kernel each. Takes the memory of the plan, and that of
// its grid alone; throws Error(resource) where they do not fit one after the other.
RoomProfile profile_room(const Plan& plan, const Target& target, const BackendOptions& options, int repeats);

}  // namespace fdtd
