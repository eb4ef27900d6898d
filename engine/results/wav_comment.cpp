#include "engine/results/wav_comment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace fdtd {
namespace {

constexpr std::string_view head = "fdtd impulse response; times the free-field pressure at 1 m: ";
constexpr std::string_view middle = "; right up to Hz: ";
constexpr std::string_view tail = "; sample 0 is the emission";

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
  return fmt::format("{}{}{}{}{}", head, note.scale, middle, note.bandwidth, tail);
}

std::optional<ResponseNote> read_response_note(const std::string& comment) {
  std::string_view text = comment;
  if (!take(text, head)) return std::nullopt;
  const auto scale = take_number(text);
  if (!scale || !(*scale > 0.0) || !take(text, middle)) return std::nullopt;
  const auto bandwidth = take_number(text);
  if (!bandwidth || *bandwidth < 0.0 || !take(text, tail)) return std::nullopt;
  return ResponseNote{*scale, *bandwidth};
}

}  // namespace fdtd
