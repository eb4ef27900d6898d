#include "scenes/starter/starter_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_frame.hpp"
#include "scenes/mesh/mesh_groups.hpp"
#include "scenes/starter/nearest_entry.hpp"
#include "scenes/starter/places_inside.hpp"

namespace fdtd {
namespace {

constexpr const char* filled_in = "plasterboard";

// A basic string of TOML.
std::string toml_text(std::string_view text) {
  std::string written = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      written += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      written += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else
      written += c;
  }
  return written + "\"";
}

std::string point_text(const char* kind, const char* name, const Point& at) {
  return fmt::format("\n[[{}]]\nname = \"{}\"\nposition = [{}, {}, {}]  # m\n", kind, name, at[0], at[1], at[2]);
}

// Groups of an OBJ file that names no materials are its surfaces.
std::optional<Mesh> read_surfaces(const std::filesystem::path& file, std::string& why) {
  auto mesh = read_mesh(file, {}, why);
  if (mesh && mesh->materials == std::vector<std::string>{"default"} && !groups_of(file).empty())
    mesh = read_mesh_by_groups(file, {}, why);
  return mesh;
}

bool lies_flat(const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.find("floor") != lower.npos || lower.find("ceiling") != lower.npos;
}

constexpr const char *by_names = "the surfaces named floor or ceiling",
                     *by_directions = "the directions of its surfaces", *by_heights = "the heights of rooms";

// The axis along which clearly more of floors and ceilings, by their names, faces; else more of all surfaces, for a room
// is wider than high; else z.
std::string found_up(const Mesh& mesh, StarterScene& scene) {
  scene.up_from = by_names;
  if (const auto up = up_by_areas(facing_areas(mesh, lies_flat))) return *up;
  scene.up_from = by_directions;
  if (const auto up = up_by_areas(facing_areas(mesh))) return *up;
  scene.up_from = "default: the directions of its surfaces are alike";
  return "z";
}

// A floor six times as long as wide, with y or z up.
bool is_corridor(const Mesh& mesh, const std::string& up) {
  const std::size_t across = up == "z" ? 1 : 2;
  const double length = mesh.high[0] - mesh.low[0], width = mesh.high[across] - mesh.low[across];
  return std::max(length, width) >= 6.0 * std::min(length, width);
}

// Where the axis gives no room in m, cm or mm: a room in inches or feet; or, where the axis was only guessed by
// directions, a corridor, whose walls are larger than its floor, with the other axis up.
std::optional<MeshFrame> other_frame(const Mesh& mesh, const std::string& up, bool free_units, bool free_up,
                                     StarterScene& scene) {
  const auto units = free_units ? feet_or_inches(mesh, up) : std::nullopt;
  const std::string other = up == "z" ? "y" : "z";
  std::string ignored;
  auto turned = free_up ? settle_frame(mesh, {"auto", other}, "", {}, ignored, ignored) : std::nullopt;
  if (turned && scene.up_from == by_names && units) turned.reset();
  if (turned && (!units || is_corridor(mesh, other))) {
    scene.up_from = by_heights;
    return turned;
  }
  return units ? std::optional(MeshFrame{*units, up}) : std::nullopt;
}

// To metres with z up; the scene states the unit and the axis.
bool set_upright(Mesh& mesh, const StarterFrame& frame, StarterScene& scene, std::string& why, std::string& hint) {
  const bool by_format = !mesh.stated_up.empty();
  MeshFrame requested{frame.units, frame.up};
  if (requested.units.empty()) requested.units = mesh.stated_units.empty() ? "auto" : mesh.stated_units;
  if (requested.up.empty()) requested.up = by_format ? mesh.stated_up : found_up(mesh, scene);
  auto settled = settle_frame(mesh, requested, mesh.stated_units, {}, why, hint);
  if (!settled && requested.units == "auto")
    settled = other_frame(mesh, requested.up, mesh.stated_units.empty(), frame.up.empty() && !by_format, scene);
  if (!settled) return false;
  scene.units = settled->units;
  scene.up = settled->up;
  scene.units_found = requested.units == "auto";
  apply_frame(mesh, *settled);
  for (std::size_t d = 0; d < 3; ++d)
    if (const double side = mesh.high[d] - mesh.low[d]; !(side >= min_room_side && side <= max_room_side)) {
      why = fmt::format("its bounding box is {:.4g} x {:.4g} x {:.4g} m", mesh.high[0] - mesh.low[0],
                        mesh.high[1] - mesh.low[1], mesh.high[2] - mesh.low[2]);
      hint =
          fmt::format("each side of a room is {} to {} m: give the unit of its numbers", min_room_side, max_room_side);
      return false;
    }
  return true;
}

std::vector<StarterSurface> surfaces_of(const Mesh& mesh, const MeshDiagnosis& found) {
  std::vector<StarterSurface> surfaces;
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) {
    const LibraryMaterial* const entry = nearest_entry(mesh.materials[m]);
    surfaces.push_back({mesh.materials[m], m < found.areas.size() ? found.areas[m] : 0.0,
                        entry == nullptr ? filled_in : entry->name, entry != nullptr});
  }
  return surfaces;
}

std::string walls_text(const std::vector<StarterSurface>& surfaces) {
  std::string text =
      "\n[room.walls]  # a surface of the model = a material of `fdtd materials`, or one of your own "
      "[materials.NAME]\n";
  std::size_t widest = 0;
  std::vector<std::string> lines;
  for (const StarterSurface& one : surfaces) {
    lines.push_back(fmt::format("{} = \"{}\"", toml_text(one.name), one.entry));
    widest = std::max(widest, lines.back().size());
  }
  widest = std::min(widest, std::size_t{60});
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    text += fmt::format("{:<{}}  # {:.4g} m2{}\n", lines[i], widest, surfaces[i].area,
                        surfaces[i].suggested ? ": suggested by its name" : ": fill in");
  return text;
}

}  // namespace

std::optional<StarterScene> starter_scene(const std::filesystem::path& file, const std::string& written,
                                          const StarterFrame& frame, std::string& why, std::string& hint) {
  auto mesh = read_surfaces(file, why);
  if (!mesh) return std::nullopt;
  StarterScene scene;
  if (!set_upright(*mesh, frame, scene, why, hint)) return std::nullopt;
  scene.diagnosis = diagnose(*mesh);
  scene.surfaces = surfaces_of(*mesh, scene.diagnosis);
  const auto places = places_inside(*mesh);
  scene.places = places.has_value();
  const Point& low = mesh->low;
  const Point& high = mesh->high;
  scene.text = fmt::format(
      "# A scene to begin from, for {}. Lines with \"fill in\" need a decision; positions and materials are "
      "suggestions.\n"
      "schema = 1\n\n[simulation]\nduration = \"auto\"\nmax_frequency = 355.0  # Hz: the octaves to 250 Hz; 1420 for "
      "the 1 "
      "kHz octave, at 256 times the time\n\n[room]\nmesh = {}  # {:.4g} x {:.4g} x {:.4g} m\nunits = \"{}\"{}\nup = "
      "\"{}\"{}\n",
      printable(in_quotes(written)), toml_text(written), high[0] - low[0], high[1] - low[1], high[2] - low[2],
      scene.units, scene.units_found ? "  # found by the size of a room" : "", scene.up,
      scene.up_from.empty() ? "" : "  # found by " + scene.up_from);
  scene.text += walls_text(scene.surfaces);
  StarterPlaces at;
  if (places) {
    at = *places;
  } else {
    const auto millimetres = [](double metres) { return std::round(1e3 * metres) / 1e3; };
    for (std::size_t d = 0; d < 3; ++d) {
      at.source[d] = millimetres(low[d] + 0.4 * (high[d] - low[d]));
      at.receiver[d] = millimetres(low[d] + 0.6 * (high[d] - low[d]));
    }
    scene.text += "\n# No closed space was found in the model: fill in both positions.\n";
  }
  scene.text += point_text("source", "S1", at.source) + point_text("receiver", "R1", at.receiver);
  return scene;
}

}  // namespace fdtd
