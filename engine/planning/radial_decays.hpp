// What is measured of decays on grids with a radial map (stencils/frequency_map.hpp), and not explained.
//
// At waves of less than four points a wavelength decays of small, absorbing boxes deviate from the exact ones although
// each wall alone absorbs what it should within 5 %: six walls of a mean absorption of 0.38 in 26 x 21 x 17 cells decay
// in 1.16 (compact-4/radial1), 1.13 (compact-3/radial1), 1.04 (box-222/radial1) and 1.38 times the exact time
// (box-222/radial03); a uniform absorption of 0.2 there in 0.93 (compact-4/radial1). Three stencils
// without such a map (leggy-4/warp1, leggy-8/warp03, compact-9/opt1) are within 3 % on the same grids. So the planner
// counts an error for radial maps alone, an empirical one, above those measured in this room: ten times the square of the mean absorption times the share of the area of walls with
// losses within as many cells of an edge as walls read nodes. It makes such grids finer in such rooms.
#pragma once

#include <vector>

#include "engine/materials/absorption.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The share of the area of a box's walls with losses that lies within `reach` m of an edge between two of them; 1 at
// most. Of a mesh 0: its edges are not known before it is voxelised.
double edge_share(const Room& room, const std::vector<MaterialFit>& fits, double reach);

// Relative error of decays at waves of less than four points a wavelength, at `frequency` (Hz), for walls that read
// `taps` nodes, `spacing` m apart, on a grid with a radial map. Of a mesh 0.
double radial_decay_error(const Room& room, const std::vector<MaterialFit>& fits, double frequency, int taps,
                          double spacing);

}  // namespace fdtd
