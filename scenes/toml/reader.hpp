// Reading a TOML document by tables of keys: a key is a name, a reader of its value, and the sentence that describes
// it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/toml/document.hpp"

namespace fdtd {

// The closed interval that a number must lie in; with `above` it is open at `low`. Messages print the unit, which may
// be empty.
struct Range {
  double low = 0.0, high = 0.0;
  const char* unit = "";
  bool above = false;
};
constexpr double unlimited = 1e300;  // as a Range's ends: any finite number

// "between 0 and 1", "above 0 and up to 3600 s".
std::string to_text(const Range& range);

// The values that a reader accepts, as the reference manual prints them.
struct ValueType {
  std::string name;                  // "number", "three numbers", "text", "table", ...
  std::optional<Range> range;        // of each number
  std::vector<std::string> choices;  // the only texts accepted; empty: any
};

// The state of reading one scene, and the problems found so far.
struct Reading {
  std::filesystem::path folder;                        // of the scene file
  bool allow_outside = false;                          // files outside `folder` are accepted
  std::vector<Problem> problems;                       // the first thousand
  const std::vector<std::string>* all_keys = nullptr;  // dotted, of the whole document: for hints about unknown keys
  std::size_t uncounted = 0;  // further ones are only counted, so that a file of garbage cannot fill the memory

  std::size_t count() const { return problems.size() + uncounted; }
  void fail(TextPlace place, std::string where, std::string message, std::string hint = {});
};

// One value of the document; `where` is its dotted key. Each reader returns nothing and records a problem when the
// value is not of its kind.
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
  bool is_list(std::string_view of) const;  // or a problem; `of` names the elements: "three numbers"
  std::optional<double> number(Range range) const;
  std::optional<int> whole_number(Range range) const;
  std::optional<bool> boolean() const;
  std::optional<std::string> text() const;
  std::optional<std::string> choice(const std::vector<std::string>& known) const;
  std::optional<std::string> name() const;            // valid as part of a file name
  std::optional<std::filesystem::path> file() const;  // an existing regular file, in the scene's folder
  std::optional<std::vector<double>> numbers(Range range) const;
};

// Reads a value into `T` and says what it accepts. `initial` writes the value that a `T` holds by itself as TOML: the
// default of the key; it is empty, or returns "", where there is none.
template <class T>
struct Reader {
  using Read = std::function<void(T&, const At&)>;
  using Initial = std::function<std::string(const T&)>;
  Reader(Read reads, ValueType accepts, Initial default_of = nullptr)
      : read(std::move(reads)), type(std::move(accepts)), initial(std::move(default_of)) {}
  Read read;
  ValueType type;
  Initial initial;
};

// A row of a table of keys. `about` is one sentence for the reference manual; `required`, for keys without which a
// table is incomplete, shows how to write the key.
template <class T>
struct Key {
  Key(const char* key_name, Reader<T> key_reader, const char* sentence, const char* example = nullptr)
      : name(key_name), reader(std::move(key_reader)), about(sentence), required(example) {}
  const char* name;
  Reader<T> reader;
  const char* about;
  const char* required;
};

template <class T>
std::vector<std::string> names(const std::vector<Key<T>>& keys) {
  std::vector<std::string> result;
  for (const Key<T>& key : keys) result.emplace_back(key.name);
  return result;
}

// Records a problem: a key that is not among `known`, with the nearest of them; a key that is missing.
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
      match->reader.read(into, at.below(entry));
  }
  for (const Key<T>& key : keys) {
    if (key.required != nullptr && at.value.find(key.name) == nullptr) missing_key(at, key.name, key.required);
  }
}

// The table must hold exactly one of `keys`: a problem otherwise, at the second of them or at the table.
void exactly_one(const At& table, const std::vector<std::string>& keys);

// Why `name` cannot be part of a file name, or "".
std::string bad_name(std::string_view name);

// The regular file that the path `written` in a scene names, symbolic links resolved; nothing, and `why`, when there is
// none or when it lies outside `folder`. For a path outside the folder `why` does not reveal whether the file exists.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, const std::string& written,
                                               bool allow_outside, std::string& why);

}  // namespace fdtd
