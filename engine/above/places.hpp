// Sources and receivers of a scene as geometry above the waves' band sees them: a position, and a pattern by output.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/transducers/channels.hpp"

namespace fdtd {

struct AbovePlace {
  std::array<double, 3> position{};
  struct Output {
    std::size_t channel = 0;
    std::vector<double> pattern;  // factors of the SN3D harmonics 0, 1, ...; empty: omnidirectional
  };
  std::vector<Output> outputs;
  bool patterned() const { return !outputs.empty() && !outputs.front().pattern.empty(); }
};

// Of `count` sources or receivers, by the channels that are outputs.
std::vector<AbovePlace> places_of(const std::vector<Channel>& channels, const std::vector<ChannelMix>& mixes,
                                  std::size_t count);
std::vector<AbovePlace> sources_above(const Scene& scene);

}  // namespace fdtd
