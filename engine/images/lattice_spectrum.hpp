// The sound of a box's lattice of image sources, millions of them, as a spectrum.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/images/lattice.hpp"
#include "engine/images/lattice_code.hpp"
#include "engine/images/path_spectrum.hpp"

namespace fdtd {

// Where the walls' amplitudes are evaluated: at lattice_points frequencies, evenly in their logarithm.
struct LatticeBand {
  double lowest = 88.0, highest = 22400.0;  // Hz; amplitudes are held beyond
};

// Bytes of the series of one of lattice_spectra(), and how many of them are made at once: one walk over the images
// serves as many as this memory holds, at least one.
std::int64_t lattice_bytes(const SpectrumBins& bins);
std::size_t spectra_a_walk(const SpectrumBins& bins, std::size_t count);

// The images of `box` nearer than `reach` (m). Facet i of `medium` is wall i, as reflections() counts them. `weight`:
// of each image (what the patterns of source and receiver say); empty: 1.
//
// Each image's amplitude, complex for reflections have a phase, is added at its delay to a series for each of the
// band's frequencies, on twice the rate and with a Kaiser-Bessel kernel, as in SpectrumSampler; the spectra of the
// series are interpolated linearly over the logarithm of frequency. Air attenuates all images of one delay alike: its
// filter follows, at all frequencies (attenuate). The same bytes for any number of threads. Throws
// std::invalid_argument for images whose delays the length of the spectrum does not hold.
std::vector<std::complex<double>> lattice_spectrum(const BoxPair& box, double reach, const PathMedium& medium,
                                                   const SpectrumBins& bins, const LatticeBand& band,
                                                   const std::function<double(const LatticeImage&)>& weight = {});

// The same of `count` weights of each image: `weights` writes them, and is called by several threads.
std::vector<std::vector<std::complex<double>>> lattice_spectra(
    const BoxPair& box, double reach, const PathMedium& medium, const SpectrumBins& bins, const LatticeBand& band,
    std::size_t count, const std::function<void(const LatticeImage&, std::span<double>)>& weights);

}  // namespace fdtd
