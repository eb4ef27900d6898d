// Channels: what the grid computes for the sources and receivers of a scene. An omnidirectional source or receiver has
// one channel, others have several. A channel is one source or receiver of the plan (a Tap); responses are combined
// from channels after rendering (ChannelMix).
//
// Names: "R" for the only channel of a receiver, or for the first of a cardioid's two; "R:v" for a cardioid's second,
// the figure-eight, which is no output by itself; "R:00" ... "R:99" for the channels of an ambisonic receiver, "R:b00"
// ... "R:b99" for those from which a binaural receiver's ears are made; "S" and "S:h01", "S:h02", ... for the harmonics
// of a measured source, which add up to the first, each through a filter (responses/render.hpp). Names in a scene contain
// no colon, but for the receivers that are the microphones of an array R: "R:m01", "R:m02", ..., or with names of their own
// "R::front", "R::10", ....
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
  std::string name;
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

struct ChannelName {
  std::string owner;      // name of the source or receiver in the scene
  int acn = -1;           // ambisonic channel number; -1: not ambisonic
  bool hidden = false;    // a part of a mix, no output by itself
  int microphone = 0;     // number in an array, from 1; 0: of none; 1 of each that has a name of its own
  std::string shown{};    // the owner's name, or the channel's of a microphone
  bool binaural = false;  // one of the field's, from which ears are made
};
ChannelName read_channel_name(const std::string& name);

// Number of sources of a plan that a result shows: hidden channels are left out.
std::int64_t count_shown(const std::vector<Tap>& sources);

// A source or receiver of the scene, and its channels in a list of channel names: hidden ones are left out.
struct ChannelGroup {
  std::string name;
  std::size_t first = 0;  // index of its first channel in the list
  int channels = 1;
  bool array = false;     // of microphones
  bool binaural = false;  // its channels are those of a field, not of ears
};
std::vector<ChannelGroup> groups_of(const std::vector<std::string>& names);
// "front, left", of an array whose microphones have names of their own; empty: of none.
std::string microphone_names(const std::vector<std::string>& names, const ChannelGroup& array);

}  // namespace fdtd
