#include "engine/plan/channel_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace fdtd {
namespace {

constexpr std::string_view own_mark = "::";

std::string name_of(const std::string& owner, ChannelKind kind, int number) {
  switch (kind) {
    case ChannelKind::whole:
      return owner;
    case ChannelKind::part:
      return number > 0 ? fmt::format("{}:h{:02}", owner, number) : owner + ":v";
    case ChannelKind::turn:
      return owner + (number == 0 ? ":f" : ":s");
    case ChannelKind::ambisonic:
      return fmt::format("{}:{:02}", owner, number);
    case ChannelKind::ears:
      return fmt::format("{}:b{:02}", owner, number);
    case ChannelKind::microphone:
      break;
  }
  throw std::invalid_argument("ChannelId: a microphone's name is the scene's");
}

// The digits after `lead` in `tail`, at least `fewest`; -1: other text.
int number_after(std::string_view tail, std::string_view lead, std::size_t fewest, std::size_t most) {
  if (!tail.starts_with(lead)) return -1;
  tail.remove_prefix(lead.size());
  if (tail.size() < fewest || tail.size() > most || tail.find_first_not_of("0123456789") != tail.npos) return -1;
  return std::stoi(std::string(tail));
}

}  // namespace

ChannelId::ChannelId(std::string source_or_receiver) : name(std::move(source_or_receiver)), owner(name) {
  if (name.find(':') != name.npos)
    throw std::invalid_argument("ChannelId: " + name + " is no name of a source or receiver");
}

ChannelId::ChannelId(const std::string& of, ChannelKind kind_of, int its_number)
    : name(name_of(of, kind_of, its_number)), owner(of), kind(kind_of), number(its_number) {}

ChannelId ChannelId::microphone(std::string channel, std::string array, int its_number) {
  ChannelId id;
  id.name = std::move(channel);
  id.owner = std::move(array);
  id.kind = ChannelKind::microphone;
  id.number = its_number;
  return id;
}

std::string ChannelId::own_name() const {
  return kind == ChannelKind::microphone && number == 0 ? name.substr(owner.size() + own_mark.size()) : "";
}

ChannelId read_channel_name(const std::string& name) {
  constexpr std::size_t few = 2, many = 7;  // digits
  const auto colon = name.find(':');
  if (colon == name.npos) return name;
  const std::string owner = name.substr(0, colon);
  const std::string_view tail = std::string_view(name).substr(colon + 1);
  if (tail.starts_with(':')) return ChannelId::microphone(name, owner, 0);
  if (const int number = number_after(tail, "m", few, many); number > 0)
    return ChannelId::microphone(name, owner, number);
  ChannelId id;
  id.name = name;
  id.owner = owner;
  const auto is = [&](ChannelKind kind, const char* lead, std::size_t most) {
    const int number = number_after(tail, lead, few, most);
    if (number >= 0) id.kind = kind, id.number = number;
    return number >= 0;
  };
  if (is(ChannelKind::ambisonic, "", few) || is(ChannelKind::ears, "b", few) || is(ChannelKind::part, "h", many))
    return id;
  id.kind = tail == "f" || tail == "s" ? ChannelKind::turn : ChannelKind::part;
  id.number = tail == "s" ? 1 : 0;
  return id;
}

std::vector<ChannelId> read_channel_names(const std::vector<std::string>& names) {
  std::vector<ChannelId> channels(names.size());
  std::ranges::transform(names, channels.begin(), read_channel_name);
  return channels;
}

std::vector<std::string> channel_names(const std::vector<ChannelId>& channels) {
  std::vector<std::string> names(channels.size());
  std::ranges::transform(channels, names.begin(), &ChannelId::name);
  return names;
}

}  // namespace fdtd
