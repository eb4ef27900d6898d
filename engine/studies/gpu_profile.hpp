// The figures of one kernel on a GPU beside the roofs of the same run, as plain data, and as JSON: the same document for
// `fdtd profile` and `fdtd bench`.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/studies/ncu.hpp"

namespace fdtd {
template <class X>
class JsonFields;
}

namespace fdtd::study {

// CTPN in ns: the median of several batches, and the widest of them less the narrowest over the median.
struct Spread {
  double median_ns = 0.0, spread = 0.0;
};
Spread spread_of(std::vector<double> values_ns);  // of at least one

struct RoofTimes {
  Spread triad, copy, copy_halo;
};

// The geometry of a launch: nodes of a tile along x, y and z, and whatever else a kernel offers a choice of; 0: none.
struct Launch {
  int x = 0, y = 0, z = 0;
  int threads = 0, depth = 0, blocks = 0, max_lead = 0;
  bool operator==(const Launch&) const = default;
};
// "32x8x94, 256 threads, depth 3", as far as the launch states.
std::string to_string(const Launch& launch);

// The resources of a compiled kernel, as the driver reports them.
struct LaunchResources {
  int threads = 0, registers = 0, local_bytes = 0;  // a thread; local bytes: spills
  std::size_t shared_bytes = 0;                     // a block, static and dynamic
  int blocks_per_multiprocessor = 0;
};

// A launch as the device's model predicts it, beside its time.
struct TimedLaunch {
  Launch tile;
  LaunchResources resources;
  double transactions = 0.0;  // sectors a point
  double conflicts = 1.0;     // passes of shared memory over the least possible
  int active_blocks = 0;      // a multiprocessor
  double occupancy = 0.0;     // warps held over warps that could be
  double thread_efficiency = 0.0, wave_efficiency = 0.0;
  double footprint = 0.0;  // bytes a point from and to DRAM
  double cost = 0.0;       // the model's order: less is better, the unit means nothing
  bool predicted = false;  // in the set that is expected to hold the fastest
  double ctpn_ns = 0.0;    // 0: not timed
};

// How the model fared: is the fastest of the timed launches in the predicted set, and how much slower than it is the
// fastest one inside the set, and the model's first (CTPN over the fastest's, less 1).
struct PredictionScore {
  bool best_predicted = false;
  int predicted = 0, tiles = 0;
  double loss_of_set = 0.0, loss_of_first = 0.0;
};
std::optional<PredictionScore> score_of(std::span<const TimedLaunch> tiles);  // nothing where none is timed

struct GpuProfile {
  std::string stencil;
  int points = 0;
  Precision precision = Precision::f32;
  std::array<int, 3> grid{};
  std::string kernel;
  Launch tile;
  std::string tile_from;  // "model", "cache", "search"
  LaunchResources resources;
  double occupancy = 0.0;  // warps held over warps that could be
  int launches = 0;        // a step
  Spread ctpn, triad;
  double declared_bytes = 0.0;   // a point, what DRAM must move: 3 values
  double l2_bytes = 0.0;         // a point, between L2 and multiprocessors, as the kernel declares them
  double footprint_bytes = 0.0;  // a point from and to DRAM, as the footprint model predicts them
  std::optional<RoofTimes> roofs;
  std::vector<TimedLaunch> tiles;  // where all were timed
  std::optional<Counters> counters;
  std::string error;  // why the kernel was not measured: all times are 0 then; empty where it was

  double gpts_per_second() const { return 1.0 / ctpn.median_ns; }
  double gb_per_second() const { return declared_bytes / ctpn.median_ns; }
  double eff() const { return triad.median_ns / ctpn.median_ns; }
};

const JsonFields<GpuProfile>& profile_fields();
nlohmann::ordered_json to_json(const GpuProfile& profile);

}  // namespace fdtd::study
