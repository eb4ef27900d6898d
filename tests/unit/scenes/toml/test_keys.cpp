#include "scenes/toml/keys.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>

#include "scenes/toml/parse.hpp"
#include "scenes/toml/stencil_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::vector<KeyTable> all_tables() {
  std::vector<KeyTable> all = scene_tables();
  all.push_back(stencil_file_table());
  return all;
}

// The examples of the reference manual, one after the other.
std::string examples() {
  std::string text;
  for (const KeyTable& table : scene_tables()) text += table.example + "\n";
  return text;
}

std::string problems_with(const std::vector<std::string>& overrides) {
  const std::string text = examples();
  ParseOptions options;
  options.overrides = overrides;
  return all_messages(parse_scene(text, "hall.toml", options), text);
}

// "source.*.name" -> "source.0.name": of tables of any name the first of the examples.
std::string path_in_examples(std::string path) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"materials.*.branches.*", "materials.panel.branches.0"},
        {"materials.*.porous", "materials.absorber.porous"},
        {"materials.*.admittance", "materials.curtain.admittance"},
        {"materials.*.scattering", "materials.shelves.scattering"},
        {"materials.*.law", "materials.curtain.law"},
        {".*", ".0"}})
    if (const auto at = path.find(from); at != path.npos) path.replace(at, from.size(), to);
  return path;
}

}  // namespace

TEST_CASE("every key is described in one sentence, once", "[scenes]") {
  std::set<std::string> seen;
  for (const KeyTable& table : all_tables()) {
    INFO(table.title);
    CHECK_FALSE(table.title.empty());
    REQUIRE_FALSE(table.keys.empty());
    for (const KeyDescription& key : table.keys) {
      INFO(key.name);
      CHECK(seen.insert(table.title + table.key_path(key)).second);
      CHECK_FALSE(key.type.name.empty());
      REQUIRE_FALSE(key.about.empty());
      CHECK(std::isupper(static_cast<unsigned char>(key.about.front())) != 0);
      CHECK(key.about.find_last_of(".?]") == key.about.size() - 1);
      CHECK(key.about.find('\n') == std::string::npos);
      CHECK(key.about.find('|') == std::string::npos);  // it stands in a Markdown table
    }
    for (const std::string& name : table.one_of)
      CHECK(std::any_of(table.keys.begin(), table.keys.end(), [&](const auto& key) { return key.name == name; }));
  }
}

TEST_CASE("a table of the file's first level that is met in another table is answered by how it is written",
          "[scenes]") {
  for (const KeyTable& table : scene_tables()) {
    if (table.path.empty()) continue;
    for (const auto& [word, hint] :
         {std::pair<std::string, std::string>{"simulation", "[simulation] is a table of its own"},
          {"above", "[above] is a table of its own: write [above], and its keys below it"},
          {"room", "[room] is a table of its own"},
          {"air", "[air] is a table of its own"},
          {"materials", "[materials] is a table of its own"},
          {"output", "[output] is a table of its own"},
          {"source", "[[source]] is a table of its own: write [[source]], and its keys"},
          {"receiver", "[[receiver]] is a table of its own"},
          {"schema", "schema = 1 stands on top of the file, before all tables"}}) {
      const std::string name = word;
      if (std::ranges::any_of(table.keys, [&](const KeyDescription& key) { return key.name == name; })) continue;
      const std::string key = path_in_examples(table.path + "." + name);
      CAPTURE(key);
      CHECK_THAT(problems_with({key + "={ method = \"none\" }"}),
                 Catch::Contains("unknown key \"" + name) && Catch::Contains(hint));
    }
  }
  // As a header, and as a dotted key below another table.
  for (const std::string below : {"[simulation.above]\nmethod = \"none\"\n", "above.method = \"none\"\n"}) {
    const std::string text = replaced(small, "[room]\n", below + "[room]\n");
    CHECK_THAT(all_messages(parse_scene(text, "hall.toml", {}), text),
               Catch::Contains("hall.toml:5") && Catch::Contains("[above] is a table of its own"));
  }
  CHECK_THAT(problems_with({"abov={ method = \"none\" }"}), Catch::Contains("did you mean above?"));
}

TEST_CASE("a table of keys is in the reference under every table that it is read for", "[scenes]") {
  std::set<std::string> tables;
  for (const KeyTable& table : scene_tables()) tables.insert(table.path);
  for (const KeyTable& table : scene_tables())
    for (const KeyDescription& key : table.keys) {
      const std::string path = table.key_path(key);
      INFO(path);
      if (key.type.name == "table") CHECK(tables.count(path) == 1);
      if (key.type.name == "list of tables" || key.type.name == "table of tables")
        CHECK(tables.count(path + ".*") == 1);
    }
}

TEST_CASE("the examples of the reference are one valid scene, and a valid file of weights", "[scenes]") {
  CHECK(problems_with({}).empty());
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "mine.toml") << stencil_file_table().example;
  CHECK(load_stencil(folder.path() / "mine.toml").problems.empty());
}

TEST_CASE("every default of the reference is accepted, and a range ends where it says", "[scenes]") {
  int defaults = 0, ranges = 0;
  for (const KeyTable& table : scene_tables())
    for (const KeyDescription& key : table.keys) {
      const std::string path = path_in_examples(table.key_path(key));
      INFO(path);
      const bool of_meshes = path == "room.units" || path == "room.up" || path == "room.seal";
      const bool of_measured_sources = path == "source.0.on_axis";
      if (!key.initial.empty() && !of_meshes && !of_measured_sources) {
        CHECK(problems_with({path + "=" + key.initial}).empty());
        ++defaults;
      }
      const bool one_number = key.type.name == "number" || key.type.name == "whole number";
      if (!one_number || of_meshes || key.type.range->high >= unlimited) continue;
      CHECK(problems_with({fmt::format("{}={}", path, key.type.range->high + 1)}).find(to_text(*key.type.range)) !=
            std::string::npos);
      ++ranges;
    }
  CHECK(defaults >= 20);
  CHECK(ranges >= 15);
}
