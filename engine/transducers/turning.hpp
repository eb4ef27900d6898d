// Channels that are played along a path.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/transducers/channels.hpp"

namespace fdtd {

// The channels of a receiver that are played along a path, as indices of `all`: its own, then those by which its pattern
// turns (plan/channel_id.hpp), where it has them.
std::vector<std::size_t> channels_along_path(const std::vector<ChannelId>& all, const ChannelGroup& receiver);

}  // namespace fdtd
