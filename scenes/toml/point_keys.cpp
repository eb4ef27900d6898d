#include "scenes/toml/point_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/axes.hpp"
#include "scenes/toml/key_readers.hpp"
#include "scenes/toml/receiver_places.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

void read_signal(SourceSpec& into, const At& at) {
  into.signal_place = at.value.place;
  const auto word = at.text();
  if (!word) return;
  into.signal = *word;
  if (*word == "impulse") return;
  if (word->find('.') == word->npos && nearest_name(*word, {"impulse"}) == "impulse")  // "impulse.wav" is a file
    return at.fail(in_quotes(*word) + " is not a signal", "did you mean \"impulse\"?");
  if (auto path = at.file()) into.signal_path = *path;
}

template <class T>
Reader<T> pattern(const std::vector<std::string>& known) {
  return {[=](T& into, const At& at) {
            into.directivity.pattern_place = at.value.place;
            into.directivity.pattern = at.choice(known).value_or("");  // empty: a problem is recorded
          },
          {"text", {}, known},
          [](const T& one) { return toml(one.directivity.pattern); }};
}

template <class T>
Reader<T> direction() {
  const auto vector = position(&Directivity::direction, {-unlimited, unlimited}, &Directivity::direction_place);
  return {[=](T& into, const At& at) {
            vector.read(into.directivity, at);
            if (into.directivity.direction == std::array<double, 3>{} && at.value.items.size() == 3)
              at.fail("must not be zero in all three numbers");
          },
          vector.type};
}

constexpr Range ambisonic_orders{1, 9}, measured_orders{0, 9}, measurements{1, 1000000};

// The path of a file, as written and resolved.
template <class File>
void read_path_of(File& into, const At& at) {
  into.file_place = at.value.place;
  const auto word = at.text();
  if (!word) return;
  into.file = *word;
  if (auto path = at.file()) into.path = *path;
}

void read_directivity(SourceSpec& into, const At& at) { read_path_of(into.measured, at); }

void read_on_axis(SourceSpec& into, const At& at) {
  into.measured.on_axis_place = at.value.place;
  if (const auto word = at.choice({"flat", "as measured"})) into.measured.flat = *word == "flat";
}

void read_measurement(SourceSpec& into, const At& at) {
  into.measured.measurement_place = at.value.place;
  if (at.value.kind == Value::Kind::text) {
    if (at.value.text == "sum")
      into.measured.measurement = -1;
    else
      at.fail("must be a whole number from 1, or \"sum\", not " + describe(at.value));
    return;
  }
  if (const auto number = at.whole_number(measurements)) into.measured.measurement = *number;
}

template <class T>
Reader<T> order(Range range) {
  return {[=](T& into, const At& at) {
            into.directivity.order_place = at.value.place;
            if (const auto order = at.whole_number(range)) into.directivity.order = *order;
          },
          {"whole number", range, {}}};
}

Reader<SourceSpec> up() {
  const auto vector = position(&BalloonFile::up, {-unlimited, unlimited}, &BalloonFile::up_place);
  return {[=](SourceSpec& into, const At& at) { vector.read(into.measured, at); }, vector.type};
}
constexpr int default_order_of_ears = 3;

// One table [[receiver]]: a receiver at each place, all alike but for their names.
struct ReceiverSet : ReceiverSpec {
  Head own_head;
  std::vector<std::array<double, 3>> places;
  bool numbered = false;  // by grid, line or arc: NAME_1, NAME_2 ...
  std::optional<Path> path;
  std::vector<Microphone> microphones;  // of a device
  std::array<double, 3> up{0.0, 0.0, 1.0};
  TextPlace array_place, up_place;
};

const std::vector<std::string> ways_of_placing = {"position", "grid", "line", "arc", "path"};

void read_position(ReceiverSet& into, const At& at) {
  const std::size_t before = at.reading.count();
  position<ReceiverSpec>(&ReceiverSpec::position, any_metres, &ReceiverSpec::position_place).read(into, at);
  if (at.reading.count() == before) into.places.push_back(into.position);
}

template <void (*read)(std::vector<std::array<double, 3>>&, const At&)>
Reader<ReceiverSet> places() {
  return {[](ReceiverSet& into, const At& at) {
            into.position_place = at.value.place;
            into.numbered = true;
            read(into.places, at);
          },
          {"table", {}, {}}};
}

// It stands at its first row until the whole scene is read.
void read_moving(ReceiverSet& into, const At& at) {
  into.position_place = at.value.place;
  into.path = read_receiver_path(at);
  if (into.path) into.places.push_back(into.path->rows().front().position);
}

// Of several ways of placing, which is a problem, one place counts: the others would be further problems.
void keep_one_place(ReceiverSet& set, const At& table) {
  const auto ways =
      std::ranges::count_if(ways_of_placing, [&](const std::string& way) { return table.value.find(way) != nullptr; });
  if (ways < 2 || set.places.empty()) return;
  set.places.resize(1);
  set.path.reset();
  set.numbered = false;
}

void read_array(ReceiverSet& into, const At& at) {
  into.array_place = at.value.place;
  into.microphones = read_microphones(at);
}

// The microphones at their places in the scene, each a receiver NAME:m01, NAME:m02, ..., or NAME::FRONT of its own name.
void place_array(ReceiverSet& set, const At& table) {
  const auto wrong = [&](const TextPlace& place, const std::string& message, const std::string& hint) {
    table.reading.fail(place, table.where + ".array", message, hint);
  };
  Directivity& directivity = set.directivity;
  if (set.places.empty()) return;  // already reported
  if (set.numbered || set.path || set.places.size() != 1)
    return wrong(set.array_place, "an array has one position", "position = [x, y, z]");
  if (directivity.pattern != "omni")
    return wrong(directivity.pattern_place, "the microphones of an array are omnidirectional", "leave `pattern` out");
  const bool aimed = directivity.direction != std::array<double, 3>{};
  const std::array<double, 3> front = aimed ? directivity.direction : std::array<double, 3>{1.0, 0.0, 0.0};
  const std::optional<Axes> axes = axes_of(front, set.up);
  if (!axes) return wrong(set.array_place, "`direction` and `up` of an array must not be parallel", "up = [1, 0, 0]");
  directivity = {};  // the microphones have none
  const Point centre = set.places.front();
  set.places.clear();
  for (const Microphone& one : set.microphones) set.places.push_back(plus(centre, from_axes(*axes, one.position)));
}

void read_head_file(ReceiverSet& into, const At& at) { read_path_of(into.own_head, at); }

// Null where no key is of a head.
std::shared_ptr<const Head> head_of(const ReceiverSet& set) {
  const auto given = [](const TextPlace& place) { return place.line > 0 || place.set > 0; };
  const Head& own = set.own_head;
  if (set.directivity.pattern != "binaural" && !given(own.file_place) && !given(own.rotations_place)) return nullptr;
  Head head = own;
  head.up = set.up;
  head.up_place = set.up_place;
  return std::make_shared<const Head>(std::move(head));
}

void read_rotations(ReceiverSet& into, const At& at) {
  constexpr std::size_t most = 360;
  constexpr Range turn{-360.0, 360.0, "degrees"};
  into.own_head.rotations_place = at.value.place;
  if (!at.is_list("a list of numbers")) return;
  if (at.value.items.empty() || at.value.items.size() > most)
    return at.fail(fmt::format("must be 1 to {} numbers, not {}", most, at.value.items.size()));
  if (auto rotations = at.numbers(turn)) into.own_head.rotations = std::move(*rotations);
}

std::vector<std::string> receiver_patterns() {
  std::vector<std::string> all = cardioid_family();
  all.emplace_back("ambisonic");
  all.emplace_back("binaural");
  return all;
}

const std::vector<Key<SourceSpec>>& source_keys() {
  using S = SourceSpec;
  static const std::vector<Key<S>> keys = {
      {"name", name(&S::name, &S::name_place),
       "Name of the source, part of the names of its files where there are several sources.", "name = \"S1\""},
      {"position", position(&S::position, any_metres, &S::position_place), "Position (x, y, z) inside the room.",
       "position = [x, y, z], in m"},
      {"signal",
       {read_signal,
        {"\"impulse\", or path of a WAV or FLAC file of one channel", {}, {}},
        [](const S& one) { return toml(one.signal); }},
       "Signal that the source plays: with a file, recording_*.wav holds what each receiver records of it."},
      {"pattern", pattern<S>(cardioid_family()), "Directivity."},
      {"direction", direction<S>(),
       "Vector along the main lobe, of any length: required for every pattern but \"omni\", and for `directivity`."},
      {"directivity",
       {read_directivity,
        {"path of a SOFA file or of a table", {}, {}},
        [](const S& one) { return toml(one.measured.file); }},
       "Measured directivity instead of a pattern: AES69 FreeFieldDirectivityTF, FreeFieldDirectivityIR, GeneralTF or "
       "GeneralFIR; the text form of the Common Loudspeaker Format (CLF1, CLF2); or a CSV table with columns azimuth, "
       "elevation (degrees) and a column of levels (dB) for each frequency (Hz), or azimuth, elevation, frequency, "
       "level and perhaps phase (degrees)."},
      {"up", up(), "With `directivity`: vector towards the top of the source, by default [0, 0, 1]."},
      {"on_axis",
       {read_on_axis, {"text", {}, {"flat", "as measured"}}, [](const S&) { return std::string("\"flat\""); }},
       "With `directivity`: \"flat\" divides the response on the axis out, so that levels and G keep their reference, "
       "a "
       "flat source of 0 dB at 1 m on the axis; \"as measured\" keeps its magnitude, 0 dB in the mean of 500 and 1000 "
       "Hz, with minimum phase."},
      {"measurement",
       {read_measurement, {"whole number from 1, or \"sum\"", measurements, {}}},
       "With `directivity`: which of the file's measurements (M) radiates, or all together; required where there are "
       "several."},
      {"order", order<S>(measured_orders),
       "With `directivity`: highest order N of the spherical harmonics that radiate, all in one pass. Default: what "
       "the "
       "directions hold, at most 3; orders 4 to 9 need a ball of air about the source."},
  };
  return keys;
}

const std::vector<Key<ReceiverSet>>& receiver_keys() {
  using R = ReceiverSet;
  static const std::vector<Key<R>> keys = {
      {"name", name<R>(&R::name, &R::name_place), "Name of the receiver: its response is ir_NAME.wav.",
       "name = \"R1\""},
      {"position", {read_position, {"three numbers", any_metres, {}}}, "Position (x, y, z) inside the room."},
      {"grid", places<read_grid>(), "Many receivers, in a box or on a plane."},
      {"line", places<read_line>(), "Many receivers, on a straight line."},
      {"arc", places<read_arc>(), "Many receivers, on a circle or a part of one."},
      {"path",
       {read_moving, {"path of a .csv file", {}, {}}},
       "A receiver that moves: a table of t (s, increasing), x, y, z (m) and perhaps yaw (degrees to the left, by "
       "which every pattern turns), named on its first line; straight between rows, at rest before and after them."},
      {"array",
       {read_array, {"path of a CSV file with columns x, y, z and perhaps weight, name", {}, {}}},
       "Microphones of a device about `position`, in m, x to its front, y to its left, z up: each an omnidirectional "
       "receiver NAME:m01, NAME:m02, ..., or NAME::FRONT where the file names them, in one WAV file of as many "
       "channels, and a SOFA file. `weight` is the gain of a channel: it multiplies its response."},
      {"up", position(&R::up, {-unlimited, unlimited}, &R::up_place),
       "Vector upwards of an array, or towards the crown of a head, of any length; by default [0, 0, 1]."},
      {"pattern", pattern<R>(receiver_patterns()), "Directivity."},
      {"direction", direction<R>(),
       "Vector along the main lobe, of any length, or in which a head looks: required for every pattern but \"omni\" "
       "and "
       "\"ambisonic\"; of an array, to its front, by default [1, 0, 0]."},
      {"order", order<R>(ambisonic_orders),
       "Ambisonic order N, required for \"ambisonic\": (N + 1)² channels in ACN order and SN3D normalisation, x to the "
       "front, y to the left, z up. Of \"binaural\" the order of the channels from which the ears are made, 3 by "
       "default."},
      {"hrtf",
       {read_head_file, {"path of a SOFA file (SimpleFreeFieldHRIR)", {}, {}}},
       "Responses of the head of a binaural receiver; required for \"binaural\"."},
      {"rotations",
       {read_rotations, {"numbers", Range{-360.0, 360.0, "degrees"}, {}}},
       "Of \"binaural\": degrees by which the head is turned to its left about its own up. Each has a response; [0] by "
       "default."},
  };
  return keys;
}

// Calls add(point, table) for each table of the list, its keys read; they are named after its own name where it has one.
template <class T, class Add>
void read_points(const std::vector<Key<T>>& keys, const At& at, const Add& add) {
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
    read_table(point, one, keys);
    add(std::move(point), one);
  }
}

}  // namespace

void read_sources(Scene& scene, const At& at) {
  read_points(source_keys(), at, [&](SourceSpec&& one, const At&) {
    Directivity& directivity = one.directivity;
    const auto given = [](const TextPlace& place) { return place.line > 0 || place.set > 0; };
    if (given(one.measured.file_place) && !given(directivity.pattern_place)) {
      directivity.pattern = one.measured.path.empty() ? "" : measured_pattern;  // empty: a problem is recorded
      directivity.pattern_place = one.measured.file_place;
    }
    scene.sources.push_back(std::move(one));
  });
}

void read_receivers(Scene& scene, const At& at) {
  read_points(receiver_keys(), at, [&](ReceiverSet&& set, const At& table) {
    if (table.is_table()) exactly_one(table, ways_of_placing);
    keep_one_place(set, table);
    if (set.path && !set.places.empty())
      scene.moving.push_back({set.name, std::move(*set.path), scene.receivers.size(), 1, set.position_place});
    const bool array = !set.microphones.empty();
    if (array) place_array(set, table);
    if (!array && (set.array_place.line > 0 || set.array_place.set > 0))
      set.directivity.pattern.clear();  // its file has a problem, which is recorded
    if (!array && set.array_place.line == 0 && (set.up_place.line > 0 || set.up_place.set > 0) &&
        set.directivity.pattern != "binaural")
      table.reading.fail(set.up_place, table.where + ".up", "belongs to an array or to a binaural receiver",
                         "array = \"device.csv\", or pattern = \"binaural\"");
    const std::shared_ptr<const Head> head = array ? nullptr : head_of(set);
    constexpr std::size_t two = 2;
    const std::size_t digits = fmt::format("{}", set.places.size()).size();
    for (std::size_t i = 0; i < set.places.size(); ++i) {
      ReceiverSpec& one = scene.receivers.emplace_back(set);
      one.position = set.places[i];
      one.head = head;
      if (one.directivity.pattern == "binaural" && one.directivity.order == 0)
        one.directivity.order = default_order_of_ears;
      if (set.numbered && !set.name.empty()) one.name = fmt::format("{}_{:0{}}", set.name, i + 1, digits);
      if (!array) continue;
      const Microphone& microphone = set.microphones.at(i);
      one.weight = microphone.weight;
      if (set.name.empty()) continue;
      one.array = set.name;
      one.microphone = microphone.name.empty() ? static_cast<int>(i + 1) : 0;
      one.name = !microphone.name.empty() ? fmt::format("{}::{}", set.name, microphone.name)
                                          : fmt::format("{}:m{:0{}}", set.name, i + 1, std::max(digits, two));
    }
  });
}

std::vector<KeyTable> point_tables() {
  std::vector<KeyTable> tables{
      describe_table({"source.*", "[[source]]",
                      R"(One table for each sound source. Each source is simulated by itself, in a pass of its own (with
snapshots a pattern takes two, a measured directivity one for each harmonic), and every receiver records every source;
where receivers are fewer, they send instead (`simulation.reciprocity`). The patterns are first-order: a share of
omnidirectional pressure and the rest of figure-eight: 1, 0.7, 0.5, 0.366, 0.25 and 0 of pressure for "omni" to
"figure-eight". A measured directivity radiates spherical harmonics (`order`).)",
                      R"([[source]]
name = "S1"
position = [1.2, 1.5, 1.4]  # m
signal = "impulse"

[[source]]
name = "loudspeaker"
position = [0.5, 2.0, 1.2]
pattern = "cardioid"
direction = [1, 0, 0]
)"},
                     source_keys()),
      describe_table(
          {"receiver.*", "[[receiver]]",
           R"(One table for each receiver, or for many: with `grid`, `line` or `arc` instead of `position` there is a receiver
NAME_1, NAME_2, ... at each place, the numbers with as many digits as the last has. A receiver with a `path` moves: of a
source's signal it writes recording_NAME.wav, and there is a receiver NAME_1, NAME_2, ... at places along the path. Patterns are formed from the
derivatives of the field at the point, so a nearby source has the proximity effect.)",
           R"([[receiver]]
name = "sofa"
position = [3.8, 2.6, 1.2]  # m

[[receiver]]
name = "array"
position = [2.5, 3.0, 1.2]
pattern = "ambisonic"
order = 1

[[receiver]]
name = "seats"              # seats_01 to seats_54
grid = { from = [1.0, 1.0, 1.2], to = [5.0, 3.5, 1.2], count = [9, 6, 1] }

[[receiver]]
name = "screen"
arc = { centre = [3.0, 2.0, 1.2], from = [4.0, 2.0, 1.2], angle = 180.0, count = 37 }
)"},
          receiver_keys(), ways_of_placing)};
  for (KeyTable& table : place_tables()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace fdtd
