// A TOML document as a tree of plain values, each with its place in the text. Only parse_toml.cpp includes toml++.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct Entry;

struct Value {
  enum class Kind { boolean, integer, real, text, date, list, table };
  Kind kind = Kind::table;
  TextPlace place;
  TextPlace end{};  // one past its last character; line 0: not known
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;  // of an integer as well
  std::string text;
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a table, in order of place

  const Entry* find(std::string_view key) const;  // nullptr: none
  Entry* find(std::string_view key);
};

struct Entry {
  std::string key;
  TextPlace place;  // of the key
  Value value;
};

// "a list", `the text "abc"`, "12.5": a value as a message shows it.
std::string describe(const Value& value);

// TOML text -> its root table (parse_toml.cpp). Never throws for what the text holds: nothing is returned and `problem`
// says why. The text must have passed check_text().
std::optional<Value> read_toml(std::string_view text, Problem& problem);

// Checks size, encoding, nesting depth and number of values before the text is parsed, so that no text can overflow the
// parser's stack or make it take a hundred times the memory of the text. Returns the first problem.
inline constexpr std::size_t max_scene_bytes = 4u << 20;
std::optional<Problem> check_text(std::string_view text);
// The content of a regular file of at most max_scene_bytes; nothing, and `why`, where it cannot be read.
std::optional<std::string> read_small_file(const std::filesystem::path& file, std::string& why);

// Applies override number `index` (1-based) of `overrides` to the document: a dotted key, "=", a TOML value. Elements
// of lists are addressed by their number from 0, those of [[source]] and [[receiver]] also by their name; a plain word
// needs no quotes; an empty value removes the key.
void apply_override(Value& root, const std::vector<std::string>& overrides, int index, std::vector<Problem>& problems);

}  // namespace fdtd
