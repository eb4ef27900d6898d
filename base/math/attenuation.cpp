#include "base/math/attenuation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "base/math/fourier.hpp"

namespace fdtd {
namespace {

constexpr double reach = 0.02;  // s on both sides: the length of the filter's response
constexpr double largest_change =
    0.08;  // nepers from one window to the next; its square over 8 is the error between them

// The filters are symmetric in time: the transpose sets the windows behind them rather than before.
void attenuate_by_windows(std::span<double> response, double rate,
                          const std::function<double(double frequency)>& nepers_a_second, bool transposed) {
  const auto samples = static_cast<std::int64_t>(response.size());
  if (samples == 0) return;
  // The fastest decay determines the step between windows.
  const double fastest = nepers_a_second(rate / 2.0);
  const double seconds = std::min(0.01, fastest > 0.0 ? largest_change / fastest : 0.01);
  const auto hop = std::max<std::int64_t>(8, static_cast<std::int64_t>(seconds * rate));
  const auto lead = static_cast<std::int64_t>(std::ceil(reach * rate));
  const std::int64_t length = smooth_length(2 * hop + 2 * lead);
  std::vector<double> exponent;  // nepers per second, one per bin
  for (std::int64_t k = 0; k <= length / 2; ++k)
    exponent.push_back(nepers_a_second(static_cast<double>(k) * rate / static_cast<double>(length)));
  std::vector<double> out(response.size(), 0.0);
  // Triangular windows: the filter changes linearly from one window to the next. The first is centred at time 0.
  for (std::int64_t middle = 0; middle - hop < samples; middle += hop) {
    std::vector<double> frame(static_cast<std::size_t>(length), 0.0);
    const std::int64_t begin = std::max<std::int64_t>(0, middle - hop), end = std::min(samples, middle + hop);
    const auto window = [&](std::int64_t n) {
      return n < begin || n >= end ? 0.0 : 1.0 - std::abs(static_cast<double>(n - middle)) / static_cast<double>(hop);
    };
    const std::int64_t first = middle - hop - lead;  // of the frame
    const std::int64_t from = std::max<std::int64_t>(0, first), to = std::min(samples, first + length);
    for (std::int64_t n = transposed ? from : begin; n < (transposed ? to : end); ++n)
      frame[static_cast<std::size_t>(n - first)] =
          response[static_cast<std::size_t>(n)] * (transposed ? 1.0 : window(n));
    auto spectrum = real_fft(frame, length);
    const double time = static_cast<double>(middle) / rate;
    for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= std::exp(-exponent[k] * time);
    frame = inverse_real_fft(spectrum, length);
    for (std::int64_t n = from; n < to; ++n)
      out[static_cast<std::size_t>(n)] += frame[static_cast<std::size_t>(n - first)] * (transposed ? window(n) : 1.0);
  }
  std::copy(out.begin(), out.end(), response.begin());
}

}  // namespace

void attenuate(std::span<double> response, double rate,
               const std::function<double(double frequency)>& nepers_a_second) {
  attenuate_by_windows(response, rate, nepers_a_second, false);
}

void attenuate_transposed(std::span<double> by_response, double rate,
                          const std::function<double(double frequency)>& nepers_a_second) {
  attenuate_by_windows(by_response, rate, nepers_a_second, true);
}

}  // namespace fdtd
