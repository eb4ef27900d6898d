#include "engine/modes/zoom.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double stop_decibel = 120.0;
// Kaiser's formulas for a filter of that attenuation.
constexpr double window_beta = 0.1102 * (stop_decibel - 8.7), window_length = (stop_decibel - 8.0) / 2.285;

double kaiser(double x) { return std::cyl_bessel_i(0.0, window_beta * std::sqrt(std::max(0.0, 1.0 - x * x))); }

}  // namespace

double zoom_seconds(double transition) { return window_length / (2.0 * pi * transition); }

Zoom::Zoom(const ZoomBand& band, double rate) {
  const double stop = band.half + band.transition;
  if (!(band.half > 0.0) || !(band.transition > 0.0) || !(stop < rate / 2.0))
    throw std::invalid_argument("a band of records needs a width above 0 and below half their rate");
  turn_ = 2.0 * pi * band.centre / rate;
  decimation_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(rate / (2.0 * stop)));
  const auto length = static_cast<std::int64_t>(std::ceil(zoom_seconds(band.transition) * rate)) + 1;
  const double middle = static_cast<double>(length - 1) / 2.0;
  const double edge = 2.0 * (band.half + band.transition / 2.0) / rate;  // twice the cut-off in cycles a sample
  double sum = 0.0;
  std::vector<double> real;
  for (std::int64_t k = 0; k < length; ++k) {
    const double t = static_cast<double>(k) - middle, x = pi * edge * t;
    const double sinc = std::abs(x) < 1e-9 ? 1.0 : std::sin(x) / x;
    real.push_back(edge * sinc * kaiser(t / middle));
    sum += real.back();
  }
  for (std::int64_t k = 0; k < length; ++k)
    taps_.push_back(std::polar(real[static_cast<std::size_t>(k)] / sum, turn_ * static_cast<double>(k)));
}

std::int64_t Zoom::count(std::int64_t begin, std::int64_t end) const {
  const std::int64_t room = end - begin - length();
  return room < 0 ? 0 : room / decimation_ + 1;
}

void Zoom::apply(std::span<const double> record, std::int64_t begin, std::int64_t end, std::complex<double>* out,
                 std::int64_t stride) const {
  const std::int64_t samples = count(begin, end);
  for (std::int64_t m = 0; m < samples; ++m) {
    const std::int64_t at = begin + length() - 1 + m * decimation_;
    double re = 0.0, im = 0.0;
    for (std::size_t k = 0; k < taps_.size(); ++k) {
      const double x = record[static_cast<std::size_t>(at) - k];
      re += taps_[k].real() * x;
      im += taps_[k].imag() * x;
    }
    out[m * stride] = std::complex<double>(re, im) * std::polar(1.0, -turn_ * static_cast<double>(m * decimation_));
  }
}

std::complex<double> Zoom::gain(std::complex<double> z) const {
  const std::complex<double> step = 1.0 / z;
  std::complex<double> sum = 0.0;
  for (std::size_t k = taps_.size(); k-- > 0;) sum = sum * step + taps_[k];
  return sum;
}

std::complex<double> Zoom::per_sample(std::complex<double> output_step) const {
  return std::exp(std::log(output_step) / static_cast<double>(decimation_)) * std::polar(1.0, turn_);
}

std::complex<double> Zoom::per_output(std::complex<double> z) const {
  return std::exp(std::log(z * std::polar(1.0, -turn_)) * static_cast<double>(decimation_));
}

}  // namespace fdtd
