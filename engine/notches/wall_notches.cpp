#include "engine/notches/wall_notches.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "base/vectors.hpp"
#include "engine/above/geometric_room.hpp"
#include "engine/facets/off_facets.hpp"
#include "engine/images/paths.hpp"
#include "engine/notches/facet_mirror.hpp"

namespace fdtd {
namespace {

constexpr double points_a_period = 32.0;  // of the interference over frequency
constexpr int points_of_band = 64, points_of_minimum = 64;

// |1 + a exp(-2 pi i f extra / c)|^2 over a band.
class Interference {
 public:
  Interference(const PathMedium& medium, const SpecularPath& direct, const SpecularPath& reflected,
               const FacetMirror& mirror)
      : medium_(medium), direct_(direct), reflected_(reflected), mirror_(mirror) {}

  double extra() const { return reflected_.length - direct_.length; }

  std::vector<double> operator()(const std::vector<double>& frequencies) const {
    const PathAmplitudes amplitudes(medium_, frequencies, std::span(&reflected_, 1));
    const auto direct = amplitudes(direct_), reflected = amplitudes(reflected_);
    std::vector<double> values;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const double wave_number = 2.0 * std::numbers::pi * frequencies[i] / medium_.sound_speed;
      values.push_back(
          std::norm(1.0 + reflected[i] / direct[i] * mirror_(wave_number) * std::polar(1.0, -wave_number * extra())));
    }
    return values;
  }

 private:
  const PathMedium& medium_;
  const SpecularPath &direct_, &reflected_;
  const FacetMirror& mirror_;
};

std::vector<double> evenly(double from, double to, int count) {
  std::vector<double> values;
  for (int i = 0; i <= count; ++i) values.push_back(from + (to - from) * i / count);
  return values;
}

struct Minimum {
  double frequency = 0.0, value = 0.0;
};

// By a parabola through the least value of a finer list and its neighbours.
Minimum minimum_between(const Interference& of, double from, double to) {
  const std::vector<double> frequencies = evenly(from, to, points_of_minimum), values = of(frequencies);
  const auto inner = std::min_element(values.begin() + 1, values.end() - 1);
  const auto i = static_cast<std::size_t>(inner - values.begin());
  const double bend = values[i - 1] - 2.0 * values[i] + values[i + 1], tilt = (values[i + 1] - values[i - 1]) / 2.0;
  if (!(bend > 0.0)) return {frequencies[i], values[i]};
  const double shift = std::clamp(-tilt / bend, -1.0, 1.0);
  return {frequencies[i] + shift * (frequencies[1] - frequencies[0]), values[i] + tilt * shift / 2.0};
}

std::vector<Minimum> minima(const Interference& of, double sound_speed, double from, double to) {
  const double periods = (to - from) * of.extra() / sound_speed;
  const int count = std::max(points_of_band, static_cast<int>(std::ceil(points_a_period * periods)));
  const double step = (to - from) / count, begin = std::max(step / 2.0, from - step);
  const std::vector<double> frequencies = evenly(begin, to + step, count + 2), values = of(frequencies);
  std::vector<Minimum> found;
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    if (!(values[i] < values[i - 1]) || values[i] > values[i + 1]) continue;
    const Minimum one = minimum_between(of, frequencies[i - 1], frequencies[i + 1]);
    if (one.frequency >= from && one.frequency <= to) found.push_back(one);
  }
  return found;
}

// By facet: of a box its side, of a mesh the name of the surface.
std::vector<std::string> names_of(const Scene& scene, const FacetRoom& room) {
  if (!scene.room.mesh) return {wall_names.begin(), wall_names.end()};
  std::vector<std::string> names(room.facets.size());
  for (std::size_t t = 0; t < room.facet_of_triangle.size(); ++t)
    if (room.facet_of_triangle[t] != no_facet)
      names[room.facet_of_triangle[t]] = scene.room.mesh->materials[scene.room.mesh->material[t]];
  return names;
}

Point reflection_point(const Facet& facet, const Point& source, const SpecularPath& path) {
  return along(source, (facet.offset - dot(facet.normal, source)) / dot(facet.normal, path.departure), path.departure);
}

// The room as all pairs of source and receiver see it.
struct NotchRoom {
  NotchRoom(const Scene& scene, const AbovePlan& plan) : room(scene, plan), proof(room.facets), medium(room.medium) {
    medium.scattering = [this](std::uint32_t facet, double frequency) { return room.relief(facet, frequency); };
    names = names_of(scene, room.facets);
    triangles.resize(room.facets.facets.size());
    for (std::uint32_t t = 0; t < room.facets.facet_of_triangle.size(); ++t)
      if (const std::uint32_t facet = room.facets.facet_of_triangle[t]; facet != no_facet)
        triangles[facet].push_back(t);
  }
  NotchRoom(const NotchRoom&) = delete;
  NotchRoom& operator=(const NotchRoom&) = delete;

  GeometricRoom room;
  PathProof proof;
  PathMedium medium;  // whose facets scatter by their relief alone
  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> triangles;  // by facet
};

// `side`: m, of the source before the facet's plane, with the sign of the normal.
FacetMirror mirror_of(const NotchRoom& all, std::uint32_t f, double side, const std::array<Point, 2>& ends) {
  const Facet& facet = all.room.facets.facets[f];
  std::vector<FreePiece> edges;
  if (facet.free_edges > 0.0)
    edges = free_pieces(all.room.facets, all.triangles[f], side > 0.0 ? facet.normal : scaled(-1.0, facet.normal));
  return {edges, along(ends[0], -2.0 * side, facet.normal), ends[1]};
}

PairNotches notches_of(const NotchRoom& all, const std::array<Point, 2>& ends, const std::array<double, 2>& band) {
  const GeometricRoom& room = all.room;
  PairNotches pair;
  const auto& [source, receiver] = ends;
  pair.distance = norm(minus(source, receiver));
  if (at_one_place(pair)) return pair;  // no reflection comes near the direct sound
  const auto direct = all.proof(source, receiver, {});
  pair.blocked = !direct;
  if (!direct) return pair;
  constexpr double decibels = 20.0;
  for (std::uint32_t f = 0; f < room.facets.facets.size(); ++f) {
    const Facet& facet = room.facets.facets[f];
    const double sides[2] = {dot(facet.normal, source) - facet.offset, dot(facet.normal, receiver) - facet.offset};
    if (!(sides[0] * sides[1] > 0.0)) continue;
    const auto reflected = all.proof(source, receiver, {f});
    // An edge belongs to both of its facets: the first counts.
    if (!reflected || !(reflected->length > direct->length)) continue;
    const FacetMirror mirror = mirror_of(all, f, sides[0], ends);
    const Interference sum(all.medium, *direct, *reflected, mirror);
    for (const Minimum& one : minima(sum, all.medium.sound_speed, band[0], band[1])) {
      const double depth = -decibels / 2.0 * std::log10(std::max(one.value, 1e-12));
      if (depth < least_notch) continue;
      pair.notches.push_back(
          {all.names[f], reflection_point(facet, source, *reflected), sum.extra(), one.frequency, depth, {}});
    }
  }
  std::ranges::stable_sort(pair.notches, {}, &WallNotch::frequency);
  return pair;
}

bool moves(const Scene& scene, std::size_t receiver) {
  return std::ranges::any_of(
      scene.moving, [&](const auto& path) { return receiver >= path.first && receiver < path.first + path.count; });
}

}  // namespace

bool at_one_place(const PairNotches& pair) {
  constexpr double one_place = 1e-3;  // m
  return pair.distance < one_place;
}

std::vector<PairNotches> wall_notches(const Scene& scene, double from, double to, std::size_t most_pairs) {
  AbovePlan plan;
  plan.sound_speed = scene.air.speed();
  const NotchRoom all(scene, plan);
  const FacetRoom& facets = all.room.facets;
  std::vector<PairNotches> pairs;
  for (const SourceSpec& source : scene.sources)
    for (std::size_t r = 0; r < scene.receivers.size(); ++r) {
      if (moves(scene, r) || pairs.size() >= most_pairs) continue;
      const ReceiverSpec& receiver = scene.receivers[r];
      PairNotches pair =
          notches_of(all, {off_facets(facets, source.position), off_facets(facets, receiver.position)}, {from, to});
      pair.source = source.name;
      pair.receiver = receiver.name;
      pairs.push_back(std::move(pair));
    }
  return pairs;
}

void find_dips(PairNotches& pair, std::span<const double> response, double rate, double valid_to) {
  pair.computed = true;
  if (pair.notches.empty()) return;
  const ResponseLevels levels(response, rate, pair.notches.front().frequency, pair.notches.back().frequency);
  for (WallNotch& notch : pair.notches)
    if (valid_to <= 0.0 || notch.frequency <= valid_to) notch.dip = levels.dip_near(notch.frequency);
}

}  // namespace fdtd
