// stencil = "auto": the stencil whose plan costs least for the asked frequency and error.
#pragma once

#include <string>
#include <vector>

#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct AutoStencil {
  Stencil stencil;
  std::vector<std::string> remarks;
};

// Throws Error(scene) when no stencil of the catalogue reaches the asked error.
AutoStencil cheapest_stencil(const Scene& scene);

}  // namespace fdtd
