// The amplitudes of a source by direction, as factors that hold for all frequencies: one for a pattern, one for each octave of a
// measured directivity. Spectra are computed with each and added up, each with its share at each frequency.
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "engine/above/places.hpp"
#include "engine/images/path_spectrum.hpp"
#include "engine/rays/trace.hpp"

namespace fdtd {

class EmittedOctaves {
 public:
  // `source` must outlive it. Octaves below `lowest` Hz are left out.
  EmittedOctaves(const AbovePlace::Output& source, double lowest);
  std::size_t count() const { return balloon_ ? balloon_->octaves() : 1; }
  // values[octave].
  void operator()(const std::array<double, 3>& direction, std::span<double> values) const;
  // Of `count()` spectra.
  std::vector<std::complex<double>> sum(std::vector<std::vector<std::complex<double>>> spectra,
                                        const SpectrumBins& bins) const;

 private:
  const AbovePlace::Output& source_;
  std::optional<BalloonAmplitudes> balloon_;
};

// The same for rays of octaves with these centres, Hz; empty: omnidirectional. `output` must outlive it.
RayEmission ray_emission(const AbovePlace::Output& output, std::vector<double> centres, double lowest);

}  // namespace fdtd
