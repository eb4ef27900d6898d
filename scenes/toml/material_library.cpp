#include "scenes/toml/material_library.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "base/lower_case.hpp"
#include "scenes/data/materials_text.hpp"
#include "scenes/toml/document.hpp"

namespace fdtd {
namespace {

const Value& member(const Value& table, const char* key) {
  const Entry* const entry = table.find(key);
  if (entry == nullptr) throw std::logic_error(std::string("the material library lacks ") + key);
  return entry->value;
}

std::vector<double> numbers(const Value& list) {
  std::vector<double> values;
  for (const Value& item : list.items) values.push_back(item.real);
  return values;
}

// Letters and digits, in lower case.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : lower_case(text)) {
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 128;
    if (part)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<LibraryMaterial> read_library() {
  Problem problem;
  const auto root = read_toml(materials_text, problem);
  if (!root) throw std::logic_error("the material library cannot be read: " + problem.message);
  const Value &bands = member(*root, "bands"), &sources = member(*root, "sources");
  const std::vector<double> centres = numbers(bands);
  std::vector<LibraryMaterial> library;
  for (const Entry& entry : member(*root, "materials").entries) {
    LibraryMaterial one;
    one.name = entry.key;
    one.about = member(entry.value, "about").text;
    one.source = member(sources, member(entry.value, "source").text.c_str()).text;
    one.alpha = numbers(member(entry.value, "alpha"));
    if (one.alpha.size() > centres.size()) throw std::logic_error("too many coefficients of " + one.name);
    one.bands.assign(centres.begin(), centres.begin() + static_cast<std::ptrdiff_t>(one.alpha.size()));
    library.push_back(std::move(one));
  }
  return library;
}

}  // namespace

const std::vector<LibraryMaterial>& material_library() {
  static const std::vector<LibraryMaterial> all = read_library();
  return all;
}

const LibraryMaterial* find_library_material(std::string_view name) {
  for (const LibraryMaterial& one : material_library())
    if (one.name == name) return &one;
  return nullptr;
}

namespace {

// Whether a text in lower case has the word, its singular, or the library's word for it.
bool holds_word(const std::string& text, std::string_view word) {
  const auto has = [&](std::string_view one) { return text.find(one) != text.npos; };
  constexpr std::size_t shortest_plural = 4;  // "mats", not "gas"
  const bool plural = word.size() >= shortest_plural && word.ends_with('s') && !word.ends_with("ss");
  const std::string_view single = plural ? word.substr(0, word.size() - 1) : word;
  return has(word) || has(single) || std::ranges::any_of(material_synonyms, [&](const auto& pair) {
           return (pair.first == word || pair.first == single) && has(pair.second);
         });
}

}  // namespace

std::vector<const LibraryMaterial*> search_library(std::string_view text) {
  std::vector<const LibraryMaterial*> found;
  const std::vector<std::string> words = words_of(text);
  for (const LibraryMaterial& one : material_library()) {
    const std::string in = lower_case(one.name + " " + one.about);
    if (std::ranges::all_of(words, [&](const std::string& word) { return holds_word(in, word); }))
      found.push_back(&one);
  }
  return found;
}

std::string names_in_library(std::string_view text) {
  constexpr std::size_t most = 6;
  std::string names;
  if (words_of(text).empty()) return names;
  const auto found = search_library(text);
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) names += (i == 0 ? "" : ", ") + found[i]->name;
  return found.size() > most ? names + ", ..." : names;
}

}  // namespace fdtd
