#include "scenes/input_remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/vectors.hpp"
#include "scenes/mesh/mesh_sight.hpp"
#include "scenes/mesh/seal/point_on_triangle.hpp"
#include "scenes/sample_rate.hpp"

namespace fdtd {
namespace {

constexpr std::size_t named_length = 200;  // characters of a list of names

// Empty without names.
std::string unused_materials(const Scene& scene) {
  const std::vector<std::string> used = scene.room.materials().names;
  std::vector<std::string> unused;
  for (const auto& [name, material] : scene.materials)
    if (material.place.line > 0 && std::ranges::find(used, name) == used.end())
      unused.push_back(fmt::format("{} (line {})", in_quotes(name), material.place.line));
  if (unused.empty()) return {};
  const char* const them = unused.size() == 1 ? "it" : "them";
  return fmt::format("no wall has the material{} {}; name {} under [room.walls], or leave {} out",
                     unused.size() == 1 ? "" : "s", listed(unused, named_length), them, them);
}

// The surfaces at a place, "x_min (plaster)" and others, and how many planes they are: two at an edge, three in a corner.
struct Touched {
  std::vector<std::string> surfaces;
  std::size_t planes = 0;
};

Touched walls_at(const Room& room, const Point& at) {
  Touched touched;
  for (std::size_t wall = 0; wall < wall_names.size(); ++wall) {
    const std::size_t axis = wall / 2;
    if (std::abs(at[axis] - (wall % 2 == 0 ? 0.0 : room.box[axis])) > on_wall) continue;
    touched.surfaces.push_back(fmt::format("{} ({})", wall_names[wall], room.walls[wall]));
    ++touched.planes;
  }
  return touched;
}

// The same for the surfaces of a mesh, of the triangles `near` the place.
Touched surfaces_of_mesh_at(const Room& room, const Point& at, const std::vector<std::uint32_t>& near) {
  constexpr double other_plane = 0.1;  // sine of the angle between two
  const Mesh& mesh = *room.mesh;
  Touched touched;
  std::vector<Point> normals;
  for (const std::uint32_t t : near) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Point &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    if (distance_to_triangle(at, {p, q, r}) > on_wall) continue;
    const std::string &surface = mesh.materials[mesh.material[t]], &material = room.surfaces[mesh.material[t]];
    std::string name = surface == material ? surface : fmt::format("{} ({})", surface, material);
    if (std::ranges::find(touched.surfaces, name) == touched.surfaces.end())
      touched.surfaces.push_back(std::move(name));
    const Point normal = cross(minus(q, p), minus(r, p));
    const auto parallel = [&](const Point& one) {
      return norm(cross(one, normal)) <= other_plane * norm(one) * norm(normal);
    };
    if (std::ranges::none_of(normals, parallel)) normals.push_back(normal);
  }
  touched.planes = normals.size();
  return touched;
}

std::vector<Touched> touched_at(const Room& room, const std::vector<Point>& places) {
  std::vector<Touched> surfaces;
  if (!room.mesh) {
    for (const Point& at : places) surfaces.push_back(walls_at(room, at));
    return surfaces;
  }
  std::vector<AxisBox> boxes;
  for (const Point& at : places) {
    AxisBox& box = boxes.emplace_back(AxisBox{at, at});
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] -= on_wall;
      box.high[d] += on_wall;
    }
  }
  const std::vector<std::vector<std::uint32_t>> near = triangles_near(*room.mesh, boxes);
  for (std::size_t i = 0; i < places.size(); ++i) surfaces.push_back(surfaces_of_mesh_at(room, places[i], near[i]));
  return surfaces;
}

// Of sources, or of receivers.
template <class Spec>
std::string lying_on_walls(const Room& room, const std::vector<Spec>& list, const char* kind) {
  std::vector<Point> places;
  for (const Spec& one : list) places.push_back(one.position);
  const std::vector<Touched> touched = touched_at(room, places);
  std::vector<std::string> found;
  std::size_t planes = 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (touched[i].surfaces.empty()) continue;
    found.push_back(fmt::format("{} on {}", list[i].name, fmt::join(touched[i].surfaces, " and ")));
    planes = std::max(planes, touched[i].planes);
  }
  if (found.empty()) return {};
  const bool one = found.size() == 1;
  // Of hard walls at right angles: each image doubles the pressure.
  const char* const louder = planes == 1   ? "up to +6 dB"
                             : planes == 2 ? "up to +6 dB, at an edge +12 dB"
                                           : "up to +6 dB, at an edge +12 dB, in a corner +18 dB";
  return fmt::format(
      "{}{} on walls: {}; reflections of the walls add to the direct sound at once, {}; for sound in the room, move {} "
      "some decimetres off",
      kind, one ? "" : "s", listed(found, named_length), louder, one ? "it" : "them");
}

// Sources, or receivers, at one place and with one pattern.
template <class Spec>
std::string sharing_places(const std::vector<Spec>& list, const char* kind, const char* effect) {
  std::map<std::tuple<Point, std::string, Point, int>, const std::string*> seen;
  std::vector<std::string> found;
  for (const Spec& one : list) {
    const Directivity& pattern = one.directivity;
    // Heads and measured sources differ by their files, too.
    if (pattern.pattern == "binaural" || pattern.pattern == measured_pattern) continue;
    const auto [first, fresh] =
        seen.emplace(std::tuple(one.position, pattern.pattern, pattern.direction, pattern.order), &one.name);
    if (!fresh) found.push_back(fmt::format("{} at {}", one.name, *first->second));
  }
  if (found.empty()) return {};
  const char* const them = found.size() == 1 ? "it" : "them";
  return fmt::format("{}s at one place: {}; {}; move {}, or leave {} out", kind, listed(found, named_length), effect,
                     them, them);
}

// Of the band that is computed, the part that the files of responses do not hold.
std::string band_beyond_rate(const Scene& scene) {
  const double held = highest_held(scene.output.sample_rate), asked = scene.simulation.max_frequency.value_or(0.0);
  if (asked <= held * (1.0 + 1e-6)) return {};
  return fmt::format(
      "output.sample_rate, {} Hz, holds sound up to {:.0f} Hz, and max_frequency is {:g} Hz: the rest is computed and "
      "in "
      "no file; raise the one to {:.0f}, or lower the other",
      scene.output.sample_rate, held, asked, std::ceil(asked * samples_a_period / 100.0) * 100.0);
}

// max_frequency is a limit, and the centre of an octave is its middle: nominal centres (IEC 61260-1) and exact ones.
std::string half_an_octave(const Scene& scene) {
  constexpr std::array centres = {31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0};
  const double asked = scene.simulation.max_frequency.value_or(0.0);
  for (const double centre : centres) {
    const double exact = 1000.0 * std::exp2(std::round(std::log2(centre / 1000.0)));
    if (asked != centre && asked != exact) continue;
    const std::string name =
        centre < 1000.0 ? fmt::format("{:g} Hz", centre) : fmt::format("{:g} kHz", centre / 1000.0);
    return fmt::format(
        "max_frequency, {:g} Hz, is the centre of the octave of {}: waves make its lower half; write {:g}, its upper "
        "edge, for the whole octave",
        asked, name, std::ceil(1.42 * centre));
  }
  return {};
}

}  // namespace

std::vector<std::string> input_remarks(const Scene& scene) {
  std::vector<std::string> remarks;
  for (const std::string& remark : {unused_materials(scene), lying_on_walls(scene.room, scene.sources, "source"),
                                    lying_on_walls(scene.room, scene.receivers, "receiver"),
                                    sharing_places(scene.sources, "source", "their responses are the same"),
                                    sharing_places(scene.receivers, "receiver", "they hear the same"),
                                    band_beyond_rate(scene), half_an_octave(scene)})
    if (!remark.empty()) remarks.push_back(remark);
  if (!scene.room.mesh && !scene.room.doubt.empty()) remarks.push_back(scene.room.doubt);
  return remarks;
}

}  // namespace fdtd
