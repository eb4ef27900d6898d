#include "engine/reports/result_notches.hpp"

#include <algorithm>
#include <span>

#include "engine/reports/shown_channels.hpp"

namespace fdtd {

void find_dips(PairNotches& pair, const Result& result, std::size_t channel) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  find_dips(pair, std::span(result.rendered.ir).subspan(channel * samples, samples), result.rendered.sample_rate,
            result.valid_to());
}

std::vector<PairNotches> result_notches(const Scene& scene, const Result& result) {
  const double valid = result.valid_to(), to = valid > 0.0 ? std::min(notch_band.to, valid) : notch_band.to;
  if (!(to > notch_band.from)) return {};
  std::vector<PairNotches> pairs = wall_notches(scene, notch_band.from, to, most_notch_pairs);
  for (PairNotches& pair : pairs)
    if (const auto channel = shown_channel(result.recording, pair.source, pair.receiver); channel && !pair.blocked)
      find_dips(pair, result, *channel);
  return pairs;
}

}  // namespace fdtd
