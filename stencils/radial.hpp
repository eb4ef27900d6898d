// Sets of weights whose symbol is nearly a function of |k| alone, for rendering by a map of frequencies
// (frequency_map.hpp): what is the same in all directions is undone exactly, so that the weights serve the rest alone.
#pragma once

#include <string>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// The sets of a member ("compact-4"); `shells` in the order of its other sets. None for most members.
std::vector<Stencil> radial_stencils(const std::string& member, Family family, const std::vector<Shell>& shells);

}  // namespace fdtd
