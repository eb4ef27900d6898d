// The sound of specular paths as a spectrum: the sum over paths of
//   w R_1 sqrt(1 - s_1) R_2 sqrt(1 - s_2) ... exp(-m r / 2) / r exp(-2 pi i f r / c),
// R the reflection of the wall's law at the angle of incidence, s its scattering, m the attenuation of energy by air;
// of a path by an edge, its factor instead (edge_diffraction.hpp), R of its faces in the terms of reflected sound.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/images/specular_path.hpp"
#include "engine/materials/wide_law.hpp"

namespace fdtd {

struct PathMedium {
  double sound_speed = 343.2;            // m/s
  std::vector<WideLaw> laws;             // by material
  std::vector<std::uint16_t> materials;  // by facet
  // The fraction of the reflected energy that is scattered, 0 to 1; empty: none is.
  std::function<double(std::uint32_t facet, double frequency)> scattering;
  std::function<double(double frequency)> air;  // attenuation of energy, 1/m; empty: there is none
};

// The factors of a path but its weight and its delay, at given frequencies (Hz, above 0).
class PathAmplitudes {
 public:
  // Of `paths` alone.
  PathAmplitudes(const PathMedium& medium, std::vector<double> frequencies, std::span<const SpecularPath> paths);
  std::vector<std::complex<double>> operator()(const SpecularPath& path) const;

 private:
  void bend(const EdgeBend& edge, std::vector<std::complex<double>>& values) const;

  const PathMedium& medium_;
  std::vector<double> frequencies_;
  std::vector<std::vector<std::complex<double>>> admittances_;  // by material, then frequency
  std::vector<std::uint32_t> facets_;                           // of the paths, in order
  std::vector<std::vector<double>> kept_;                       // sqrt(1 - s) of each by frequency; empty: 1
  std::vector<double> air_;                                     // by frequency
};

// The bins k rate / length of a real FFT, k = 0..length / 2.
struct SpectrumBins {
  double rate = 48000.0;  // Hz
  std::int64_t length = 0;
};

// At all bins. `weights`: w of each path (what the patterns of source and receiver say); empty: 1. Delays are exact;
// the other factors are linear in frequency between points a 48th of an octave apart, or 8 bins where that is more. The
// same bytes for any number of threads.
std::vector<std::complex<double>> path_spectrum(std::span<const SpecularPath> paths, std::span<const double> weights,
                                                const PathMedium& medium, const SpectrumBins& bins);

}  // namespace fdtd
