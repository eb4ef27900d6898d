#include "engine/above/places.hpp"

#include <cmath>

namespace fdtd {
namespace {

// The factors of the SN3D harmonics of a channel's pattern; empty: omnidirectional.
std::vector<double> harmonics_of(const Channel& channel, const std::vector<ChannelMix>& mixes, std::size_t index,
                                 const std::vector<Channel>& all) {
  const int acn = read_channel_name(channel.name).acn;
  if (acn >= 0) {
    std::vector<double> factors(static_cast<std::size_t>(acn) + 1, 0.0);
    factors.back() = 1.0;
    return factors;
  }
  const auto first_order = [](double omni, double cosine, const std::array<double, 3>& direction) {
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    const std::array<double, 3> n = {direction[0] / length, direction[1] / length, direction[2] / length};
    return std::vector<double>{omni, cosine * n[1], cosine * n[2], cosine * n[0]};
  };
  for (const ChannelMix& mix : mixes)
    if (static_cast<std::size_t>(mix.of) == index)
      return first_order(mix.fraction, 1.0 - mix.fraction, all[static_cast<std::size_t>(mix.with)].direction);
  if (degree(channel.operation) == 1) return first_order(0.0, 1.0, channel.direction);
  return {};
}

}  // namespace

std::vector<AbovePlace> places_of(const std::vector<Channel>& channels, const std::vector<ChannelMix>& mixes,
                                  std::size_t count) {
  std::vector<AbovePlace> places(count);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    AbovePlace& place = places[channels[i].owner];
    place.position = channels[i].position;
    if (read_channel_name(channels[i].name).hidden) continue;
    place.outputs.push_back({i, harmonics_of(channels[i], mixes, i, channels)});
  }
  return places;
}

std::vector<AbovePlace> sources_above(const Scene& scene) {
  return places_of(channels_of(scene).sources, mixes_of(scene).sources, scene.sources.size());
}

}  // namespace fdtd
