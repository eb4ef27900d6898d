#include "scenes/mesh/mesh_overlap.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel_failure.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {
namespace {

using Flat = std::array<double, 2>;
using Polygon = std::vector<Flat>;  // convex, counter-clockwise

constexpr std::size_t max_pieces = 256, max_partners = 256;  // of one facet

double turn(const Flat& a, const Flat& b, const Flat& p) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

double area_of(const Polygon& polygon) {
  double twice = 0.0;
  for (std::size_t i = 2; i < polygon.size(); ++i) twice += turn(polygon[0], polygon[i - 1], polygon[i]);
  return 0.5 * twice;
}

double perimeter_of(const Polygon& polygon) {
  double length = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Flat &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    length += std::hypot(b[0] - a[0], b[1] - a[1]);
  }
  return length;
}

// The parts of a polygon to the left and to the right of the line from a to b.
std::pair<Polygon, Polygon> divided(const Polygon& polygon, const Flat& a, const Flat& b) {
  std::pair<Polygon, Polygon> parts;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Flat &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double here = turn(a, b, p), there = turn(a, b, q);
    if (here >= 0.0) parts.first.push_back(p);
    if (here <= 0.0) parts.second.push_back(p);
    if (!((here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0))) continue;
    const double t = here / (here - there);
    const Flat cut = {p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])};
    parts.first.push_back(cut);
    parts.second.push_back(cut);
  }
  return parts;
}

// Whether an edge of `one` has the other on its far side, as neighbours have, or no further on this side than that.
bool beside(const Polygon& one, const Polygon& other, double width) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    const Flat &a = one[i], &b = one[(i + 1) % one.size()];
    const double reach = width * std::hypot(b[0] - a[0], b[1] - a[1]);
    if (std::all_of(other.begin(), other.end(), [&](const Flat& p) { return turn(a, b, p) <= reach; })) return true;
  }
  return false;
}

Polygon common(Polygon polygon, const Polygon& triangle) {
  for (std::size_t i = 0; i < triangle.size() && polygon.size() > 2; ++i)
    polygon = divided(polygon, triangle[i], triangle[(i + 1) % triangle.size()]).first;
  return polygon.size() > 2 ? polygon : Polygon();
}

struct Piece {
  Polygon polygon;
  std::uint32_t below = 0;  // layers of earlier facets
};

// Divides the pieces along the triangle, which adds its layers to those inside.
void lay(std::vector<Piece>& pieces, const Polygon& triangle, std::uint32_t layers) {
  std::vector<Piece> made;
  for (Piece& piece : pieces) {
    Polygon rest = std::move(piece.polygon);
    for (std::size_t i = 0; i < triangle.size() && rest.size() > 2; ++i) {
      auto [inside, outside] = divided(rest, triangle[i], triangle[(i + 1) % triangle.size()]);
      if (outside.size() > 2 && area_of(outside) > 0.0) made.push_back({std::move(outside), piece.below});
      rest = std::move(inside);
    }
    if (rest.size() > 2 && area_of(rest) > 0.0) made.push_back({std::move(rest), piece.below + layers});
  }
  pieces = std::move(made);
}

struct Found {
  double area = 0.0, repeated = 0.0;
  std::uint32_t most = 1;
};

class Overlaps {
 public:
  Overlaps(const Mesh& mesh, const std::vector<std::uint32_t>& layers, double tolerance)
      : mesh_(mesh), layers_(layers), tolerance_(tolerance), normals_(unit_normals(mesh)), tree_(boxes()) {}

  Found of(std::uint32_t facet) const {
    Found found;
    const auto& normal = normals_[facet];
    std::size_t along = 0;
    for (std::size_t d = 1; d < 3; ++d) along = std::abs(normal[d]) > std::abs(normal[along]) ? d : along;
    const double scale = 1.0 / static_cast<double>(std::abs(normal[along]));
    if (layers_[facet] == 0 || !std::isfinite(scale)) return found;
    const Polygon own = flat(facet, facet, along);
    std::vector<std::uint32_t> partners;
    tree_.meeting(box_of(facet), tolerance_, [&](std::uint32_t other) {
      if (other < facet && layers_[other] > 0 && mesh_.material[other] == mesh_.material[facet] &&
          in_one_plane(facet, other))
        partners.push_back(other);
      return partners.size() < max_partners;
    });
    std::sort(partners.begin(), partners.end());
    std::vector<Piece> pieces = {{own, 0}};
    for (const std::uint32_t other : partners) {
      const Polygon triangle = flat(other, facet, along);
      if (beside(own, triangle, tolerance_) || beside(triangle, own, tolerance_)) continue;
      const Polygon both = common(own, triangle);
      if (both.empty() || !(area_of(both) > tolerance_ * perimeter_of(both))) continue;
      lay(pieces, triangle, layers_[other]);
      if (pieces.size() > max_pieces) break;
    }
    for (const Piece& piece : pieces) {
      const double area = scale * area_of(piece.polygon);
      if (piece.below > 0) found.repeated += area;
      if (piece.below == 1 || (piece.below == 0 && layers_[facet] > 1)) found.area += area;
      if (area_of(piece.polygon) > tolerance_ * perimeter_of(piece.polygon))  // seams have a layer more
        found.most = std::max(found.most, piece.below + layers_[facet]);
    }
    return found;
  }

 private:
  AxisBox box_of(std::uint32_t facet) const {
    AxisBox box;
    const auto& [a, b, c] = mesh_.triangles[facet];
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [low, high] = std::minmax({mesh_.vertices[a][d], mesh_.vertices[b][d], mesh_.vertices[c][d]});
      box.low[d] = low;
      box.high[d] = high;
    }
    return box;
  }
  std::vector<AxisBox> boxes() const {
    std::vector<AxisBox> all;
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) all.push_back(box_of(t));
    return all;
  }

  bool in_one_plane(std::uint32_t facet, std::uint32_t other) const {
    constexpr float parallel = 0.99F;  // of the cosine: the corners judge small angles
    const auto &n = normals_[facet], &m = normals_[other];
    if (!(std::abs(n[0] * m[0] + n[1] * m[1] + n[2] * m[2]) > parallel)) return false;
    const auto& place = mesh_.vertices[mesh_.triangles[facet][0]];
    for (const std::uint32_t corner : mesh_.triangles[other]) {
      double away = 0.0;
      for (std::size_t d = 0; d < 3; ++d) away += static_cast<double>(n[d]) * (mesh_.vertices[corner][d] - place[d]);
      const double reach = tolerance_ / 4.0 + rounding(facet) + rounding(other);
      if (std::abs(away) > reach) return false;
    }
    return true;
  }
  // Of a distance from the plane of a facet with a normal in single precision.
  double rounding(std::uint32_t facet) const {
    constexpr double of_normals = 2e-7;
    const AxisBox box = box_of(facet);
    return of_normals * (box.high[0] - box.low[0] + box.high[1] - box.low[1] + box.high[2] - box.low[2]);
  }

  // Seen along an axis, from a corner of the facet `from`, counter-clockwise.
  Polygon flat(std::uint32_t facet, std::uint32_t from, std::size_t along) const {
    const auto& origin = mesh_.vertices[mesh_.triangles[from][0]];
    const std::size_t u = (along + 1) % 3, v = (along + 2) % 3;
    Polygon polygon;
    for (const std::uint32_t corner : mesh_.triangles[facet])
      polygon.push_back({mesh_.vertices[corner][u] - origin[u], mesh_.vertices[corner][v] - origin[v]});
    if (area_of(polygon) < 0.0) std::swap(polygon[1], polygon[2]);
    return polygon;
  }

  const Mesh& mesh_;
  const std::vector<std::uint32_t>& layers_;
  double tolerance_;
  std::vector<std::array<float, 3>> normals_;
  BoxTree tree_;
};

}  // namespace

MeshOverlap find_overlaps(const Mesh& mesh, const std::vector<std::uint32_t>& layers, double tolerance) {
  const Overlaps overlaps(mesh, layers, tolerance);
  const auto count = static_cast<std::int64_t>(mesh.triangles.size());
  std::vector<Found> found(mesh.triangles.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 256)
  for (std::int64_t t = 0; t < count; ++t)
    failure.guard([&] { found[static_cast<std::size_t>(t)] = overlaps.of(static_cast<std::uint32_t>(t)); });
  failure.rethrow();
  MeshOverlap all;
  all.repeated.assign(mesh.materials.size(), 0.0);
  for (std::size_t t = 0; t < found.size(); ++t) {
    if (found[t].area > 0.0 && all.area == 0.0)
      for (const std::uint32_t corner : mesh.triangles[t])
        for (std::size_t d = 0; d < 3; ++d) all.first[d] += mesh.vertices[corner][d] / 3.0;
    all.area += found[t].area;
    all.most = std::max(all.most, found[t].most);
    all.repeated[mesh.material[t]] += found[t].repeated;
  }
  return all;
}

}  // namespace fdtd
