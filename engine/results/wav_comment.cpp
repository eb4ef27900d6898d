#include "engine/results/wav_comment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace fdtd {
namespace {

constexpr std::string_view head = "fdtd impulse response; times the free-field pressure at 1 m: ";
constexpr std::string_view middle = "; right up to Hz: ";
constexpr std::string_view tail = "; sample 0 is the emission";
constexpr std::string_view low_cut_head = "; low cut Hz: ", earliest_head = "; no sound before s: ",
                           each_head = "; no sound before s, by channel: ", separator = ", ",
                           waves_head = "; waves to Hz: ", geometry_head = "; geometry from Hz: ",
                           channels_head = "; channels: ";

// The number at the start of `text`, which is removed from it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

}  // namespace

std::string to_text(const ResponseNote& note) {
  std::string text = fmt::format("{}{}{}{}{}", head, note.scale, middle, note.bandwidth, tail);
  if (note.low_cut) text += fmt::format("{}{}", low_cut_head, *note.low_cut);
  if (note.geometry_from > 0.0)
    text += fmt::format("{}{}{}{}", waves_head, note.waves_to, geometry_head, note.geometry_from);
  if (!note.earliest.empty()) {
    const bool equal = std::ranges::all_of(note.earliest, [&](double one) { return one == note.earliest[0]; });
    text += equal ? fmt::format("{}{}", earliest_head, note.earliest[0])
                  : fmt::format("{}{}", each_head, fmt::join(note.earliest, separator));
  }
  return note.channels.empty() ? text : text + fmt::format("{}{}", channels_head, note.channels);
}

std::optional<ResponseNote> read_response_note(const std::string& comment) {
  std::string_view text = comment;
  if (!take(text, head)) return std::nullopt;
  const auto scale = take_number(text);
  if (!scale || !(*scale > 0.0) || !take(text, middle)) return std::nullopt;
  const auto bandwidth = take_number(text);
  if (!bandwidth || *bandwidth < 0.0 || !take(text, tail)) return std::nullopt;
  ResponseNote note{*scale, *bandwidth};
  // Files of older versions end here.
  const auto further = [&](std::string_view name) -> std::optional<double> {
    const auto value = take(text, name) ? take_number(text) : std::nullopt;
    return value && *value >= 0.0 ? value : std::nullopt;
  };
  note.low_cut = further(low_cut_head);
  if (const auto waves = further(waves_head)) {
    note.waves_to = *waves;
    note.geometry_from = further(geometry_head).value_or(0.0);
  }
  if (const auto all = further(earliest_head)) note.earliest = {*all};
  for (auto one = further(each_head); one; one = further(separator)) note.earliest.push_back(*one);
  if (take(text, channels_head)) note.channels = text;
  return note;
}

}  // namespace fdtd
