#include "tests/repository/layers.hpp"

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
  std::string file;  // from the root, "engine/plan/plan.hpp"
  int line = 0;
  std::string name;  // "scenes/scene.hpp" or "fmt/format.h"
  bool quoted = false;
};

bool starts_with_any(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& p) { return text.substr(0, p.size()) == p; });
}

// A folder of ours: its files include those of the folder itself and of the folders in `may`, no others.
struct Folder {
  std::string name;
  std::vector<std::string> may;
};
const std::vector<Folder> folders = {
    {"base", {}},
    {"base/math", {"base"}},
    {"stencils", {"base"}},
    {"scenes/mesh/tree/isa", {"scenes/mesh/tree"}},
    {"scenes/mesh/tree", {"base"}},
    {"scenes/mesh", {"base", "scenes/mesh/tree"}},
    {"scenes/mesh/seal", {"base", "base/math", "scenes/mesh", "scenes/mesh/tree"}},
    {"scenes", {"base", "base/math", "scenes/mesh", "scenes/mesh/seal", "stencils"}},
    {"scenes/toml", {"base", "scenes", "scenes/data", "scenes/mesh", "scenes/mesh/seal", "stencils"}},
    {"scenes/starter", {"base", "base/math", "scenes/mesh", "scenes/mesh/tree", "scenes/toml"}},
    {"engine/files", {"base"}},
    {"engine/aes69", {"base", "engine/files"}},
    {"engine/pictures", {"base", "engine/files"}},
    {"engine/directivity", {"base", "base/math", "engine/aes69", "engine/files", "scenes"}},
    {"engine/system", {"base", "engine/files"}},
    {"engine/plan", {"base", "stencils"}},
    {"engine/voxels/shared", {"engine/plan", "scenes/mesh"}},
    {"engine/voxels/space", {"base", "engine/plan", "engine/voxels/shared", "scenes/mesh"}},
    {"engine/voxels/cut",
     {"base", "engine/plan", "engine/voxels/shared", "engine/voxels/space", "scenes/mesh", "scenes/mesh/tree"}},
    {"engine/voxels/openings", {"engine/plan", "engine/voxels/shared", "engine/voxels/space", "scenes/mesh"}},
    {"engine/voxels",
     {"base", "engine/plan", "engine/voxels/cut", "engine/voxels/openings", "engine/voxels/shared",
      "engine/voxels/space", "scenes/mesh"}},
    {"engine/materials", {"base", "base/math", "scenes"}},
    {"engine/facets", {"base", "scenes/mesh", "scenes/mesh/tree"}},
    {"engine/rays", {"base", "base/math", "engine/facets", "engine/materials", "scenes/mesh", "scenes/mesh/tree"}},
    {"engine/images", {"base", "base/math", "engine/facets", "engine/materials"}},
    {"engine/images/isa", {"engine/images"}},
    {"engine/walls/cut", {"base", "engine/plan", "engine/voxels/shared", "stencils"}},
    {"engine/walls",
     {"base", "base/math", "engine/materials", "engine/plan", "engine/voxels/shared", "engine/walls/cut", "scenes",
      "stencils"}},
    {"engine/transducers", {"base", "base/math", "engine/plan", "engine/walls", "scenes", "stencils"}},
    {"engine/backend", {"base", "engine/plan"}},
    {"engine/studies", {"base", "engine/files", "engine/plan", "stencils"}},
    {"engine/vector", {"base", "engine/plan", "stencils"}},
    {"engine/vector/isa", {"engine/vector"}},
    {"engine/cpu/field", {"base", "engine/plan", "engine/vector", "stencils"}},
    {"engine/cpu/walls", {"base", "engine/backend", "engine/cpu/field", "engine/plan", "engine/vector", "stencils"}},
    {"engine/cpu/schedule", {"engine/cpu/field"}},
    {"engine/cpu",
     {"base", "base/math", "engine/backend", "engine/cpu/field", "engine/cpu/schedule", "engine/cpu/walls",
      "engine/files", "engine/plan", "engine/system", "engine/vector"}},
    {"engine/multigrid", {"base", "engine/vector"}},
    {"engine/cuda/gpu", {"base", "stencils"}},
    {"engine/cuda/field", {"base", "engine/backend", "engine/cuda/gpu", "engine/plan", "stencils"}},
    {"engine/cuda/transducers", {"engine/backend", "engine/cuda/field", "engine/cuda/gpu", "engine/plan"}},
    {"engine/cuda/walls", {"base", "engine/cuda/field", "engine/cuda/gpu", "engine/cuda/transducers", "engine/plan"}},
    {"engine/cuda/adjoint", {"engine/backend", "engine/cuda/gpu", "engine/cuda/walls", "engine/plan"}},
    {"engine/cuda/energy", {"engine/cuda/field", "engine/cuda/gpu", "engine/cuda/walls", "engine/plan", "stencils"}},
    {"engine/cuda/kernels", {"engine/cuda/field", "engine/cuda/gpu", "engine/plan", "stencils"}},
    {"engine/cuda/kernels/tma",
     {"engine/cuda/field", "engine/cuda/gpu", "engine/cuda/kernels", "engine/cuda/walls", "engine/plan", "stencils"}},
    {"engine/cuda/kernels/march", {"base", "engine/cuda/field", "engine/cuda/gpu", "engine/cuda/kernels"}},
    {"engine/cuda/kernels/flat", {"base", "engine/cuda/field", "engine/cuda/gpu", "engine/cuda/kernels"}},
    {"engine/cuda/kernels/literature", {"engine/cuda/field", "engine/cuda/gpu", "engine/cuda/kernels", "stencils"}},
    {"engine/cuda/multigrid", {"engine/cuda/gpu", "engine/cuda/kernels", "engine/multigrid"}},
    {"engine/cuda/many_steps",
     {"engine/cuda/field", "engine/cuda/gpu", "engine/cuda/kernels", "engine/cuda/walls", "stencils"}},
    {"engine/cuda/tuning",
     {"base", "base/math", "engine/backend", "engine/cuda/field", "engine/cuda/gpu", "engine/cuda/kernels",
      "engine/files", "engine/plan", "engine/studies", "engine/system", "stencils"}},
    {"engine/cuda/exchange",
     {"base", "engine/cuda/gpu", "engine/cuda/kernels", "engine/plan", "engine/studies", "engine/system"}},
    {"engine/cuda",
     {"base", "base/math", "engine/backend", "engine/cuda/adjoint", "engine/cuda/energy", "engine/cuda/exchange",
      "engine/cuda/field", "engine/cuda/gpu", "engine/cuda/many_steps", "engine/cuda/transducers", "engine/cuda/tuning",
      "engine/cuda/walls", "engine/plan", "engine/studies", "engine/system"}},
    {"engine/devices",
     {"base", "engine/backend", "engine/cpu", "engine/cuda", "engine/cuda/gpu", "engine/cuda/multigrid",
      "engine/cuda/tuning", "engine/multigrid", "engine/plan", "engine/studies", "engine/system"}},
    {"engine/planning/room", {"engine/plan", "engine/voxels/shared", "scenes/mesh"}},
    {"engine/planning/costs", {"engine/devices", "engine/plan", "scenes", "scenes/mesh", "stencils"}},
    {"engine/planning/choose",
     {"base", "engine/materials", "engine/plan", "engine/planning/room", "engine/transducers", "engine/voxels",
      "engine/voxels/openings", "engine/walls", "scenes", "scenes/mesh", "stencils"}},
    {"engine/planning/build",
     {"base", "engine/materials", "engine/plan", "engine/planning/choose", "engine/planning/room", "engine/transducers",
      "engine/voxels", "engine/voxels/openings", "engine/voxels/shared", "engine/voxels/space", "engine/walls",
      "scenes", "scenes/mesh", "scenes/mesh/seal"}},
    {"engine/planning/judge",
     {"base", "engine/devices", "engine/materials", "engine/plan", "engine/planning/build", "engine/planning/choose",
      "engine/planning/room", "engine/system", "engine/transducers", "engine/voxels/shared", "engine/walls", "scenes"}},
    {"engine/planning/outline",
     {"base", "engine/devices", "engine/plan", "engine/planning/build", "engine/planning/choose", "engine/transducers",
      "engine/voxels", "engine/voxels/cut", "engine/walls"}},
    {"engine/planning",
     {"engine/devices", "engine/directivity", "engine/materials", "engine/plan", "engine/planning/build",
      "engine/planning/choose", "engine/planning/judge", "engine/planning/outline", "engine/transducers",
      "engine/walls"}},
    {"engine/run", {"base", "engine/backend", "engine/plan", "engine/system", "engine/transducers"}},
    {"engine/adjoint",
     {"base", "base/math", "engine/backend", "engine/plan", "engine/run", "engine/system", "engine/vector",
      "engine/walls", "scenes", "stencils"}},
    {"engine/responses/speech", {}},
    {"engine/responses/crossover", {"base/math"}},
    {"engine/responses/spatial", {"base/math"}},
    {"engine/responses/moving", {"base", "base/math", "engine/responses", "engine/transducers", "scenes"}},
    {"engine/responses",
     {"base", "base/math", "engine/plan", "engine/responses/crossover", "engine/responses/spatial",
      "engine/responses/speech", "engine/run", "engine/transducers", "scenes", "stencils"}},
    {"engine/binaural",
     {"base", "base/math", "engine/aes69", "engine/plan", "engine/responses", "engine/transducers", "scenes"}},
    {"engine/estimate",
     {"base", "base/math", "engine/materials", "engine/multigrid", "engine/plan", "engine/planning/build",
      "engine/responses", "scenes", "scenes/mesh", "stencils"}},
    {"engine/calibration",
     {"base", "engine/estimate", "engine/materials", "engine/measured", "engine/responses", "scenes", "scenes/toml"}},
    {"engine/above",
     {"base", "base/math", "engine/facets", "engine/images", "engine/materials", "engine/plan", "engine/rays",
      "engine/responses", "engine/responses/crossover", "engine/system", "engine/transducers", "scenes",
      "scenes/mesh"}},
    {"engine/results",
     {"base", "base/math", "engine/above", "engine/backend", "engine/binaural", "engine/files", "engine/plan",
      "engine/responses", "engine/responses/crossover", "engine/responses/moving", "engine/run", "engine/system",
      "engine/transducers", "scenes", "scenes/mesh"}},
    {"engine/measured", {"base", "engine/files", "engine/responses", "scenes/mesh"}},
    {"engine/checkpoint", {"base", "engine/backend", "engine/files", "engine/plan", "engine/results", "engine/run"}},
    {"engine/profiling",
     {"base", "base/math", "engine/above", "engine/backend", "engine/devices", "engine/images", "engine/plan",
      "engine/planning", "engine/planning/build", "engine/planning/choose", "engine/planning/costs", "engine/rays",
      "engine/responses", "engine/system", "engine/transducers", "engine/walls", "scenes", "stencils"}},
    {"engine/reports",
     {"base",
      "base/math",
      "engine/above",
      "engine/adjoint",
      "engine/binaural",
      "engine/estimate",
      "engine/files",
      "engine/materials",
      "engine/measured",
      "engine/notches",
      "engine/plan",
      "engine/planning",
      "engine/planning/build",
      "engine/planning/choose",
      "engine/planning/judge",
      "engine/planning/outline",
      "engine/profiling",
      "engine/responses",
      "engine/responses/crossover",
      "engine/results",
      "engine/run",
      "engine/system",
      "engine/transducers",
      "scenes",
      "scenes/mesh"}},
    {"engine/modes", {"base", "engine/run"}},
    {"engine/notches",
     {"base", "base/math", "engine/above", "engine/facets", "engine/files", "engine/images", "engine/responses",
      "scenes"}},
    {"engine/small_rooms",
     {"base", "base/math", "engine/devices", "engine/estimate", "engine/modes", "engine/notches", "engine/plan",
      "engine/profiling", "engine/responses", "engine/run", "engine/session", "engine/system", "engine/transducers",
      "scenes", "stencils"}},
    {"engine/reports/office",
     {"base", "engine/files", "engine/reports", "engine/responses", "engine/responses/speech", "engine/results"}},
    {"engine/reports/result_page",
     {"base", "base/math", "engine/files", "engine/measured", "engine/notches", "engine/pictures", "engine/reports",
      "engine/responses", "engine/results", "engine/run", "engine/system", "engine/transducers", "scenes"}},
    {"engine/session",
     {"base",
      "engine/above",
      "engine/adjoint",
      "engine/aes69",
      "engine/checkpoint",
      "engine/devices",
      "engine/directivity",
      "engine/estimate",
      "engine/files",
      "engine/materials",
      "engine/measured",
      "engine/planning",
      "engine/planning/outline",
      "engine/profiling",
      "engine/reports",
      "engine/reports/result_page",
      "engine/responses",
      "engine/responses/moving",
      "engine/results",
      "engine/run",
      "engine/system",
      "engine/transducers",
      "engine/walls",
      "scenes",
      "scenes/toml",
      "stencils"}},
};

// Programs stand on all that is below them: files under `from` include any of ours under `to`.
struct Program {
  std::string from;
  std::vector<std::string> to;
  std::string why;
};
const std::vector<Program> programs = {
    {"cli/terminal/", {"cli/terminal/", "engine/", "scenes/", "base/", "stencils/"}, "cli/terminal/ knows no command"},
    {"cli/", {"cli/", "engine/", "scenes/", "base/", "stencils/"}, "the program needs neither tests nor benchmarks"},
    {"tests/",
     {"tests/", "bench/", "cli/", "engine/", "scenes/", "base/", "stencils/"},
     "tests see the sources, their own support and what benchmarks compute"},
    {"bench/",
     {"bench/", "tests/support/solutions/", "tests/support/rooms/cut_rooms.hpp", "engine/", "scenes/", "base/",
      "stencils/"},
     "benchmarks see the folders under cli/, exact solutions and random rooms of cut voxels"},
};

// Headers that files under `from` do not include: they reach backends through the registry of devices.
struct Behind {
  std::string from, header;
  std::string except;  // a file that may
};
const std::vector<Behind> behind_devices = [] {
  std::vector<Behind> rows;
  for (const char* from : {"cli/", "bench/", "engine/session/", "engine/multigrid/"})
    for (const char* header : {"engine/cpu/", "engine/cuda/"}) rows.push_back({from, header, ""});
  rows[2].except = "bench/instructions.cpp";  // counts the CPU's inner kernels alone, below any backend
  return rows;
}();

// Headers that files under `from` reach neither directly nor through others.
struct Unreachable {
  std::string from, header, why;
};
const std::vector<Unreachable> unreachable = {
    {"engine/facets/", "engine/plan/", "geometrical acoustics knows neither a plan nor a grid"},
    {"engine/rays/", "engine/plan/", "geometrical acoustics knows neither a plan nor a grid"},
    {"engine/backend/", "scenes/", "a backend knows the plan, never the scene"},
    {"engine/cpu/", "scenes/", "a backend knows the plan, never the scene"},
    {"engine/cuda/", "scenes/", "a backend knows the plan, never the scene"},
    {"engine/cpu/", "engine/cuda/", "the backends do not know of each other"},
    {"engine/cuda/", "engine/cpu/", "the backends do not know of each other"},
};

constexpr std::size_t largest_folder = 40;  // files directly in one folder of base/, scenes/ or engine/

// Other people's headers: those that match are included only in files that match, and in `at_most` of them (0: any
// number).
struct Guest {
  std::regex name, allowed_in;
  std::size_t at_most = 0;
  std::string why;
};
const std::vector<Guest> guests = {
    {std::regex("toml\\+\\+.*|toml\\.hpp"), std::regex("scenes/toml/parse[^/]*\\.cpp"), 0,
     "toml++ only in scenes/toml/parse*.cpp"},
    {std::regex("pugixml\\.hpp"), std::regex("scenes/mesh/[^/]*\\.cpp"), 1, "pugixml only in one file of scenes/mesh/"},
    {std::regex("sndfile\\.hh?"), std::regex("engine/files/[^/]*\\.cpp"), 1,
     "libsndfile only in one file of engine/files/"},
    {std::regex("FLAC/.*"), std::regex("engine/files/[^/]*\\.cpp"), 2,
     "libFLAC only in the reader and the writer of engine/files/"},
    {std::regex("png\\.h"), std::regex("(engine/files/[^/]*|tests/support/[^/]*png[^/]*)\\.cpp"), 2,
     "libpng only in one file of engine/files/, and in one of tests/support/ to read as others do"},
    {std::regex("hdf5.*|H5.*"), std::regex("(engine/files|tests/support)/[^/]*h5[^/]*"), 0,
     "HDF5 only in engine/files/*h5*, and in tests/support/*h5* to read as others do"},
    {std::regex("mpi\\.h"), std::regex("engine/system/[^/]*\\.cpp"), 1, "MPI only in one source of engine/system/"},
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

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().generic_string(); }

std::optional<std::string> broken_folder(const Include& include) {
  for (const Behind& row : behind_devices)
    if (include.file.rfind(row.from, 0) == 0 && include.name.rfind(row.header, 0) == 0 && include.file != row.except)
      return row.from + " reaches backends through engine/devices/ alone";
  for (const Program& program : programs)
    if (include.file.rfind(program.from, 0) == 0)
      return starts_with_any(include.name, program.to) ? std::nullopt : std::optional(program.why);
  const std::string here = folder_of(include.file), there = folder_of(include.name);
  const auto row = std::find_if(folders.begin(), folders.end(), [&](const Folder& one) { return one.name == here; });
  if (row == folders.end()) return here + "/ has no row in the table of folders, tests/repository/layers.cpp";
  if (here == there || std::find(row->may.begin(), row->may.end(), there) != row->may.end()) return std::nullopt;
  std::string may = here + "/ includes only itself";
  for (const std::string& name : row->may) may += ", " + name + "/";
  return may;
}

using Graph = std::map<std::string, std::vector<Include>>;  // our own includes by file

// The chain of includes from `include` to a header that begins with `header`, "a.hpp -> b.hpp"; empty: there is none.
std::string chain_to(const Graph& graph, const Include& include, const std::string& header) {
  std::map<std::string, std::string> from{{include.name, ""}};  // by header: who includes it
  std::vector<std::string> next{include.name};
  while (!next.empty()) {
    const std::string file = next.back();
    next.pop_back();
    if (file.rfind(header, 0) == 0) {
      std::string chain = file;
      for (std::string at = from[file]; !at.empty(); at = from[at]) chain = at + " -> " + chain;
      return chain;
    }
    const auto found = graph.find(file);
    if (found == graph.end()) continue;
    for (const Include& one : found->second)
      if (from.emplace(one.name, file).second) next.push_back(one.name);
  }
  return {};
}

// The faults of the folders themselves.
std::vector<std::string> folder_violations(const fs::path& root, const std::vector<fs::path>& files) {
  std::vector<std::string> problems;
  std::map<std::string, std::size_t> count;
  for (const fs::path& file : files) ++count[folder_of(fs::relative(file, root).generic_string())];
  for (const auto& [name, number] : count) {
    if (!starts_with_any(name, {"base", "scenes", "engine"})) continue;
    if (name == "engine") problems.push_back("engine: " + std::to_string(number) + " sources lie in no folder of it");
    if (number > largest_folder)
      problems.push_back(name + ": " + std::to_string(number) + " sources in one folder, " +
                         std::to_string(largest_folder) + " at most");
  }
  return problems;
}

}  // namespace

std::vector<std::string> layer_violations(const fs::path& root) {
  static const std::set<std::string> sources = {".hpp", ".cpp", ".cuh", ".cu"};
  std::vector<std::string> problems;
  std::vector<std::set<std::string>> hosts(guests.size());  // the files that each row's guest is met in
  const auto report = [&](const Include& include, const std::string& why) {
    const std::string quoted = include.quoted ? '"' + include.name + '"' : '<' + include.name + '>';
    problems.push_back(include.file + ':' + std::to_string(include.line) + ": " + quoted + ": " + why);
  };
  std::vector<fs::path> files;
  for (const char* top : {"base", "stencils", "scenes", "engine", "cli", "tests", "bench"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (sources.count(entry.path().extension().string())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Graph graph;
  for (const fs::path& file : files)
    for (const Include& include : includes_of(root, file))
      if (include.quoted) graph[include.file].push_back(include);
  for (const fs::path& file : files) {
    for (const Include& include : includes_of(root, file)) {
      if (include.quoted) {
        if (const auto why = broken_folder(include)) report(include, *why);
        for (const Unreachable& rule : unreachable) {
          if (include.file.rfind(rule.from, 0) != 0) continue;
          const std::string chain = chain_to(graph, include, rule.header);
          if (!chain.empty()) report(include, rule.why + (chain == include.name ? "" : " (" + chain + ")"));
        }
        continue;
      }
      for (std::size_t row = 0; row < guests.size(); ++row) {
        const Guest& guest = guests[row];
        if (!std::regex_match(include.name, guest.name)) continue;
        hosts[row].insert(include.file);
        const bool crowded = guest.at_most != 0 && hosts[row].size() > guest.at_most;
        if (crowded || !std::regex_match(include.file, guest.allowed_in)) report(include, guest.why);
      }
    }
  }
  const std::vector<std::string> wrong = folder_violations(root, files);
  problems.insert(problems.end(), wrong.begin(), wrong.end());
  std::sort(problems.begin(), problems.end());
  return problems;
}

std::vector<std::pair<std::string, std::vector<std::string>>> folder_rules() {
  std::vector<std::pair<std::string, std::vector<std::string>>> rules;
  for (const Folder& folder : folders) rules.emplace_back(folder.name, folder.may);
  return rules;
}

}  // namespace fdtd::test
