// A mesh gets a scene that names it: materials by the names of its surfaces, a source and a receiver inside.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/utf8.hpp"
#include "cli/import/import.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/starter/starter_scene.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

// The mesh as the scene writes it; scenes name files in their own folder or below it.
std::string beside(const fs::path& model, const fs::path& scene) {
  std::error_code error;
  const fs::path from = fs::weakly_canonical(fs::absolute(scene).parent_path(), error),
                 written = fs::weakly_canonical(fs::absolute(model), error).lexically_relative(from);
  const std::string text = written.generic_string();
  if (error || text.empty() || text.starts_with(".."))
    throw Error(
        Status::scene,
        fmt::format("{}: the mesh {} is not in the folder of this scene", scene.string(), model.string()),
        "a scene names files of its own folder and below it: copy the mesh there, or write the scene beside it");
  if (!is_printable(text))
    throw Error(Status::scene, fmt::format("{}: the name has characters that a scene cannot hold", model.string()),
                "rename the mesh");
  return text;
}

void say_surfaces(const StarterScene& scene) {
  std::size_t widest = 8;
  for (const StarterSurface& one : scene.surfaces)
    widest = std::clamp(printable(one.name).size(), widest, std::size_t{40});
  constexpr std::size_t most = 30;
  for (std::size_t i = 0; i < std::min(most, scene.surfaces.size()); ++i) {
    const StarterSurface& one = scene.surfaces[i];
    print_text("  {:<{}}  {:>9.4g} m2  {}{}\n", printable(one.name), widest, one.area, one.entry,
               one.suggested ? "" : "  (fill in)");
  }
  if (scene.surfaces.size() > most) print_text("  and {} more\n", scene.surfaces.size() - most);
}

void say_notes(const StarterScene& scene) {
  const auto unknown = std::ranges::count_if(scene.surfaces, [](const StarterSurface& one) { return !one.suggested; });
  if (unknown > 0)
    print_text(
        "note: {} no material: plasterboard until you fill in one of `fdtd materials`\n",
        unknown == 1 ? "the name of 1 surface suggests" : fmt::format("the names of {} surfaces suggest", unknown));
  if (scene.units_found)
    print_text("note: units = \"{}\" is found by the size of rooms; --units gives another\n", scene.units);
  if (!scene.up_from.empty())
    print_text("note: up = \"{}\" is found by {}; --up gives another\n", scene.up, scene.up_from);
  if (!scene.places) print_text("note: no closed space was found in the model: fill in the positions of S1 and R1\n");
  for (const std::string& note : remarks_of(scene.diagnosis)) print_text("note: {}\n", note);
}

}  // namespace

void import_mesh(const ImportCommand& options) {
  const fs::path model = options.model,
                 scene = options.output.empty() ? fs::path(model).replace_extension(".toml") : fs::path(options.output);
  if (scene.extension() != ".toml")
    throw Error(Status::scene, fmt::format("{}: a scene's name ends in .toml", options.output),
                "-o room.toml writes room.toml");
  const std::string written = beside(model, scene);
  AtomicFile file(scene, options.force);
  std::string why, hint;
  const auto made =
      starter_scene(model, written,
                    {options.units == "auto" ? "" : options.units, options.up == "auto" ? "" : options.up}, why, hint);
  if (!made)
    throw Error(Status::file, fmt::format("{}: {}", options.model, why),
                !hint.empty()             ? hint + "; import takes it as --units or --up"
                : is_named_as_mesh(model) ? "export the model again, or mend the file"
                                          : "import reads OBJ, STL, PLY, glTF, GLB, DAE and DXF, and "
                                            "model_export.json of PFFDTD");
  write_bytes(file.temporary(), made->text, scene);
  file.flush();
  file.commit();
  print_text("wrote {}: {} surface{} of {}\n", scene.string(), made->surfaces.size(),
             made->surfaces.size() == 1 ? "" : "s", options.model);
  say_surfaces(*made);
  say_notes(*made);
  print_text("Next: fdtd plan {}\n", shell_word(scene.string()));
}

}  // namespace fdtd::cli
