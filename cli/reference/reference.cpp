// fdtd reference [PAGE]: the reference manual, printed, or written as the files of docs/reference/.
#include "cli/reference/reference.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"

namespace fdtd::cli {
namespace {

constexpr std::array pages = {
    ReferencePage{"scene", "the keys of a scene file", scene_page, scene_page_json},
    ReferencePage{"commands", "the commands and their options", commands_page, commands_page_json},
    ReferencePage{"files", "the files that are read and written", files_page, files_page_json},
    ReferencePage{"json", "the fields of JSON documents", json_page, json_page_json},
};

struct Options {
  std::string page;  // empty: all
  std::string folder;
  bool json = false;
  bool force = false;
};

void write_pages(const CLI::App& program, const std::vector<const ReferencePage*>& chosen, const Options& options) {
  OutputFolder folder(options.folder);
  const auto file = [&](const ReferencePage& page) {
    return std::filesystem::path(options.folder) / (std::string(page.name) + ".md");
  };
  for (const ReferencePage* page : chosen) check_writable(file(*page), options.force);
  for (const ReferencePage* page : chosen) write_whole_file(file(*page), page->markdown(program), options.force);
  folder.keep();
}

void print_reference(const CLI::App& program, const Options& options) {
  std::vector<const ReferencePage*> chosen;
  for (const ReferencePage& page : pages)
    if (options.page.empty() || options.page == page.name) chosen.push_back(&page);
  if (options.json && !options.folder.empty())
    throw Error(Status::scene, "--json prints, and -o writes Markdown", "give one of them");
  if (!options.folder.empty()) return write_pages(program, chosen, options);
  if (options.json) {
    Json document = Json::object();
    for (const ReferencePage* page : chosen) document[page->name] = page->json(program);
    put_document(json_text(document, 2) + "\n");
    return;
  }
  for (const ReferencePage* page : chosen) put_document((page == chosen.front() ? "" : "\n") + page->markdown(program));
}

}  // namespace

void add_reference(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  std::string list;
  for (const ReferencePage& page : pages) {
    names.emplace_back(page.name);
    list += fmt::format("{}{}: {}", list.empty() ? "" : "; ", page.name, page.about);
  }
  app.add_option("page", options->page, list + "; all pages by default")->check(CLI::IsMember(names));
  app.add_option("-o,--output", options->folder, "write the pages as Markdown files into this folder");
  app.add_flag("--json", options->json, "print the same tables as one JSON document");
  app.add_flag("--force", options->force, "replace files that exist");
  app.callback([options, &app, &status] {
    print_reference(*app.get_parent(), *options);
    status = 0;
  });
}

}  // namespace fdtd::cli
