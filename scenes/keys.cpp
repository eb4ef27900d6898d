#include "scenes/keys.hpp"

#include <fmt/format.h>

#include "scenes/key_readers.hpp"
#include "scenes/material_keys.hpp"

#include "scenes/mesh_room.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

// ---- [simulation] --------------------------------------------------------------------------------------------------
void read_stencil(Simulation& into, const At& at) {
  const auto word = at.text();
  into.stencil_place = at.value.place;
  if (!word) return;
  if (word->empty()) return at.fail("is empty", "\"auto\", a name from `fdtd stencils`, or a file of weights, *.toml");
  into.stencil = *word;
  if (!word->ends_with(".toml")) return;
  if (auto path = at.file()) into.stencil_path = *path;
}

void read_device(Simulation& into, const At& at) {
  into.device_place = at.value.place;
  const auto word = at.text();
  if (!word) return;
  const std::string_view number = word->starts_with("cuda:") ? std::string_view(*word).substr(5) : std::string_view();
  const bool indexed = !number.empty() && number.size() <= 3 && number.find_first_not_of("0123456789") == number.npos;
  if (indexed || at.choice({"auto", "cpu", "cuda", "cuda:0", "cuda:all"})) into.device = *word;
}

void read_precision(Simulation& into, const At& at) {
  if (const auto word = at.choice({"f32", "f64"})) into.precision = *word == "f32" ? Precision::f32 : Precision::f64;
}

const std::vector<Key<Simulation>>& stop_keys() {
  static const std::vector<Key<Simulation>> keys = {
      {"decay_db", number(&Simulation::stop_decay_db, {10, 200, "dB"}), "decay_db = 60"},
  };
  return keys;
}

const std::vector<Key<Simulation>>& simulation_keys() {
  using S = Simulation;
  static const std::vector<Key<S>> keys = {
      {"duration", number(&S::duration, {0, 3600, "s", true}), "duration = 1.0"},
      {"max_frequency", number(&S::max_frequency, {1, 192000, "Hz"})},
      {"grid_spacing", number(&S::grid_spacing, {1e-5, 10, "m"}, &S::spacing_place)},
      {"dispersion_error", number(&S::dispersion_error, {1e-6, 0.5})},
      {"courant", number(&S::courant, {1e-3, 20}, &S::courant_place)},
      {"stencil", read_stencil},
      {"precision", read_precision},
      {"remove_time_dispersion", boolean(&S::remove_time_dispersion)},
      {"stop", [](Simulation& into, const At& at) { read_table(into, at, stop_keys()); }},
      {"device", read_device},
  };
  return keys;
}

// ---- [air] ---------------------------------------------------------------------------------------------------------
const std::vector<Key<Air>>& air_keys() {
  static const std::vector<Key<Air>> keys = {
      {"temperature", number(&Air::temperature, {-100, 100, "degrees Celsius"})},
      {"relative_humidity", number(&Air::relative_humidity, {0, 100, "%"})},
      {"pressure", number(&Air::pressure, {1, 1000, "kPa"})},
      {"absorption", boolean(&Air::absorption)},
      {"sound_speed", number(&Air::sound_speed, {50, 10000, "m/s"})},
  };
  return keys;
}

// ---- [room] --------------------------------------------------------------------------------------------------------
// Names of materials as written, before the default stands in for those that are not given.
struct Walls {
  struct Named {
    std::string name;
    Place place;
  };
  std::optional<Named> fallback;
  std::array<std::optional<Named>, 6> given;
};

const std::vector<Key<Walls>>& wall_keys() {
  static const std::vector<Key<Walls>> keys = [] {
    const auto into = [](std::optional<Walls::Named>& slot, const At& at) {
      slot.emplace();  // given, even if it can't be read
      if (const auto word = at.text()) slot = Walls::Named{*word, at.value.place};
    };
    std::vector<Key<Walls>> all = {{"default", [=](Walls& walls, const At& at) { into(walls.fallback, at); }}};
    for (std::size_t i = 0; i < wall_names.size(); ++i) {
      all.push_back({wall_names[i], [=](Walls& walls, const At& at) { into(walls.given[i], at); }});
    }
    return all;
  }();
  return keys;
}

void read_walls(Room& room, const At& at) {
  Walls walls;
  const std::size_t before = at.reading.count();
  read_table(walls, at, wall_keys());
  std::string bare;
  for (std::size_t i = 0; i < wall_names.size(); ++i) {
    const auto& named = walls.given[i] ? walls.given[i] : walls.fallback;
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

const std::vector<Key<Room>>& room_keys() {
  static const std::vector<Key<Room>> keys = {
      {"box", position(&Room::box, {0.01, 10000, "m"}, &Room::box_place)},
      // What these mean depends on each other: read_room reads them.
      {"mesh", [](Room&, const At&) {}},
      {"units", [](Room&, const At&) {}},
      {"up", [](Room&, const At&) {}},
      {"walls", [](Room&, const At&) {}},
  };
  return keys;
}

void read_room(Scene& scene, const At& at) {
  read_table(scene.room, at, room_keys());
  if (at.value.kind != Value::Kind::table) return;
  exactly_one(at, {"box", "mesh"});
  const Entry* walls = at.value.find("walls");
  if (at.value.find("mesh") != nullptr) {
    read_mesh_room(scene.room, at);
    return;
  }
  for (const char* key : {"units", "up"}) {
    if (const Entry* entry = at.value.find(key)) at.below(*entry).fail("belongs to a mesh, and there is none");
  }
  if (walls != nullptr) {
    read_walls(scene.room, at.below(*walls));
  } else if (at.value.find("box") != nullptr) {
    missing_key(at, "[room.walls]", "[room.walls] and below it default = \"...\", a material's name");
  }
}

// ---- [materials.*] -------------------------------------------------------------------------------------------------
void read_materials(Scene& scene, const At& at) {
  if (!at.is_table()) return;
  for (const Entry& entry : at.value.entries) {
    const At one = at.below(entry);
    const std::string why = bad_name(entry.key);
    if (!why.empty()) {
      at.reading.fail(entry.place, at.where, fmt::format("the name {} {}", in_quotes(entry.key), why));
      continue;
    }
    Material& material = scene.materials[entry.key];
    material.name = entry.key;
    material.place = entry.place;
    read_material(material, one);
  }
}

// ---- [[source]], [[receiver]] --------------------------------------------------------------------------------------
void read_signal(SourceSpec& into, const At& at) {
  into.signal_place = at.value.place;
  const auto word = at.text();
  if (!word) return;
  into.signal = *word;
  if (*word == "impulse") return;
  if (word->find('.') == word->npos && nearest_name(*word, {"impulse"}) == "impulse")  // "impulse.wav" is a file
    return at.fail(in_quotes(*word) + " is no signal", "did you mean \"impulse\"?");
  if (auto path = at.file()) into.signal_path = *path;
}

template <class T>
Read<T> pattern(std::vector<std::string> known) {
  return [=](T& into, const At& at) {
    into.directivity.pattern_place = at.value.place;
    into.directivity.pattern = at.choice(known).value_or("");  // empty: told already
  };
}

template <class T>
Read<T> direction() {
  return [](T& into, const At& at) {
    Directivity& directivity = into.directivity;
    position(&Directivity::direction, anything, &Directivity::direction_place)(directivity, at);
    if (directivity.direction == std::array<double, 3>{} && at.value.items.size() == 3)
      at.fail("must not be zero in all three numbers");
  };
}

void read_order(ReceiverSpec& into, const At& at) {
  into.directivity.order_place = at.value.place;
  if (const auto order = at.whole_number({1, 3})) into.directivity.order = *order;
}

std::vector<std::string> receiver_patterns() {
  std::vector<std::string> all = cardioid_family();
  all.emplace_back("ambisonic");
  return all;
}

const std::vector<Key<SourceSpec>>& source_keys() {
  using S = SourceSpec;
  static const std::vector<Key<S>> keys = {
      {"name", name(&S::name, &S::name_place), "name = \"S1\""},
      {"position", position(&S::position, anything, &S::position_place), "position = [x, y, z], in m"},
      {"signal", read_signal},
      {"pattern", pattern<S>(cardioid_family())},
      {"direction", direction<S>()},
  };
  return keys;
}

const std::vector<Key<ReceiverSpec>>& receiver_keys() {
  using R = ReceiverSpec;
  static const std::vector<Key<R>> keys = {
      {"name", name(&R::name, &R::name_place), "name = \"R1\""},
      {"position", position(&R::position, anything, &R::position_place), "position = [x, y, z], in m"},
      {"pattern", pattern<R>(receiver_patterns())},
      {"direction", direction<R>()},
      {"order", read_order},
  };
  return keys;
}

// One a table of the list, known by its name where it has one.
template <class T>
Read<Scene> points(std::vector<T> Scene::*list, const std::vector<Key<T>>& (*keys)()) {
  return [=](Scene& scene, const At& at) {
    if (at.value.kind != Value::Kind::list) {
      return at.fail(fmt::format("must be a list of tables, not {}", describe(at.value)),
                     fmt::format("write [[{}]], with two brackets", at.where));
    }
    if (at.value.items.empty()) return at.fail("needs at least one");
    for (std::size_t i = 0; i < at.value.items.size(); ++i) {
      At one = at.item(i);
      const Entry* name = one.value.find("name");
      if (name != nullptr && name->value.kind == Value::Kind::text && bad_name(name->value.text).empty()) {
        one.where = at.where + "." + name->value.text;
      }
      T point;
      point.place = point.position_place = one.value.place;
      read_table(point, one, keys());
      (scene.*list).push_back(std::move(point));
    }
  };
}

// ---- [output] ------------------------------------------------------------------------------------------------------
const std::vector<Key<SnapshotSpec>>& snapshot_keys() {
  using S = SnapshotSpec;
  static const std::vector<Key<S>> keys = {
      {"plane", choice(&S::plane, {"x", "y", "z", "volume"}), "plane = \"z\", x, y or volume"},
      {"position",
       [](S& into, const At& at) {
         into.has_position = true;
         number(&S::position, anything, &S::position_place)(into, at);
       }},
      {"every", number(&S::every, {0, 3600, "s", true}, &S::every_place), "every = 0.001, in s"},
      {"begin", number(&S::begin, {0, 3600, "s"})},
      {"end", number(&S::end, {0, 3600, "s"}, &S::end_place)},
  };
  return keys;
}

void read_snapshots(OutputSpec& output, const At& at) {
  if (!at.is_list("tables")) return;
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    const At one = at.item(i);
    SnapshotSpec snapshot;
    snapshot.place = snapshot.position_place = one.value.place;
    read_table(snapshot, one, snapshot_keys());
    output.snapshots.push_back(std::move(snapshot));
  }
}

const std::vector<Key<OutputSpec>>& output_keys() {
  using O = OutputSpec;
  static const std::vector<Key<O>> keys = {
      {"sample_rate", whole_number(&O::sample_rate, {8000, 384000, "Hz"})},
      {"format", choice(&O::format, {"float", "pcm24"})},
      {"low_cut", number(&O::low_cut, {0, 192000, "Hz"}, &O::low_cut_place)},
      {"raw", boolean(&O::raw)},
      {"snapshots", read_snapshots},
  };
  return keys;
}

// ---- the whole -----------------------------------------------------------------------------------------------------
void read_simulation(Scene& scene, const At& at) {
  read_table(scene.simulation, at, simulation_keys());
  if (at.value.kind == Value::Kind::table) exactly_one(at, {"max_frequency", "grid_spacing"});
}

const std::vector<Key<Scene>>& scene_keys() {
  static const std::vector<Key<Scene>> keys = {
      {"schema", [](Scene&, const At&) {}, "schema = 1 on top"},  // judged before all others
      {"simulation", read_simulation, "[simulation] with duration and max_frequency"},
      {"air", [](Scene& scene, const At& at) { read_table(scene.air, at, air_keys()); }},
      {"room", read_room, "[room] with box, and [room.walls]"},
      {"materials", read_materials, "[materials.NAME], one a material of the walls"},
      {"source", points(&Scene::sources, source_keys), "[[source]] with name and position"},
      {"receiver", points(&Scene::receivers, receiver_keys), "[[receiver]] with name and position"},
      {"output", [](Scene& scene, const At& at) { read_table(scene.output, at, output_keys()); }},
  };
  return keys;
}

}  // namespace

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    const auto add = [&](const std::string& prefix, const std::vector<std::string>& keys) {
      for (const std::string& key : keys) list.push_back(prefix + key);
    };
    add("", names(scene_keys()));
    add("simulation.", names(simulation_keys()));
    add("simulation.stop.", names(stop_keys()));
    add("air.", names(air_keys()));
    add("room.", names(room_keys()));
    add("room.walls.", names(wall_keys()));
    add("materials.*.", known_material_keys());
    add("source.*.", names(source_keys()));
    add("receiver.*.", names(receiver_keys()));
    add("output.", names(output_keys()));
    add("output.snapshots.*.", names(snapshot_keys()));
    return list;
  }();
  return all;
}

void read_scene(Scene& scene, const Value& root, Reading& reading) {
  const At at{root, "", reading};
  if (const Entry* schema = root.find("schema")) {
    const auto version = at.below(*schema).whole_number({1, 1e9});
    if (version && *version != 1) {
      at.below(*schema).fail(fmt::format("is {}, and this program reads version 1", *version));
    }
    if (version != 1) return;  // other keys may mean something else there
  }
  read_table(scene, at, scene_keys());
  if (const Entry* room = root.find("room")) map_mesh_materials(scene, at.below(*room));
}

}  // namespace fdtd
