// The result of a profile on a GPU, as plain data, and as JSON: the same document for `fdtd profile` and `fdtd
// compare`.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/tuning/ncu.hpp"
#include "engine/cuda/tuning/tile_model.hpp"

namespace fdtd {
template <class X>
class JsonFields;
}

namespace fdtd::cuda {

// CTPN in ns: the median of several batches, and the widest of them less the narrowest over the median.
struct Spread {
  double median_ns = 0.0, spread = 0.0;
};
Spread spread_of(std::vector<double> values_ns);  // of at least one

struct RoofTimes {
  Spread triad, copy, copy_halo;
};

struct GpuProfile {
  std::string stencil;
  int points = 0;
  Precision precision = Precision::f32;
  std::array<int, 3> grid{};
  std::string kernel;
  Tile tile;
  std::string tile_from;  // "model", "cache", "search"
  Resources resources;
  double occupancy = 0.0;  // warps held over warps that could be
  int launches = 0;        // a step
  Spread ctpn, triad;
  double declared_bytes = 0.0;   // a point, what DRAM must move: 3 values
  double l2_bytes = 0.0;         // a point, between L2 and multiprocessors, as the kernel declares them
  double footprint_bytes = 0.0;  // a point from and to DRAM, as the footprint model predicts them
  std::optional<RoofTimes> roofs;
  std::vector<TimedTile> tiles;  // where all were timed
  std::optional<Counters> counters;
  std::string error;  // why the kernel was not measured: all times are 0 then; empty where it was

  double gpts_per_second() const { return 1.0 / ctpn.median_ns; }
  double gb_per_second() const { return declared_bytes / ctpn.median_ns; }
  double eff() const { return triad.median_ns / ctpn.median_ns; }
};

const JsonFields<GpuProfile>& profile_fields();
nlohmann::ordered_json to_json(const GpuProfile& profile);

}  // namespace fdtd::cuda
