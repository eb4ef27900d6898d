// Which channel of which source or receiver: what plans, recordings and results hold of each channel. Code asks the kind;
// a name is taken apart in read_channel_name alone, where a file is read.
//
// Names of channels, in files and messages: "R" of a whole one; "C:v" of a cardioid's figure-eight, "C:f" and
// "C:s" of those by which it turns; "S:h01", "S:h02", ...
// of the harmonics of a measured source; "A:00" ... "A:99" of an ambisonic receiver; "B:b00" ... "B:b99" of the field from
// which a binaural receiver's ears are made; "D:m01", "D:m02", ... of the microphones of an array, or "D::front", "D::10",
// ... where they have names of their own. Names in a scene contain no colon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fdtd {

// Of a receiver whose pattern turns: "R:f", the level part of its figure-eight as the pattern weighs it, and "R:s", that
// turned to the left by 90 degrees. After a yaw a the pattern is itself + (cos a - 1) "R:f" + sin a "R:s".
inline constexpr std::size_t turning_parts = 2;

enum class ChannelKind : std::uint8_t {
  whole,       // its response is that of the source or receiver: the only channel, or that into which parts are mixed
  part,        // mixed into the whole channel before it, no output by itself
  ambisonic,   // of an ambisonic receiver
  turn,        // by which a pattern turns along a path (transducers/turning.hpp), no output by itself
  ears,        // of the field from which a binaural receiver's ears are made
  microphone,  // of an array
};

struct ChannelId {
  std::string name;   // unique among the channels of sources, and among those of receivers
  std::string owner;  // name of the source, receiver or array in the scene
  ChannelKind kind = ChannelKind::whole;
  int number =
      0;  // ACN; of a microphone from 1, or 0 where it has a name of its own; of a cardioid's part 0; of a turn 0, 1

  ChannelId() = default;
  // The whole channel of a source or receiver. Throws std::invalid_argument where the name contains a colon.
  ChannelId(std::string source_or_receiver);  // NOLINT(google-explicit-constructor)
  ChannelId(const char* source_or_receiver) : ChannelId(std::string(source_or_receiver)) {}
  // The channel of that number; of a microphone also its name, which the scene gives.
  ChannelId(const std::string& of, ChannelKind kind_of, int its_number);
  static ChannelId microphone(std::string channel, std::string array, int its_number);

  bool output() const { return kind != ChannelKind::part && kind != ChannelKind::turn; }
  bool of_field() const { return kind == ChannelKind::ambisonic || kind == ChannelKind::ears; }
  // Of its source, receiver or microphone: the one whose figures are reported.
  bool first() const { return output() && !(of_field() && number > 0); }
  // The name that figures have: the channel's of a microphone, else the owner's.
  const std::string& shown() const { return kind == ChannelKind::microphone ? name : owner; }
  // Of a microphone: "front" of "D::front"; empty: it has none.
  std::string own_name() const;
  bool operator==(const ChannelId&) const = default;
};

// The channel that a name in a file stands for.
ChannelId read_channel_name(const std::string& name);
std::vector<ChannelId> read_channel_names(const std::vector<std::string>& names);

std::vector<std::string> channel_names(const std::vector<ChannelId>& channels);

}  // namespace fdtd
