// The radiation of a measured source, which engine/directivity reads, in the axes of the scene.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace fdtd {

// Real spherical harmonics, ACN and SN3D, of the pressure on a sphere about the source, relative to that on its axis and
// without the delay of the way. Between frequencies the values are linear over the logarithm of frequency; beyond the
// first and the last they stay.
struct Balloon {
  struct Octave {
    double centre = 0.0;    // Hz
    double left_out = 0.0;  // the fraction of the energy over the sphere that the harmonics leave out
  };
  std::string kind;                             // "FreeFieldDirectivityTF", "table"
  int order = 0;                                // of the harmonics that radiate as waves
  double distance = 2.0;                        // m, of the sphere
  std::size_t directions = 0;                   // that were measured
  double widest_gap = 0.0;                      // degrees from a point of the sphere to the nearest of them
  std::vector<double> frequencies;              // Hz, above 0, increasing
  std::vector<std::complex<double>> harmonics;  // [frequency][acn]
  std::vector<Octave> octaves;                  // that the file covers

  std::size_t count() const { return static_cast<std::size_t>((order + 1) * (order + 1)); }

  // Of the energy relative to that on the axis, by octave: real harmonics of this order, for geometry.
  int energy_order = 0;
  std::vector<double> energy_centres;       // Hz
  std::vector<std::vector<double>> energy;  // [octave][acn]
};

}  // namespace fdtd
