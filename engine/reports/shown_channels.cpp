#include "engine/reports/shown_channels.hpp"

namespace fdtd {

std::vector<ShownChannel> shown_channels(const Recording& recording) {
  std::vector<ShownChannel> list;
  for (std::size_t s = 0; s < recording.sources.size(); ++s)
    for (std::size_t r = 0; r < recording.receivers.size(); ++r) {
      const ChannelId &source = recording.sources[s], &receiver = recording.receivers[r];
      if (source.output() && receiver.first())
        list.push_back({s * recording.receivers.size() + r, source.owner, receiver.shown()});
    }
  return list;
}

std::optional<std::size_t> shown_channel(const Recording& recording, const std::string& source,
                                         const std::string& receiver) {
  for (const ShownChannel& one : shown_channels(recording))
    if (one.source == source && one.receiver == receiver) return one.channel;
  return std::nullopt;
}

}  // namespace fdtd
