// The pages of the reference manual, each made from the tables of the program itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace CLI {
class App;
}

namespace fdtd::cli {

using Json = nlohmann::ordered_json;

struct ReferencePage {
  const char* name;  // of the page, as in docs/reference/NAME.md
  const char* about;
  std::string (*markdown)(const CLI::App& program);  // `program`: the whole command line
  Json (*json)(const CLI::App& program);
};

// The keys of a scene file and of a file of weights.
std::string scene_page(const CLI::App& program);
Json scene_page_json(const CLI::App& program);

// The commands with their options.
std::string commands_page(const CLI::App& program);
Json commands_page_json(const CLI::App& program);

// The files that commands read and write.
std::string files_page(const CLI::App& program);
Json files_page_json(const CLI::App& program);

// The fields of the JSON documents that commands print.
std::string json_page(const CLI::App& program);
Json json_page_json(const CLI::App& program);

}  // namespace fdtd::cli
