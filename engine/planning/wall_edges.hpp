// What walls that take turns beside edges (walls/tap_owners.hpp) cost in accuracy.
//
// Within as many cells of an edge as walls read nodes, plane by plane one of the two walls is twice as large and the
// other is missing. To waves of more than four points a wavelength that is the mean of both; shorter ones of wave
// number k along the edge are scattered into pi/h - k, and decays become longer. Measured in boxes against exact modes
// (tests/physics/test_lossy_box.cpp), the relative error grows with the square of the mean absorption and of the share
// of the area that lies so near to edges:
//   reverberation times, 26 x 21 x 17, 36 x 29 x 24 and 52 x 42 x 34 cells, eight nodes, mean absorption 0.38: 1.25,
//   1.15 and 1.08 times the exact; 33 points with a radial map 1.5, 1.45 and 1.3; mean absorption 0.18: within 6 %,
//   with the radial map 1.2 to 1.4 in the smallest box.
#pragma once

#include <vector>

#include "engine/materials/absorption.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The share of the area of a box's walls with losses that lies within `reach` m of an edge between two of them; 1 at
// most. Of a mesh 0: its edges are not known before it is voxelised.
double edge_share(const Room& room, const std::vector<MaterialFit>& fits, double reach);

// Relative error of decays at waves of less than four points a wavelength, at `frequency` (Hz), for walls that read
// `taps` nodes, `spacing` m apart. `radial`: the stencil has a radial map.
double edge_error(const Room& room, const std::vector<MaterialFit>& fits, double frequency, int taps, double spacing,
                  bool radial);

}  // namespace fdtd
