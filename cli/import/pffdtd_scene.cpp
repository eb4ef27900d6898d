// A model of PFFDTD becomes a scene, with its mesh as OBJ beside it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "cli/import/import.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/session/audio_input.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/mesh/pffdtd_model.hpp"
#include "scenes/toml/material_library.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* filled_in = "plasterboard";  // the library's entry that stands for a material until it is chosen
constexpr const char* rigid_name = "_RIGID";

// Names for materials, or for sources or receivers, that TOML, OBJ and file names take as they are; no two differ by
// capitals alone.
class PlainNames {
 public:
  std::string of(const std::string& written, const std::string& otherwise) {
    constexpr std::size_t longest = 40;
    std::string name;
    for (const char c : written) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
      if (plain) {
        name += c;
      } else if (!name.empty() && name.back() != '_') {
        name += '_';
      }
      if (name.size() == longest) break;
    }
    while (!name.empty() && name.back() == '_') name.pop_back();
    if (name.empty()) name = otherwise;
    std::string unique = name;
    for (int i = 2; !taken_.insert(lower(unique)).second; ++i) unique = fmt::format("{}-{}", name, i);
    return unique;
  }

 private:
  static std::string lower(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  }
  std::set<std::string> taken_;
};

// The facets of one material after the other, by names without blanks.
std::string obj_text(const Mesh& mesh, const std::vector<std::string>& names, const std::string& origin) {
  std::string text = fmt::format("# {}: metres, z up\n# File units = meters\n", origin);
  for (const auto& v : mesh.vertices) fmt::format_to(std::back_inserter(text), "v {} {} {}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (t == 0 || mesh.material[t] != mesh.material[t - 1])
      fmt::format_to(std::back_inserter(text), "g {0}\nusemtl {0}\n", names[mesh.material[t]]);
    const auto& [a, b, c] = mesh.triangles[t];
    fmt::format_to(std::back_inserter(text), "f {} {} {}\n", a + 1, b + 1, c + 1);
  }
  return text;
}

// A name as a comment may hold it.
std::string in_comment(const std::string& name) { return printable(in_quotes(name)); }

std::string material_text(const PffdtdModel& model, const MeshDiagnosis& found, std::size_t m,
                          const std::string& name) {
  const std::string& written = model.mesh.materials[m];
  const auto& [red, green, blue] = model.colours[m];
  std::string text = fmt::format("\n[materials.{}]  # {} in the model, {:.4g} m2, colour {} {} {}\n", name,
                                 in_comment(written), found.areas[m], red, green, blue);
  if (written == rigid_name) return text + "rigid = true\n";
  return text + fmt::format("library = \"{}\"  # fill in\n", filled_in);
}

std::string point_text(const char* kind, const PffdtdModel::Point& point, const std::string& name) {
  const std::string comment = point.name == name || point.name.empty() ? "" : "  # " + in_comment(point.name);
  const auto& [x, y, z] = point.position;
  return fmt::format("\n[[{}]]\nname = \"{}\"{}\nposition = [{}, {}, {}]\n", kind, name, comment, x, y, z);
}

std::string points_text(const char* kind, const std::vector<PffdtdModel::Point>& points, const char* letter) {
  PlainNames names;
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i)
    text += point_text(kind, points[i], names.of(points[i].name, fmt::format("{}{}", letter, i + 1)));
  return text;
}

std::string scene_text(const PffdtdModel& model, const MeshDiagnosis& found, const std::vector<std::string>& names,
                       const std::string& origin, const std::string& mesh_file) {
  std::string text = fmt::format(
      "# From {}. Every line with \"fill in\" needs a decision.\n\nschema = 1\n\n[simulation]\nduration = \"auto\"\n"
      "max_frequency = 500.0      # Hz; twice the frequency takes 16 times as long\nstencil = \"auto\"\n\n[room]\n"
      "mesh = \"{}\"\n\n# Materials: `fdtd materials` lists the library; a material may also have\n"
      "#   absorption = {{ bands = [125, 250, 500, 1000, 2000, 4000], alpha = [...] }}\n"
      "#   branches = [{{ D = ..., E = ..., F = ... }}, ...]   # the rows of a DEF table of PFFDTD\n",
      origin, mesh_file);
  if (model.one_sided > 0)
    text += fmt::format(
        "# {} triangles absorb on one side in PFFDTD and are rigid on the other. Here both sides of a surface with air "
        "on\n"
        "# both sides have its material.\n",
        model.one_sided);
  for (std::size_t m = 0; m < names.size(); ++m) text += material_text(model, found, m, names[m]);
  return text + points_text("source", model.sources, "S") + points_text("receiver", model.receivers, "R");
}

std::string count_text(std::size_t count, const std::string& one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// Sources and receivers that no scene accepts there.
std::vector<std::string> outside(const PffdtdModel& model) {
  std::vector<std::string> notes;
  const auto judge = [&](const std::vector<PffdtdModel::Point>& points, const char* kind) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      bool inside = true;
      for (std::size_t d = 0; d < 3; ++d)
        inside = inside && points[i].position[d] >= model.mesh.low[d] && points[i].position[d] <= model.mesh.high[d];
      if (!inside)
        notes.push_back(fmt::format("{} {} at {} is outside the mesh, which reaches from {} to {} m", kind, i + 1,
                                    place_text(points[i].position), place_text(model.mesh.low),
                                    place_text(model.mesh.high)));
    }
  };
  judge(model.sources, "source");
  judge(model.receivers, "receiver");
  return notes;
}

PffdtdModel read_model(const std::string& file) {
  std::string why;
  const auto refuse = [&] {
    throw Error(Status::file, fmt::format("{}: {}", file, why),
                "import reads model_export.json, as PFFDTD's plug-in for SketchUp writes it; meshes alone are "
                "named by room.mesh of a scene");
  };
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  constexpr double of_the_text = 80.0;  // a list in a list in a list takes most
  if (!error && bytes <= max_model_bytes)
    require_memory(file, of_the_text * static_cast<double>(bytes), "to read", "split the model into several");
  const auto text = read_bytes(file, max_model_bytes, why);
  if (!text) refuse();
  auto model = read_pffdtd_model(*text, why);
  if (!model) refuse();
  return std::move(*model);
}

// No command takes a scene without both.
void require_points(const std::vector<PffdtdModel::Point>& points, const char* kind, const std::string& file) {
  if (!points.empty()) return;
  throw Error(Status::file, fmt::format("{}: the model has no {}, and a scene needs at least one", file, kind),
              fmt::format("place one in the model and export it again, or add it to the file: \"{}\": "
                          "[{{\"xyz\": [x, y, z], \"name\": \"\"}}], in m",
                          kind));
}

}  // namespace

void import_pffdtd(const ImportCommand& options) {
  const fs::path scene = options.output;
  if (scene.extension() != ".toml")
    throw Error(Status::scene, fmt::format("{}: a scene's name ends in .toml", options.output),
                "-o room.toml writes room.toml and room.obj");
  const fs::path mesh = fs::path(scene).replace_extension(".obj");
  const std::string mesh_name = mesh.filename().string(),
                    origin = printable(fs::path(options.model).filename().string());
  if (mesh_name.find_first_of("\"\\") != mesh_name.npos || !is_printable(mesh_name))
    throw Error(Status::scene, fmt::format("{}: the name has characters that a scene cannot hold", options.output),
                "choose another name");
  AtomicFile mesh_file(mesh, options.force), scene_file(scene, options.force);
  const PffdtdModel model = read_model(options.model);
  require_points(model.sources, "sources", options.model);
  require_points(model.receivers, "receivers", options.model);
  const MeshDiagnosis found = diagnose(model.mesh);
  PlainNames plain;
  std::vector<std::string> names;
  for (const std::string& name : model.mesh.materials) names.push_back(plain.of(name, "material"));
  write_bytes(mesh_file.temporary(), obj_text(model.mesh, names, origin), mesh);
  write_bytes(scene_file.temporary(), scene_text(model, found, names, origin, mesh_name), scene);
  mesh_file.flush();
  scene_file.flush();
  mesh_file.commit();
  scene_file.commit();
  print_text("wrote {} and {}: {} of {}, {}, {}\n", scene.string(), mesh.string(),
             count_text(model.mesh.triangles.size(), "triangle"), count_text(names.size(), "material"),
             count_text(model.sources.size(), "source"), count_text(model.receivers.size(), "receiver"));
  const auto to_choose =
      static_cast<std::size_t>(std::count_if(model.mesh.materials.begin(), model.mesh.materials.end(),
                                             [](const std::string& name) { return name != rigid_name; }));
  if (to_choose > 0)
    print_text("note: {} the library's {} until you fill it in\n",
               to_choose == 1 ? "1 material is" : fmt::format("{} materials are", to_choose), filled_in);
  for (const std::string& note : outside(model)) print_text("note: {}\n", note);
  for (const std::string& note : remarks_of(found)) print_text("note: {}\n", note);
}

}  // namespace fdtd::cli
