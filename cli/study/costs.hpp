// The cost of an accuracy with each stencil: seconds of computing for a second of sound in a room, on the grid that all
// limits of its accuracy need (engine/profiling/stencil_cost.hpp), from the measured time per node and what walls add to
// it by the cost table (engine/planning/costs/wall_work.hpp).
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/study/families.hpp"
#include "cli/study/profile_options.hpp"
#include "engine/devices/device_class.hpp"
#include "engine/files/json_fields.hpp"
#include "engine/reports/plot.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cli {

// The cost of one variant at one dispersion error.
struct Cost {
  const Stencil* stencil = nullptr;
  double ctpn_ns = 0.0;
  double seconds = std::numeric_limits<double>::infinity();           // on the grid that all limits need
  double wall_seconds = 0.0;                                          // of these, what walls take
  double interior_seconds = std::numeric_limits<double>::infinity();  // without walls, on the interior's grid
  std::string limited_by;                                             // StencilCost::limited_by
  std::vector<std::string> missed;                                    // StencilCost::missed
  bool usable = false;  // misses nothing but transducers, as "auto" counts
};

struct FamilyCosts {
  double error = 0.0;  // of the phase velocity
  std::string family;
  std::vector<Cost> ranked;  // usable ones first, then by seconds; without variants that miss the error
};

struct CostTable {
  std::string room;            // in words
  double volume = 0.0;         // m^3
  double max_frequency = 0.0;  // Hz
  std::vector<FamilyCosts> rows;
};

// The scene whose costs `command` compares; without one a cube of 100 m^3 up to 1 kHz with walls of plasterboard, and a
// source and a receiver of pressure. Throws SceneError, and Error(scene) for a scene without max_frequency.
Scene cost_scene(const BenchCommand& command);

// Where times per node are of.
struct TimedOn {
  DeviceClass device = DeviceClass::cpu_baseline;
  Precision precision = Precision::f32;  // of the first
};
// By the document of `fdtd bench --json`: a GPU of 9.0 or higher where a kernel uses its bulk tensor copies, a CPU by
// the instruction set of its kernels.
TimedOn timed_on(const nlohmann::ordered_json& document);

// A second of sound of one source.
CostTable costs(const std::vector<FamilyProfile>& list, const std::vector<double>& errors, const Scene& scene,
                const TimedOn& on);

// "volume", "max_frequency" and "costs" of a document.
const JsonFields<CostTable>& cost_fields();
Plot cost_plot(const CostTable& table);
std::string cost_tables(const CostTable& table);  // HTML
void print_costs(const CostTable& table);
// Throws Error(scene) for values that are not a dispersion error.
void check_errors(const std::vector<double>& errors);

}  // namespace fdtd::cli
