#include "scenes/starter/places_inside.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/math/directions.hpp"
#include "scenes/mesh/tree/triangle_tree.hpp"

namespace fdtd {
namespace {

constexpr std::size_t raster = 24;  // verticals along the longer side of the floor plan
constexpr double person = 1.7, ear = 1.2,
                 mouth = 1.5;  // m: the height of a stretch of air, and of places over its floor
constexpr std::size_t directions = 128;
constexpr double leaving = 0.05;  // of all directions: as through an open door
constexpr double wanted = 1.0;    // m, from all surfaces, where the room is large enough

struct Place {
  Point at{};
  double floor = 0.0, clear = 0.0;  // m: height of the floor below; distance of the nearest surface
};

TriangleTree tree_of(const Mesh& mesh) {
  std::vector<std::uint32_t> facets(mesh.triangles.size());
  std::iota(facets.begin(), facets.end(), 0U);
  return TriangleTree(mesh.vertices, mesh.triangles, facets);
}

double diagonal_of(const Mesh& mesh) {
  return std::hypot(mesh.high[0] - mesh.low[0], mesh.high[1] - mesh.low[1], mesh.high[2] - mesh.low[2]);
}

bool encloses(const TriangleTree& tree, const std::vector<Point>& around, const Point& from, double farthest) {
  const auto open = std::ranges::count_if(
      around, [&](const Point& direction) { return !tree.blocked(from, direction, no_facet, farthest); });
  return static_cast<double>(open) <= leaving * static_cast<double>(around.size());
}

// Heights of all surfaces that the vertical through x and y meets, from below.
std::vector<double> heights_at(const TriangleTree& tree, const Mesh& mesh, double x, double y) {
  const double apart = 1e-6 * diagonal_of(mesh), top = mesh.high[2] + apart;
  std::vector<double> heights;
  double z = mesh.low[2] - apart;
  while (const auto hit = tree.hit({x, y, z}, {0.0, 0.0, 1.0}, no_facet, top - z)) {
    z += hit->distance;
    heights.push_back(z);
    z += apart;
  }
  return heights;
}

// In a model of a room, or of a part of one, without a stretch of a person's height the highest stretches hold places.
double least_height(const std::vector<std::vector<double>>& columns) {
  double highest = 0.0;
  for (const auto& heights : columns)
    for (std::size_t i = 1; i < heights.size(); ++i) highest = std::max(highest, heights[i] - heights[i - 1]);
  return std::min(person, 0.8 * highest);
}

std::vector<Place> candidates(const TriangleTree& tree, const Mesh& mesh) {
  const double side_x = mesh.high[0] - mesh.low[0], side_y = mesh.high[1] - mesh.low[1],
               step = std::max(side_x, side_y) / static_cast<double>(raster), farthest = 2.0 * diagonal_of(mesh);
  const auto count = [&](double side) { return std::max(std::size_t{2}, static_cast<std::size_t>(side / step)); };
  const std::size_t columns_x = count(side_x), columns_y = count(side_y);
  std::vector<Point> feet;
  std::vector<std::vector<double>> columns;
  for (std::size_t i = 0; i < columns_x; ++i)
    for (std::size_t j = 0; j < columns_y; ++j) {
      // Off the middle of each field: edges of models lie on round numbers.
      const double x = mesh.low[0] + side_x * (static_cast<double>(i) + 0.4937) / static_cast<double>(columns_x),
                   y = mesh.low[1] + side_y * (static_cast<double>(j) + 0.5081) / static_cast<double>(columns_y);
      feet.push_back({x, y, 0.0});
      columns.push_back(heights_at(tree, mesh, x, y));
    }
  const double least = least_height(columns);
  const std::vector<Point> around = spiral(directions);
  std::vector<Place> places;
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t i = 1; i < columns[c].size(); ++i) {
      const double floor = columns[c][i - 1], high = columns[c][i] - floor;
      if (!(high >= least) || !(high > 0.0)) continue;
      const Point at{feet[c][0], feet[c][1], floor + std::min(ear, 0.5 * high)};
      if (encloses(tree, around, at, farthest)) places.push_back({at, floor, tree.distance(at, wanted)});
    }
  return places;
}

// The places that keep the wanted distance from all surfaces, or half the largest distance that any place keeps.
std::vector<Place> clear_of_surfaces(const std::vector<Place>& places) {
  double most = 0.0;
  for (const Place& place : places) most = std::max(most, place.clear);
  std::vector<Place> kept;
  std::ranges::copy_if(places, std::back_inserter(kept),
                       [&](const Place& place) { return place.clear >= std::min(wanted, 0.5 * most); });
  return kept;
}

double apart(const Place& a, const Place& b) {
  return std::hypot(a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]);
}

double rounded(double metres) { return std::round(100.0 * metres) / 100.0; }

}  // namespace

std::optional<StarterPlaces> places_inside(const Mesh& mesh) {
  const TriangleTree tree = tree_of(mesh);
  const std::vector<Place> places = clear_of_surfaces(candidates(tree, mesh));
  const auto sees = [&](std::size_t a, std::size_t b) {
    return tree.free_between(places[a].at, places[b].at, no_facet, no_facet);
  };
  std::vector<std::size_t> most;  // that one place sees, itself among them
  for (std::size_t a = 0; a < places.size(); ++a) {
    std::vector<std::size_t> seen;
    for (std::size_t b = 0; b < places.size(); ++b)
      if (a == b || sees(a, b)) seen.push_back(b);
    if (seen.size() > most.size()) most = std::move(seen);
  }
  double farthest = 0.0;
  std::optional<std::pair<std::size_t, std::size_t>> best;
  for (const std::size_t a : most)
    for (const std::size_t b : most)
      if (a < b && apart(places[a], places[b]) > farthest && sees(a, b)) {
        farthest = apart(places[a], places[b]);
        best = {a, b};
      }
  if (!best) return std::nullopt;
  const auto centimetres = [](const Point& p) { return Point{rounded(p[0]), rounded(p[1]), rounded(p[2])}; };
  const Place &one = places[best->first], &other = places[best->second];
  StarterPlaces found{centimetres(one.at), centimetres(other.at)};
  // A mouth is higher than an ear, where there is air as clear.
  const Point raised{found.source[0], found.source[1], rounded(one.floor + mouth)};
  if (raised[2] > found.source[2] && tree.distance(raised, wanted) >= std::min(one.clear, 0.2) &&
      tree.free_between(one.at, raised, no_facet, no_facet) && tree.free_between(raised, other.at, no_facet, no_facet))
    found.source = raised;
  return found;
}

}  // namespace fdtd
