#include "scenes/starter/nearest_entry.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fdtd {
namespace {

constexpr std::size_t shortest = 4;  // letters of a word that another may continue: "wood", "wooden"

// Runs of letters, in lower case: "Wall_Brick.001" has "wall" and "brick", "FloorCarpet" has "floor" and "carpet".
std::vector<std::string> letters_of(std::string_view text) {
  std::vector<std::string> words(1);
  bool was_small = false;
  for (const char c : text) {
    const bool large = c >= 'A' && c <= 'Z', small = c >= 'a' && c <= 'z';
    if ((!large && !small) || (large && was_small)) {
      if (!words.back().empty()) words.emplace_back();
    }
    if (large || small) words.back() += large ? static_cast<char>(c - 'A' + 'a') : c;
    was_small = small;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool alike(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= shortest && (a.starts_with(b) || b.starts_with(a));
}

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// They say where a surface is, or nothing.
constexpr std::array<std::string_view, 18> fillers = {"wall", "walls", "material", "default", "the",  "and",
                                                      "with", "over",  "from",     "above",   "side", "layer",
                                                      "back", "front", "mat",      "two",     "area", "surface"};
// They describe a surface, and suggest none.
constexpr std::array<std::string_view, 16> qualities = {"rough", "smooth", "painted", "thin",   "heavy", "light",
                                                        "dark",  "white",  "solid",   "soft",   "tight", "large",
                                                        "floor", "single", "double",  "ceiling"};
constexpr std::string_view overhead = "ceiling";
// They are those of a material whose name does not say otherwise.
constexpr std::array<std::string_view, 2> plain = {"solid", "smooth"};

// Of entries that share as much, the one is nearest whose name says least besides: "wood" is wood-solid, and no
// plaster-on-wood-wool.
struct Shared {
  int things = 0, score = 0, besides = 0;
};

// An absorber of ceilings is no suggestion for another surface that shares one word with it.
Shared shared_words(const std::vector<std::string>& wanted, const LibraryMaterial& entry) {
  const std::vector<std::string> name = letters_of(entry.name), about = letters_of(entry.about);
  // 2: the word itself; 1: one that continues it, or that it continues; 0: neither.
  const auto likeness = [](const std::vector<std::string>& words, std::string_view one) {
    int best = 0;
    for (const std::string& word : words) best = std::max(best, word == one ? 2 : alike(word, one) ? 1 : 0);
    return best;
  };
  Shared shared;
  for (const std::string& word : wanted) {
    const int in_name = likeness(name, word), in_about = likeness(about, word);
    if (in_name == 0 && in_about == 0) continue;
    const bool quality = is_one_of(qualities, word);
    shared.things += quality ? 0 : 1;
    shared.score += quality ? 1 : in_name > 0 ? 5 + in_name : 2 + in_about;
  }
  const bool of_ceilings = likeness(name, overhead) > 0 && likeness(wanted, overhead) == 0;
  if (shared.things < (of_ceilings ? 2 : 1)) return {};
  for (const std::string& word : name)
    if (word.size() >= 3 && !is_one_of(plain, word) && likeness(wanted, word) == 0) ++shared.besides;
  return shared;
}

}  // namespace

const LibraryMaterial* nearest_entry(std::string_view name) {
  std::vector<std::string> wanted;
  for (const std::string& word : letters_of(name)) {
    if (is_one_of(fillers, word) || word.size() < 3) continue;
    wanted.push_back(word);
    for (const auto& [other, known] : material_synonyms)
      if (word == other) wanted.emplace_back(known);
  }
  const LibraryMaterial* best = nullptr;
  Shared most;
  for (const LibraryMaterial& entry : material_library()) {
    const Shared shared = shared_words(wanted, entry);
    if (shared.score > most.score || (shared.score == most.score && best != nullptr && shared.besides < most.besides)) {
      most = shared;
      best = &entry;
    }
  }
  return best;
}

}  // namespace fdtd
