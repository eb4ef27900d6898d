#include "engine/results/interaural_figures.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/transducers/channels.hpp"

namespace fdtd {

void add_interaural(Metrics& metrics, const Result& result, std::size_t channel, MetricsOptions options) {
  const std::size_t receivers = result.recording.receivers.size(),
                    samples = static_cast<std::size_t>(result.rendered.samples);
  const ChannelId& id = result.recording.receivers[channel % receivers];
  if (id.kind != ChannelKind::ears) return;
  const auto one = std::ranges::find(result.binaural, id.owner, &BinauralReceiver::name);
  const std::vector<ChannelGroup> sources = groups_of(result.recording.sources);
  const auto source = std::ranges::find(sources, channel / receivers, &ChannelGroup::first);
  if (one == result.binaural.end() || source == sources.end() || one->ears.empty()) return;
  const std::size_t first = static_cast<std::size_t>(source - sources.begin()) * one->rotations.size() * 2 * samples;
  options.earliest = std::max(0.0, options.earliest - ears_ahead);
  options.with.right_ear = std::span(one->ears).subspan(first + samples, samples);
  const Metrics ears = measure(std::span(one->ears).subspan(first, samples), result.rendered.sample_rate, options);
  for (BandMetrics& band : metrics.bands) {
    const auto same = std::ranges::find(ears.bands, band.centre, &BandMetrics::centre);
    if (same == ears.bands.end()) continue;
    band.IACC_early = same->IACC_early;
    band.IACC_late = same->IACC_late;
    band.IACC = same->IACC;
  }
}

}  // namespace fdtd
