// The page json.md: every JSON document that a command prints.
#include <fmt/format.h>

#include "cli/reference/markdown.hpp"
#include "cli/reference/reference.hpp"
#include "cli/reference/tables.hpp"

namespace fdtd::cli {
namespace {

std::string section(const JsonDocument& document) {
  std::string text = fmt::format("\n## {}\n", code(document.command));
  if (!document.about.empty()) text += "\n" + document.about + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const JsonField& field : document.fields)
    if (!field.elsewhere)
      rows.push_back(
          {code(field.path), field.type, field.unit, escape_markdown(field.when), escape_markdown(field.about)});
  return text + "\n" + markdown_table({"Field", "Type", "Unit", "Present if", "Meaning"}, rows);
}

}  // namespace

std::string json_page(const CLI::App&) {
  std::string text =
      "# JSON documents\n\n"
      "This page is printed by `fdtd reference json`. With `--json` a command prints one JSON document and nothing "
      "else on "
      "standard\noutput. Fields keep their names and units from version to version; new fields may be added. "
      "`results[].eff` "
      "is the field\n`eff` of each element of the list `results`. [Commands](commands.md) has the options, "
      "[Files](files.md) "
      "the files that hold\nsome of these documents.\n";
  for (const JsonDocument& document : json_documents()) text += section(document);
  return text;
}

Json json_page_json(const CLI::App&) {
  Json documents = Json::array();
  for (const JsonDocument& document : json_documents()) {
    Json fields = Json::array();
    for (const JsonField& field : document.fields)
      fields.push_back({{"path", field.path},
                        {"type", field.type},
                        {"unit", field.unit},
                        {"when", field.when},
                        {"about", field.about}});
    documents.push_back({{"command", document.command}, {"fields", fields}});
  }
  return documents;
}

}  // namespace fdtd::cli
