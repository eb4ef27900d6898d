#include "base/math/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <unsupported/Eigen/FFT>

#include "base/error.hpp"
#include "base/math/quadrature.hpp"

namespace fdtd {

namespace {

constexpr std::int64_t longest_transform = std::int64_t{1} << 27;  // kissfft counts eighths of a turn in an int
constexpr int kernel_width = 16;                                   // bins of the oversampled grid
constexpr int kernel_reach = kernel_width / 2;
// Fessler's beta for oversampling 2: the first alias of the band of interest falls on the kernel's first zero.
const double kernel_beta = std::numbers::pi * std::sqrt(kernel_width * kernel_width * 2.25 / 4.0 - 0.8);

// Keeps the twiddle factors of a few lengths for the next transforms of this thread: they cost as much as a transform.
// A transform that fails leaves a plan half made, which the next one of its length would take for whole: none is kept
// then.
template <class Transform>
void with_half_spectrum_fft(std::int64_t length, const Transform& transform) {
  constexpr std::size_t max_lengths = 12;
  constexpr std::int64_t longest_kept = 1 << 20;
  thread_local Eigen::FFT<double> fft;
  thread_local std::vector<std::int64_t> kept;
  const auto forget = [&] {
    fft = {};
    kept.clear();
  };
  const bool known = std::find(kept.begin(), kept.end(), length) != kept.end();
  if (!known && (kept.size() == max_lengths || length > longest_kept || (!kept.empty() && kept.back() > longest_kept)))
    forget();
  try {
    if (!known) kept.push_back(length);
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    transform(fft);
  } catch (...) {
    forget();
    throw;
  }
}

// I0(beta sqrt(1 - (2t/W)^2)), t in bins.
double kernel(double t) {
  const double x = 2.0 * t / kernel_width;
  const double inside = 1.0 - x * x;
  return inside <= 0.0 ? 0.0 : bessel_i0(kernel_beta * std::sqrt(inside));
}

// The transform of the kernel at xi cycles per bin, |xi| <= 1/4, where the root is real.
double kernel_transform(double xi) {
  const double a = std::numbers::pi * kernel_width * xi;
  const double root = std::sqrt(kernel_beta * kernel_beta - a * a);
  return kernel_width * std::sinh(root) / root;
}

// A table of the kernel for cubic interpolation: a Bessel function for every frequency and bin would cost more than the
// transform. With 2^12 entries per bin the error of interpolation is below 1e-14 of the kernel's maximum.
class KernelTable {
 public:
  KernelTable() : values_(kernel_reach * steps + 4) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = kernel((static_cast<double>(i) - 1.0) / steps);
  }
  double operator()(double t) const {
    const double x = std::abs(t) * steps;
    if (x >= kernel_reach * steps) return 0.0;
    const auto i = static_cast<std::size_t>(x);
    const double f = x - static_cast<double>(i);
    const double* v = &values_[i];  // v[0] is one step before
    return -f * (f - 1) * (f - 2) / 6 * v[0] + (f + 1) * (f - 1) * (f - 2) / 2 * v[1] -
           (f + 1) * f * (f - 2) / 2 * v[2] + (f + 1) * f * (f - 1) / 6 * v[3];
  }

 private:
  static constexpr int steps = 4096;
  std::vector<double> values_;
};

}  // namespace

std::int64_t smooth_length(std::int64_t minimum) {
  for (std::int64_t n = std::max<std::int64_t>(4, (minimum + 3) / 4 * 4); n <= longest_transform; n += 4) {
    std::int64_t rest = n;
    for (const std::int64_t p : {2, 3, 5})
      while (rest % p == 0) rest /= p;
    if (rest == 1) return n;
  }
  throw Error(Status::resource,
              "a record of " + std::to_string(minimum) + " samples is too long to be transformed (at most 2^27)",
              "shorten the duration or lower the output rate");
}

std::vector<std::complex<double>> real_fft(std::span<const double> signal, std::int64_t length) {
  std::vector<double> padded(signal.begin(), signal.end());
  padded.resize(static_cast<std::size_t>(length), 0.0);
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(length / 2 + 1));
  with_half_spectrum_fft(length, [&](auto& fft) { fft.fwd(spectrum.data(), padded.data(), length); });
  return spectrum;
}

std::vector<double> inverse_real_fft(std::span<const std::complex<double>> spectrum, std::int64_t length) {
  std::vector<double> signal(static_cast<std::size_t>(length));
  with_half_spectrum_fft(length, [&](auto& fft) { fft.inv(signal.data(), spectrum.data(), length); });
  return signal;
}

std::vector<std::complex<double>> transposed_inverse_real_fft(std::span<const double> by_signal, std::int64_t length) {
  auto by_spectrum = real_fft(by_signal, length);
  const double scale = 1.0 / static_cast<double>(length);
  for (std::size_t k = 0; k < by_spectrum.size(); ++k)  // each bin but the first and the last stands for two
    by_spectrum[k] *= k == 0 || k + 1 == by_spectrum.size() ? scale : 2.0 * scale;
  return by_spectrum;
}

SpectrumSampler::SpectrumSampler(std::int64_t samples, std::vector<double> frequencies)
    : samples_(samples),
      length_(smooth_length(2 * std::max<std::int64_t>(samples, 2 * kernel_width))),
      frequencies_(std::move(frequencies)) {
  // Samples are counted from the middle of the record, so that positions stay within a quarter of the grid's length.
  compensation_.resize(static_cast<std::size_t>(samples_));
  const double length = static_cast<double>(length_);
  const std::int64_t middle = samples_ / 2;
  for (std::int64_t n = 0; n < samples_; ++n)
    compensation_[static_cast<std::size_t>(n)] = 1.0 / kernel_transform(static_cast<double>(n - middle) / length);
}

std::vector<std::complex<double>> SpectrumSampler::operator()(std::span<const double> record) const {
  static const KernelTable table;
  const std::int64_t middle = samples_ / 2;
  std::vector<double> centred(static_cast<std::size_t>(length_), 0.0);
  for (std::int64_t n = 0; n < samples_; ++n) {
    const std::int64_t place = n < middle ? n - middle + length_ : n - middle;
    centred[static_cast<std::size_t>(place)] =
        record[static_cast<std::size_t>(n)] * compensation_[static_cast<std::size_t>(n)];
  }
  const auto grid = real_fft(centred, length_);

  const double bins_a_radian = static_cast<double>(length_) / (2.0 * std::numbers::pi);
  std::vector<std::complex<double>> values;
  values.reserve(frequencies_.size());
  for (const double w : frequencies_) {
    const double position = w * bins_a_radian;
    const auto first = static_cast<std::int64_t>(std::ceil(position - kernel_reach));
    std::complex<double> sum = 0.0;
    for (std::int64_t bin = first; bin < first + kernel_width; ++bin) {
      const std::int64_t folded = bin < 0 ? -bin : bin > length_ / 2 ? length_ - bin : bin;
      const auto value = grid[static_cast<std::size_t>(folded)];
      sum += table(position - static_cast<double>(bin)) * (folded == bin ? value : std::conj(value));
    }
    values.push_back(sum * std::polar(1.0, -w * static_cast<double>(middle)));
  }
  return values;
}

std::vector<double> SpectrumSampler::transposed(std::span<const std::complex<double>> by_value) const {
  static const KernelTable table;
  const std::int64_t middle = samples_ / 2, last = length_ / 2;
  const double bins_a_radian = static_cast<double>(length_) / (2.0 * std::numbers::pi);
  std::vector<std::complex<double>> by_grid(static_cast<std::size_t>(last + 1), 0.0);
  for (std::size_t j = 0; j < frequencies_.size(); ++j) {
    const double position = frequencies_[j] * bins_a_radian;
    const auto by = by_value[j] * std::polar(1.0, frequencies_[j] * static_cast<double>(middle));
    const auto first = static_cast<std::int64_t>(std::ceil(position - kernel_reach));
    for (std::int64_t bin = first; bin < first + kernel_width; ++bin) {
      const std::int64_t folded = bin < 0 ? -bin : bin > last ? length_ - bin : bin;
      by_grid[static_cast<std::size_t>(folded)] +=
          table(position - static_cast<double>(bin)) * (folded == bin ? by : std::conj(by));
    }
  }
  // The inverse transform takes each bin but the first and the last for two, and divides by the length.
  for (std::int64_t k = 0; k <= last; ++k)
    by_grid[static_cast<std::size_t>(k)] *= static_cast<double>(length_) * (k == 0 || k == last ? 1.0 : 0.5);
  const auto centred = inverse_real_fft(by_grid, length_);
  std::vector<double> by_record(static_cast<std::size_t>(samples_));
  for (std::int64_t n = 0; n < samples_; ++n) {
    const std::int64_t place = n < middle ? n - middle + length_ : n - middle;
    by_record[static_cast<std::size_t>(n)] =
        centred[static_cast<std::size_t>(place)] * compensation_[static_cast<std::size_t>(n)];
  }
  return by_record;
}

}  // namespace fdtd
