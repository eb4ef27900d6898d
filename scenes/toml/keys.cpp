#include "scenes/toml/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenes/moving_receivers.hpp"
#include "scenes/toml/above_keys.hpp"
#include "scenes/toml/key_readers.hpp"
#include "scenes/toml/material_keys.hpp"
#include "scenes/toml/mesh_room.hpp"
#include "scenes/toml/output_keys.hpp"
#include "scenes/toml/point_keys.hpp"
#include "scenes/toml/room_keys.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

// ---- [simulation] --------------------------------------------------------------------------------------------------
constexpr double placeholder_duration = 1.0;  // s, for grids that are chosen before "auto" is settled

void read_duration(Simulation& into, const At& at) {
  if (at.value.kind == Value::Kind::text && at.value.text == "auto") {
    into.duration = placeholder_duration;
    into.duration_auto = true;
  } else if (const auto seconds = at.number({0, 3600, "s", true})) {
    into.duration = *seconds;
  }
}

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

const std::vector<std::string> precisions = {"f32", "f64"};

void read_precision(Simulation& into, const At& at) {
  if (const auto word = at.choice(precisions)) into.precision = *word == "f32" ? Precision::f32 : Precision::f64;
}

const std::vector<std::string> reciprocities = {"auto", "on", "off"};  // in the order of Reciprocity

void read_reciprocity(Simulation& into, const At& at) {
  into.reciprocity_place = at.value.place;
  if (const auto word = at.choice(reciprocities))
    into.reciprocity = static_cast<Reciprocity>(std::ranges::find(reciprocities, *word) - reciprocities.begin());
}

const std::vector<Key<Simulation>>& stop_keys() {
  static const std::vector<Key<Simulation>> keys = {
      {"decay_db", number(&Simulation::stop_decay_db, {10, 200, "dB"}),
       "How far every response must have decayed below its loudest moment.", "decay_db = 60"},
  };
  return keys;
}

const std::vector<std::string> resolutions = {"max_frequency", "grid_spacing"};

const std::vector<Key<Simulation>>& simulation_keys() {
  using S = Simulation;
  static const std::vector<Key<S>> keys = {
      {"duration",
       {read_duration, {"number or \"auto\"", Range{0, 3600, "s", true}, {}}},
       "Length of the impulse responses; about the longest reverberation time, or T20 and T30 cannot be fitted; "
       "\"auto\" "
       "takes 1.25 times the slowest decay that the plan expects in any octave, rounded up to 10 ms.",
       "duration = 1.0"},
      {"max_frequency", number(&S::max_frequency, {1, 192000, "Hz"}),
       "Frequency up to which `dispersion_error`, `wall_error` and `geometry_error` hold; it sets the grid spacing and "
       "is the upper limit of the waves' part of the responses. An octave is whole where it is the upper edge, 1.42 "
       "times the centre: 1420 for the octave of 1 kHz."},
      {"grid_spacing", number(&S::grid_spacing, {1e-5, 10, "m"}, &S::spacing_place),
       "Distance between grid points; it sets the valid bandwidth."},
      {"dispersion_error", number(&S::dispersion_error, {1e-6, 0.5}),
       "Largest relative error of the phase velocity at `max_frequency`, in the worst direction of propagation."},
      {"wall_error", number(&S::wall_error, {1e-3, 2}),
       "Largest relative error of the absorption coefficient of plane walls up to `max_frequency`, at any angle of "
       "incidence to 75 degrees; where walls need more points a wavelength than the interior, they set the grid "
       "spacing."},
      {"geometry_error", number(&S::geometry_error, {1e-3, 10}),
       "Largest relative error of T20 by octave (mean over receivers) by walls of a mesh that cut voxels and by "
       "furniture, up to `max_frequency`; EDT keeps twice that, frequencies of modes keep `dispersion_error`. Where "
       "they "
       "need more points a wavelength than the rest, they set the grid spacing, unless that takes a grid more than 2.2 "
       "times as fine."},
      {"courant", number(&S::courant, {1e-3, 20}, &S::courant_place),
       "Courant number, sound speed × time step / grid spacing, instead of the stencil's own; refused above the "
       "stability limit, and below 0.02 with `precision = \"f32\"`."},
      {"stencil",
       {read_stencil,
        {"\"auto\", a name from `fdtd stencils`, or a path ending in .toml", {}, {}},
        [](const S& one) { return toml(one.stencil); }},
       "Finite-difference stencil; \"auto\" takes the one with the shortest run by the program's table of costs for "
       "devices "
       "of this class."},
      {"precision",
       {read_precision,
        {"text", {}, precisions},
        [](const S& one) { return toml(std::string(to_string(one.precision))); }},
       "Floating-point type of the pressure field: single or double precision."},
      {"remove_time_dispersion", boolean(&S::remove_time_dispersion),
       "Correct the responses for the error of the second-order time difference, or by the radial map of a stencil "
       "that "
       "has one; by default as the weights of the stencil were designed."},
      {"stop",
       {[](Simulation& into, const At& at) { read_table(into, at, stop_keys()); }, {"table", {}, {}}},
       "End the run early, when every receiver has decayed; by default it lasts for the whole duration."},
      {"reciprocity",
       {read_reciprocity,
        {"text", {}, reciprocities},
        [](const S& one) { return toml(reciprocities[static_cast<std::size_t>(one.reciprocity)]); }},
       "Whether receivers send and sources record, one pass a receiver instead of one a source, with the same "
       "responses "
       "up to rounding: \"auto\" exchanges them where that takes fewer passes and there are no snapshots, \"on\" "
       "always; "
       "with `precision = \"f32\"` only receivers without a pattern can send."},
      {"device",
       {read_device,
        {"\"auto\", \"cpu\", \"cuda\", \"cuda:N\" or \"cuda:all\"", {}, {}},
        [](const S& one) { return toml(one.device); }},
       "Device that computes: \"auto\" takes the first usable GPU whose memory holds the room, else the CPU; "
       "\"cuda:all\" all GPUs of this machine."},
  };
  return keys;
}

void read_simulation(Scene& scene, const At& at) {
  read_table(scene.simulation, at, simulation_keys());
  if (at.value.kind == Value::Kind::table) exactly_one(at, resolutions);
}

// ---- [air] ---------------------------------------------------------------------------------------------------------
const std::vector<Key<Air>>& air_keys() {
  static const std::vector<Key<Air>> keys = {
      {"temperature", number(&Air::temperature, {-100, 100, "degrees Celsius"}),
       "Air temperature t; the sound speed is 331.3 √(1 + t / 273.15) m/s."},
      {"relative_humidity", number(&Air::relative_humidity, {0, 100, "%"}),
       "Relative humidity; matters for air absorption."},
      {"pressure", number(&Air::pressure, {1, 1000, "kPa"}), "Static air pressure; matters for air absorption."},
      {"absorption", boolean(&Air::absorption),
       "Attenuate every sample of a response as ISO 9613-1 attenuates a wave that has travelled for its time; by "
       "default, unless `above.method` is \"none\"."},
      {"sound_speed", number(&Air::sound_speed, {50, 10000, "m/s"}),
       "Sound speed, instead of the one that the temperature gives."},
  };
  return keys;
}

// ---- the root table ------------------------------------------------------------------------------------------------
const std::vector<Key<Scene>>& scene_keys() {
  const ValueType table{"table", {}, {}}, tables{"list of tables", {}, {}};
  static const std::vector<Key<Scene>> keys = {
      {"schema",
       {[](Scene&, const At&) {}, {"the whole number 1", {}, {}}},  // judged before all others
       "Version of the scene format.",
       "schema = 1 on top"},
      {"simulation",
       {read_simulation, table},
       "Duration, bandwidth, accuracy, stencil and device.",
       "[simulation] with duration and max_frequency"},
      {"air",
       {[](Scene& scene, const At& at) { read_table(scene.air, at, air_keys()); }, table},
       "Sound speed and absorption of the air."},
      {"above", {read_above, table}, "The response above the frequency up to which waves are computed."},
      {"room", {read_room, table}, "Geometry, and the materials of the walls.", "[room] with box, and [room.walls]"},
      {"materials",
       {read_materials, {"table of tables", {}, {}}},
       "The materials that walls may name, besides those of the library."},
      {"source", {read_sources, tables}, "The sound sources.", "[[source]] with name and position"},
      {"receiver", {read_receivers, tables}, "The receivers.", "[[receiver]] with name and position"},
      {"output", {read_output, table}, "Audio format, filters and snapshots."},
  };
  return keys;
}

std::vector<KeyTable> own_tables() {
  return {
      describe_table(
          {"", "The file",
           R"(A scene is a TOML file of at most 4 MiB. All lengths are in metres, times in seconds, frequencies in
hertz. A key that is not listed on this page is an error: the message has the line, the column and the nearest known
key, and all problems of a file are printed at once. `--set simulation.duration=0.5` on the command line replaces a
key; `--set source.S1.position=[1, 2, 1.5]` names an element of a list by its `name`, `--set receiver.0.name=A` by
its number from 0.)",
           "schema = 1\n"},
          scene_keys()),
      describe_table(
          {"simulation", "[simulation]",
           R"(How long, how accurately and by what the sound field is computed. The cost of a run grows with the
fourth power of `max_frequency`.)",
           R"([simulation]
duration = 1.0              # s
max_frequency = 1000.0      # Hz
dispersion_error = 0.02     # 2 %
stencil = "leggy-4"
precision = "f32"
stop = { decay_db = 60 }
device = "auto"
)"},
          simulation_keys(), resolutions),
      describe_table(
          {"simulation.stop", "stop = { decay_db = ... }",
           R"(Ends the run once the response of every receiver, between `output.low_cut` and the valid bandwidth, has
stayed `decay_db` below its loudest moment for as long as sound takes to cross the room and come back.)",
           ""},
          stop_keys()),
      describe_table(
          {"air", "[air]",
           "The medium. Without this table it is air of 20 °C, which absorbs unless `above.method` is \"none\".",
           R"([air]
temperature = 20.0          # degrees Celsius
relative_humidity = 50.0    # %
pressure = 101.325          # kPa
absorption = true
)"},
          air_keys())};
}

}  // namespace

const std::vector<KeyTable>& scene_tables() {
  static const std::vector<KeyTable> all = [] {
    std::vector<KeyTable> list;
    for (auto& part : {own_tables(), above_tables(), room_tables(), material_tables(), point_tables(), output_tables()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const KeyTable& table : scene_tables())
      for (const KeyDescription& key : table.keys) list.push_back(table.key_path(key));
    return list;
  }();
  return all;
}

namespace {

// Air decides the decays of the upper octaves: it absorbs there unless the scene says otherwise.
void settle_air(Scene& scene, const Value& root) {
  const Entry* const air = root.find("air");
  const bool stated = air != nullptr && air->value.find("absorption") != nullptr;
  if (!stated && scene.above.method != Above::Method::none) scene.air.absorption = true;
}

}  // namespace

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
  if (const Entry* room = root.find("room"); room != nullptr && room->value.find("mesh") != nullptr) {
    read_mesh_room(scene, at.below(*room));
    map_mesh_materials(scene, at.below(*room));
  }
  place_moving_receivers(scene, [&](const MovingReceiver& moving, std::string reason, std::string remedy) {
    reading.fail(moving.place, "receiver." + moving.name, std::move(reason), std::move(remedy));
  });
  settle_air(scene, root);
  for (const std::string& wall : scene.room.walls) (void)has_material(scene, wall);  // validate() reports the others
}

}  // namespace fdtd
