#include "scenes/toml/replace_absorption.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "scenes/toml/document.hpp"
#include "scenes/toml/parse.hpp"

namespace fdtd {
namespace {

// Else a key beside the material's kind.
bool is_kind(const std::string& key) { return key != "scattering" && key != "law"; }

struct Edit {
  std::size_t begin = 0, end = 0;  // bytes
  std::string text;
};

// The byte of a place, whose columns are characters from 1.
std::size_t byte_at(std::string_view text, const TextPlace& place) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (int line = 1; line < place.line && at < text.size(); ++line) {
    const std::size_t next = text.find('\n', at);
    at = next == text.npos ? text.size() : next + 1;
  }
  for (int column = 1; column < place.column && at < text.size(); ++column) do
      ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

std::optional<Value> root_of(const std::string& text) {
  Problem problem;
  return check_text(text) ? std::nullopt : read_toml(text, problem);
}

const Value* table_of(const Value& root, const std::string& material) {
  const Entry* all = root.find("materials");
  const Entry* one = all == nullptr ? nullptr : all->value.find(material);
  return one == nullptr ? nullptr : &one->value;
}

const Entry* law_of(const Value& material) {
  const auto law = std::ranges::find_if(material.entries, [](const Entry& one) { return is_kind(one.key); });
  return law == material.entries.end() ? nullptr : &*law;
}

std::string list_text(const std::vector<double>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string key_text(const std::string& name) {
  const bool bare = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? name : fmt::format("\"{}\"", name);  // names hold neither quotes nor backslashes
}

void add_edits(const std::string& text, const Entry& law, const AbsorptionTable& table, std::vector<Edit>& edits) {
  const auto value = [&](const Value& of, std::string with) {
    edits.push_back({byte_at(text, of.place), byte_at(text, of.end), std::move(with)});
  };
  const Entry* const bands = law.key == "absorption" ? law.value.find("bands") : nullptr;
  const Entry* const alpha = law.key == "absorption" ? law.value.find("alpha") : nullptr;
  if (bands != nullptr && alpha != nullptr) {
    value(bands->value, list_text(table.bands));
    value(alpha->value, list_text(table.alpha));
  } else {
    edits.push_back({byte_at(text, law.place), byte_at(text, law.value.end), "absorption = " + text_of(table)});
  }
}

std::string edited(const std::string& text, const std::map<std::string, AbsorptionTable>& tables) {
  const std::optional<Value> root = root_of(text);
  std::string result = text, added;
  std::vector<Edit> edits;
  for (const auto& [name, table] : tables) {
    const Value* const material = root ? table_of(*root, name) : nullptr;
    if (const Entry* const law = material == nullptr ? nullptr : law_of(*material))
      add_edits(text, *law, table, edits);
    else
      added += fmt::format("\n[materials.{}]\nabsorption = {}\n", key_text(name), text_of(table));
  }
  std::ranges::sort(edits, {}, &Edit::begin);
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    result.replace(edit->begin, edit->end - edit->begin, edit->text);
  if (!added.empty() && !result.ends_with('\n')) result += '\n';
  return result + added;
}

// Does the text state these tables, with no problem more than the `allowed` ones?
bool states(const std::string& text, const std::filesystem::path& file, std::size_t allowed,
            const std::map<std::string, AbsorptionTable>& tables) {
  const ParsedScene parsed = parse_scene(text, file, {{}, true});
  return parsed.problems.size() <= allowed && std::ranges::all_of(tables, [&](const auto& one) {
           const auto found = parsed.scene.materials.find(one.first);
           return found != parsed.scene.materials.end() && found->second.bands == one.second.bands &&
                  found->second.alpha == one.second.alpha;
         });
}

}  // namespace

std::string text_of(const AbsorptionTable& table) {
  return fmt::format("{{ bands = {}, alpha = {} }}", list_text(table.bands), list_text(table.alpha));
}

std::string replace_absorption(const std::string& text, const std::filesystem::path& file,
                               const std::map<std::string, AbsorptionTable>& tables) {
  const std::size_t allowed = parse_scene(text, file, {{}, true}).problems.size();
  std::string result = edited(text, tables);
  if (states(result, file, allowed, tables)) return result;
  const auto wrong = std::ranges::find_if(tables, [&](const auto& one) {
    const std::map<std::string, AbsorptionTable> alone = {one};
    return tables.size() == 1 || !states(edited(text, alone), file, allowed, alone);
  });
  const std::string name = wrong == tables.end() ? "NAME" : wrong->first;
  throw Error(
      Status::scene,
      fmt::format("{}: the material {} is written in a way in which its law cannot be replaced", file.string(),
                  in_quotes(name)),
      fmt::format("write it as [materials.{}] with a line absorption = {{ bands = [...], alpha = [...] }}", name));
}

std::vector<std::string> absorption_overrides(const std::string& text,
                                              const std::map<std::string, AbsorptionTable>& tables) {
  const std::optional<Value> root = root_of(text);
  std::vector<std::string> sets;
  for (const auto& [name, table] : tables) {
    const std::string key = "materials." + key_text(name);
    const Value* const material = root ? table_of(*root, name) : nullptr;
    const Entry* const law = material == nullptr ? nullptr : law_of(*material);
    if (law != nullptr && law->key != "absorption") sets.push_back(fmt::format("{}.{}=", key, law->key));
    sets.push_back(fmt::format("{}.absorption={}", key, text_of(table)));
  }
  return sets;
}

}  // namespace fdtd
