// Source signals in memory: resampling to the output rate.
#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/resampler.hpp"

namespace fdtd {

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
