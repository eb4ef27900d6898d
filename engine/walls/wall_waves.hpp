// Plane waves before a wall, by which its taps and branches are fitted and judged: for wavelengths from very long ones
// to the shortest of a scene, at angles of incidence up to 75 degrees.
//
// A room's reverberation shows the decay of its modes. A mode has the wave vector that theory gives it, and so
// here have the waves: `omega` is the grid's frequency of the wave vector, whatever the dispersion. Its decay a step is
// proportional to Y_d(omega) b(k)^2, with Y_d the wall's admittance and b(k) what the taps read of the wave; theory's
// decay a second is proportional to Y, for the same wave. Where rendering undoes a map of frequencies
// (stencils/frequency_map.hpp) it stretches time by the map's slope, `stretch`: 1 / cos(omega / 2) for the error of the
// time difference. Hence the wall absorbs what it should when Y_d b(k)^2 = stretch Y.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct WallWave {
  double truth = 0.0;                  // omega T of the wave in air
  double cosine = 1.0;                 // of incidence
  double points = 0.0;                 // of a wavelength along the wall's axis
  double omega = 0.0;                  // of the grid, radians a step
  double k = 0.0;                      // along the normal, radians a cell
  std::array<double, 2> transverse{};  // along the two other axes, in their order
  double stretch = 1.0;
  std::complex<double> load{1.0, 0.0};  // of the half-space on the wall: b(k)^2 / (stretch cosine) + i reactance
};

// The frequency omega T whose waves have four points along the axes of `stencil`: how far walls are fitted when nothing
// is known of a scene's frequencies.
double four_points(const GridStencil& stencil);

// Waves up to `highest` (omega T in air) before walls across `axis`, by ascending frequency. None across an axis of one
// cell.
std::vector<WallWave> wall_waves(const GridStencil& stencil, int axis, const FrequencyMap& map, double highest);

// Fills `load` for a wall that reads `taps`; removes waves that the grid does not carry.
void load_waves(std::vector<WallWave>& waves, const GridStencil& stencil, int axis, std::span<const double> taps);

// Fills `load` as of a wall that reads the pressure in its plane through the inertance of half a cell: for laws that
// read one node, wherever it is. Their nodes stand in corners and at oblique walls, at any distance from them.
void load_waves_at_wall(std::vector<WallWave>& waves, double courant);

// b(k): the fraction of a wave's pressure at the wall that the taps read.
double reading(std::span<const double> taps, double k);

}  // namespace fdtd
