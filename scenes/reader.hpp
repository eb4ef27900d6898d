// The pieces a table of keys is made of: a key is a name and what reads its value, with the range it may have.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/document.hpp"

namespace fdtd {

// What a number may be. `low` itself is out when `above`. The unit is told in messages and may be empty.
struct Range {
  double low = 0.0, high = 0.0;
  const char* unit = "";
  bool above = false;
};

// Where a scene is being read, and what was found wrong.
struct Reading {
  std::filesystem::path folder;  // of the scene file
  bool allow_outside = false;
  std::vector<Problem> problems;  // the first thousand
  std::size_t untold = 0;         // further ones: a file that is no scene at all must not fill the memory with them

  std::size_t count() const { return problems.size() + untold; }
  void fail(Place place, std::string where, std::string message, std::string hint = {});
};

// One value on its way into the scene: `where` is its dotted key. Each reader returns nothing, and notes a problem, when
// the value isn't what it should be.
struct At {
  const Value& value;
  std::string where;
  Reading& reading;

  void fail(std::string message, std::string hint = {}) const {
    reading.fail(value.place, where, std::move(message), std::move(hint));
  }
  At item(std::size_t i) const;        // of a list
  At below(const Entry& entry) const;  // of a table

  bool is_table() const;                    // or a problem
  bool is_list(std::string_view of) const;  // or a problem; `of` says of what: "three numbers"
  std::optional<double> number(Range range) const;
  std::optional<int> whole_number(Range range) const;
  std::optional<bool> boolean() const;
  std::optional<std::string> text() const;
  std::optional<std::string> choice(const std::vector<std::string>& known) const;
  std::optional<std::string> name() const;            // one that can be part of a file name
  std::optional<std::filesystem::path> file() const;  // an existing regular file, within the scene's folder
  std::optional<std::vector<double>> numbers(Range range) const;
};

// A row of a table of keys: how the key's value gets into `T`; a required key says what to write when it is missing.
template <class T>
struct Key {
  const char* name;
  std::function<void(T&, const At&)> read;
  const char* required = nullptr;
};

template <class T>
std::vector<std::string> names(const std::vector<Key<T>>& keys) {
  std::vector<std::string> result;
  for (const Key<T>& key : keys) result.emplace_back(key.name);
  return result;
}

// An unknown key, with the nearest of `known`; a missing one.
void unknown_key(const At& table, const Entry& entry, const std::vector<std::string>& known);
void missing_key(const At& table, const char* name, const char* example);

template <class T>
void read_table(T& into, const At& at, const std::vector<Key<T>>& keys) {
  if (!at.is_table()) return;
  for (const Entry& entry : at.value.entries) {
    const Key<T>* match = nullptr;
    for (const Key<T>& key : keys) match = entry.key == key.name ? &key : match;
    if (match == nullptr)
      unknown_key(at, entry, names(keys));
    else
      match->read(into, at.below(entry));
  }
  for (const Key<T>& key : keys) {
    if (key.required != nullptr && at.value.find(key.name) == nullptr) missing_key(at, key.name, key.required);
  }
}

// Exactly one of `keys` must be in the table: a problem otherwise, at the second of them or at the table.
void exactly_one(const At& table, const std::vector<std::string>& keys);

// Why `name` can't be part of a file name, or "".
std::string bad_name(std::string_view name);

// The file `written` in a scene means, its symbolic links resolved; nothing, and why, when there is no regular file or
// it is outside `folder`. Whether a file outside exists is not told.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, const std::string& written,
                                               bool allow_outside, std::string& why);

}  // namespace fdtd
