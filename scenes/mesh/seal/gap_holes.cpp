#include "scenes/mesh/seal/gap_holes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/vectors.hpp"
#include "scenes/mesh/mesh_weld.hpp"
#include "scenes/mesh/open_edges.hpp"
#include "scenes/mesh/seal/point_on_triangle.hpp"

namespace fdtd {
namespace {

constexpr std::size_t most_corners = 256;  // of a hole: its triangles take time with the cube of their number
constexpr double out_of_plane = 0.1;       // of the width
constexpr double slimmest = 16.0;          // half of a hole's circumference, over its width

struct Loop {
  std::vector<std::uint32_t> corners;  // vertices, in order
  std::vector<std::uint32_t> facets;   // of the edge that begins at each
};

// Chains that return to their beginning, at whose corners no other open edges meet.
std::vector<Loop> loops_of(const std::vector<OpenEdge>& open) {
  std::map<std::uint32_t, std::vector<std::size_t>> at;
  for (std::size_t e = 0; e < open.size(); ++e) {
    at[open[e].from].push_back(e);
    at[open[e].to].push_back(e);
  }
  std::vector<bool> used(open.size(), false);
  std::vector<Loop> loops;
  for (std::size_t first = 0; first < open.size(); ++first) {
    if (used[first]) continue;
    Loop loop;
    std::size_t edge = first;
    std::uint32_t here = open[first].from;
    bool closed = false;
    while (!used[edge]) {
      used[edge] = true;
      loop.corners.push_back(here);
      loop.facets.push_back(open[edge].triangle);
      here = open[edge].from == here ? open[edge].to : open[edge].from;
      const std::vector<std::size_t>& beside = at[here];
      if (beside.size() != 2) break;
      closed = here == open[first].from;
      edge = beside[0] == edge ? beside[1] : beside[0];
    }
    closed = closed && at[open[first].from].size() == 2;
    if (closed && loop.corners.size() >= 3 && loop.corners.size() <= most_corners) loops.push_back(std::move(loop));
  }
  return loops;
}

Point area_of(const Mesh& mesh, const Loop& loop) {
  Point sum{};
  const Point& origin = mesh.vertices[loop.corners[0]];
  for (std::size_t i = 1; i + 1 < loop.corners.size(); ++i)
    sum =
        along(sum, 0.5,
              cross(minus(mesh.vertices[loop.corners[i]], origin), minus(mesh.vertices[loop.corners[i + 1]], origin)));
  return sum;
}

// Do the facets lie within the loop, as those of a sheet do within its rim?
bool is_rim_of_sheet(const Mesh& mesh, const Loop& loop, const std::vector<std::array<std::uint32_t, 3>>& patch) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> third;
  for (const auto& t : patch)
    for (std::size_t i = 0; i < 3; ++i) third[std::minmax(t[i], t[(i + 1) % 3])] = t[(i + 2) % 3];
  double same = 0.0, all = 0.0;
  for (std::size_t i = 0; i < loop.corners.size(); ++i) {
    const std::uint32_t a = loop.corners[i], b = loop.corners[(i + 1) % loop.corners.size()];
    const auto inner = third.find(std::minmax(a, b));
    if (inner == third.end()) continue;
    const Point &from = mesh.vertices[a], way = minus(mesh.vertices[b], from);
    const double length = norm(way);
    if (!(length > 0.0)) continue;
    const Point along_it = scaled(1.0 / length, way);
    const auto into = [&](const Point& at) {
      const Point p = minus(at, from), across = along(p, -dot(p, along_it), along_it);
      const double size = norm(across);
      return size > 0.0 ? scaled(1.0 / size, across) : Point{};
    };
    Point farthest{};  // of the facet's corners from the edge
    for (const std::uint32_t v : mesh.triangles[loop.facets[i]]) {
      const Point p = minus(mesh.vertices[v], from), across = along(p, -dot(p, along_it), along_it);
      if (norm(across) > norm(farthest)) farthest = across;
    }
    const double size = norm(farthest);
    if (size > 0.0) same += length * dot(into(mesh.vertices[inner->second]), scaled(1.0 / size, farthest));
    all += length;
  }
  return same > 0.9 * all;
}

// The shorter side (m) of the rectangle with this area (m2) and half of this circumference.
double side_of_rectangle(double area, double half) {
  return 2.0 * area / (half + std::sqrt(std::max(0.0, half * half - 4.0 * area)));
}

// The diameter (m) of the largest circle around a point of the patch that no edge of the loop cuts, to 2 %; `enough`
// where it is larger.
double width_of(const std::vector<Corners3>& patch, const std::vector<Point>& loop, double enough) {
  double best = 0.0;
  std::vector<Corners3> waiting = patch;
  while (!waiting.empty() && best < enough) {
    const Corners3 t = waiting.back();
    waiting.pop_back();
    const Point middle = scaled(1.0 / 3.0, plus(plus(t[0], t[1]), t[2]));
    double radius = 1e300, reach = 0.0;
    for (std::size_t i = 0; i < loop.size(); ++i)
      radius = std::min(radius, distance_to_segment(middle, loop[i], loop[(i + 1) % loop.size()]));
    for (const Point& corner : t) reach = std::max(reach, norm(minus(corner, middle)));
    best = std::max(best, 2.0 * radius);
    if (2.0 * (radius + reach) <= 1.02 * best) continue;
    // Halved across its longest side, so that slivers of a slit do not stay slivers.
    std::size_t longest = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (norm(minus(t[(i + 1) % 3], t[i])) > norm(minus(t[(longest + 1) % 3], t[longest]))) longest = i;
    const Point half = scaled(0.5, plus(t[longest], t[(longest + 1) % 3]));
    waiting.push_back({t[longest], half, t[(longest + 2) % 3]});
    waiting.push_back({half, t[(longest + 1) % 3], t[(longest + 2) % 3]});
  }
  return best;
}

bool in_a_plane(const Mesh& mesh, const Loop& loop, const Point& area, double tolerance, double width) {
  const double size = norm(area);
  for (const std::uint32_t v : loop.corners) {
    const double off = std::abs(dot(minus(mesh.vertices[v], mesh.vertices[loop.corners[0]]), area)) / size;
    if (off > std::max(2.0 * tolerance, out_of_plane * width)) return false;
  }
  return true;
}

}  // namespace

std::vector<GapPiece> gap_holes(const Mesh& mesh, double width, double tolerance, bool flat) {
  const std::vector<std::uint32_t> stands_for = weld_finely(mesh, 64.0 * tolerance);
  const EdgeSurvey edges = survey_edges(mesh, stands_for, std::vector<bool>(mesh.triangles.size(), true), tolerance);
  std::vector<GapPiece> holes;
  for (const Loop& loop : loops_of(edges.open)) {
    const Point area = area_of(mesh, loop);
    if (!(norm(area) > 0.0)) continue;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    triangulate(mesh.vertices, loop.corners, triangles);
    if (is_rim_of_sheet(mesh, loop, triangles)) continue;
    GapPiece hole;
    double all = 0.0;
    for (const auto& t : triangles) {
      hole.triangles.push_back({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
      all += area_of_triangle(hole.triangles.back());
    }
    std::vector<Point> corners;
    double half = 0.0;
    for (const std::uint32_t v : loop.corners) corners.push_back(mesh.vertices[v]);
    for (std::size_t i = 0; i < corners.size(); ++i)
      half += 0.5 * norm(minus(corners[(i + 1) % corners.size()], corners[i]));
    hole.width = side_of_rectangle(all, half);
    const bool slim = half > slimmest * hole.width;
    if (slim && flat) continue;  // a slit, of which strips know the width everywhere
    if (!slim) hole.width = width_of(hole.triangles, corners, width);
    if (!(hole.width > 0.0 && hole.width < width * (1.0 - 1e-9))) continue;
    if (flat && !in_a_plane(mesh, loop, area, tolerance, hole.width)) continue;
    hole.length = all / hole.width;
    hole.facets = loop.facets;
    std::sort(hole.facets.begin(), hole.facets.end());
    hole.facets.erase(std::unique(hole.facets.begin(), hole.facets.end()), hole.facets.end());
    holes.push_back(std::move(hole));
  }
  return holes;
}

}  // namespace fdtd
