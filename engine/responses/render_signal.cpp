// Source signals: resampling to the output rate, and convolution with an impulse response.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <soxr.h>

#include "engine/error.hpp"
#include "engine/math/fourier.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {

std::vector<double> convolve(const std::vector<double>& ir, const std::vector<double>& signal, std::int64_t samples) {
  if (samples < 0) throw Error(Status::scene, fmt::format("cannot cut a convolution to {} samples", samples));
  std::vector<double> out(static_cast<std::size_t>(samples), 0.0);
  if (ir.empty() || signal.empty()) return out;
  // Overlap-add: blocks of the longer one with the whole shorter one.
  const auto& filter = ir.size() <= signal.size() ? ir : signal;
  const auto& input = ir.size() <= signal.size() ? signal : ir;
  const auto taps = static_cast<std::int64_t>(filter.size());
  const std::int64_t length = smooth_length(std::max<std::int64_t>(4 * taps, 1 << 14));
  const std::int64_t block = length - taps + 1;
  const auto response = real_fft(filter, length);
  const auto end = std::min(samples, static_cast<std::int64_t>(input.size()));
  for (std::int64_t begin = 0; begin < end; begin += block) {
    const auto count = std::min(block, end - begin);
    auto spectrum =
        real_fft(std::span(input).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)), length);
    for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= response[k];
    const auto piece = inverse_real_fft(spectrum, length);
    const auto keep = std::min(samples - begin, count + taps - 1);
    for (std::int64_t j = 0; j < keep; ++j)
      out[static_cast<std::size_t>(begin + j)] += piece[static_cast<std::size_t>(j)];
  }
  return out;
}

std::vector<double> resample(const std::vector<double>& signal, double from_rate, double to_rate) {
  if (!(from_rate > 0.0 && to_rate > 0.0))
    throw Error(Status::scene, fmt::format("cannot resample from {} Hz to {} Hz", from_rate, to_rate));
  if (from_rate == to_rate || signal.empty()) return signal;
  const double samples = std::ceil(static_cast<double>(signal.size()) * to_rate / from_rate - 1e-9);
  constexpr double most = 1U << 28;
  if (samples > most)
    throw Error(Status::file,
                fmt::format("a signal of {} samples at {:g} Hz would have {:.3g} at {:g} Hz, the limit is {:.0f}",
                            signal.size(), from_rate, samples, to_rate, most),
                "check the sample rates that the files state");
  const auto length = static_cast<std::size_t>(samples);
  std::vector<double> out(length, 0.0);
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ | SOXR_LINEAR_PHASE, 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  std::size_t done = 0;
  if (const auto error = soxr_oneshot(from_rate, to_rate, 1, signal.data(), signal.size(), nullptr, out.data(),
                                      out.size(), &done, &io, &quality, &runtime))
    throw Error(Status::resource, fmt::format("cannot resample from {} Hz to {} Hz: {}", from_rate, to_rate, error));
  return out;
}

}  // namespace fdtd
