// The nodes from which a wall reads the pressure in its plane. A node lies half a cell in front of the wall, and a wave
// of wave number k along the normal is smaller there by cos(k/2): a wall that reads only the last node absorbs half of
// what it should at 4 points per wavelength at normal incidence, and the error depends on the angle, so that no change
// of its impedance corrects it. A wall that reads b_0 u_0 + b_1 u_1 + b_2 u_2, the pressure extrapolated to its plane,
// and acts back on the nodes with the same weights, absorbs correctly at every angle; it is passive and stable for any
// b, since the energy that it absorbs is that of b^T u.
#pragma once

#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

struct WallTaps {
  std::vector<double> taps;  // b, sum 1
  double inertance = 0.0;    // in steps: moves the wall's plane so that it balances the reactance of the half-space
  double worst =
      0.0;  // largest |ln(absorbed / theory)| of a weakly absorbing wall over the angles and frequencies below
};

// Shortest wave for which taps are fitted, in points per wavelength.
inline constexpr double min_points_a_wavelength = 4.0;

// Taps for walls across `axis`: three, or two where the third improves the fit by less than a fifth. With
// time-dispersion removal they are fitted at the frequencies that removal assigns to the grid's.
WallTaps make_wall_taps(const GridStencil& stencil, int axis, bool time_dispersion_removal);

// The same with `count` taps (1, 2 or 3): least squares over angles 0..60 degrees and wavelengths from 20 down to 4
// points.
WallTaps fit_wall_taps(const GridStencil& stencil, int axis, bool time_dispersion_removal, int count);

}  // namespace fdtd
