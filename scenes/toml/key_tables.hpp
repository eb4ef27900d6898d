// The keys of the files that a user writes, as data: what `fdtd reference scene` prints.
#pragma once

#include <string>
#include <vector>

#include "scenes/toml/reader.hpp"

namespace fdtd {

struct KeyDescription {
  std::string name;  // without the table: "duration"
  ValueType type;
  std::string initial;    // the default as TOML; "": none
  bool required = false;  // in a table that is given
  std::string about;      // one sentence
};

struct KeyTable {
  std::string path;                 // of the table, dotted, tables of any name as *: "source.*"; "": the file's root
  std::string title;                // as the manual calls it: "[[source]]"
  std::string about;                // Markdown
  std::string example;              // TOML, a part of one valid file
  std::vector<std::string> one_of;  // exactly one of these keys is given; empty: no such rule
  std::vector<KeyDescription> keys;

  std::string key_path(const KeyDescription& key) const { return path.empty() ? key.name : path + "." + key.name; }
};

// The prose about a table, beside its keys.
struct TableText {
  std::string path, title, about, example;
};

template <class T>
KeyTable describe_table(TableText text, const std::vector<Key<T>>& keys, std::vector<std::string> one_of = {}) {
  KeyTable table{std::move(text.path),    std::move(text.title), std::move(text.about),
                 std::move(text.example), std::move(one_of),     {}};
  for (const Key<T>& key : keys) {
    const bool required = key.required != nullptr;
    const std::string initial = key.reader.initial && !required ? key.reader.initial(T{}) : "";
    table.keys.push_back({key.name, key.reader.type, initial, required, key.about});
  }
  return table;
}

}  // namespace fdtd
