#include "engine/session/heard_response.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/shell_word.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

// The group of that name, or the only one. `kind`: "source".
const ChannelGroup& chosen(const std::vector<ChannelGroup>& groups, const std::string& name, const std::string& file,
                           const char* kind) {
  constexpr std::size_t most_listed = 20;
  std::vector<std::string> names;
  for (const ChannelGroup& one : groups) names.push_back(one.name);
  std::vector<std::string> some;  // as a shell takes them
  for (const std::string& one : names)
    if (some.size() < most_listed) some.push_back(shell_word(one));
  const std::string list = fmt::format("{}{}", fmt::join(some, ", "), names.size() > most_listed ? ", ..." : "");
  if (name.empty()) {
    if (groups.size() == 1) return groups.front();
    throw Error(Status::scene, fmt::format("{} has {} {}s", file, groups.size(), kind),
                fmt::format("choose one with --{}: {}", kind, list));
  }
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return groups[static_cast<std::size_t>(found - names.begin())];
  const bool moves =
      std::ranges::find(names, name + "_1") != names.end() || std::ranges::find(names, name + "_01") != names.end();
  throw Error(Status::scene, fmt::format("--{}: {} has no {} {}", kind, file, kind, in_quotes(name)),
              fmt::format("it has {}", list) +
                  (moves ? fmt::format("; --path goes along the places of {}", in_quotes(name)) : ""));
}

// The only channel of the group of a microphone of that name.
std::optional<ChannelGroup> microphone_of(const std::vector<ChannelId>& receivers, const std::string& name) {
  const auto found = std::ranges::find_if(
      receivers, [&](const ChannelId& one) { return one.kind == ChannelKind::microphone && one.name == name; });
  if (found == receivers.end()) return std::nullopt;
  ChannelGroup group;
  group.name = name;
  group.first = static_cast<std::size_t>(found - receivers.begin());
  group.channels = 1;
  return group;
}

}  // namespace

namespace {

// The ears of a binaural receiver from that source.
void add_ears(HeardResponse& heard, const Result& result, std::size_t source, const std::string& file,
              const std::optional<double>& rotation) {
  const auto one = std::ranges::find(result.binaural, heard.receiver, &BinauralReceiver::name);
  if (one == result.binaural.end())
    throw Error(Status::file, fmt::format("{} holds no ears of receiver {}", file, heard.receiver));
  const double wanted = rotation.value_or(one->rotations.front());
  const auto turn = std::ranges::find(one->rotations, wanted);
  if (turn == one->rotations.end())
    throw Error(Status::scene,
                fmt::format("--rotation: receiver {} of {} has none of {:g} degrees", heard.receiver, file, wanted),
                fmt::format("it has {:g}", fmt::join(one->rotations, ", ")));
  const auto samples = static_cast<std::ptrdiff_t>(result.rendered.samples);
  const auto place = static_cast<std::size_t>(turn - one->rotations.begin());
  auto begin = one->ears.begin() + static_cast<std::ptrdiff_t>((source * one->rotations.size() + place) * 2) * samples;
  for (int ear = 0; ear < 2; ++ear, begin += samples) heard.channels.emplace_back(begin, begin + samples);
  heard.rotation = wanted;
}

}  // namespace

HeardResponse heard_response(const Result& result, const std::string& file, const HeardChoice& choice) {
  const Recording& recording = result.recording;
  const std::vector<ChannelGroup> sources = groups_of(recording.sources), receivers = groups_of(recording.receivers);
  const ChannelGroup& source = chosen(sources, choice.source, file, "source");
  const std::optional<ChannelGroup> microphone = microphone_of(recording.receivers, choice.receiver);
  const ChannelGroup& receiver = microphone ? *microphone : chosen(receivers, choice.receiver, file, "receiver");
  HeardResponse heard;
  heard.source = source.name;
  heard.receiver = receiver.name;
  heard.array = recording.receivers[receiver.first].kind == ChannelKind::microphone;
  heard.ambisonic = recording.receivers[receiver.first].kind == ChannelKind::ambisonic;
  heard.sample_rate = result.rendered.sample_rate;
  if (receiver.binaural) {
    add_ears(heard, result, static_cast<std::size_t>(&source - sources.data()), file, choice.rotation);
    return heard;
  }
  if (choice.rotation)
    throw Error(Status::scene, fmt::format("--rotation: receiver {} of {} is not binaural", receiver.name, file),
                "leave it out, or choose one with pattern = \"binaural\"");
  const auto samples = static_cast<std::ptrdiff_t>(result.rendered.samples);
  const std::size_t first = source.first * recording.receivers.size() + receiver.first;
  for (std::size_t c = first; c < first + static_cast<std::size_t>(receiver.channels); ++c) {
    const auto begin = result.rendered.ir.begin() + static_cast<std::ptrdiff_t>(c) * samples;
    heard.channels.emplace_back(begin, begin + samples);
  }
  return heard;
}

}  // namespace fdtd
