// stencil = "auto": the stencil that takes the fewest seconds on a device for the asked frequency and error.
//
// Seconds = nodes x steps x CTPN. For a cubic metre and a second of sound up to f, nodes x steps = c (2 f/c)^4 W with
// W = 1/(lambda beta^4), beta the usable fraction of the wavenumber radius at the asked error (numerics: section 2). A model
// of CTPN picks the candidates, the measured CTPN (ctpn_cache.hpp) decides between them.
#pragma once

#include <string>
#include <vector>

#include "engine/profiling/ctpn_cache.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct AutoStencil {
  Stencil stencil;
  std::vector<std::string> remarks;  // what was taken, and what the runners-up would cost
};

// Stencils that cannot share the asked error or meet the walls of the box worse than it are not candidates. With
// grid_spacing instead of max_frequency, where accuracy is what differs, the highest valid bandwidth for the seconds wins.
// Throws Error(scene) when no stencil of the catalogue reaches the asked error.
AutoStencil cheapest_stencil(const Scene& scene, CtpnCache& cache);

// Computing seconds for one second of sound in a cubic metre up to `frequency` (Hz) with phase-velocity error `tolerance`,
// on a grid as coarse as that allows; infinity when the stencil does not reach it.
double seconds_per_cubic_metre(const Stencil& stencil, double ctpn_ns, double frequency, double tolerance,
                               double sound_speed);

}  // namespace fdtd
