// stencil = "auto": the stencil that needs the least time on a device for the requested frequency and error.
//
// Seconds = nodes x steps x CTPN x what walls add to a step (costs/wall_work.hpp). For a cubic metre and a second of
// sound up to f, nodes x steps = c (2 f/c)^4 W with W = 1/(lambda beta^4), beta the usable fraction of the wavenumber
// radius at the requested error (docs/explanation/stencils.md, section 2). CTPN and walls are those of the shipped table
// (costs/cost_table.hpp): a decision from the scene and the class of the device alone, the same on every machine of
// that class. Only where the user requests it are the candidates' CTPN measured on this machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/devices/device_class.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct AutoStencil {
  Stencil stencil;
  std::vector<std::string> remarks;  // the choice, the cost of the next best, and what a mesh leaves out
};

// CTPN of a stencil in ns.
using MeasureCtpn = std::function<double(const Stencil&, Precision)>;

// The stencils whose plans do not reach max_frequency.
struct LeftOut {
  std::vector<std::string> members;  // of families, with all their variants
  bool whole_voxels = false;         // all that have cut voxels whole (knows_cut_voxels)
};

// Stencils that cannot reach the requested error, whose grids displace the walls of the box by more, or to which walls
// that cut voxels are right on no grid in reach (geometry_reachable), are not candidates. With grid_spacing instead of max_frequency the one with the highest valid bandwidth for its computing
// time wins. `measure`: decides between the first candidates of the table instead of it; the remark then states what it
// returned. Throws Error(scene) when no stencil of the catalogue reaches the requested error.
AutoStencil cheapest_stencil(const Scene& scene, DeviceClass device, const MeasureCtpn& measure = {},
                             const LeftOut& left_out = {});

// Computing seconds for one second of sound in a cubic metre up to `frequency` (Hz) with phase-velocity error
// `tolerance`, on a grid as coarse as that allows; infinity when the stencil does not reach it.
double seconds_per_cubic_metre(const Stencil& stencil, double ctpn_ns, double frequency, double tolerance,
                               double sound_speed);

}  // namespace fdtd
