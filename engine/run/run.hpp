// Plan -> recording: one pass per source, in blocks of steps, with the energy balance checked after every block.
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
  int source = 0;                    // the current pass: index into Plan::sources
  double seconds = 0.0;              // of computing, over all sessions of the run
  double gpts_per_second = 0.0;      // 1e9 nodes x steps per second in this session, energies included
};

// Each may be empty. Called between blocks, from the thread that calls run.
struct RunCallbacks {
  std::function<void(const Progress&)> progress;
  std::function<void(int source, const EnergyPoint&)> energy;
  std::function<bool()> stop;                // true: end here with Error (status interrupted)
  std::function<bool(const Progress&)> due;  // true: call `save` now; before a stop it is called anyway
  std::function<void(const Moment&)> save;   // stores what a later session can resume from
  // Gets every complete frame of a snapshot (snapshots.hpp), except for hidden channels.
  std::function<void(int source, std::int64_t snapshot, std::int64_t frame, std::span<const float>)> frame;
};
// `save` gets a state whose arrays are read on demand, until it returns (Backend::state).
// With several ranks (rank_backend.hpp) `stop` and `due` must give every rank the same answer; `save` is called at
// every rank, and every rank reads the same parts of the state in the same order: rank 0 gets their values.

// How far stored + dissipated - injected may deviate from zero, relative to the largest injected energy, before run
// reports that the scheme is unstable. Healthy runs stay below 1e-11 and 1e-4.
double balance_tolerance(Precision precision);

// Loads the plan, drives its sources one after the other with f = (1, -1, 0, ...) from silence, plan.steps steps each.
// Recording::samples is plan.steps + 1 (u^0 first), or less where plan.stop ended every pass earlier: then as long as
// the longest, the others padded with zeros; the last energy point of a source shows where its pass ended. Energy
// points: every plan.energy_interval steps and after the last. A block ends at an energy point, at a snapshot, or
// earlier so that it takes about a second; this changes no sample. `ranks`: those of the backend; with it, rank 0
// determines the length of blocks. `from`: a moment of the same plan at which to resume; the recording is that of an
// uninterrupted run, to the bit. Throws LostBalance (lost_balance.hpp) where the field is not finite, or energy is out of
// balance or grows: step, node, and what is recorded until then. Throws Error: interrupted, resource.
Recording run(const Plan& plan, Backend& backend, const RunCallbacks& callbacks = {},
              std::optional<Moment> from = std::nullopt, Ranks* ranks = nullptr);

}  // namespace fdtd
