// fdtd import MODEL: a scene to begin from, for a mesh or for a model of another program.
#include "cli/import/import.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "cli/command.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

// Formats that the Python package reads by libraries of their own: roomfdtd/models/_import.py has the same list.
void require_own_format(const std::string& file) {
  static const std::set<std::string> of_python = {".ifc",   ".ifczip", ".skp", ".msh", ".geo", ".xml",
                                                  ".gbxml", ".3ds",    ".fbx", ".ac",  ".off"};
  std::string suffix = fs::path(file).extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (!of_python.contains(suffix)) return;
  throw Error(Status::scene, fmt::format("{}: {} is read by the Python package alone", file, suffix),
              fmt::format("python -m roomfdtd.models {} -o room.toml, after pip install '.[models]' in a checkout",
                          shell_word(file)));
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto options = std::make_shared<ImportCommand>();
  app.add_option("model", options->model,
                 "a mesh (OBJ, STL, PLY, glTF, DAE, DXF), or model_export.json of PFFDTD's plug-in for SketchUp")
      ->required();
  app.add_option("-o,--output", options->output,
                 "scene to write, NAME.toml; by default beside a mesh, with its name. That of a PFFDTD model gets its "
                 "mesh beside it, NAME.obj");
  app.add_option("--units", options->units, "unit of a mesh's numbers; found from the size of rooms without it")
      ->check(CLI::IsMember(mesh_units));
  app.add_option("--up", options->up, "axis of a mesh that points up; found from its surfaces without it")
      ->check(CLI::IsMember(mesh_axes));
  app.add_flag("--force", options->force, "replace files that exist");
  app.callback([options, &status] {
    require_own_format(options->model);
    if (fs::path(options->model).extension() == ".json")
      import_pffdtd(*options);
    else
      import_mesh(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli
