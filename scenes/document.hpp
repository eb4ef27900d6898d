// A TOML text as a tree of plain values with places: what the readers of a scene work on, so that toml++ stays in one
// file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct Entry;

struct Value {
  enum class Kind { boolean, integer, real, text, date, list, table };
  Kind kind = Kind::table;
  TextPlace place;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;  // of an integer as well
  std::string text;
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a table, in order of place

  const Entry* find(std::string_view key) const;  // nullptr: not there
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

// Cheap judgement before any parser or copy: size, encoding, nesting, number of values. A parser is then safe from
// stack overflow and from taking a hundred times the memory of the text. One problem, the first.
inline constexpr std::size_t largest_scene_bytes = 4u << 20;
std::optional<Problem> check_text(std::string_view text);
// The whole of a regular file of at most largest_scene_bytes; nothing, and why.
std::optional<std::string> read_small_file(const std::filesystem::path& file, std::string& why);

// Applies override number `index` (1-based) of `overrides` to the document: a dotted key, "=", a TOML value. Elements
// of lists are addressed by number from 0, those of [[source]] and [[receiver]] by their name as well; a plain word
// needs no quotes; an empty value takes the key away.
void apply_override(Value& root, const std::vector<std::string>& overrides, int index, std::vector<Problem>& problems);

}  // namespace fdtd
