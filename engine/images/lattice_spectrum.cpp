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
constexpr int kernel_taps = 6;             // samples of the oversampled series
constexpr int kernel_steps = 2048;         // of the table, a sample
constexpr std::int64_t shell_taps = 1024;  // samples of a shell of images
// Less work than this is done before threads have begun.
constexpr std::int64_t few_samples = 20000, few_shells = 8;
const double kaiser_beta = std::numbers::pi * std::sqrt(kernel_taps * kernel_taps * 2.25 / 4.0 - 0.8);

// One of each of the points, side by side.
struct Points {
  alignas(64) std::array<double, lattice_points> real{}, imaginary{};
};

void multiply(Points& a, const Points& b) {
#pragma omp simd
  for (std::size_t k = 0; k < lattice_points; ++k) {
    const double real = a.real[k] * b.real[k] - a.imaginary[k] * b.imaginary[k];
    a.imaginary[k] = a.real[k] * b.imaginary[k] + a.imaginary[k] * b.real[k];
    a.real[k] = real;
  }
}

void square(Points& a) {
#pragma omp simd
  for (std::size_t k = 0; k < lattice_points; ++k) {
    const double real = (a.real[k] - a.imaginary[k]) * (a.real[k] + a.imaginary[k]);
    a.imaginary[k] = 2.0 * a.real[k] * a.imaginary[k];
    a.real[k] = real;
  }
}

// A wall: R = (x - y)/(x + y) = (x^2 - |y|^2 - 2 i x b)/((x + g)^2 + b^2), y = g + i b, times sqrt(1 - s).
struct Wall {
  alignas(64) std::array<double, lattice_points> real{}, imaginary{}, norm{}, kept{};

  Points reflection(double cosine) const {
    const double x = std::max(cosine, 1e-12);  // a rigid wall reflects all at grazing incidence, too
    Points result;
#pragma omp simd
    for (std::size_t k = 0; k < lattice_points; ++k) {
      const double sum = x + real[k];
      const double scale = kept[k] / (sum * sum + imaginary[k] * imaginary[k]);
      result.real[k] = (x * x - norm[k]) * scale;
      result.imaginary[k] = -2.0 * x * imaginary[k] * scale;
    }
    return result;
  }
};

// Multiplies the amplitudes by those of all reflections at the two walls of an axis.
void reflect(Points& amplitude, const Wall& low, const Wall& high, std::int64_t index, double cosine) {
  if (index == 0) return;
  const std::int64_t number = std::abs(index);
  Points both = low.reflection(cosine);
  const Points at_high = high.reflection(cosine);
  if (number % 2 != 0) multiply(amplitude, index > 0 ? at_high : both);
  multiply(both, at_high);
  for (std::int64_t power = number / 2; power > 0; power /= 2) {
    if (power % 2 != 0) multiply(amplitude, both);
    if (power > 1) square(both);
  }
}

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

std::array<Wall, 6> walls_of(const PathMedium& medium, const std::array<double, lattice_points>& frequencies) {
  std::array<Wall, 6> walls;
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

class ShellSum {
 public:
  ShellSum(const BoxPair& box, const PathMedium& medium, const LatticeBand& band,
           const std::function<double(const LatticeImage&)>& weight, double samples_a_metre)
      : box_(box), walls_(walls_of(medium, frequencies_of(band))), weight_(weight), samples_a_metre_(samples_a_metre) {}

  // Adds the images with from <= length < to.
  void add(double from, double to, Series& series) const {
    const std::int64_t first = first_tap(from), count = first_tap(to) + kernel_taps + 1 - first;
    std::vector<Points> sums(static_cast<std::size_t>(count));
    visit_images(box_, from, to, [&](const LatticeImage& image) {
      Points amplitude;
      const double value = (weight_ ? weight_(image) : 1.0) / image.length;
      amplitude.real.fill(value);
      for (std::size_t axis = 0; axis < 3; ++axis)
        reflect(amplitude, walls_[2 * axis], walls_[2 * axis + 1], image.index[axis],
                std::abs(image.towards[axis]) / image.length);
      const double at = image.length * samples_a_metre_ - kernel_taps / 2.0;
      const double start = std::ceil(at);
      const std::array<double, kernel_taps> taps = table()(start - at);
      Points* sum = &sums[static_cast<std::size_t>(static_cast<std::int64_t>(start) - first)];
      for (std::size_t tap = 0; tap < kernel_taps; ++tap, ++sum) {
#pragma omp simd
        for (std::size_t k = 0; k < lattice_points; ++k) {
          sum->real[k] += taps[tap] * amplitude.real[k];
          sum->imaginary[k] += taps[tap] * amplitude.imaginary[k];
        }
      }
    });
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(((first + i) % series.length + series.length) % series.length);
      for (std::size_t k = 0; k < lattice_points; ++k) {
        series.real[k][at] += sums[static_cast<std::size_t>(i)].real[k];
        series.imaginary[k][at] += sums[static_cast<std::size_t>(i)].imaginary[k];
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
  std::array<Wall, 6> walls_;
  const std::function<double(const LatticeImage&)>& weight_;
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

}  // namespace

std::vector<std::complex<double>> lattice_spectrum(const BoxPair& box, double reach, const PathMedium& medium,
                                                   const SpectrumBins& bins, const LatticeBand& band,
                                                   const std::function<double(const LatticeImage&)>& weight) {
  const double samples_a_metre = oversampling * bins.rate / medium.sound_speed;
  Series series(oversampling * bins.length);
  if (reach * samples_a_metre + 2.0 * kernel_taps > static_cast<double>(series.length))
    throw std::invalid_argument("lattice_spectrum: the spectrum is too short for the delays of the images");
  const ShellSum shells(box, medium, band, weight, samples_a_metre);
  const double thickness = shell_taps / samples_a_metre;
  const auto number = static_cast<std::int64_t>(std::ceil(reach / thickness));
  ParallelFailure failure;
  // Shells next to each other share samples: first every other one, then those between. The largest are the last ones.
  for (std::int64_t last = number - 1; last >= std::max<std::int64_t>(0, number - 2); --last) {
#pragma omp parallel for schedule(dynamic) if (number > few_shells)
    for (std::int64_t shell = last; shell >= 0; shell -= 2)
      failure.guard([&] {
        const double from = static_cast<double>(shell) * thickness;
        shells.add(from, std::min(reach, static_cast<double>(shell + 1) * thickness), series);
      });
  }
  failure.rethrow();
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

}  // namespace fdtd
