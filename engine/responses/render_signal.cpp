// Source signals in memory: resampling to the output rate, and convolution with an impulse response.
#include <algorithm>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/resampler.hpp"

namespace fdtd {

std::vector<double> convolve(const std::vector<double>& ir, const std::vector<double>& signal, std::int64_t samples) {
  if (samples < 0) throw Error(Status::scene, fmt::format("cannot cut a convolution to {} samples", samples));
  std::vector<double> out(static_cast<std::size_t>(samples), 0.0);
  if (ir.empty() || signal.empty()) return out;
  // Blocks of the longer one with the whole shorter one.
  const auto& filter = ir.size() <= signal.size() ? ir : signal;
  const auto& input = ir.size() <= signal.size() ? signal : ir;
  const ConvolutionBlocks blocks(filter.size());
  Convolution convolution(blocks, filter);
  const std::size_t end = std::min(out.size(), input.size());
  for (std::size_t begin = 0; begin < end; begin += blocks.block()) {
    const std::size_t count = std::min(blocks.block(), end - begin);
    const auto piece = convolution(blocks.spectrum(std::span(input).subspan(begin, count)), count);
    std::copy(piece.begin(), piece.end(), out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  const auto& tail = convolution.tail();
  std::copy_n(tail.begin(), std::min(tail.size(), out.size() - end), out.begin() + static_cast<std::ptrdiff_t>(end));
  return out;
}

std::vector<double> resample(const std::vector<double>& signal, double from_rate, double to_rate) {
  const std::uint64_t samples = resampled_length(signal.size(), from_rate, to_rate);
  if (from_rate == to_rate || signal.empty()) return signal;
  constexpr std::uint64_t most = 1U << 28;
  if (samples > most)
    throw Error(Status::file,
                fmt::format("a signal of {} samples at {:g} Hz would have {:.3g} at {:g} Hz, the limit is {}",
                            signal.size(), from_rate, static_cast<double>(samples), to_rate, most),
                "check the sample rates that the files state");
  Resampler resampler(from_rate, to_rate);
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(samples));
  resampler.put(signal, out);
  resampler.end(out);
  out.resize(static_cast<std::size_t>(samples), 0.0);
  return out;
}

}  // namespace fdtd
