// Checks the bytes of a TOML text before it is parsed: size, encoding, nesting depth, number of values.
#include <fmt/format.h>

#include <cstddef>

#include "base/utf8.hpp"
#include "scenes/toml/document.hpp"

namespace fdtd {
namespace {

constexpr int max_depth = 32;                // of nested brackets, and of dots in a key
constexpr std::size_t max_values = 200'000;  // a parser takes some hundred bytes for each

// A position in the text, with the line and column of it.
struct Walk {
  std::string_view text;
  std::size_t at = 0;
  TextPlace place{1, 1};

  bool done() const { return at >= text.size(); }
  bool sees(std::string_view what) const { return text.substr(at, what.size()) == what; }
  void step(std::size_t count = 1) {
    for (; count > 0 && !done(); --count, ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte == '\n') {
        ++place.line;
        place.column = 1;
      } else if ((byte & 0xC0) != 0x80) {
        ++place.column;
      }
    }
  }
};

Problem problem_at(TextPlace place, std::string message, std::string hint = {}) {
  return {place, 1, {}, std::move(message), std::move(hint), {}};
}

std::optional<Problem> check_encoding(std::string_view text) {
  Walk walk{text};
  if (walk.sees("\xEF\xBB\xBF")) walk.at += 3;  // a byte order mark takes no column
  while (!walk.done()) {
    const Glyph glyph = glyph_at(text, walk.at);
    if (!glyph.valid) {
      return problem_at(walk.place, fmt::format("not UTF-8: byte 0x{:02x}", static_cast<unsigned>(glyph.code)),
                        "save the scene as UTF-8 text");
    }
    if (glyph.code == 0) return problem_at(walk.place, "a NUL byte: this is not a text file");
    walk.step(glyph.bytes);
  }
  return std::nullopt;
}

// Skip a comment or a string that begins at the current position. They must end where TOML ends them, or brackets
// inside them would be counted.
void skip_comment(Walk& walk) {
  while (!walk.done() && walk.text[walk.at] != '\n') walk.step();
}

void skip_string(Walk& walk) {
  const char quote = walk.text[walk.at];
  const std::string triple(3, quote);
  const bool block = walk.sees(triple);
  walk.step(block ? 3 : 1);
  while (!walk.done()) {
    const char c = walk.text[walk.at];
    if (c == '\\' && quote == '"') {
      walk.step(2);
    } else if (block && walk.sees(triple)) {
      walk.step(3);
      for (int more = 0; more < 2 && !walk.done() && walk.text[walk.at] == quote; ++more) walk.step();
      return;
    } else if (!block && (c == quote || c == '\n')) {
      walk.step();
      return;
    } else {
      walk.step();
    }
  }
}

std::optional<Problem> check_structure(std::string_view text) {
  Walk walk{text};
  int depth = 0, dots = 0;
  std::size_t values = 0;
  while (!walk.done()) {
    const char c = text[walk.at];
    if (c == '#') {
      skip_comment(walk);
      continue;
    }
    if (c == '"' || c == '\'') {
      skip_string(walk);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '.') ++dots;
    if (c == '[' || c == '{' || c == ',' || c == '=' || c == '.') ++values;  // a dot may create a table as well
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') dots = 0;
    if (depth > max_depth) return problem_at(walk.place, fmt::format("nested more than {} levels deep", max_depth));
    if (dots > max_depth) return problem_at(walk.place, fmt::format("a key of more than {} parts", max_depth));
    if (values > max_values) {
      return problem_at(walk.place, fmt::format("more than {} values: too many for a scene", max_values));
    }
    walk.step();
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check_text(std::string_view text) {
  if (text.size() > max_scene_bytes) {
    return problem_at({}, fmt::format("{} bytes are too many: at most {} MiB", text.size(), max_scene_bytes >> 20));
  }
  if (auto problem = check_encoding(text)) return problem;
  return check_structure(text);
}

}  // namespace fdtd
