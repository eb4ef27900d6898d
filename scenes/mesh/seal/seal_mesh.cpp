#include "scenes/mesh/seal/seal_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/vectors.hpp"
#include "scenes/mesh/mesh_weld.hpp"
#include "scenes/mesh/seal/gap_edges.hpp"
#include "scenes/mesh/seal/gap_holes.hpp"
#include "scenes/mesh/seal/gap_sides.hpp"
#include "scenes/mesh/seal/gap_strips.hpp"
#include "scenes/mesh/seal/point_on_triangle.hpp"

namespace fdtd {
namespace {

// A corner of a gap, over the width of the strip that ends there.
constexpr double corner_reach = 1.5;
constexpr double least_area = 2e-6;  // m2, of an opening: below are crumbs at corners where surfaces meet

void add_pieces(Mesh& mesh, const std::vector<GapPiece>& pieces, const std::vector<std::uint16_t>& material) {
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (const Corners3& t : pieces[p].triangles) {
      const auto v = static_cast<std::uint32_t>(mesh.vertices.size());
      for (Point corner : t) {
        for (std::size_t d = 0; d < 3; ++d) corner[d] = std::clamp(corner[d], mesh.low[d], mesh.high[d]);
        mesh.vertices.push_back(corner);
      }
      mesh.triangles.push_back({v, v + 1, v + 2});
      mesh.material.push_back(material[p]);
    }
  merge_vertices(mesh);
}

std::vector<GapPiece> all_pieces(const Mesh& mesh, double width, double tolerance) {
  Mesh closed = mesh;
  std::vector<GapPiece> pieces;
  const auto add = [&](std::vector<GapPiece> found) {
    add_pieces(closed, found, std::vector<std::uint16_t>(found.size(), 0));
    for (GapPiece& piece : found) pieces.push_back(std::move(piece));
  };
  const std::size_t known = mesh.triangles.size();
  add(gap_holes(mesh, width, tolerance, true));
  // The first strips leave the corners of a gap open, and strips from their free ends close these.
  for (int round = 0; round < 2 && pieces.size() <= most_gaps; ++round) {
    auto edges = gap_edges(closed, weld_finely(closed, 64.0 * tolerance), tolerance);
    if (round > 0) {
      std::erase_if(edges, [&](const GapEdge& edge) {
        return edge.facets.size() > 1 || edge.facets.front() < known || edge.length >= width;
      });
      for (GapEdge& edge : edges) edge.reach = corner_reach * edge.length;
    }
    add(gap_strips(closed, edges, width, tolerance, most_gaps));
  }
  if (pieces.size() <= most_gaps) add(gap_holes(closed, width, tolerance, false));
  for (GapPiece& piece : pieces) std::erase_if(piece.facets, [&](std::uint32_t facet) { return facet >= known; });
  return pieces;
}

std::uint16_t material_of(const Mesh& mesh, const GapPiece& piece) {
  std::map<std::uint16_t, double> areas;
  for (const std::uint32_t facet : piece.facets) areas[mesh.material[facet]] += norm(area_vector(mesh, facet));
  const auto most = std::ranges::max_element(areas, {}, [](const auto& one) { return one.second; });
  return most == areas.end() ? std::uint16_t{0} : most->first;
}

// Pieces with a common corner are one opening.
std::vector<std::vector<std::size_t>> joined(const std::vector<GapPiece>& pieces, double tolerance) {
  Mesh corners;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (const Corners3& t : pieces[p].triangles) {
      const auto v = static_cast<std::uint32_t>(corners.vertices.size());
      corners.vertices.insert(corners.vertices.end(), t.begin(), t.end());
      corners.triangles.push_back({v, v + 1, v + 2});
    }
  if (pieces.empty()) return {};
  merge_vertices(corners);
  const std::vector<std::uint32_t> stands_for = weld_finely(corners, 64.0 * tolerance);
  std::vector<std::size_t> above(pieces.size());
  std::iota(above.begin(), above.end(), std::size_t{0});
  const auto root = [&](std::size_t p) {
    while (above[p] != p) p = above[p] = above[above[p]];
    return p;
  };
  std::map<std::uint32_t, std::size_t> owner;
  std::size_t triangle = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (std::size_t t = 0; t < pieces[p].triangles.size(); ++t, ++triangle)
      for (const std::uint32_t corner : corners.triangles[triangle]) {
        const std::size_t a = root(owner.emplace(stands_for[corner], p).first->second), b = root(p);
        above[std::max(a, b)] = std::min(a, b);
      }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < pieces.size(); ++p) groups[root(p)].push_back(p);
  std::vector<std::vector<std::size_t>> lists;
  for (auto& [first, list] : groups) lists.push_back(std::move(list));
  return lists;
}

std::vector<GapPiece> kept_of(std::vector<GapPiece> pieces, const std::vector<bool>& kept) {
  std::vector<GapPiece> some;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (kept[p]) some.push_back(std::move(pieces[p]));
  return some;
}

std::vector<GapPiece> without_crumbs(std::vector<GapPiece> pieces, double tolerance) {
  std::vector<bool> kept(pieces.size(), false);
  for (const std::vector<std::size_t>& group : joined(pieces, tolerance)) {
    double area = 0.0;
    for (const std::size_t p : group)
      for (const Corners3& t : pieces[p].triangles) area += area_of_triangle(t);
    for (const std::size_t p : group) kept[p] = area >= least_area;
  }
  return kept_of(std::move(pieces), kept);
}

SealedOpening opening_of(const std::vector<GapPiece>& pieces, const std::vector<std::uint16_t>& material,
                         const std::vector<std::size_t>& of) {
  SealedOpening opening;
  Point sum{};
  std::map<std::uint16_t, double> areas;
  for (const std::size_t p : of) {
    opening.width = std::max(opening.width, pieces[p].width);
    opening.length += pieces[p].length;
    for (const Corners3& t : pieces[p].triangles) {
      const double area = area_of_triangle(t);
      opening.area += area;
      areas[material[p]] += area;
      sum = along(sum, area / 3.0, plus(plus(t[0], t[1]), t[2]));
    }
  }
  const Point middle = scaled(1.0 / opening.area, sum);
  double nearest = 1e300;
  for (const std::size_t p : of)
    for (const Corners3& t : pieces[p].triangles) {
      const double away = distance_to_triangle(middle, t);
      if (!(away < nearest)) continue;
      nearest = away;
      opening.position = away < 0.1 * opening.width ? middle : scaled(1.0 / 3.0, plus(plus(t[0], t[1]), t[2]));
    }
  opening.material = std::ranges::max_element(areas, {}, [](const auto& one) { return one.second; })->first;
  return opening;
}

}  // namespace

double widest_seal(const Mesh& mesh) {
  double shortest = mesh.high[0] - mesh.low[0];
  for (std::size_t d = 1; d < 3; ++d) shortest = std::min(shortest, mesh.high[d] - mesh.low[d]);
  return 0.1 * shortest;
}

Sealing seal_mesh(Mesh& mesh, double width, const std::vector<Point>& inside) {
  Sealing sealing;
  if (inside.empty()) return sealing;
  const double tolerance = weld_tolerance(mesh) / 64.0;
  std::vector<GapPiece> pieces = all_pieces(mesh, width, tolerance);
  if (pieces.size() > most_gaps) {
    sealing.too_many = true;
    return sealing;
  }
  if (pieces.empty()) return sealing;
  const std::vector<bool> kept = separating(mesh, pieces, inside);
  const std::vector<GapPiece> sealed = without_crumbs(kept_of(std::move(pieces), kept), tolerance);
  if (sealed.empty()) return sealing;
  std::vector<std::uint16_t> material;
  for (const GapPiece& piece : sealed) material.push_back(material_of(mesh, piece));
  for (const std::vector<std::size_t>& group : joined(sealed, tolerance))
    sealing.openings.push_back(opening_of(sealed, material, group));
  std::ranges::stable_sort(sealing.openings, std::ranges::greater{}, &SealedOpening::area);
  add_pieces(mesh, sealed, material);
  return sealing;
}

}  // namespace fdtd
