// --set KEY=VALUE: replaces, adds or removes one value of the document; problems are reported with their place in it.
#include <fmt/format.h>

#include <charconv>

#include "scenes/toml/document.hpp"

namespace fdtd {
namespace {

struct Override {
  std::vector<Entry> path;     // keys with their places; values unused
  std::optional<Value> value;  // nothing: remove the key
};

void set_places(Value& value, int index) {
  value.place = {0, value.place.column, index};
  for (Value& item : value.items) set_places(item, index);
  for (Entry& entry : value.entries) {
    entry.place = {0, entry.place.column, index};
    set_places(entry.value, index);
  }
}

// A word without quotes, which the shell removes: a letter, then letters, digits and . _ - / : but no TOML value.
bool is_word(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0])) return false;
  for (char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9') && std::string_view("._-/:").find(c) == std::string_view::npos)
      return false;
  }
  return text != "true" && text != "false" && text != "nan" && text != "inf";
}

std::size_t equals_sign(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0)
      quote = text[i] == quote ? 0 : quote;
    else if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    else if (text[i] == '=')
      return i;
  }
  return text.npos;
}

// "a.b.c = v" is a TOML document: a chain of tables of one key each, down to the value.
std::optional<Override> read_override(const std::string& text, int index, Problem& problem) {
  const auto refuse = [&](std::string message) {
    problem = {{0, 1, index}, 0, {}, std::move(message), "write --set simulation.duration=0.5", text};
    return std::nullopt;
  };
  const std::size_t equals = equals_sign(text);
  if (equals == text.npos || equals == 0) return refuse("needs a dotted key, \"=\" and a value");
  if (text.find('\n') != text.npos) return refuse("must be one line");
  std::string_view right = std::string_view(text).substr(equals + 1);
  while (!right.empty() && right.front() == ' ') right.remove_prefix(1);
  const bool removal = right.empty();
  std::string document = text;
  if (removal) document += "0";
  if (is_word(right)) document = text.substr(0, text.size() - right.size()) + '"' + std::string(right) + '"';
  std::optional<Value> root;
  if (auto broken = check_text(document))
    problem = *broken;
  else
    root = read_toml(document, problem);
  if (!root) {
    problem.place = {0, problem.place.column, index};
    problem.set = text;
    return std::nullopt;
  }
  Override result;
  std::size_t parts = 1;  // of the key: dots outside quotes
  char quote = 0;
  for (char c : text.substr(0, equals)) {
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '.')
      ++parts;
  }
  set_places(*root, index);
  Value* value = &*root;
  for (; parts > 0; --parts) {
    if (value->entries.size() != 1) return refuse("needs a dotted key, \"=\" and a value");
    Entry& entry = value->entries.front();
    result.path.push_back({entry.key, entry.place, {}});
    value = &entry.value;
  }
  if (!removal) result.value = *value;
  return result;
}

// The element of a list that `key` addresses, by its `name` or its number from 0. Nothing, and a problem, when there is
// none.
std::optional<std::size_t> element(const Value& list, const Entry& key, const std::string& where, Problem& problem) {
  std::optional<std::size_t> named, numbered;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Entry* name = list.items[i].find("name");
    if (name == nullptr || name->value.kind != Value::Kind::text) continue;
    names.push_back(name->value.text);
    if (name->value.text == key.key && !named) named = i;
  }
  std::size_t number = 0;
  const char* end = key.key.data() + key.key.size();
  const auto [last, error] = std::from_chars(key.key.data(), end, number);
  if (error == std::errc() && last == end && number < list.items.size()) numbered = number;
  if (named && numbered && *named != *numbered) {
    problem.message =
        fmt::format("{} is both the name of element {} and the number of another", in_quotes(key.key), *named);
    problem.hint = "give its number, counted from 0";
    return std::nullopt;
  }
  if (named || numbered) return named ? named : numbered;
  problem.message = fmt::format("{} has no element {}", where, in_quotes(key.key));
  const std::string near = nearest_name(key.key, names);
  problem.hint = !near.empty()        ? "did you mean " + in_quotes(near) + "?"
                 : list.items.empty() ? std::string("the list is empty")
                                      : fmt::format("its elements are 0 to {}", list.items.size() - 1);
  return std::nullopt;
}

}  // namespace

void apply_override(Value& root, const std::vector<std::string>& overrides, int index, std::vector<Problem>& problems) {
  const std::string& text = overrides[static_cast<std::size_t>(index - 1)];
  Problem problem;
  std::optional<Override> given = read_override(text, index, problem);
  if (!given) return problems.push_back(problem);

  Value* at = &root;
  std::string where;
  for (std::size_t i = 0; i < given->path.size(); ++i) {
    const Entry& key = given->path[i];
    const bool last = i + 1 == given->path.size();
    problem = {key.place, 0, {}, {}, {}, text};
    if (at->kind == Value::Kind::list) {
      const auto found = element(*at, key, where, problem);
      if (!found) return problems.push_back(problem);
      if (last && !given->value) {
        at->items.erase(at->items.begin() + static_cast<std::ptrdiff_t>(*found));
        return;
      }
      at = &at->items[*found];
    } else if (at->kind == Value::Kind::table) {
      Entry* entry = at->find(key.key);
      if (last && !given->value) {
        if (entry != nullptr)
          at->entries.erase(at->entries.begin() + (entry - at->entries.data()));
        else
          problem.message = "there is no such key to remove", problems.push_back(problem);
        return;
      }
      if (entry == nullptr) {
        at->entries.push_back({key.key, key.place, {}});
        entry = &at->entries.back();
        entry->value.place = key.place;
      }
      if (last) entry->place = key.place;
      at = &entry->value;
    } else {
      problem.message = fmt::format("{} is {} and holds no keys", where, describe(*at));
      return problems.push_back(problem);
    }
    where += (where.empty() ? "" : ".") + key.key;
  }
  *at = std::move(*given->value);
}

}  // namespace fdtd
