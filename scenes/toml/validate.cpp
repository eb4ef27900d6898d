#include "scenes/toml/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/lower_case.hpp"
#include "scenes/toml/material_keys.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd {
namespace {

struct Checker {
  const Scene& scene;
  std::vector<Problem>& problems;

  void fail(TextPlace place, std::string where, std::string message, std::string hint = {}) {
    Problem problem{place, 0, std::move(where), std::move(message), std::move(hint), {}};
    if (place.set > 0) problem.set = scene.overrides.at(static_cast<std::size_t>(place.set - 1));
    problems.push_back(std::move(problem));
  }
};

std::string point(const std::array<double, 3>& p) {
  return fmt::format("({:.13g}, {:.13g}, {:.13g})", p[0], p[1], p[2]);  // a sum of decimals shows as a decimal
}

template <class T>
void check_positions(Checker& checker, const std::vector<T>& list, const char* kind) {
  const auto& [box, origin] = std::tie(checker.scene.room.box, checker.scene.room.origin);
  if (!(box[0] > 0 && box[1] > 0 && box[2] > 0)) return;  // no room was read: already reported
  for (const T& one : list) {
    std::array<double, 3> inside{};
    for (std::size_t d = 0; d < 3; ++d) inside[d] = std::clamp(one.position[d], origin[d], origin[d] + box[d]);
    if (inside == one.position) continue;
    const double distance =
        std::hypot(one.position[0] - inside[0], one.position[1] - inside[1], one.position[2] - inside[2]);
    checker.fail(
        one.position_place, fmt::format("{}.{}", kind, one.name),
        checker.scene.room.mesh
            ? fmt::format("position {} is outside the mesh, which reaches from {} to {} m", point(one.position),
                          point(origin), point({origin[0] + box[0], origin[1] + box[1], origin[2] + box[2]}))
            : fmt::format("position {} is outside the room ({:.6g} x {:.6g} x {:.6g} m)", point(one.position), box[0],
                          box[1], box[2]),
        fmt::format("the nearest point inside is {}, {:.4g} m away{}{}", point(inside), distance,
                    checker.scene.room.doubt.empty() ? "" : "; ", checker.scene.room.doubt));
  }
}

// Names that are equal on a file system that ignores case.
template <class T>
void check_names(Checker& checker, const std::vector<T>& list, const char* kind) {
  std::map<std::string, const T*> seen;
  for (const T& one : list) {
    if (one.name.empty()) continue;  // could not be read: already reported
    const auto [it, fresh] = seen.emplace(lower_case(one.name), &one);
    if (fresh) continue;
    const TextPlace first = it->second->name_place;
    const std::string at = first.line > 0 ? fmt::format(" (line {})", first.line) : "";
    const bool same = it->second->name == one.name;
    checker.fail(one.name_place, fmt::format("{}.{}", kind, one.name),
                 same ? fmt::format("the name {} is taken{}", in_quotes(one.name), at)
                      : fmt::format("the name differs from {}{} by capitals alone", in_quotes(it->second->name), at),
                 "names become parts of file names, as in ir_S1_R1.wav");
  }
}

// A receiver that moves has files of its own name, its places have theirs.
void check_moving_names(Checker& checker) {
  for (const MovingReceiver& moving : checker.scene.moving)
    for (const ReceiverSpec& one : checker.scene.receivers)
      if (lower_case(one.name) == lower_case(moving.name))
        checker.fail(moving.place, "receiver." + moving.name,
                     fmt::format("the name {} is taken{}", in_quotes(one.name),
                                 one.name_place.line > 0 ? fmt::format(" (line {})", one.name_place.line) : ""),
                     "names become parts of file names, as in recording_R1.wav");
}

// The microphones of an array share a file of its name.
void check_array_names(Checker& checker) {
  std::map<std::string, const ReceiverSpec*> arrays;  // the first microphone of each
  std::set<std::pair<int, int>> reported;             // lines and overrides of tables
  const auto taken = [&](const ReceiverSpec& one, const std::string& name, const TextPlace& by) {
    if (!reported.emplace(one.place.line, one.place.set).second) return;
    checker.fail(
        one.name_place, "receiver." + name,
        fmt::format("the name {} is taken{}", in_quotes(name), by.line > 0 ? fmt::format(" (line {})", by.line) : ""),
        "names become parts of file names, as in ir_R1.wav");
  };
  for (const ReceiverSpec& one : checker.scene.receivers) {
    if (one.array.empty()) continue;
    const auto [first, fresh] = arrays.emplace(lower_case(one.array), &one);
    if (!fresh && (first->second->place.line != one.place.line || first->second->place.set != one.place.set))
      taken(one, one.array, first->second->name_place);
  }
  if (arrays.empty()) return;
  for (const ReceiverSpec& one : checker.scene.receivers)
    if (const auto array = arrays.find(lower_case(one.name)); array != arrays.end())
      taken(one, one.name, array->second->name_place);
  for (const MovingReceiver& one : checker.scene.moving)
    if (const auto array = arrays.find(lower_case(one.name)); array != arrays.end())
      taken(*array->second, one.name, one.place);
}

// ir_<source>_<receiver>.wav: sources "a" and "a_b" with receivers "b_c" and "c" would write the same file twice.
void check_file_names(Checker& checker) {
  std::set<std::string> sources;
  std::map<std::string, const ReceiverSpec*> receivers;
  for (const SourceSpec& source : checker.scene.sources) sources.insert(lower_case(source.name));
  for (const ReceiverSpec& receiver : checker.scene.receivers) receivers.emplace(lower_case(receiver.name), &receiver);
  std::map<std::string, std::string> tails;  // "b" -> "a": what one source's name, "a_b", adds to another's
  for (const std::string& source : sources) {
    for (std::size_t bar = source.find('_'); bar != source.npos; bar = source.find('_', bar + 1)) {
      if (sources.count(source.substr(0, bar)) > 0) tails.emplace(source.substr(bar + 1), source.substr(0, bar));
    }
  }
  for (const auto& [name, receiver] : receivers) {
    for (std::size_t bar = name.find('_'); bar != name.npos; bar = name.find('_', bar + 1)) {
      const auto tail = tails.find(name.substr(0, bar));
      const auto other = receivers.find(name.substr(bar + 1));
      if (tail == tails.end() || other == receivers.end()) continue;
      const std::string longer = tail->second + "_" + tail->first;
      checker.fail(
          receiver->name_place, "receiver." + receiver->name,
          fmt::format("with source {} it would write the same file as receiver {} with source {}: ir_{}_{}.wav",
                      in_quotes(tail->second), in_quotes(other->first), in_quotes(longer), longer, other->first),
          "rename one of them");
    }
  }
}

bool is_given(const TextPlace& place) { return place.line > 0 || place.set > 0; }

// Whether direction and up span axes; of a direction that is missing or zero there is another problem.
void check_up(Checker& checker, const std::string& where, const Directivity& directivity,
              const std::array<double, 3>& up, const TextPlace& up_place, double least, const std::string& fault) {
  const std::array<double, 3>& d = directivity.direction;
  if (!is_given(directivity.direction_place) || d == std::array<double, 3>{}) return;
  const double aside =
      std::hypot(d[1] * up[2] - d[2] * up[1], d[2] * up[0] - d[0] * up[2], d[0] * up[1] - d[1] * up[0]);
  const double length = std::hypot(d[0], d[1], d[2]);
  if (aside > least * length * std::hypot(up[0], up[1], up[2])) return;
  const bool upright = std::abs(d[2]) < 0.9 * length;
  checker.fail(is_given(up_place) ? up_place : directivity.direction_place, where, fault,
               fmt::format("another direction than `direction`, as up = [{}]", upright ? "0, 0, 1" : "1, 0, 0"));
}

// The keys of a measured directivity; whether the source has one.
bool check_measured(Checker& checker, const SourceSpec& source, const std::string& where) {
  const Directivity& directivity = source.directivity;
  const BalloonFile& measured = source.measured;
  if (is_given(measured.file_place) && directivity.pattern != measured_pattern)
    checker.fail(measured.file_place, where, "has a pattern and a measured directivity", "leave one of them out");
  if (!is_given(measured.file_place)) {
    for (const auto& [place, key] : {std::pair(measured.up_place, "up"),
                                     {measured.on_axis_place, "on_axis"},
                                     {measured.measurement_place, "measurement"}})
      if (is_given(place))
        checker.fail(place, where, fmt::format("{} belongs to a measured directivity", key),
                     "directivity = \"speaker.sofa\" names one");
    return false;
  }
  const std::array<double, 3>& u = measured.up;
  if (!is_given(directivity.direction_place)) {
    checker.fail(measured.file_place, where, "a measured directivity needs a direction",
                 "direction = [1, 0, 0] turns its axis along x");
    return true;
  }
  check_up(checker, where, directivity, u, measured.up_place, 1e-3, "up is along the direction, or zero");
  return true;
}

// The keys that a pattern requires, and those that it does not have.
template <class T>
void check_directivity(Checker& checker, const std::vector<T>& list, const char* kind) {
  for (const T& one : list) {
    const Directivity& directivity = one.directivity;
    if (directivity.pattern.empty()) continue;  // could not be read: already reported
    if constexpr (std::is_same_v<T, SourceSpec>)
      if (check_measured(checker, one, fmt::format("{}.{}", kind, one.name))) continue;
    const std::string where = fmt::format("{}.{}", kind, one.name), pattern = in_quotes(directivity.pattern);
    const bool ambisonic = directivity.pattern == "ambisonic", aimed = !ambisonic && directivity.pattern != "omni";
    if (aimed && !is_given(directivity.direction_place))
      checker.fail(directivity.pattern_place, where, fmt::format("pattern {} needs a direction", pattern),
                   "direction = [1, 0, 0] looks along x");
    if (!aimed && is_given(directivity.direction_place))
      checker.fail(directivity.direction_place, where, fmt::format("pattern {} has no direction", pattern),
                   ambisonic ? "its axes are the scene's" : "pattern = \"cardioid\" and others have one");
    if (ambisonic && !is_given(directivity.order_place))
      checker.fail(directivity.pattern_place, where, "pattern \"ambisonic\" needs an order", "order = 1 to 9");
    if (!directivity.by_harmonics() && is_given(directivity.order_place))
      checker.fail(
          directivity.order_place, where, fmt::format("pattern {} has no order", pattern),
          std::is_same_v<T, SourceSpec> ? "directivity = \"speaker.sofa\" has one" : "pattern = \"ambisonic\" has one");
  }
}

// The keys of a binaural receiver, which others do not have.
void check_heads(Checker& checker) {
  for (const ReceiverSpec& one : checker.scene.receivers) {
    if (one.directivity.pattern.empty() || !one.head) continue;
    const Head& head = *one.head;
    const std::string where = "receiver." + one.name;
    if (one.directivity.pattern != "binaural") {
      for (const auto& [place, key] :
           {std::pair(head.file_place, "hrtf"), std::pair(head.rotations_place, "rotations")})
        if (is_given(place))
          checker.fail(place, where, fmt::format("pattern {} has no {}", in_quotes(one.directivity.pattern), key),
                       "pattern = \"binaural\" has one");
      continue;
    }
    if (!is_given(head.file_place))
      checker.fail(one.directivity.pattern_place, where, "pattern \"binaural\" needs the responses of a head",
                   "hrtf = \"head.sofa\", an AES69 file of SimpleFreeFieldHRIR");
    check_up(checker, where, one.directivity, head.up, head.up_place, 1e-6,
             "the head looks along its own up, or up is zero");
    for (std::size_t i = 0; i < head.rotations.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (turned_name("", head.rotations[i]) == turned_name("", head.rotations[j]))
          checker.fail(head.rotations_place, where, fmt::format("the rotation {:g} stands twice", head.rotations[i]),
                       "leave one out: each has files of its own");
        else if (std::abs(std::remainder(head.rotations[i] - head.rotations[j], 360.0)) < 1e-6)
          checker.fail(head.rotations_place, where,
                       fmt::format("the rotations {:g} and {:g} are one", head.rotations[j], head.rotations[i]),
                       "leave one out: their files would be alike");
    for (const ReceiverSpec& other : checker.scene.receivers)
      for (std::size_t i = 1; i < head.rotations.size(); ++i)
        if (lower_case(other.name) == lower_case(turned_name(one.name, head.rotations[i])))
          checker.fail(
              other.name_place, "receiver." + other.name,
              fmt::format("receiver {} turned by {:g} degrees has files of that name", one.name, head.rotations[i]),
              "rename one of them");
  }
}

void check_walls(Checker& checker) {
  const Scene& scene = checker.scene;
  if (scene.room.mesh) return;                                     // map_mesh_materials has checked them
  std::set<std::pair<std::string, std::pair<int, int>>> reported;  // a default is the material of many walls
  for (std::size_t i = 0; i < wall_names.size(); ++i) {
    const std::string& name = scene.room.walls[i];
    const TextPlace place = scene.room.wall_places[i];
    const bool written = place.line > 0 || place.set > 0 || !name.empty();
    if (!written || scene.materials.count(name) > 0) continue;
    if (!reported.insert({name, {place.line + 1000000000 * (place.set > 0), place.column}}).second) continue;
    checker.fail(place, "room.walls", fmt::format("there is no material {}", in_quotes(name)),
                 material_hint(scene, name));
  }
}

void check_stencil(Checker& checker) {
  const Simulation& simulation = checker.scene.simulation;
  const std::string& name = simulation.stencil;
  if (name == "auto" || name.ends_with(".toml") || find_stencil(name) != nullptr) return;
  const std::string near = nearest_stencil_name(name);
  checker.fail(simulation.stencil_place, "simulation.stencil", fmt::format("there is no stencil {}", in_quotes(name)),
               (near.empty() ? "" : fmt::format("did you mean {}? ", in_quotes(near))) + "`fdtd stencils` lists all");
}

// Rounding errors of a step in f32 change the energy by some 2^-24/courant^2 of it: the balance of a run is then lost.
void check_courant(Checker& checker) {
  constexpr double least = 0.02;
  const Simulation& simulation = checker.scene.simulation;
  if (simulation.precision != Precision::f32 || !simulation.courant || *simulation.courant >= least) return;
  checker.fail(
      simulation.courant_place, "simulation.courant",
      fmt::format("{} is too small for precision = \"f32\": in so short a step the field changes by too little "
                  "to be resolved",
                  *simulation.courant),
      fmt::format("use at least {}, leave the key out, or set precision = \"f64\"", least));
}

void check_output(Checker& checker) {
  const OutputSpec& output = checker.scene.output;
  const auto highest = checker.scene.simulation.max_frequency;
  if (output.low_cut >= output.sample_rate / 2.0) {
    checker.fail(
        output.low_cut_place, "output.low_cut",
        fmt::format("{} Hz is not below half the sample rate, {} Hz", output.low_cut, output.sample_rate / 2.0),
        "0 switches it off");
  } else if (highest && output.low_cut >= *highest) {
    checker.fail(output.low_cut_place, "output.low_cut",
                 fmt::format("{} Hz leaves nothing below max_frequency, {} Hz", output.low_cut, *highest),
                 "0 switches it off");
  }
}

// Snapshots show the field of a source, which no pass computes where the receivers send. Of the derivatives that
// receivers with a pattern send, f32 leaves too little at low frequencies (transducers/exchange.hpp).
void check_reciprocity(Checker& checker) {
  const Scene& scene = checker.scene;
  if (scene.simulation.reciprocity != Reciprocity::on) return;
  for (const ReceiverSpec& receiver : scene.receivers)
    if (scene.simulation.precision == Precision::f32 && receiver.directivity.pattern != "omni")
      return checker.fail(
          scene.simulation.reciprocity_place, "simulation.reciprocity",
          fmt::format(
              "\"on\" makes receiver {} send, but single precision does not resolve what its pattern sends at low "
              "frequencies",
              receiver.name),
          "precision = \"f64\", or \"auto\" or \"off\" here");
  if (!scene.output.snapshots.empty())
    checker.fail(scene.simulation.reciprocity_place, "simulation.reciprocity",
                 "\"on\" makes the receivers send, but output.snapshots shows the field of the sources",
                 "\"auto\" or \"off\" with snapshots, or leave the snapshots out");
}

void check_snapshots(Checker& checker) {
  const Scene& scene = checker.scene;
  for (std::size_t i = 0; i < scene.output.snapshots.size(); ++i) {
    const SnapshotSpec& one = scene.output.snapshots[i];
    const std::string where = fmt::format("output.snapshots[{}]", i + 1);
    if (one.plane == "volume") {
      if (one.has_position) checker.fail(one.position_place, where, "a volume has no position", "planes have one");
    } else if (!one.plane.empty()) {
      if (!one.has_position) checker.fail(one.place, where, "a plane needs a position", "position = 1.5, in m");
      const auto axis = static_cast<std::size_t>(one.plane[0] - 'x');
      const double low = scene.room.origin[axis], high = low + scene.room.box[axis];
      if (one.has_position && scene.room.box[axis] > 0.0 && !(one.position >= low && one.position <= high))
        checker.fail(one.position_place, where,
                     fmt::format("{} = {:g} m is outside the room, which reaches from {:g} to {:g} m", one.plane,
                                 one.position, low, high));
    }
    const double end = one.end.value_or(scene.simulation.duration);
    if (scene.simulation.duration > 0.0 && !scene.simulation.duration_auto &&
        !(one.begin <= end && end <= scene.simulation.duration))
      checker.fail(one.end ? one.end_place : one.place, where,
                   fmt::format("from {:g} to {:g} s is not within the duration, {:g} s", one.begin, end,
                               scene.simulation.duration));
  }
}

}  // namespace

void validate(const Scene& scene, std::vector<Problem>& problems) {
  Checker checker{scene, problems};
  check_stencil(checker);
  check_courant(checker);
  check_walls(checker);
  check_names(checker, scene.sources, "source");
  check_names(checker, scene.receivers, "receiver");
  check_moving_names(checker);
  check_array_names(checker);
  if (scene.sources.size() > 1) check_file_names(checker);
  check_positions(checker, scene.sources, "source");
  check_positions(checker, scene.receivers, "receiver");
  check_directivity(checker, scene.sources, "source");
  check_directivity(checker, scene.receivers, "receiver");
  check_heads(checker);
  check_output(checker);
  check_snapshots(checker);
  check_reciprocity(checker);
}

}  // namespace fdtd
