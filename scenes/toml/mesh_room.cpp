#include "scenes/toml/mesh_room.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/lower_case.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/mesh/mesh_frame.hpp"
#include "scenes/mesh/mesh_groups.hpp"
#include "scenes/mesh/seal/seal_mesh.hpp"
#include "scenes/toml/material_keys.hpp"

namespace fdtd {

namespace {

bool left_open(const std::string& requested) { return requested.empty() || requested == "auto"; }

// Units and axis that are left open as the file states them, where its format has a place for that, and made so; metres
// with z up otherwise. Comments of OBJ files state a unit for "auto" alone.
MeshFrame stated_frame(Mesh& mesh, const MeshFrame& requested) {
  MeshFrame frame;
  if (left_open(requested.units) && !mesh.stated_units.empty()) {
    frame.units = mesh.stated_units;
    mesh.stated_units.assign(1, 'm');
  }
  if (left_open(requested.up)) {
    frame.up = mesh.stated_up;
    mesh.stated_up.assign(1, 'z');
  }
  return frame;
}

// Reads one file, or joins a list of files: in a list, a file without material names is one material, named after
// itself. The coordinates are those of the files; in a list those of formats that state their unit or axis are in
// metres or have z up, where the scene leaves the choice (an empty name or "auto" in `requested`).
// `named`: whether the scene names a material of the mesh so; an OBJ text without materials then has its groups for them.
std::optional<Mesh> read_files(const At& at, const MeshFrame& requested,
                               const std::function<bool(const std::string&)>& named) {
  constexpr std::size_t max_files = 1000, max_facets = 0xFFFFFFF0U / 3;  // corners are numbered in 32 bits
  std::vector<At> files;
  const bool list = at.value.kind == Value::Kind::list;
  if (list) {
    if (at.value.items.empty() || at.value.items.size() > max_files) {
      at.fail(fmt::format("a list of {} files: it must hold 1 to {}", at.value.items.size(), max_files));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < at.value.items.size(); ++i) files.push_back(at.item(i));
  } else {
    files.push_back(at);
  }
  Mesh whole;
  const std::size_t before = at.reading.count();
  for (const At& file : files) {
    const auto path = file.file();
    if (!path || at.reading.count() != before) continue;
    std::string why;
    auto mesh = read_mesh(*path, {}, why);
    if (mesh && mesh->materials == std::vector<std::string>{"default"} && std::ranges::any_of(groups_of(*path), named))
      mesh = read_mesh_by_groups(*path, {}, why);
    if (!mesh) {
      file.fail(fmt::format("{}: {}", in_quotes(file.value.text), why));
      continue;
    }
    if (list)
      std::replace(mesh->materials.begin(), mesh->materials.end(), std::string("default"), path->stem().string());
    if (list && !mesh->stated_up.empty()) apply_frame(*mesh, stated_frame(*mesh, requested));
    append(whole, *mesh);
    if (whole.triangles.size() > max_facets || whole.materials.size() > 0xFFFFU) {
      file.fail("together the files have too many facets or materials");
      return std::nullopt;
    }
  }
  if (at.reading.count() != before) return std::nullopt;
  merge_vertices(whole);
  return whole;
}

std::vector<std::string> quoted(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(in_quotes(name));
  return all;
}

// The nearest by spelling; else the longest material that contains the name or is contained in it: "carpet" for
// "Floor_Carpet".
std::string nearest_material(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t min_length = 3;
  std::string best = nearest_name(name, known);
  if (!best.empty()) return best;
  const std::string wanted = lower_case(name);
  for (const std::string& material : known) {
    const std::string candidate = lower_case(material);
    if (std::min(wanted.size(), candidate.size()) < min_length || material.size() <= best.size()) continue;
    if (wanted.find(candidate) != std::string::npos || candidate.find(wanted) != std::string::npos) best = material;
  }
  return best;
}

// Does the scene name a material of its mesh so? `at`: [room].
bool names_material(const Scene& scene, const At& at, const std::string& name) {
  const Entry* walls = at.value.find("walls");
  return scene.materials.count(name) > 0 || (walls != nullptr && walls->value.find(name.c_str()) != nullptr);
}

// "a", "b" and 17 more.
std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t bytes = 200;
  return listed(quoted(names), bytes);
}

// The hint for an OBJ file whose groups are no materials; "" where there are none.
std::string about_groups(const At& mesh) {
  std::vector<std::string> names;
  const auto add = [&](const At& at) {
    std::string why;
    if (at.value.kind != Value::Kind::text) return;
    if (const auto path = find_file(at.reading.folder, at.value.text, at.reading.allow_outside, why))
      for (const std::string& name : groups_of(*path)) names.push_back(name);
  };
  if (mesh.value.kind == Value::Kind::list)
    for (std::size_t i = 0; i < mesh.value.items.size(); ++i) add(mesh.item(i));
  else
    add(mesh);
  return names.empty()
             ? ""
             : "; the file names no materials (usemtl) but groups, which stand for them where [room.walls] names "
               "one: " +
                   first_names(names);
}

// A name, or a factor, kept as text: the metres of one unit of the file.
std::string units_at(const At& at) {
  constexpr Range factors{0, 1e9, "m", true};
  if (at.value.kind == Value::Kind::integer || at.value.kind == Value::Kind::real) {
    const auto factor = at.number(factors);
    return factor ? fmt::format("{}", *factor) : "m";
  }
  const std::string all = fmt::format("{}", fmt::join(mesh_units, ", "));
  if (at.value.kind != Value::Kind::text)
    at.fail("must be one of " + all + ", or the metres of one unit of the file, as in units = 0.002");
  else if (!at.value.text.empty() && at.value.text.find_first_not_of("0123456789.,/eE+-") == std::string::npos)
    at.fail(fmt::format("must be one of {}, not {}", all, in_quotes(at.value.text)),
            "write a factor as a number without quotes, as in units = 0.002");
  else
    return at.choice(mesh_units).value_or("m");
  return "m";
}

// Of sources and receivers.
std::vector<std::array<double, 3>> positions_in(const Scene& scene) {
  std::vector<std::array<double, 3>> positions;
  for (const SourceSpec& source : scene.sources) positions.push_back(source.position);
  for (const ReceiverSpec& receiver : scene.receivers) positions.push_back(receiver.position);
  return positions;
}

// Or a problem.
bool has_size_of_room(const Mesh& mesh, const At& file, const std::string& size_doubt) {
  for (std::size_t d = 0; d < 3; ++d) {
    const double side = mesh.high[d] - mesh.low[d];
    if (side >= min_room_side && side <= max_room_side) continue;
    file.fail(fmt::format("its bounding box is {:.4g} x {:.4g} x {:.4g} m: each side must be between {} and {} m",
                          mesh.high[0] - mesh.low[0], mesh.high[1] - mesh.low[1], mesh.high[2] - mesh.low[2],
                          min_room_side, max_room_side),
              size_doubt.empty()
                  ? "units = \"mm\" reads a mesh in millimetres; cm, in, ft and factors as 0.002 are known too"
                  : size_doubt);
    return false;
  }
  return true;
}

std::string metres_text(double metres) {
  return metres < 0.1 ? fmt::format("{:.3g} mm", 1000.0 * metres) : fmt::format("{:.3g} m", metres);
}

std::string sealed_text(const SealedOpening& opening) {
  return fmt::format("{} wide and {} long, {:.3g} m2 at {}", metres_text(opening.width), metres_text(opening.length),
                     opening.area, place_text(opening.position));
}

// Closes the openings of `mesh` narrower than the width at `at`, and states them in room.remarks; `positions` (m): of
// sources and receivers, in the room.
void seal_room(Room& room, Mesh& mesh, const At& at, const std::vector<Point>& positions) {
  const auto width = at.number(seal_range);
  if (!width || !(*width > 0.0)) return;
  const double most = widest_seal(mesh);
  if (*width > most)
    return at.fail(fmt::format("{} m is more than a tenth of the room's shortest side, {:.4g} m", *width, most),
                   "it is meant for slits, cracks and small holes; close wider openings in the mesh");
  Sealing sealing = seal_mesh(mesh, *width, positions);
  if (sealing.too_many)
    return at.fail(fmt::format("more than {} gaps of the mesh are narrower than {} m", most_gaps, *width),
                   "give a smaller width, or leave small objects out of the mesh");
  const std::vector<SealedOpening>& sealed = room.sealed = std::move(sealing.openings);
  if (sealed.empty()) {
    room.remarks.push_back(fmt::format(
        "mesh: room.seal = {} closes nothing: no opening between the room and the outside is narrower", *width));
    return;
  }
  constexpr std::size_t most_named = 24;
  std::string text = fmt::format("mesh: room.seal = {} closes {} opening{} to the outside: ", *width, sealed.size(),
                                 sealed.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(most_named, sealed.size()); ++i)
    text +=
        fmt::format("{}{} (with {})", i == 0 ? "" : "; ", sealed_text(sealed[i]), mesh.materials[sealed[i].material]);
  if (sealed.size() > most_named) {
    double rest = 0.0;
    for (std::size_t i = most_named; i < sealed.size(); ++i) rest += sealed[i].area;
    text += fmt::format("; and {} more, together {:.3g} m2", sealed.size() - most_named, rest);
  }
  room.remarks.push_back(text);
}

}  // namespace

void read_mesh_room(Scene& scene, const At& at) {
  Room& room = scene.room;
  const At file = at.below(*at.value.find("mesh"));
  const std::size_t before = at.reading.count();
  MeshFrame requested{"", ""};
  const Entry *units = at.value.find("units"), *up = at.value.find("up");
  if (units != nullptr) requested.units = units_at(at.below(*units));
  if (up != nullptr) requested.up = at.below(*up).choice(mesh_axes).value_or("z");
  if (at.reading.count() != before) return;
  auto mesh = read_files(file, requested, [&](const std::string& group) { return names_material(scene, at, group); });
  if (!mesh) return;
  const bool by_format = !mesh->stated_up.empty();
  if (left_open(requested.up) && by_format) {
    room.up_auto = true;
    room.frame_stated = requested.units != "auto" || !mesh->stated_units.empty();
    requested.up = mesh->stated_up;
  }
  if (left_open(requested.units) && by_format && !mesh->stated_units.empty()) {
    room.units_auto = true;
    room.frame_stated = true;
    requested.units = mesh->stated_units;
  }
  room.units_auto = room.units_auto || requested.units == "auto";
  room.up_auto = room.up_auto || requested.up == "auto";
  if (requested.units.empty()) requested.units = MeshFrame{}.units;
  if (requested.up.empty()) requested.up = MeshFrame{}.up;
  const std::vector<std::array<double, 3>> positions = positions_in(scene);
  std::string why, hint;
  const auto frame = settle_frame(*mesh, requested, mesh->stated_units, positions, why, hint);
  if (!frame) return at.below(why.starts_with("units") ? *units : *up).fail(why, hint);
  const std::string size_doubt = doubt_of_units(*mesh, *frame),
                    up_doubt = room.up_auto ? "" : doubt_of_up(*mesh, *frame),
                    place_doubt = doubt_of_positions(*mesh, *frame, positions),
                    up_remark = remark_of_up(*mesh, requested, *frame, positions);
  apply_frame(*mesh, *frame);
  if (!has_size_of_room(*mesh, file, size_doubt)) return;
  for (std::size_t d = 0; d < 3; ++d) {
    room.box[d] = mesh->high[d] - mesh->low[d];
    room.origin[d] = mesh->low[d];
  }
  room.frame = *frame;
  if (!up_remark.empty()) room.remarks.push_back("mesh: " + up_remark);
  for (const std::string& doubt : {place_doubt, size_doubt, up_doubt}) {
    if (doubt.empty()) continue;
    room.remarks.push_back("mesh: " + doubt);
    room.doubt += (room.doubt.empty() ? "" : "; ") + doubt;
  }
  if (const Entry* seal = at.value.find("seal")) seal_room(room, *mesh, at.below(*seal), positions);
  room.mesh_place = file.value.place;
  room.mesh = std::make_shared<const Mesh>(std::move(*mesh));
}

void map_mesh_materials(Scene& scene, const At& at) {
  Room& room = scene.room;
  if (!room.mesh) return;
  const std::vector<std::string>& names = room.mesh->materials;
  std::vector<std::string> known;
  for (const auto& [name, material] : scene.materials) known.push_back(name);
  // A material that [room.walls] names must be one of the scene or of the library.
  const auto material_at = [&](const At& value) -> std::string {
    const auto word = value.text();
    if (!word) return {};
    if (has_material(scene, *word)) return *word;
    value.fail("there is no material " + in_quotes(*word), material_hint(scene, *word));
    return {};
  };
  std::map<std::string, std::string> given;
  std::optional<std::string> fallback;
  if (const Entry* walls = at.value.find("walls")) {
    const At table = at.below(*walls);
    if (!table.is_table()) return;
    for (const Entry& entry : walls->value.entries) {
      const std::string material = material_at(table.below(entry));
      if (entry.key == "default") {
        fallback = material;
      } else if (std::find(names.begin(), names.end(), entry.key) != names.end()) {
        given[entry.key] = material;
      } else {
        const std::string near = nearest_name(entry.key, names);
        at.reading.fail(entry.place, table.where, "the mesh has no material " + in_quotes(entry.key),
                        (near.empty() ? "it has " + first_names(names) : "did you mean " + in_quotes(near) + "?") +
                            about_groups(at.below(*at.value.find("mesh"))));
      }
    }
  }
  std::vector<std::string> defaulted;  // names that get the default
  for (const std::string& name : names) {
    const std::string near = nearest_material(name, known);
    std::string material;
    if (given.count(name) > 0) {
      material = given[name];
    } else if (scene.materials.count(name) > 0) {
      material = name;
    } else if (fallback) {
      material = *fallback;
      if (names.size() > 1 || name != "default")
        defaulted.push_back(in_quotes(name) + (near.empty() || near == material
                                                   ? ""
                                                   : fmt::format(" (the nearest is {})", in_quotes(near))));
    } else {
      at.reading.fail(
          room.mesh_place, at.where + ".mesh", fmt::format("no material for {} of the mesh", in_quotes(name)),
          (near.empty() ? "" : fmt::format("the nearest is {}; ", in_quotes(near))) +
              fmt::format("in [room.walls], write \"{}\" = \"...\", or default = \"...\" for all such", name));
    }
    room.surfaces.push_back(material);
  }
  if (!defaulted.empty())
    room.remarks.push_back(
        fmt::format("mesh: the default, {}, stands for {}", in_quotes(*fallback), listed(defaulted)));
}

}  // namespace fdtd
