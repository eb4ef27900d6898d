#include "tests/layers/layers.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

namespace fdtd::test {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  // from the root, "engine/plan.hpp"
  int line = 0;
  std::string name;  // "scenes/scene.hpp" or "fmt/format.h"
  bool quoted = false;
};

bool starts_with_any(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& p) { return text.substr(0, p.size()) == p; });
}

// Our own headers: files under `from` include only files under `to`. The first row that matches a file counts.
struct Layer {
  std::string from;
  std::vector<std::string> to;
  std::string why;
};
const std::vector<Layer> layers = {
    {"stencils/", {"stencils/"}, "stencils/ stands on the standard library alone"},
    {"scenes/", {"scenes/", "stencils/"}, "scenes/ stands on stencils/ alone"},
    {"engine/cpu/", {"engine/", "stencils/"}, "a backend knows the plan, never the scene"},
    {"engine/cuda/", {"engine/", "stencils/"}, "a backend knows the plan, never the scene"},
    {"engine/", {"engine/", "scenes/", "stencils/"}, "engine/ stands on scenes/ and stencils/"},
    {"cli/", {"cli/", "engine/", "scenes/", "stencils/"}, "the program needs neither tests nor benchmarks"},
    {"tests/", {"tests/", "cli/", "engine/", "scenes/", "stencils/"}, "tests see the rooms and their own support"},
    {"bench/", {"bench/", "engine/", "scenes/", "stencils/"}, "benchmarks see the rooms under cli/"},
};

// The two backends do not know of each other.
const std::map<std::string, std::string> strangers = {{"engine/cpu/", "engine/cuda/"}, {"engine/cuda/", "engine/cpu/"}};

// Other people's headers: those that match are included only in files that match, and in `at_most` of them (0: any number).
struct Guest {
  std::regex name, allowed_in;
  std::size_t at_most = 0;
  std::string why;
};
const std::vector<Guest> guests = {
    {std::regex("toml\\+\\+.*|toml\\.hpp"), std::regex("scenes/parse[^/]*\\.cpp"), 0,
     "toml++ only in scenes/parse*.cpp"},
    {std::regex("assimp/.*"), std::regex("scenes/[^/]*\\.cpp"), 1, "assimp only in one file of scenes/"},
    {std::regex("sndfile\\.hh?"), std::regex("engine/[^/]*\\.cpp"), 1, "libsndfile only in one file of engine/"},
    {std::regex("FLAC/.*"), std::regex("engine/[^/]*\\.cpp"), 1, "libFLAC only in one file of engine/"},
    {std::regex("png\\.h"), std::regex("engine/[^/]*\\.cpp"), 1, "libpng only in one file of engine/"},
    {std::regex("hdf5.*|H5.*"), std::regex("(engine|tests/support)/[^/]*h5[^/]*"), 0,
     "HDF5 only in the engine/*h5* family, and in tests/support/*h5* to read as others do"},
    {std::regex("mpi\\.h"), std::regex("engine/.*\\.(cpp|cu)"), 1, "MPI only in one source of engine/, and no header"},
    {std::regex("cuda.*|nccl.*|cooperative_groups.*"), std::regex("engine/cuda/.*\\.(cu|cuh|cpp)"), 0,
     "CUDA only in the .cu, .cuh and .cpp files of engine/cuda/"},
    {std::regex("catch2/.*"), std::regex("tests/support/[^/]*"), 0, "Catch2 only through tests/support/catch.hpp"},
    {std::regex("CLI/.*|spdlog/.*"), std::regex("cli/.*"), 0, "only cli/ has a command line and a log"},
    {std::regex("iostream"), std::regex("(cli|tests|bench)/.*"), 0, "only cli/ prints"},
    // The standard library's headers have neither a folder nor an ending.
    {std::regex(".*[/.].*"), std::regex("(?!stencils/).*"), 0, "stencils/ stands on the standard library alone"},
};

std::vector<Include> includes_of(const fs::path& root, const fs::path& file) {
  static const std::regex directive(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> found;
  std::ifstream stream(file);
  std::string text;
  std::smatch match;
  for (int line = 1; std::getline(stream, text); ++line) {
    if (text.find("include") != std::string::npos && std::regex_match(text, match, directive))
      found.push_back({fs::relative(file, root).generic_string(), line, match[2], match[1] == "\""});
  }
  return found;
}

std::optional<std::string> broken_layer(const Include& include) {
  const auto layer = std::find_if(layers.begin(), layers.end(),
                                  [&](const Layer& row) { return include.file.rfind(row.from, 0) == 0; });
  for (const auto& [here, stranger] : strangers) {
    if (include.file.rfind(here, 0) == 0 && include.name.rfind(stranger, 0) == 0)
      return "the backends do not know of each other";
  }
  if (layer != layers.end() && !starts_with_any(include.name, layer->to)) return layer->why;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> layer_violations(const fs::path& root) {
  static const std::set<std::string> sources = {".hpp", ".cpp", ".cuh", ".cu"};
  std::vector<std::string> problems;
  std::vector<std::set<std::string>> hosts(guests.size());  // the files that each row's guest is met in
  const auto tell = [&](const Include& include, const std::string& why) {
    const std::string quoted = include.quoted ? '"' + include.name + '"' : '<' + include.name + '>';
    problems.push_back(include.file + ':' + std::to_string(include.line) + ": " + quoted + ": " + why);
  };
  std::vector<fs::path> files;
  for (const char* room : {"stencils", "scenes", "engine", "cli", "tests", "bench"}) {
    if (!fs::is_directory(root / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / room))
      if (sources.count(entry.path().extension().string())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    for (const Include& include : includes_of(root, file)) {
      if (include.quoted) {
        if (const auto why = broken_layer(include)) tell(include, *why);
        continue;
      }
      for (std::size_t row = 0; row < guests.size(); ++row) {
        const Guest& guest = guests[row];
        if (!std::regex_match(include.name, guest.name)) continue;
        hosts[row].insert(include.file);
        const bool crowded = guest.at_most != 0 && hosts[row].size() > guest.at_most;
        if (crowded || !std::regex_match(include.file, guest.allowed_in)) tell(include, guest.why);
      }
    }
  }
  std::sort(problems.begin(), problems.end());
  return problems;
}

}  // namespace fdtd::test
