#include "engine/transducers/turning.hpp"

#include <numeric>

namespace fdtd {

std::vector<std::size_t> channels_along_path(const std::vector<ChannelId>& all, const ChannelGroup& receiver) {
  std::vector<std::size_t> channels(static_cast<std::size_t>(receiver.channels));
  std::iota(channels.begin(), channels.end(), receiver.first);
  for (std::size_t i = receiver.first + channels.size(); i < all.size(); ++i) {
    if (all[i].output() || all[i].owner != receiver.name) break;
    if (all[i].kind == ChannelKind::turn) channels.push_back(i);
  }
  return channels;
}

}  // namespace fdtd
