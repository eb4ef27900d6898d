// Where a wall reads the pressure. A node lies half a cell before the wall, and a wave of wave number k along the
// normal is smaller there by cos(k/2): a wall that reads the last node alone absorbs half of what it should at 4 points
// a wavelength in normal incidence, and the error depends on the angle, so that no choice of its impedance can mend it.
// A wall that reads b_0 u_0 + b_1 u_1 + b_2 u_2, the pressure extrapolated to its plane, and acts back on the nodes
// with the same weights, absorbs what it should at every angle; it stays passive and stable whatever b, since the
// energy it takes is that of b^T u.
#pragma once

#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

struct WallTaps {
  std::vector<double> taps;  // b, sum 1
  double inertance = 0.0;    // in steps: moves the wall's plane to where the reactance of the half-space is balanced
  double worst =
      0.0;  // largest |ln(absorbed / theory)| of a weakly absorbing wall over the angles and frequencies below
};

// Finest wave that the reading is made for, in points a wavelength.
inline constexpr double min_points_a_wavelength = 4.0;

// The reading for walls across `axis`: three taps, or two where the third gains less than a fifth. With time-dispersion
// removal, for the frequencies that removal makes of the grid's.
WallTaps make_wall_taps(const GridStencil& stencil, int axis, bool time_dispersion_removal);

// The same with `count` taps (1, 2 or 3): least squares over angles 0..60 degrees and wavelengths from 20 down to 4
// points.
WallTaps fit_wall_taps(const GridStencil& stencil, int axis, bool time_dispersion_removal, int count);

}  // namespace fdtd
