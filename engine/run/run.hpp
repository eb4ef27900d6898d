// Plan -> recording: one pass a source, in blocks, with the energy balance told and judged after every block.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "engine/backend/backend.hpp"
#include "engine/run/moment.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

struct Progress {
  std::int64_t step = 0, total = 0;  // steps done and to do, over all sources
  int source = 0;                    // the pass under way: index into Plan::sources
  double seconds = 0.0;              // of computing since the run began, over all its sessions
  double gpts_per_second = 0.0;      // nodes x steps of this session a second, in 1e9, energies included
};

// Each may be empty. Called between blocks, from the thread that called run.
struct RunCallbacks {
  std::function<void(const Progress&)> progress;
  std::function<void(int source, const EnergyPoint&)> energy;
  std::function<bool()> stop;                // true: end here with Error (status interrupted)
  std::function<bool(const Progress&)> due;  // true: `save` is to be called now; before a stop it is called anyway
  std::function<void(const Moment&)> save;   // keeps what a later run can go on from
  // Every frame of a snapshot (snapshots.hpp) that is whole, of sources that are no part of another.
  std::function<void(int source, std::int64_t snapshot, std::int64_t frame, std::span<const float>)> frame;
};
// `save` gets a state whose arrays are read when they are needed, until it returns (Backend::state).
// With several ranks (rank_backend.hpp) every rank runs, and must be told the same by `stop` and `due`; `save` is called
// at every rank, and every rank reads the same parts of the state, in one order: rank 0 gets their values.

// How far stored + dissipated - injected may stray from zero, relative to the largest injected energy, before run calls
// the scheme unstable. Healthy runs stay below 1e-11 and 1e-4.
double balance_tolerance(Precision precision);

// Loads the plan, drives its sources one after the other with f = (1, -1, 0, ...) from silence, plan.steps steps each.
// Recording::samples is plan.steps + 1 (u^0 first), or less where plan.stop ended every pass before: then as long as the
// longest, the others filled up with zeros; the last energy point of a source tells where its pass ended. Energy points: every plan.energy_interval steps and after the last.
// A block ends at an energy point, where a snapshot takes the field, or earlier so that none takes much over a second: neither changes a sample.
// `ranks`: whose backend it is; where it is given, blocks are as long as rank 0 measures.
// With `from`, a moment of this very plan, goes on there; the recording is that of a run that never stopped, to the bit.
// Throws Error: numerical (not finite, energy out of balance or growing: step and node), interrupted, resource.
Recording run(const Plan& plan, Backend& backend, const RunCallbacks& callbacks = {},
              std::optional<Moment> from = std::nullopt, Ranks* ranks = nullptr);

}  // namespace fdtd
