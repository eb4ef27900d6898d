// Sets of weights whose symbol is nearly a function of |k| alone, for rendering by a map of frequencies
// (frequency_map.hpp): what is the same in all directions is undone exactly, so that the weights serve the rest alone.
#pragma once

#include <string>
#include <vector>

namespace fdtd {

enum class Family;
struct GridStencil;
struct Shell;
struct Stencil;  // stencil.hpp

// The sets of a member ("compact-4"); `shells` in the order of its other sets. None for most members.
std::vector<Stencil> radial_stencils(const std::string& member, Family family, const std::vector<Shell>& shells);

// The largest Courant number at which a radial set has the certificate over all masks (all_mask.hpp); 0: none is known,
// as of sets of radius 3 and more. It holds at every lower one: S is then a mean of what it is here and of 2.
double certified_courant(const Stencil& stencil);

// Whether these are the weights of a radial set, at any Courant number and as doubles or floats have them.
bool has_radial_weights(const GridStencil& stencil);

}  // namespace fdtd
