#include "engine/transducers/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace fdtd {
namespace {

template <class Spec>
std::vector<Channel> channels_of_list(const std::vector<Spec>& list) {
  std::vector<Channel> channels;
  for (std::size_t owner = 0; owner < list.size(); ++owner) {
    const Spec& one = list[owner];
    const Directivity& directivity = one.directivity;
    if (directivity.by_harmonics()) {
      const char* const kind = directivity.pattern == "binaural" ? "b" : "";
      const int harmonics = (directivity.order + 1) * (directivity.order + 1);
      for (int acn = 0; acn < harmonics; ++acn)
        channels.push_back({fmt::format("{}:{}{:02}", one.name, kind, acn), one.position, solid_harmonic(acn), owner,
                            directivity.direction});
      continue;
    }
    if (directivity.pattern == measured_pattern) {
      for (std::size_t acn = 0; acn < channel_count(directivity); ++acn)
        channels.push_back({acn == 0 ? one.name : fmt::format("{}:h{:02}", one.name, acn), one.position,
                            solid_harmonic(static_cast<int>(acn)), owner, directivity.direction});
      continue;
    }
    const double fraction = omni_fraction(directivity.pattern);
    if (fraction > 0.0) channels.push_back({one.name, one.position, {}, owner, directivity.direction});
    if (fraction < 1.0)
      channels.push_back({fraction > 0.0 ? one.name + ":v" : one.name, one.position,
                          figure_eight(directivity.direction), owner, directivity.direction});
  }
  return channels;
}

template <class Spec>
std::vector<ChannelMix> mixes_of_list(const std::vector<Spec>& list) {
  const std::vector<Channel> channels = channels_of_list(list);
  std::vector<ChannelMix> mixes;
  for (std::size_t i = 1; i < channels.size(); ++i) {
    if (!read_channel_name(channels[i].name).hidden) continue;
    if (list[channels[i].owner].directivity.pattern == measured_pattern) continue;
    mixes.push_back(
        {static_cast<int>(i) - 1, static_cast<int>(i), omni_fraction(list[channels[i].owner].directivity.pattern)});
  }
  return mixes;
}

}  // namespace

std::size_t channel_count(const Directivity& directivity) {
  if (directivity.pattern == "omni") return 1;
  if (directivity.by_harmonics()) return static_cast<std::size_t>((directivity.order + 1) * (directivity.order + 1));
  if (directivity.pattern != measured_pattern) return omni_fraction(directivity.pattern) > 0.0 ? 2 : 1;
  if (!directivity.balloon) throw std::logic_error("a measured directivity has not been read (read_balloons)");
  return directivity.balloon->count();
}

Channels channels_of(const Scene& scene) {
  return {channels_of_list(scene.sources), channels_of_list(scene.receivers)};
}
ChannelMixes mixes_of(const Scene& scene) { return {mixes_of_list(scene.sources), mixes_of_list(scene.receivers)}; }

ChannelName read_channel_name(const std::string& name) {
  const auto colon = name.find(':');
  if (colon == name.npos) return {name, -1, false, 0, name};
  std::string tail = name.substr(colon + 1);
  const std::string owner = name.substr(0, colon);
  if (tail.starts_with(':')) return {owner, -1, false, 1, name};
  if (tail.size() >= 3 && tail[0] == 'm' && tail.find_first_not_of("0123456789", 1) == tail.npos && tail.size() < 9)
    return {owner, -1, false, std::stoi(tail.substr(1)), name};
  const bool binaural = tail.size() == 3 && tail[0] == 'b';
  if (binaural) tail.erase(0, 1);
  const bool ambisonic = tail.size() == 2 && tail[0] >= '0' && tail[0] <= '9' && tail[1] >= '0' && tail[1] <= '9';
  return {owner, ambisonic ? 10 * (tail[0] - '0') + (tail[1] - '0') : -1, !ambisonic, 0, owner, ambisonic && binaural};
}

std::vector<ChannelGroup> groups_of(const std::vector<std::string>& names) {
  std::vector<ChannelGroup> groups;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ChannelName name = read_channel_name(names[i]);
    if (name.hidden) continue;
    const bool another =
        name.microphone > 0 && !groups.empty() && groups.back().array && groups.back().name == name.owner;
    if (another || (name.acn > 0 && !groups.empty()))
      ++groups.back().channels;
    else
      groups.push_back({name.owner, i, 1, name.microphone > 0, name.binaural});
  }
  return groups;
}

std::string microphone_names(const std::vector<std::string>& names, const ChannelGroup& array) {
  constexpr std::string_view mark = "::";
  std::string list;
  if (!array.array) return list;
  for (std::size_t i = array.first; i < array.first + static_cast<std::size_t>(array.channels); ++i) {
    const auto at = names.at(i).find(mark);
    if (at == std::string::npos) return "";
    list += (list.empty() ? "" : ", ") + names[i].substr(at + mark.size());
  }
  return list;
}

std::int64_t count_shown(const std::vector<Tap>& sources) {
  return std::count_if(sources.begin(), sources.end(),
                       [](const Tap& source) { return !read_channel_name(source.name).hidden; });
}

}  // namespace fdtd
