#include "engine/images/lattice_spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <stdexcept>

#include "base/math/attenuation.hpp"
#include "base/math/fourier.hpp"
#include "base/math/quadrature.hpp"
#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

constexpr int oversampling = 2;
constexpr int kernel_taps = lattice_taps;                   // samples of the oversampled series
constexpr int kernel_steps = 2048;                          // of the table, a sample
constexpr std::int64_t shell_taps = 1024;                   // samples of a shell of images
constexpr std::int64_t walk_bytes = std::int64_t{1} << 30;  // of the series of one walk
// Less work than this is done before threads have begun.
constexpr std::int64_t few_samples = 20000, few_shells = 8;
const double kaiser_beta = std::numbers::pi * std::sqrt(kernel_taps * kernel_taps * 2.25 / 4.0 - 0.8);

// The values of the kernel at kernel_taps samples, by the place of the first one: kernel_taps / 2 to one less before
// the image.
class TapTable {
 public:
  TapTable() {
    for (std::size_t i = 0; i < values_.size(); ++i)
      for (std::size_t tap = 0; tap < kernel_taps; ++tap) {
        const double t = static_cast<double>(i) / kernel_steps + static_cast<double>(tap) - kernel_taps / 2.0;
        const double inside = 1.0 - 4.0 * t * t / (kernel_taps * kernel_taps);
        values_[i][tap] = inside < 0.0 ? 0.0 : bessel_i0(kaiser_beta * std::sqrt(inside));
      }
  }
  // `after`: of the first sample after image - kernel_taps / 2, 0 to 1.
  std::array<double, kernel_taps> operator()(double after) const {
    const double x = after * kernel_steps;
    const auto i = std::min(static_cast<std::size_t>(x), static_cast<std::size_t>(kernel_steps - 1));
    const double t = x - static_cast<double>(i);
    std::array<double, kernel_taps> result{};
    for (std::size_t tap = 0; tap < kernel_taps; ++tap)
      result[tap] = values_[i][tap] + t * (values_[i + 1][tap] - values_[i][tap]);
    return result;
  }

 private:
  std::array<std::array<double, kernel_taps>, kernel_steps + 1> values_{};
};

// Of the kernel, at xi cycles a sample.
double tap_transform(double xi) {
  const double a = std::numbers::pi * kernel_taps * xi;
  const double root = std::sqrt(kaiser_beta * kaiser_beta - a * a);
  return kernel_taps * std::sinh(root) / root;
}

std::array<double, lattice_points> frequencies_of(const LatticeBand& band) {
  std::array<double, lattice_points> frequencies{};
  const double step = std::log(band.highest / band.lowest) / (lattice_points - 1.0);
  for (std::size_t k = 0; k < lattice_points; ++k)
    frequencies[k] = band.lowest * std::exp(step * static_cast<double>(k));
  return frequencies;
}

std::array<LatticeWall, 6> walls_of(const PathMedium& medium, const std::array<double, lattice_points>& frequencies) {
  std::array<LatticeWall, 6> walls;
  for (std::uint32_t w = 0; w < walls.size(); ++w)
    for (std::size_t k = 0; k < lattice_points; ++k) {
      const std::complex<double> y = medium.laws[medium.materials[w]].admittance(frequencies[k]);
      const double s = medium.scattering ? medium.scattering(w, frequencies[k]) : 0.0;
      walls[w].real[k] = y.real();
      walls[w].imaginary[k] = y.imag();
      walls[w].norm[k] = std::norm(y);
      walls[w].kept[k] = std::sqrt(std::max(0.0, 1.0 - s));
    }
  return walls;
}

// Two series, real and imaginary parts, for each of the band's frequencies.
struct Series {
  explicit Series(std::int64_t samples) : length(samples) {
    for (auto& one : real) one.assign(static_cast<std::size_t>(samples), 0.0);
    imaginary = real;
  }
  std::int64_t length = 0;
  std::array<std::vector<double>, lattice_points> real, imaginary;
};

using Weights = std::function<void(const LatticeImage&, std::span<double>)>;

class ShellSum {
 public:
  // `count` weights of each image, the first ones of `all`; without `weights`: one of 1.
  ShellSum(const BoxPair& box, const PathMedium& medium, const LatticeBand& band, const Weights& weights,
           std::size_t all, double samples_a_metre)
      : box_(box),
        walls_(walls_of(medium, frequencies_of(band))),
        weights_(weights),
        all_(all),
        samples_a_metre_(samples_a_metre) {}

  // Adds the images with from <= length < to, with the weights from `first` on, to a series each.
  void add(double from, double to, std::size_t first, std::span<Series> series) const {
    const LatticeCode& code = lattice_code();
    const std::int64_t start_tap = first_tap(from), count = first_tap(to) + kernel_taps + 1 - start_tap;
    std::vector<std::vector<LatticePoints>> sums(series.size(),
                                                 std::vector<LatticePoints>(static_cast<std::size_t>(count)));
    std::vector<double> weights(all_, 1.0);
    visit_images(box_, from, to, [&](const LatticeImage& image) {
      std::array<double, 3> cosines{};
      for (std::size_t axis = 0; axis < 3; ++axis) cosines[axis] = std::abs(image.towards[axis]) / image.length;
      LatticePoints amplitude;
      code.reflect(walls_.data(), image.index.data(), cosines.data(), 1.0 / image.length, &amplitude);
      if (weights_) weights_(image, weights);
      const double at = image.length * samples_a_metre_ - kernel_taps / 2.0;
      const double start = std::ceil(at);
      const std::array<double, kernel_taps> taps = table()(start - at);
      const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(start) - start_tap);
      for (std::size_t i = 0; i < series.size(); ++i)
        if (weights[first + i] != 0.0) code.add(&amplitude, weights[first + i], taps.data(), &sums[i][place]);
    });
    for (std::size_t s = 0; s < series.size(); ++s)
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t length = series[s].length;
        const auto at = static_cast<std::size_t>(((start_tap + i) % length + length) % length);
        const LatticePoints& sum = sums[s][static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < lattice_points; ++k) {
          series[s].real[k][at] += sum.real[k];
          series[s].imaginary[k][at] += sum.imaginary[k];
        }
      }
  }

 private:
  static const TapTable& table() {
    static const TapTable one;
    return one;
  }
  std::int64_t first_tap(double length) const {
    return static_cast<std::int64_t>(std::ceil(length * samples_a_metre_ - kernel_taps / 2.0));
  }

  const BoxPair& box_;
  std::array<LatticeWall, 6> walls_;
  const Weights& weights_;
  std::size_t all_ = 1;
  double samples_a_metre_;
};

// Adds the spectra of every other point, from `first` on: no two of them share a bin.
void add_spectra(const Series& series, std::size_t first, const SpectrumBins& bins, const LatticeBand& band,
                 std::vector<std::complex<double>>& spectrum) {
  const std::array<double, lattice_points> frequencies = frequencies_of(band);
  const double step = std::log(frequencies[1] / frequencies[0]);
  const double width = bins.rate / static_cast<double>(bins.length);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (series.length > few_samples)
  for (std::size_t k = first; k < lattice_points; k += 2)
    failure.guard([&] {
      const auto real = real_fft(series.real[k], series.length);
      const auto imaginary = real_fft(series.imaginary[k], series.length);
      // Between the points beside this one, and two bins more, where the weight is 0.
      const auto bin_of = [&](double f) { return static_cast<std::size_t>(f / width); };
      const std::size_t below = k == 0 ? 0 : bin_of(frequencies[k - 1]);
      const std::size_t begin = below - std::min<std::size_t>(2, below);
      const std::size_t end =
          k + 1 == lattice_points ? spectrum.size() : std::min(spectrum.size(), bin_of(frequencies[k + 1]) + 2);
      for (std::size_t bin = begin; bin < end; ++bin) {
        const double f = width * static_cast<double>(bin);
        double x = f > 0.0 ? std::log(f / frequencies[k]) / step : -1e9;
        if ((k == 0 && x < 0.0) || (k + 1 == lattice_points && x > 0.0)) x = 0.0;  // held
        if (std::abs(x) >= 1.0) continue;
        const std::complex<double> sum(real[bin].real() - imaginary[bin].imag(),
                                       real[bin].imag() + imaginary[bin].real());
        spectrum[bin] += (1.0 - std::abs(x)) * sum;
      }
    });
  failure.rethrow();
}

// Of the series of all images.
std::vector<std::complex<double>> spectrum_of(const Series& series, const PathMedium& medium, const SpectrumBins& bins,
                                              const LatticeBand& band) {
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(bins.length / 2 + 1));
  add_spectra(series, 0, bins, band, spectrum);
  add_spectra(series, 1, bins, band, spectrum);
  for (std::size_t bin = 0; bin < spectrum.size(); ++bin)
    spectrum[bin] /= tap_transform(static_cast<double>(bin) / static_cast<double>(series.length));
  if (!medium.air) return spectrum;
  std::vector<double> response = inverse_real_fft(spectrum, bins.length);
  attenuate(response, bins.rate, [&](double frequency) { return 0.5 * medium.air(frequency) * medium.sound_speed; });
  return real_fft(response, bins.length);
}

// Of the images nearer than `reach`, with the weights from `first` on.
std::vector<Series> walked(const ShellSum& shells, double reach, double samples_a_metre, std::size_t first,
                           std::size_t count, std::int64_t samples) {
  std::vector<Series> series(count, Series(samples));
  const double thickness = shell_taps / samples_a_metre;
  const auto number = static_cast<std::int64_t>(std::ceil(reach / thickness));
  ParallelFailure failure;
  // Shells next to each other share samples: first every other one, then those between. The largest are the last ones.
  for (std::int64_t last = number - 1; last >= std::max<std::int64_t>(0, number - 2); --last) {
#pragma omp parallel for schedule(dynamic) if (number > few_shells)
    for (std::int64_t shell = last; shell >= 0; shell -= 2)
      failure.guard([&] {
        const double from = static_cast<double>(shell) * thickness;
        shells.add(from, std::min(reach, static_cast<double>(shell + 1) * thickness), first, series);
      });
  }
  failure.rethrow();
  return series;
}

}  // namespace

std::int64_t lattice_bytes(const SpectrumBins& bins) {
  return static_cast<std::int64_t>(2 * lattice_points * sizeof(double)) * oversampling * bins.length;
}

std::size_t spectra_a_walk(const SpectrumBins& bins, std::size_t count) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(walk_bytes / std::max<std::int64_t>(1, lattice_bytes(bins))),
                                 1, std::max<std::size_t>(1, count));
}

std::vector<std::vector<std::complex<double>>> lattice_spectra(
    const BoxPair& box, double reach, const PathMedium& medium, const SpectrumBins& bins, const LatticeBand& band,
    std::size_t count, const std::function<void(const LatticeImage&, std::span<double>)>& weights) {
  const double samples_a_metre = oversampling * bins.rate / medium.sound_speed;
  const std::int64_t samples = oversampling * bins.length;
  if (reach * samples_a_metre + 2.0 * kernel_taps > static_cast<double>(samples))
    throw std::invalid_argument("lattice_spectrum: the spectrum is too short for the delays of the images");
  const ShellSum shells(box, medium, band, weights, count, samples_a_metre);
  std::vector<std::vector<std::complex<double>>> spectra;
  const std::size_t at_once = spectra_a_walk(bins, count);
  for (std::size_t first = 0; first < count; first += at_once)
    for (const Series& series :
         walked(shells, reach, samples_a_metre, first, std::min(at_once, count - first), samples))
      spectra.push_back(spectrum_of(series, medium, bins, band));
  return spectra;
}

std::vector<std::complex<double>> lattice_spectrum(const BoxPair& box, double reach, const PathMedium& medium,
                                                   const SpectrumBins& bins, const LatticeBand& band,
                                                   const std::function<double(const LatticeImage&)>& weight) {
  Weights one;
  if (weight) one = [&](const LatticeImage& image, std::span<double> weights) { weights[0] = weight(image); };
  return lattice_spectra(box, reach, medium, bins, band, 1, one)[0];
}

}  // namespace fdtd
