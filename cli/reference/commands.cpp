// The page commands.md: every command and option, from the command line parser itself.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "cli/reference/markdown.hpp"
#include "cli/reference/reference.hpp"

namespace fdtd::cli {
namespace {

// In the order in which they were added.
std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

// The options in the manual; --help is the same everywhere.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> list = command.get_options(
      [&](const CLI::Option* option) { return !option->get_group().empty() && option != command.get_help_ptr(); });
  std::stable_partition(list.begin(), list.end(), [](const CLI::Option* option) { return option->get_positional(); });
  return list;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }
bool repeats(const CLI::Option& option) { return option.get_items_expected_max() > 1; }
bool value_optional(const CLI::Option& option) { return !is_flag(option) && option.get_items_expected_min() == 0; }

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

// "-o, --output DIR" without the value: the names; a positional's name in capitals.
std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return upper(option.get_name(true)) + (repeats(option) ? "..." : "");
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  return names;
}

// CLI11 joins a type and its checks by colons: "INT:INT in [0 - 4096]", "TEXT:{best,all}".
std::string value_of(const CLI::Option& option) {
  if (is_flag(option)) return "";
  const std::string text = option.get_type_name();
  const std::size_t colon = text.find(':');
  const std::string type = text.substr(0, colon), check = colon == text.npos ? "" : text.substr(colon + 1);
  std::string words = type == "INT" || type == "UINT" ? "whole number" : type == "FLOAT" ? "number" : "text";
  if (check.size() > 1 && check.front() == '{') {
    words.clear();
    std::string choice;
    for (const char c : check.substr(1)) {
      if (c != ',' && c != '}') {
        choice += c;
        continue;
      }
      words += (words.empty() ? "" : ", ") + code(choice);
      choice.clear();
    }
  } else if (const auto begin = check.find('['); begin != check.npos) {
    std::string range = check.substr(begin + 1, check.find(']') - begin - 1);
    if (const auto dash = range.find(" - "); dash != range.npos) range.replace(dash, 3, " to ");
    words += ", " + range;
  } else if (!check.empty()) {
    words += ", " + (check == "POSITIVE" ? "above 0" : check);
  }
  if (repeats(option)) words += ", several";
  if (value_optional(option)) words += ", may be left out";
  return words;
}

std::string default_of(const CLI::Option& option) {
  if (option.get_required()) return "required";
  std::string text = option.get_default_str();
  if (text.size() > 1 && text.front() == '[') text = text.substr(1, text.size() - 2);  // of a list
  return code(text);
}

std::string usage_of(const CLI::App& command) {
  std::string line = "fdtd " + command.get_name();
  for (const CLI::Option* option : options_of(command)) {
    if (!option->get_positional()) continue;
    const std::string name = names_of(*option);
    line += option->get_required() ? " " + name : " [" + name + "]";
  }
  for (const CLI::Option* option : options_of(command))
    if (!option->get_positional() && option->get_required()) line += " --" + option->get_lnames().front() + " VALUE";
  return line + " [OPTIONS]";
}

std::string section(const CLI::App& command) {
  std::string about = command.get_description();
  if (!about.empty()) about.front() = upper(about.substr(0, 1)).front();
  std::string text = fmt::format("\n## {}\n\n{}.\n\n```sh\n{}\n```\n", code("fdtd " + command.get_name()),
                                 escape_markdown(about), usage_of(command));
  std::vector<std::vector<std::string>> rows;
  for (const CLI::Option* option : options_of(command))
    rows.push_back(
        {code(names_of(*option)), value_of(*option), default_of(*option), escape_markdown(option->get_description())});
  return text + "\n" + markdown_table({"Option", "Value", "Default", "Meaning"}, rows);
}

struct ExitStatus {
  Status status;
  const char* about;
};
constexpr ExitStatus exit_statuses[] = {
    {Status::done, "The command succeeded."},
    {Status::scene, "A mistake on the command line or in the scene; the message has the place and the remedy."},
    {Status::resource, "A device or memory is missing or too small, or another program failed."},
    {Status::numerical,
     "The simulation failed: a value is not finite, or the energy grows. The record until then is written."},
    {Status::file, "A file cannot be read or written, or is damaged."},
    {Status::interrupted, "The run was interrupted by a signal or by `--max-time`, and a checkpoint is written."},
};

}  // namespace

std::string commands_page(const CLI::App& program) {
  std::string text =
      "# Commands\n\n"
      "This page is printed by `fdtd reference commands`. Results go to standard output, progress and messages to "
      "standard "
      "error;\nwith `--json`, standard output is [one JSON document](json.md). `fdtd COMMAND --help` prints the "
      "options of a "
      "command.\nLines of text end at 80 columns, or where `COLUMNS` of the environment says; those of documents are "
      "not "
      "broken.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const CLI::App* command : commands_of(program))
    rows.push_back({fmt::format("[{}](#fdtd-{})", code(command->get_name()), command->get_name()),
                    escape_markdown(command->get_description())});
  text += markdown_table({"Command", "Purpose"}, rows);
  for (const CLI::App* command : commands_of(program)) text += section(*command);
  text += "\n## Exit status\n\n";
  rows.clear();
  for (const ExitStatus& one : exit_statuses)
    rows.push_back({fmt::format("{}", static_cast<int>(one.status)), one.about});
  return text + markdown_table({"Status", "Meaning"}, rows);
}

Json commands_page_json(const CLI::App& program) {
  Json commands = Json::array();
  for (const CLI::App* command : commands_of(program)) {
    Json options = Json::array();
    for (const CLI::Option* option : options_of(*command)) {
      Json one{{"name", names_of(*option)}};
      if (!is_flag(*option)) one["value"] = value_of(*option);
      if (!option->get_default_str().empty()) one["default"] = option->get_default_str();
      one["required"] = option->get_required();
      one["about"] = option->get_description();
      options.push_back(std::move(one));
    }
    commands.push_back({{"name", command->get_name()}, {"about", command->get_description()}, {"options", options}});
  }
  return commands;
}

}  // namespace fdtd::cli
