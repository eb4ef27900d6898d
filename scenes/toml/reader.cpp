#include "scenes/toml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/utf8.hpp"

namespace fdtd {
namespace {

// A text that would be a valid number without its quotes.
bool reads_as_number(const std::string& text) {
  if (text.empty() || text.size() > 40) return false;
  return text.find_first_not_of("0123456789+-.eE") == text.npos && text.find_first_of("0123456789") != text.npos;
}

}  // namespace

std::string to_text(const Range& range) {
  const std::string unit = *range.unit != 0 ? std::string(" ") + range.unit : "";
  return range.above ? fmt::format("above {} and up to {}{}", range.low, range.high, unit)
                     : fmt::format("between {} and {}{}", range.low, range.high, unit);
}

void Reading::fail(TextPlace place, std::string where, std::string message, std::string hint) {
  if (problems.size() >= 1000) {
    ++uncounted;
    return;
  }
  problems.push_back({place, 0, std::move(where), std::move(message), std::move(hint), {}});
}

At At::item(std::size_t i) const { return {value.items[i], fmt::format("{}[{}]", where, i), reading}; }

At At::below(const Entry& entry) const {
  return {entry.value, where.empty() ? entry.key : where + "." + entry.key, reading};
}

bool At::is_table() const {
  if (value.kind == Value::Kind::table) return true;
  fail("must be a table, not " + describe(value));
  return false;
}

bool At::is_list(std::string_view of) const {
  if (value.kind == Value::Kind::list) return true;
  fail(fmt::format("must be {} in brackets, not {}", of, describe(value)));
  return false;
}

std::optional<double> At::number(Range range) const {
  if (value.kind != Value::Kind::integer && value.kind != Value::Kind::real) {
    const bool quotes = value.kind == Value::Kind::text && reads_as_number(value.text);
    fail("must be a number, not " + describe(value), quotes ? "write it without quotes" : "");
    return std::nullopt;
  }
  const double x = value.real;
  if (!std::isfinite(x)) {
    fail("must be finite, not " + describe(value));
    return std::nullopt;
  }
  if (x < range.low || x > range.high || (range.above && x == range.low)) {
    fail(fmt::format("must be {}, not {}", to_text(range), describe(value)));
    return std::nullopt;
  }
  constexpr double least = std::numeric_limits<float>::min();
  if (x != 0.0 && std::abs(x) < least) {
    fail(fmt::format("is {}, less than single precision holds ({:.3g})", describe(value), least), "write 0");
    return std::nullopt;
  }
  return x == 0.0 ? 0.0 : x;  // no negative zero
}

std::optional<int> At::whole_number(Range range) const {
  const auto x = number(range);
  if (x && *x != std::floor(*x)) {
    fail("must be a whole number, not " + describe(value));
    return std::nullopt;
  }
  return x ? std::optional(static_cast<int>(*x)) : std::nullopt;
}

std::optional<bool> At::boolean() const {
  if (value.kind == Value::Kind::boolean) return value.boolean;
  fail("must be true or false, not " + describe(value));
  return std::nullopt;
}

std::optional<std::string> At::text() const {
  if (value.kind == Value::Kind::text) return value.text;
  fail("must be text in quotes, not " + describe(value));
  return std::nullopt;
}

std::optional<std::string> At::choice(const std::vector<std::string>& known) const {
  const auto word = text();
  if (!word) return std::nullopt;
  if (std::find(known.begin(), known.end(), *word) != known.end()) return word;
  const std::string near = nearest_name(*word, known);
  fail(fmt::format("must be one of {}, not {}", listed(known), in_quotes(*word)),
       near.empty() ? "" : "did you mean " + in_quotes(near) + "?");
  return std::nullopt;
}

std::optional<std::string> At::name() const {
  const auto word = text();
  if (!word) return std::nullopt;
  const std::string why = bad_name(*word);
  if (why.empty()) return word;
  fail(fmt::format("{} {}", in_quotes(*word), why), "names become parts of file names, as in ir_S1_R1.wav");
  return std::nullopt;
}

std::optional<std::filesystem::path> At::file() const {
  const auto written = text();
  if (!written) return std::nullopt;
  std::string why;
  auto path = find_file(reading.folder, *written, reading.allow_outside, why);
  if (!path) fail(fmt::format("{} {}", in_quotes(*written), why), "paths are relative to the scene file's folder");
  return path;
}

std::optional<std::vector<double>> At::numbers(Range range) const {
  if (!is_list("numbers")) return std::nullopt;
  std::vector<double> result;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (const auto x = item(i).number(range)) result.push_back(*x);
  }
  if (result.size() != value.items.size()) return std::nullopt;
  return result;
}

namespace {

// Of a table of the document's first level, met as a key below it: how it is written.
std::string first_level_hint(const std::string& key, const std::vector<std::string>& all_keys) {
  if (key.find('.') != key.npos || std::ranges::find(all_keys, key) == all_keys.end()) return {};
  if (key == "schema") return "schema = 1 stands on top of the file, before all tables";
  const bool list = key == "source" || key == "receiver";
  return fmt::format("{0} is a table of its own: write {0}, and its keys below it",
                     list ? "[[" + key + "]]" : "[" + key + "]");
}

}  // namespace

void unknown_key(const At& table, const Entry& entry, const std::vector<std::string>& known) {
  if (table.reading.uncounted > 0) return table.reading.fail(entry.place, {}, {});
  static const std::vector<std::string> none;
  const std::vector<std::string>& all_keys = table.reading.all_keys != nullptr ? *table.reading.all_keys : none;
  std::string hint = table.where.empty() ? "" : first_level_hint(entry.key, all_keys);
  const std::string near = nearest_name(entry.key, known);
  if (hint.empty() && !near.empty()) hint = fmt::format("did you mean {}?", near);
  for (const std::string& key : all_keys) {
    if (hint.empty() && key.size() > entry.key.size() + 1 && key.ends_with("." + entry.key)) {
      hint = fmt::format("there is {}", key);
    }
  }
  if (hint.empty()) hint = "known here: " + listed(known);
  table.reading.fail(entry.place, table.where, "unknown key " + in_quotes(entry.key), hint);
}

void missing_key(const At& table, const char* name, const char* example) {
  table.reading.fail(table.value.place, table.where, fmt::format("{} is missing", name),
                     fmt::format("write {}", example));
}

void exactly_one(const At& table, const std::vector<std::string>& keys) {
  const Entry* first = nullptr;
  for (const Entry& entry : table.value.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
    if (first == nullptr) {
      first = &entry;
      continue;
    }
    table.reading.fail(entry.place, table.where, fmt::format("{} and {} exclude each other", first->key, entry.key),
                       "give one of " + listed(keys));
    return;
  }
  if (first == nullptr) table.reading.fail(table.value.place, table.where, "needs one of " + listed(keys));
}

std::string bad_name(std::string_view name) {
  constexpr std::size_t max_length = 64;  // two of them, "ir_" and ".wav" stay below the 255 bytes of a file name
  if (name.empty()) return "is empty";
  if (name.size() > max_length) return fmt::format("is longer than {} bytes", max_length);
  if (name == "." || name == "..") return "is a folder, not a name";
  if (name.front() == ' ' || name.back() == ' ') return "begins or ends with a space";
  for (std::size_t at = 0; at < name.size();) {
    const Glyph glyph = glyph_at(name, at);
    if (!glyph.valid || !is_printable(glyph.code)) return "holds a control or invisible character";
    if (glyph.code < 0x80 && std::string_view("/\\:*?\"<>|").find(static_cast<char>(glyph.code)) != name.npos) {
      return fmt::format("holds the character {}", static_cast<char>(glyph.code));
    }
    at += glyph.bytes;
  }
  return {};
}

std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, const std::string& written,
                                               bool allow_outside, std::string& why) {
  namespace fs = std::filesystem;
  constexpr std::size_t max_length = 4096;
  const auto refuse = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  if (written.empty()) return refuse("is not a path");
  if (written.size() > max_length) return refuse("is too long for a path");
  if (written.find('\0') != written.npos) return refuse("holds a NUL character");
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error) return refuse("cannot be looked up: the scene's folder does not exist");
  const fs::path path = fs::weakly_canonical(root / fs::path(written), error);
  if (error) return refuse("cannot be looked up");
  const bool inside = std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
  if (!inside && !allow_outside) return refuse("leaves the scene's folder; --allow-outside permits that");
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return refuse("does not exist");
  if (!fs::is_regular_file(status))
    return refuse(fs::is_directory(status) ? "is a folder, not a file" : "is not a regular file");
  if (!std::ifstream(path)) return refuse("cannot be opened for reading");
  return path;
}

}  // namespace fdtd
