// The page scene.md: every key of a scene file, from the tables by which the file is read.
#include <fmt/format.h>

#include "cli/reference/markdown.hpp"
#include "cli/reference/reference.hpp"
#include "scenes/toml/keys.hpp"
#include "scenes/toml/stencil_file.hpp"

namespace fdtd::cli {
namespace {

bool limited(const KeyDescription& key) { return key.type.range && key.type.range->high < unlimited; }

std::string unit_of(const KeyDescription& key) { return key.type.range ? key.type.range->unit : ""; }

std::string accepted(const KeyDescription& key) {
  if (!key.type.choices.empty()) {
    std::string list;
    for (const std::string& one : key.type.choices) list += (list.empty() ? "" : ", ") + code('"' + one + '"');
    return list;
  }
  return escape_markdown(key.type.name);
}

// "192000", "1e6", "1e-5".
std::string number_text(double x) {
  std::string text = fmt::format("{:g}", x);
  for (const char* zeros : {"e+0", "e-0"})
    if (const auto at = text.find(zeros); at != text.npos) text.replace(at, 3, zeros[1] == '+' ? "e" : "e-");
  return text;
}

// An open lower end is written as ">".
std::string interval(const KeyDescription& key) {
  if (!limited(key)) return "";
  const Range& range = *key.type.range;
  return range.above ? fmt::format("> {}, ≤ {}", number_text(range.low), number_text(range.high))
                     : fmt::format("{} to {}", number_text(range.low), number_text(range.high));
}

std::string heading(const KeyTable& table) {
  const bool is_code = table.title.find_first_of("[=") != std::string::npos;
  const bool nested = table.title.find('=') != std::string::npos;
  return fmt::format("{} {}\n", nested ? "###" : "##", is_code ? code(table.title) : table.title);
}

std::string default_of(const KeyDescription& key) {
  if (key.required) return "required";
  return code(key.initial);
}

std::string section(const KeyTable& table) {
  std::string text = "\n" + heading(table);
  if (!table.about.empty()) text += "\n" + table.about + "\n";
  if (!table.one_of.empty()) {
    std::string list;
    for (const std::string& key : table.one_of) list += (list.empty() ? "" : ", ") + code(key);
    text += fmt::format("\nExactly one of {} is required.\n", list);
  }
  std::vector<std::vector<std::string>> rows;
  for (const KeyDescription& key : table.keys)
    rows.push_back(
        {code(key.name), accepted(key), unit_of(key), interval(key), default_of(key), escape_markdown(key.about)});
  text += "\n" + markdown_table({"Key", "Value", "Unit", "Range", "Default", "Meaning"}, rows);
  if (!table.example.empty()) text += fmt::format("\n```toml\n{}```\n", table.example);
  return text;
}

Json json_of(const KeyTable& table) {
  Json keys = Json::array();
  for (const KeyDescription& key : table.keys) {
    Json one{{"key", table.key_path(key)}, {"type", key.type.name}};
    if (!unit_of(key).empty()) one["unit"] = unit_of(key);
    if (limited(key)) {
      one[key.type.range->above ? "above" : "minimum"] = key.type.range->low;
      one["maximum"] = key.type.range->high;
    }
    if (!key.type.choices.empty()) one["choices"] = key.type.choices;
    if (!key.initial.empty()) one["default"] = key.initial;
    one["required"] = key.required;
    one["about"] = key.about;
    keys.push_back(std::move(one));
  }
  return {{"title", table.title}, {"one_of", table.one_of}, {"keys", keys}};
}

}  // namespace

std::string scene_page(const CLI::App&) {
  std::string text =
      "# Scene file\n\n"
      "This page is printed by `fdtd reference scene`. [Commands](commands.md) lists what reads a scene.\n";
  for (const KeyTable& table : scene_tables()) text += section(table);
  return text + section(stencil_file_table());
}

Json scene_page_json(const CLI::App&) {
  Json tables = Json::array();
  for (const KeyTable& table : scene_tables()) tables.push_back(json_of(table));
  return {{"schema", 1}, {"tables", tables}, {"file_of_weights", json_of(stencil_file_table())}};
}

}  // namespace fdtd::cli
