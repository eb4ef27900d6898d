// fdtd import MODEL: a scene to begin from, for a mesh or for a model of another program.
#include "cli/import/import.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/python_models.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

void require_own_format(const std::string& file) {
  if (const auto suffix = suffix_of_python_model(file))
    throw Error(Status::scene, fmt::format("{}: {} is read by the Python package alone", file, *suffix),
                python_model_command(file));
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
