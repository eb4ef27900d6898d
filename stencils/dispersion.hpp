// Dispersion of a stencil: its symbol, the bounds of the symbol, and the phase velocity of plane waves.
//
// A plane wave exp(i (k.x - w n)) with k in radians per cell and w = omega T satisfies 2 cos w = s(k), the symbol of
// S. Relative phase velocity: v = w / |lambda k| with (lambda k)_d = courant[d] * k[d] (so that |lambda k| = c
// |k_metres| T).
#pragma once

#include <array>

#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

using Vec3 = std::array<double, 3>;

double symbol(const GridStencil& stencil, const Vec3& k);  // s(k); k in radians per cell, |k_d| <= pi
Vec3 symbol_gradient(const GridStencil& stencil, const Vec3& k);
// Both, in the time of one and a half.
struct SymbolSlopes {
  double value = 0.0;
  Vec3 gradient{};
};
SymbolSlopes symbol_slopes(const GridStencil& stencil, const Vec3& k);

struct SymbolRange {
  double min = 0.0, max = 0.0;
  Vec3 at_min{}, at_max{};
};
// Exact to rounding over the whole Brillouin zone: for points on the axes alone axis by axis, else a scan of the
// irreducible wedge (the octant when the axes differ) refined by Newton at every local extremum of the scan.
SymbolRange symbol_range(const GridStencil& stencil);

// Largest Courant number at which K, scaled from `stencil.courant`, keeps -2 <= S <= 2. Throws std::invalid_argument
// when S exceeds 2 somewhere (no Courant number is stable then).
double courant_limit(const Stencil& stencil);

// v - 1 for the wave with wave vector k (radians per cell).
double phase_velocity_error(const GridStencil& stencil, const Vec3& k);

// In what follows omega T is the true frequency, after rendering has undone the map, and so is the error.

// Largest omega T such that in every direction there is a wave of that frequency, and every wave of it or below has
// |v - 1| <= tolerance (plus an allowance of a hundredth of the tolerance, 1e-4 at most, because minimax weights
// reach the tolerance that they are designed for). 0 when the stencil has short waves at frequency zero. Directions:
// a fan over the octant (the irreducible wedge when the axes are equal), radii are searched outward and refined; an
// axis of Courant number 0 has no waves. Takes a few milliseconds. Below `enough` it may be any value from the exact one
// to there: the search ends with the first direction that says so.
double usable_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map = {}, double enough = 0.0);
// Worst |v - 1| over all directions and all frequencies up to omega (= omega T); infinity if some direction has no
// wave.
double worst_error(const GridStencil& stencil, double omega, const FrequencyMap& map = {});

// The slowest of the physical waves up to omega, in any direction: its group velocity on the grid over the speed of
// sound, both as the map has it at low frequencies. A record must be longer than the response by its inverse.
double slowest_group(const GridStencil& stencil, double omega, const FrequencyMap& map = {});

// Lowest omega T at which a wave other than the physical one exists: along every direction the physical branch ends at
// the symbol's first crest or at the zone's edge, where the group velocity vanishes, and every wave from there on has
// another wave number than the one that sound of its frequency has. Infinity without waves.
double second_branch(const GridStencil& stencil, const FrequencyMap& map = {});
// A low-pass between the highest frequency used and the second branch needs room: at least this ratio between the two.
inline constexpr double branch_margin = 1.05;
// The largest omega T at which results hold once they are rendered: usable_omega, but branch_margin below the second
// branch.
double rendered_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map = {});

// Fractions |k|h/pi of the wavenumber radius up to which |v - 1| <= tolerance, with the same allowance: worst over the
// directions, then along (1,0,0), (1,1,0), (1,1,1); 1 at most. By the map that the stencil is designed for.
std::array<double, 4> usable_fractions(const Stencil& stencil, double tolerance);

// Order of accuracy found from the weights: the largest even p such that s(k) = 2 cos(lambda |k|) + O(|k|^{p+2}), or
// with a map 2 - 4 sin^2(w/2) + O(|k|^{p+2}), w the map's; tested coefficient by coefficient to relative 1e-9.
int order_of_accuracy(const Stencil& stencil, const FrequencyMap& map);

}  // namespace fdtd
