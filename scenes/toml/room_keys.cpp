#include "scenes/toml/room_keys.hpp"

#include <fmt/format.h>

#include <tuple>

#include "scenes/mesh/mesh_frame.hpp"
#include "scenes/toml/key_readers.hpp"
#include "scenes/toml/mesh_room.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

// Names of materials as written, before `default` stands in for the walls without one.
struct Walls {
  struct Named {
    std::string name;
    TextPlace place;
  };
  std::optional<Named> fallback, upright;  // upright: the four walls
  std::array<std::optional<Named>, 6> given;
  std::optional<Named> floor, ceiling;  // as z_min and z_max
};

Reader<Walls> wall_material(std::function<std::optional<Walls::Named>&(Walls&)> slot) {
  return {[=](Walls& walls, const At& at) {
            std::optional<Walls::Named>& named = slot(walls);
            named.emplace();  // given, even if it cannot be read
            if (const auto word = at.text()) named = Walls::Named{*word, at.value.place};
          },
          {"name of a material", {}, {}}};
}

const std::vector<Key<Walls>>& wall_keys() {
  static constexpr std::array<const char*, 6> about = {"Material of the wall x = 0.", "Material of the wall at x = Lx.",
                                                       "Material of the wall y = 0.", "Material of the wall y = Ly.",
                                                       "The same as `floor`.",        "The same as `ceiling`."};
  static const std::vector<Key<Walls>> keys = [] {
    std::vector<Key<Walls>> all = {{"default", wall_material([](Walls & walls) -> auto& { return walls.fallback; }),
                                    "Material of every wall, or surface of a mesh, that has no material otherwise."}};
    all.push_back({"floor", wall_material([](Walls & walls) -> auto& { return walls.floor; }),
                   "Material of the floor of a box, the wall z = 0."});
    all.push_back({"ceiling", wall_material([](Walls & walls) -> auto& { return walls.ceiling; }),
                   "Material of the ceiling of a box, z = Lz."});
    all.push_back({"walls", wall_material([](Walls & walls) -> auto& { return walls.upright; }),
                   "Material of the four walls of a box that have none of their own."});
    for (std::size_t i = 0; i < wall_names.size(); ++i)
      all.push_back({wall_names[i], wall_material([i](Walls & walls) -> auto& { return walls.given[i]; }), about[i]});
    return all;
  }();
  return keys;
}

void read_walls(Room& room, const At& at) {
  Walls walls;
  const std::size_t before = at.reading.count();
  read_table(walls, at, wall_keys());
  for (const auto& [name, also, wall] : {std::tuple{"floor", &walls.floor, 4U}, {"ceiling", &walls.ceiling, 5U}}) {
    if (!*also) continue;
    if (walls.given[wall])
      return at.fail(fmt::format("{} and {} name the same wall", name, wall_names[wall]), "give one of them");
    walls.given[wall] = *also;
  }
  std::string bare;
  for (std::size_t i = 0; i < wall_names.size(); ++i) {
    const auto& rest = i < 4 && walls.upright ? walls.upright : walls.fallback;
    const auto& named = walls.given[i] ? walls.given[i] : rest;
    if (!named) {
      bare += (bare.empty() ? "" : ", ") + std::string(wall_names[i]);
      continue;
    }
    room.walls[i] = named->name;
    room.wall_places[i] = named->place;
  }
  if (bare.empty() || at.reading.count() != before) return;
  at.fail("no material for " + bare, "default = \"...\" names one for all the walls that are not named");
}

const std::vector<std::string> shapes = {"box", "mesh"};

const std::vector<Key<Room>>& room_keys() {
  // `mesh`, `units`, `up` and `walls` depend on each other: read_room reads them.
  const auto later = [](Room&, const At&) {};
  static const std::vector<Key<Room>> keys = {
      {"box", position(&Room::box, {0.01, 10000, "m"}, &Room::box_place),
       "Side lengths Lx, Ly, Lz of a rectangular room with one corner at the origin."},
      {"mesh",
       {later, {"path, or a list of paths", {}, {}}},
       "Triangle mesh of the room's surface, relative to the scene file: OBJ, STL, PLY, glTF, GLB, COLLADA or "
       "DXF, or several such files. Coordinates are read in double precision, from binary STL and glTF in the single "
       "precision that these formats have."},
      {"units",
       {later, {"text or number", {}, mesh_units}, [](const Room&) { return toml(MeshFrame{}.units); }},
       "Length unit of the numbers in the mesh, by its name or as its metres, as 0.002; without this key, what a glTF, "
       "GLB or DXF file states. \"auto\" takes "
       "what a file states, OBJ included, else m, cm or mm, whichever "
       "makes it "
       "1.8 to 60 m high and at most 300 m long; of two, the smaller room that holds all sources and receivers."},
      {"up",
       {later, {"text", {}, mesh_axes}, [](const Room&) { return toml(MeshFrame{}.up); }},
       "Axis of the mesh that points up; the scene's z axis points up after the mesh is turned; without this key, y of "
       "glTF and GLB, but for files that trimesh has written: they have the axes of its memory. \"auto\" takes what "
       "these formats and DXF define, else the only axis under which all sources and receivers lie inside; of several, "
       "or of none, y or z, along which 1.5 times more of its area faces."},
      {"seal",
       {later, {"number", seal_range, {}}, [](const Room&) { return toml(0.0); }},
       "Width below which openings of a mesh through which the room leaks to the outside are closed: slits, cracks, "
       "holes. "
       "The surfaces that close them have the material of those at their border, by area. At most a tenth of the "
       "room's shortest side; 0 closes none."},
      {"walls", {later, {"table", {}, {}}}, "The materials of the walls."},
  };
  return keys;
}

}  // namespace

void read_room(Scene& scene, const At& at) {
  read_table(scene.room, at, room_keys());
  if (at.value.kind != Value::Kind::table) return;
  exactly_one(at, shapes);
  const Entry* walls = at.value.find("walls");
  if (at.value.find("mesh") != nullptr) return;  // read_mesh_room, once the positions are known
  for (const char* key : {"units", "up", "seal"}) {
    if (const Entry* entry = at.value.find(key))
      at.below(*entry).fail("belongs to a mesh, and there is none", "the sides of a box are in metres, with z up");
  }
  scene.room.doubt = doubt_of_box(scene.room.box);
  if (walls != nullptr) {
    read_walls(scene.room, at.below(*walls));
  } else if (at.value.find("box") != nullptr) {
    missing_key(at, "[room.walls]", "[room.walls] and below it default = \"...\", a material's name");
  }
}

std::vector<KeyTable> room_tables() {
  const TableText room = {"room", "[room]",
                          R"(The room is a box, 0 to Lx, 0 to Ly, 0 to Lz, or the interior of a triangle mesh.

A mesh need not be watertight, and its facets may be oriented either way: the room is the air that the sources and
receivers reach at the resolution of the grid. If that air has no boundary, the run is refused and the position of
the leak is printed, with the `seal` that closes it. `seal` finds openings in the mesh itself, so that they are the same on
every grid; a slit inside the room, or between two rooms, stays open. Surfaces with air on both sides (a reflector, a screen) take no volume with leggy stencils and
with compact and box stencils of radius 1 and 2 whose weights are certified; with larger ones and with `/radial` sets
they become walls one voxel thick. `fdtd plan` prints the areas by material, the holes and the gaps of the mesh, and
the unit and the axis that "auto" chose; a mesh of which these rules are not sure is an error.)",
                          R"([room]
box = [5.0, 4.0, 3.0]       # m
# mesh = "hall.obj"         # instead of box
# units = "m"               # of the mesh, or "auto"
# up = "z"                  # of the mesh, or "auto"
# seal = 0.02               # m: closes narrower openings of the mesh to the outside
)"};
  const TableText walls = {
      "room.walls", "[room.walls]",
      R"(The materials of the walls, by the names of the tables `[materials.NAME]` or of the library (`fdtd materials`).

For a box the keys are its floor, its ceiling and its walls, together or one by one. For a mesh the keys are, besides `default`, the material names of the mesh
(`usemtl` of OBJ, materials of glTF, layers of DXF, the solids of a text STL; of several files, a file without such names is one material, named after
the file). The groups of an OBJ file (`g`, else `o`) are its materials where it has no `usemtl` and this table, or a
material, has the name of one. A mesh name that equals the name of a material needs no line here.)",
      R"([room.walls]
default = "plaster"         # all walls without a line of their own
floor = "carpet-heavy"      # of the library
x_min = "panel"
)"};
  return {describe_table(room, room_keys(), shapes), describe_table(walls, wall_keys())};
}

}  // namespace fdtd
