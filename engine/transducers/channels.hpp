// Channels: what the grid computes for the sources and receivers of a scene. An omnidirectional source or receiver has
// one channel, others have several. A channel is one source or receiver of the plan (a Tap); responses are combined
// from channels after rendering (ChannelMix).
//
// A channel's kind stands in its ChannelId (plan/channel_id.hpp). The harmonics of a measured source add up to the first,
// each through a filter (responses/render.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct Channel {
  ChannelId id;
  std::array<double, 3> position{};  // m, in the scene
  FieldOperator operation;
  std::size_t owner = 0;              // index among the scene's sources or receivers
  std::array<double, 3> direction{};  // in which its source or receiver points; zero: no direction
};

struct Channels {
  std::vector<Channel> sources, receivers;
};
Channels channels_of(const Scene& scene);
// How many: of a measured source as many as its harmonics. Throws std::logic_error where these have not been read.
std::size_t channel_count(const Directivity& directivity);

// Channel `of` becomes fraction times itself plus 1 - fraction times channel `with`.
struct ChannelMix {
  int of = 0, with = 0;
  double fraction = 1.0;
  bool operator==(const ChannelMix&) const = default;
};
struct ChannelMixes {
  std::vector<ChannelMix> sources, receivers;
};
ChannelMixes mixes_of(const Scene& scene);

// Number of sources of a plan that a result shows: parts are left out.
std::int64_t count_shown(const std::vector<Tap>& sources);

// A source or receiver of the scene, and its channels in a list: parts are left out.
struct ChannelGroup {
  std::string name;
  std::size_t first = 0;  // index of its first channel in the list
  int channels = 1;
  bool array = false;     // of microphones
  bool binaural = false;  // its channels are those of a field, not of ears
};
std::vector<ChannelGroup> groups_of(const std::vector<ChannelId>& channels);
// "front, left", of an array whose microphones have names of their own; empty: of none.
std::string microphone_names(const std::vector<ChannelId>& channels, const ChannelGroup& array);

}  // namespace fdtd
