#include "scenes/mesh/mesh_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "scenes/mesh/mesh_weld.hpp"
#include "scenes/mesh/open_edges.hpp"

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

Point middle(const Point& a, const Point& b) { return {(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0, (a[2] + b[2]) / 2.0}; }

Point middle_of(const Mesh& mesh, std::size_t triangle) {
  Point centre{};
  for (const std::uint32_t corner : mesh.triangles[triangle]) {
    for (std::size_t d = 0; d < 3; ++d) centre[d] += mesh.vertices[corner][d] / 3.0;
  }
  return centre;
}

void note(MeshDefect& defect, const Point& place) {
  if (defect.count++ == 0) defect.first = place;
}

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

// The number of the root of `v`; paths are halved on the way.
std::uint32_t root_of(std::vector<std::uint32_t>& above, std::uint32_t v) {
  while (above[v] != v) v = above[v] = above[above[v]];
  return v;
}

// The edges' corners, numbered 0, 1, ..., in the order of their vertices.
struct Corners {
  std::vector<std::uint32_t> vertices;
  std::vector<std::array<std::uint32_t, 2>> edges;
  std::vector<std::uint32_t> rim;  // of each corner: the least corner that open edges connect with it

  explicit Corners(const std::vector<OpenEdge>& open) {
    for (const OpenEdge& edge : open) vertices.insert(vertices.end(), {edge.from, edge.to});
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    const auto number = [&](std::uint32_t v) {
      return static_cast<std::uint32_t>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
    };
    rim.resize(vertices.size());
    std::iota(rim.begin(), rim.end(), 0U);
    for (const OpenEdge& edge : open) {
      edges.push_back({number(edge.from), number(edge.to)});
      const std::uint32_t a = root_of(rim, edges.back()[0]), b = root_of(rim, edges.back()[1]);
      rim[std::max(a, b)] = std::min(a, b);
    }
    for (std::uint32_t v = 0; v < rim.size(); ++v) rim[v] = root_of(rim, v);
  }
};

// For each rim, by its least corner, the size of the vector area of its loop (half the sum of p x q over the edges,
// walked around); 0 for what is no single loop.
std::vector<double> loop_areas(const Mesh& mesh, const Corners& corners) {
  constexpr std::uint32_t none = 0xFFFFFFFFU;
  std::vector<std::array<std::uint32_t, 2>> beside(corners.vertices.size(), {none, none});
  std::vector<bool> single(corners.vertices.size(), true);  // by rim
  for (const auto& edge : corners.edges) {
    for (std::size_t i = 0; i < 2; ++i) {
      auto& [first, second] = beside[edge[i]];
      if (first != none && second != none) single[corners.rim[edge[i]]] = false;
      (first == none ? first : second) = edge[1 - i];
    }
  }
  for (std::size_t v = 0; v < beside.size(); ++v)
    if (beside[v][1] == none) single[corners.rim[v]] = false;
  std::vector<double> areas(corners.vertices.size(), 0.0);
  for (std::uint32_t start = 0; start < areas.size(); ++start) {
    if (corners.rim[start] != start || !single[start]) continue;
    const Point& origin = mesh.vertices[corners.vertices[start]];
    Point sum{};
    std::uint32_t before = start, here = beside[start][0];
    while (here != start) {
      const std::uint32_t next = beside[here][0] == before ? beside[here][1] : beside[here][0];
      const Point &p = mesh.vertices[corners.vertices[here]], &q = mesh.vertices[corners.vertices[next]];
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
        sum[d] += 0.5 * ((p[u] - origin[u]) * (q[v] - origin[v]) - (p[v] - origin[v]) * (q[u] - origin[u]));
      }
      before = here;
      here = next;
    }
    areas[start] = std::hypot(sum[0], sum[1], sum[2]);
  }
  return areas;
}

// Connected groups of open edges.
std::vector<OpenRim> rims_of(const Mesh& mesh, const Corners& corners) {
  struct Box {
    Point low{}, high{};
    std::size_t edges = 0;
    double length = 0.0;
  };
  std::vector<Box> boxes(corners.vertices.size());  // by rim
  for (const auto& edge : corners.edges) {
    Box& box = boxes[corners.rim[edge[0]]];
    const Point &a = mesh.vertices[corners.vertices[edge[0]]], &b = mesh.vertices[corners.vertices[edge[1]]];
    if (box.edges++ == 0) box.low = box.high = a;
    box.length += distance(a, b);
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] = std::min({box.low[d], a[d], b[d]});
      box.high[d] = std::max({box.high[d], a[d], b[d]});
    }
  }
  const std::vector<double> areas = loop_areas(mesh, corners);
  std::vector<OpenRim> rims;
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    const Box& box = boxes[r];
    if (box.edges == 0) continue;
    const double extent = std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
    rims.push_back({middle(box.low, box.high), extent, box.edges, box.length, 0.0});
    if (!(areas[r] > 0.0)) continue;
    // width + other = length / 2, width other = area; rounder than a square: as wide as one
    const double half = box.length / 2.0, root = std::sqrt(std::max(0.0, half * half - 4.0 * areas[r]));
    rims.back().width = 2.0 * areas[r] / (half + root);
  }
  std::stable_sort(rims.begin(), rims.end(), [](const OpenRim& a, const OpenRim& b) { return a.extent > b.extent; });
  return rims;
}

// Corners of a rim closer than 0.1 m, or a fiftieth of the size of the mesh, to a corner of another rim.
void find_gaps(const Mesh& mesh, const Corners& corners, MeshDiagnosis& result) {
  const double reach = std::min(0.1, 0.02 * distance(mesh.low, mesh.high));
  std::vector<std::uint32_t> order(corners.vertices.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto at = [&](std::uint32_t corner) -> const Point& { return mesh.vertices[corners.vertices[corner]]; };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return at(a) != at(b) ? at(a) < at(b) : a < b; });
  constexpr std::size_t max_compared =
      200;  // with each corner: many corners at one x must not take time with their square
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Point& here = at(order[i]);
    for (std::size_t j = i + 1; j < std::min(order.size(), i + max_compared); ++j) {
      const Point& there = at(order[j]);
      if (there[0] - here[0] > reach) break;
      const double gap = distance(here, there);
      if (gap > reach || corners.rim[order[i]] == corners.rim[order[j]]) continue;
      note(result.gaps, middle(here, there));
      result.max_gap = std::max(result.max_gap, gap);
      break;
    }
  }
}

// How often each facet occurs, on the first of equal ones, and 0 on the others; counts facets without an area. Coincident facets of two materials are the two sides
// of a sheet, not duplicates. `stands_for`: of vertices that differ by rounding alone, or the two sides of a thin plate
// would be one.
std::vector<std::uint32_t> layers_of(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for,
                                     MeshDiagnosis& result) {
  std::vector<std::uint32_t> layers(mesh.triangles.size(), 1);
  struct Facet {
    std::array<std::uint32_t, 3> corners;
    std::uint16_t material;
    std::uint32_t triangle;
    auto operator<=>(const Facet&) const = default;
  };
  std::vector<Facet> sorted;
  sorted.reserve(mesh.triangles.size());
  const double size = distance(mesh.low, mesh.high);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point v = area_vector(mesh, t);
    if (std::hypot(v[0], v[1], v[2]) <= 1e-14 * size * size) note(result.degenerate, middle_of(mesh, t));
    auto corners = mesh.triangles[t];
    for (std::uint32_t& corner : corners) corner = stands_for[corner];
    std::sort(corners.begin(), corners.end());
    sorted.push_back({corners, mesh.material[t], t});
  }
  std::sort(sorted.begin(), sorted.end());
  std::uint32_t first = sorted.empty() ? 0 : sorted[0].triangle;  // of equal ones
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const Facet &one = sorted[i], &before = sorted[i - 1];
    if (one.corners != before.corners || one.material != before.material) {
      first = one.triangle;
      continue;
    }
    layers[one.triangle] = 0;
    ++layers[first];
    if (one.corners[0] != one.corners[1] && one.corners[1] != one.corners[2])
      note(result.duplicate, middle_of(mesh, one.triangle));
  }
  return layers;
}

std::string size_text(double metres) {
  return metres < 0.1 ? fmt::format("{:.3g} mm", 1000.0 * metres) : fmt::format("{:.3g} m", metres);
}

}  // namespace

std::string place_text(const std::array<double, 3>& place) {
  std::string text;
  for (const double x : place) {
    std::string number = fmt::format("{:.3f}", x + 0.0);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    text += (text.empty() ? "(" : ", ") + (number == "-0" ? "0" : number);
  }
  return text + ")";
}

MeshDiagnosis diagnose(const Mesh& mesh) {
  MeshDiagnosis result;
  result.tolerance = weld_tolerance(mesh);
  std::vector<std::uint32_t> finely = weld_finely(mesh, result.tolerance);
  const std::vector<std::uint32_t> layers = layers_of(mesh, finely, result);
  std::vector<bool> counts;
  for (const std::uint32_t count : layers) counts.push_back(count > 0);
  result.overlap = find_overlaps(mesh, layers, result.tolerance);
  result.areas.assign(mesh.materials.size(), 0.0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point v = area_vector(mesh, t);
    if (counts[t]) result.areas[mesh.material[t]] += 0.5 * std::hypot(v[0], v[1], v[2]);
  }
  for (std::size_t m = 0; m < result.areas.size(); ++m)
    result.areas[m] = std::max(0.0, result.areas[m] - result.overlap.repeated[m]);
  const std::vector<std::uint32_t> stands_for = weld(mesh, result.tolerance, std::move(finely));
  for (std::uint32_t v = 0; v < stands_for.size(); ++v) result.welded += stands_for[v] != v ? 1 : 0;
  const EdgeSurvey edges = survey_edges(mesh, stands_for, counts, result.tolerance);
  for (const auto& [a, b] : edges.flipped) note(result.flipped, middle(mesh.vertices[a], mesh.vertices[b]));
  result.turned = edges.flipped;
  for (const OpenEdge& edge : edges.open) result.open.push_back({edge.from, edge.to});
  const Corners corners(edges.open);
  result.open_edges = edges.open.size();
  result.rims = rims_of(mesh, corners);
  find_gaps(mesh, corners, result);
  for (std::size_t d = 0; d < 3; ++d)
    result.far_away = result.far_away ||
                      (mesh.single_precision && std::max(std::abs(mesh.low[d]), std::abs(mesh.high[d])) > 1e-3 / 6e-8);
  return result;
}

namespace {

// "5 m long and 50 mm wide at (2.5, 0, 0.025)", or "2 m across at (1, 1, 2)".
std::string rim_text(const OpenRim& rim) {
  constexpr double longest_slit = 4.0;  // times its width: above, the width matters more than the extent
  const double long_side = rim.length / 2.0 - rim.width;
  if (rim.width > 0.0 && long_side > longest_slit * rim.width)
    return fmt::format("a slit {} long and {} wide at {}", size_text(long_side), size_text(rim.width),
                       place_text(rim.centre));
  return fmt::format("{} across at {}", size_text(rim.extent), place_text(rim.centre));
}

// m2; of the whole surface, for rounding, and of what three digits show.
double min_overlap(const MeshDiagnosis& diagnosis) {
  constexpr double of_all = 1e-6, shown = 1e-4;
  return std::max(shown, of_all * std::accumulate(diagnosis.areas.begin(), diagnosis.areas.end(), 0.0));
}

}  // namespace

std::vector<std::string> remarks_of(const MeshDiagnosis& diagnosis) {
  std::vector<std::string> remarks;
  if (!diagnosis.rims.empty()) {
    constexpr std::size_t max_reported = 3;
    const auto plural = [](std::size_t count) { return count == 1 ? "" : "s"; };
    const std::size_t rims = diagnosis.rims.size();
    std::string text = fmt::format("mesh: {} open edge{}, {} hole{} or free end{}:", diagnosis.open_edges,
                                   plural(diagnosis.open_edges), rims, plural(rims), plural(rims));
    for (std::size_t i = 0; i < std::min(max_reported, rims); ++i)
      text += (i == 0 ? " " : ", ") + rim_text(diagnosis.rims[i]);
    if (rims > max_reported) text += ", ...";
    if (diagnosis.tolerance > 0.0)
      text += fmt::format("; vertices within {} of each other are one", size_text(diagnosis.tolerance));
    remarks.push_back(text);
  }
  const auto add = [&](const MeshDefect& defect, const char* one, const char* many, const std::string& comment) {
    if (defect.count == 0) return;
    remarks.push_back(fmt::format("mesh: {} {}, {}{}{}", defect.count, defect.count == 1 ? one : many,
                                  defect.count == 1 ? "at " : "the first at ", place_text(defect.first), comment));
  };
  add(diagnosis.gaps, "corner almost meets another", "corners almost meet another",
      fmt::format("; gaps up to {}", size_text(diagnosis.max_gap)));
  if (const MeshOverlap& twice = diagnosis.overlap; twice.area >= min_overlap(diagnosis))
    remarks.push_back(fmt::format("mesh: {:.4g} m2 are drawn {}, overlapping, the first at {}; they count once",
                                  twice.area, twice.most > 2 ? fmt::format("up to {} times", twice.most) : "twice",
                                  place_text(twice.first)));
  if (diagnosis.far_away)
    remarks.push_back(
        "mesh: it is so far from the origin that its coordinates, which have single precision, are accurate only to a "
        "millimetre or worse; move it, or export more digits");
  return remarks;
}

}  // namespace fdtd
