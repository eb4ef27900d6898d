// The nodes from which a wall reads the pressure in its plane, half a cell behind its last node: q = b_0 u_0 + b_1 u_1 +
// ..., extrapolated along the normal. The wall acts back on these nodes with the same weights, and is passive and stable
// for any b. With them it absorbs nearly the same at every angle; the branches make up for the rest of the error
// (grid_fit.hpp). Derivation: docs/explanation/impedance.md, section 3.
#pragma once

#include <array>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

struct WallTaps {
  std::vector<double> taps{1.0};  // b, sum 1
  // Up to the wave number `edge` (radians a cell) along the normal, b(k)^2 of one frequency lies within exp(+-spread)
  // of its middle over the angles to 75 degrees.
  double spread = 0.0, edge = 0.0;
};

// Both backends hold so many nodes of a law: enough for 2.3 points a wavelength.
inline constexpr int max_wall_taps = 8;
// Where a wall that reads more than this has not room for them, it reads so many (tap_owners.hpp).
inline constexpr int few_wall_taps = 3;

// The requirements of a scene on taps.
struct TapNeed {
  double wall_error = 0.1;   // that absorption may have
  int most = max_wall_taps;  // that its walls have room for
};

// Taps for walls across `axis` and waves up to `highest` (omega T in air): as few as suffice, at most need.most. With
// an error of 0.1, 2 from 5.3 points a wavelength up, 3 from 3.3, 4 from 2.9, 5 from 2.6, 6 from 2.5, 7 from 2.4; more
// with a smaller one. Where the most do not suffice, they are made for the waves that
// they can read, and shorter ones are read as they come.
WallTaps make_wall_taps(const GridStencil& stencil, int axis, double highest, const TapNeed& need = {});

// The most nodes that two opposite walls of a room of so many cells can read without meeting, few_wall_taps to
// max_wall_taps; an axis of one cell does not count.
int room_for_taps(const std::array<int, 3>& cells);

// The same with `count` taps, at least 1.
WallTaps fit_wall_taps(const GridStencil& stencil, int axis, double highest, int count);

// The search for so many taps that read waves up to the wave number `edge` alike.
WallTaps search_wall_taps(double edge, int count);
// The shortest waves that so many taps, at least 2, read with a spread of 0.07, with which absorption can be right within
// a tenth at every angle: 4.0, 3.1, 2.7, 2.6, 2.4, 2.3 and 2.3 points a wavelength. The program knows their taps.
double readable_edge(int count);

}  // namespace fdtd
