#include "engine/transducers/channels.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "scenes/moving_receivers.hpp"

namespace fdtd {
namespace {

// The parts by which a pattern turns about the vertical: turning.hpp.
template <class Add>
void add_turning_parts(const std::string& name, const Directivity& directivity, const Add& add) {
  const auto& [x, y, z] = directivity.direction;
  const double level = std::hypot(x, y),
               weight = (1.0 - omni_fraction(directivity.pattern)) * level / std::hypot(level, z);
  const std::array<std::array<double, 3>, turning_parts> along = {{{x, y, 0.0}, {-y, x, 0.0}}};
  for (std::size_t i = 0; i < along.size(); ++i) {
    FieldOperator operation = figure_eight(along[i]);
    for (DerivativeTerm& term : operation) term.coefficient *= weight;
    add(ChannelId(name, ChannelKind::turn, static_cast<int>(i)), std::move(operation));
  }
}

// Of one channel, or of the first of two.
ChannelId whole_of(const SourceSpec& source) { return source.name; }
ChannelId whole_of(const ReceiverSpec& receiver) {
  return receiver.array.empty() ? ChannelId(receiver.name)
                                : ChannelId::microphone(receiver.name, receiver.array, receiver.microphone);
}

template <class Spec>
std::vector<Channel> channels_of_list(const std::vector<Spec>& list, const std::vector<bool>& turning = {}) {
  std::vector<Channel> channels;
  for (std::size_t owner = 0; owner < list.size(); ++owner) {
    const Spec& one = list[owner];
    const Directivity& directivity = one.directivity;
    const auto add = [&](ChannelId id, FieldOperator operation) {
      channels.push_back({std::move(id), one.position, std::move(operation), owner, directivity.direction});
    };
    if (directivity.by_harmonics()) {
      const ChannelKind kind = directivity.pattern == "binaural" ? ChannelKind::ears : ChannelKind::ambisonic;
      const int harmonics = (directivity.order + 1) * (directivity.order + 1);
      for (int acn = 0; acn < harmonics; ++acn) add({one.name, kind, acn}, solid_harmonic(acn));
      continue;
    }
    if (directivity.pattern == measured_pattern) {
      const auto harmonics = static_cast<int>(channel_count(directivity));
      for (int acn = 0; acn < harmonics; ++acn)
        add(acn == 0 ? whole_of(one) : ChannelId(one.name, ChannelKind::part, acn), solid_harmonic(acn));
      continue;
    }
    const double fraction = omni_fraction(directivity.pattern);
    if (fraction > 0.0) add(whole_of(one), {});
    if (fraction < 1.0)
      add(fraction > 0.0 ? ChannelId(one.name, ChannelKind::part, 0) : whole_of(one),
          figure_eight(directivity.direction));
    if (owner < turning.size() && turning[owner]) add_turning_parts(one.name, directivity, add);
  }
  return channels;
}

template <class Spec>
std::vector<ChannelMix> mixes_of_list(const std::vector<Spec>& list, const std::vector<Channel>& channels) {
  std::vector<ChannelMix> mixes;
  for (std::size_t i = 1; i < channels.size(); ++i) {
    if (channels[i].id.kind != ChannelKind::part) continue;
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
  return {channels_of_list(scene.sources),
          channels_of_list(scene.receivers, turning_receivers(scene.receivers, scene.moving))};
}
ChannelMixes mixes_of(const Scene& scene) {
  const Channels channels = channels_of(scene);
  return {mixes_of_list(scene.sources, channels.sources), mixes_of_list(scene.receivers, channels.receivers)};
}

std::vector<ChannelGroup> groups_of(const std::vector<ChannelId>& channels) {
  std::vector<ChannelGroup> groups;
  const ChannelId* before = nullptr;  // the output before, of the last group
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const ChannelId& id = channels[i];
    if (!id.output()) continue;
    const bool together = before != nullptr && before->kind == id.kind && before->owner == id.owner &&
                          (id.of_field() || id.kind == ChannelKind::microphone);
    if (together)
      ++groups.back().channels;
    else
      groups.push_back({id.owner, i, 1, id.kind == ChannelKind::microphone, id.kind == ChannelKind::ears});
    before = &id;
  }
  return groups;
}

std::string microphone_names(const std::vector<ChannelId>& channels, const ChannelGroup& array) {
  std::string list;
  if (!array.array) return list;
  for (std::size_t i = array.first; i < array.first + static_cast<std::size_t>(array.channels); ++i) {
    const std::string own = channels.at(i).own_name();
    if (own.empty()) return "";
    list += (list.empty() ? "" : ", ") + own;
  }
  return list;
}

std::int64_t count_shown(const std::vector<Tap>& sources) {
  return std::count_if(sources.begin(), sources.end(), [](const Tap& source) { return source.channel.output(); });
}

}  // namespace fdtd
