// By how much walls that no grid fits are wrong, stencil by stencil: shipped figures, by which grids are made.
//
// Waves between oblique planes on the program's own operator (bench/oblique_study.hpp), at the Courant number at which it
// runs beside them:
//   decays: error over the exact decay, to first order in a real admittance; of each pair of planes the mean over angles,
//     with or without grazing waves, whichever is worse; over planes of eight normals and several places in the grid the
//     mean square, or the largest over the root of 2 where that is more.
//   shift: error of frequencies beyond the interior's, times V / (h S): by e h S / V a mode of a room is off.
// T20 of boxes turned about one and two axes is within them (docs/explanation/validation.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "stencils/stencil.hpp"

namespace fdtd {

inline constexpr std::array<double, 28> oblique_points = {
    2.25, 2.375, 2.5,  2.625, 2.75, 2.875, 3.0, 3.125, 3.25, 3.375, 3.5, 3.625, 3.75, 3.875,
    4.0,  4.125, 4.25, 4.375, 4.5,  4.75,  5.0, 5.5,   6.0,  7.0,   8.0, 12.0,  16.0, 24.0};

// In units of 1e-4, for each of `oblique_points`, nodes a wavelength: the largest error from there on, falling a little.
struct ObliqueRow {
  std::string_view stencils;  // names of the catalogue, with blanks between them
  double courant;             // at which it was measured
  std::array<std::uint16_t, oblique_points.size()> decay, shift;
};

// oblique_errors_data.cpp holds the figures; bench/oblique_table.py writes it from measurements.
std::span<const ObliqueRow> oblique_rows();

// Null for weights of a file, for stencils of whole voxels, and above the Courant number of the row: near the limit of
// leggy stencils waves crowd beside oblique walls.
const ObliqueRow* find_oblique_row(const Stencil& stencil);

// Between the points by powers of their number. Below them errors are taken to fall with the fourth power of the points,
// above them decays with the first and shifts with the root.
double oblique_decay(const ObliqueRow& row, double points);
double oblique_shift(const ObliqueRow& row, double points);

}  // namespace fdtd
