// The channels of a recording that reports show.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/recording.hpp"

namespace fdtd {

// A channel that reports show: no hidden channel of a directional receiver; of an ambisonic receiver the first one.
struct ShownChannel {
  std::size_t channel = 0;       // s * receivers + r
  std::string source, receiver;  // the scene's names
};
std::vector<ShownChannel> shown_channels(const Recording& recording);

// That of a source and a receiver of the scene; none where the recording has no such names.
std::optional<std::size_t> shown_channel(const Recording& recording, const std::string& source,
                                         const std::string& receiver);

}  // namespace fdtd
