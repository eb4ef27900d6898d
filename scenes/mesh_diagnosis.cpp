#include "scenes/mesh_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

// An edge of a facet, from the lower vertex number to the higher.
struct Edge {
  std::uint32_t low, high;
  bool rising;  // direction in which the facet runs along it
};

std::vector<Edge> edges_of(const Mesh& mesh, const std::vector<bool>& counts) {
  std::vector<Edge> edges;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!counts[t]) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = mesh.triangles[t][i], b = mesh.triangles[t][(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.rising) < std::tie(b.low, b.high, b.rising);
  });
  return edges;
}

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

// Connected groups of open edges.
std::vector<OpenRim> rims_of(const Mesh& mesh, const std::vector<Edge>& open) {
  std::map<std::uint32_t, std::uint32_t> root;
  for (const Edge& edge : open) {
    root.emplace(edge.low, edge.low);
    root.emplace(edge.high, edge.high);
  }
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const Edge& edge : open) {
    const std::uint32_t a = find(edge.low), b = find(edge.high);
    root[std::max(a, b)] = std::min(a, b);
  }
  struct Box {
    Point low, high;
    std::size_t edges = 0;
  };
  std::map<std::uint32_t, Box> boxes;
  for (const Edge& edge : open) {
    const Point& start = mesh.vertices[edge.low];
    Box& box = boxes.try_emplace(find(edge.low), Box{start, start, 0}).first->second;
    ++box.edges;
    for (const std::uint32_t v : {edge.low, edge.high}) {
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = std::min(box.low[d], mesh.vertices[v][d]);
        box.high[d] = std::max(box.high[d], mesh.vertices[v][d]);
      }
    }
  }
  std::vector<OpenRim> rims;
  for (const auto& [first, box] : boxes) {
    const double extent = std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
    rims.push_back({middle(box.low, box.high), extent, box.edges});
  }
  std::stable_sort(rims.begin(), rims.end(), [](const OpenRim& a, const OpenRim& b) { return a.extent > b.extent; });
  return rims;
}

// Corners of open edges closer to another corner than a thousandth of the size of the mesh, without coinciding.
void find_gaps(const Mesh& mesh, const std::vector<Edge>& open, MeshDiagnosis& result) {
  const double reach = 1e-3 * distance(mesh.low, mesh.high);
  std::vector<std::uint32_t> corners;
  for (const Edge& edge : open) corners.insert(corners.end(), {edge.low, edge.high});
  std::sort(corners.begin(), corners.end(), [&](std::uint32_t a, std::uint32_t b) {
    return mesh.vertices[a] != mesh.vertices[b] ? mesh.vertices[a] < mesh.vertices[b] : a < b;
  });
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  constexpr std::size_t max_compared =
      200;  // with each corner: many corners at one x must not take time with their square
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point& here = mesh.vertices[corners[i]];
    for (std::size_t j = i + 1; j < std::min(corners.size(), i + max_compared); ++j) {
      const Point& there = mesh.vertices[corners[j]];
      if (there[0] - here[0] > reach) break;
      const double gap = distance(here, there);
      if (gap > reach) continue;
      note(result.gaps, middle(here, there));
      result.max_gap = std::max(result.max_gap, gap);
      break;
    }
  }
}

// Marks facets without an area and duplicates. Coincident facets of two materials are the two sides of a sheet, not
// duplicates.
std::vector<bool> valid_facets(const Mesh& mesh, MeshDiagnosis& result) {
  std::vector<bool> counts(mesh.triangles.size(), true);
  std::vector<std::tuple<std::array<std::uint32_t, 3>, std::uint16_t, std::size_t>> sorted;
  const double size = distance(mesh.low, mesh.high);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point v = area_vector(mesh, t);
    if (std::hypot(v[0], v[1], v[2]) <= 1e-14 * size * size) {
      note(result.degenerate, middle_of(mesh, t));
      counts[t] = false;
      continue;
    }
    auto corners = mesh.triangles[t];
    std::sort(corners.begin(), corners.end());
    sorted.emplace_back(corners, mesh.material[t], t);
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const auto& [corners, material, t] = sorted[i];
    if (corners != std::get<0>(sorted[i - 1]) || material != std::get<1>(sorted[i - 1])) continue;
    counts[t] = false;
    note(result.duplicate, middle_of(mesh, t));
  }
  return counts;
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
  const std::vector<bool> counts = valid_facets(mesh, result);
  result.areas.assign(mesh.materials.size(), 0.0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point v = area_vector(mesh, t);
    if (counts[t]) result.areas[mesh.material[t]] += 0.5 * std::hypot(v[0], v[1], v[2]);
  }
  const std::vector<Edge> edges = edges_of(mesh, counts);
  std::vector<Edge> open;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low && edges[end].high == edges[i].high) ++end;
    if (end - i == 1) open.push_back(edges[i]);
    if (end - i == 2 && edges[i].rising == edges[i + 1].rising)
      note(result.flipped, middle(mesh.vertices[edges[i].low], mesh.vertices[edges[i].high]));
    i = end;
  }
  result.open_edges = open.size();
  result.rims = rims_of(mesh, open);
  find_gaps(mesh, open, result);
  for (std::size_t d = 0; d < 3; ++d)
    result.far_away = result.far_away || std::max(std::abs(mesh.low[d]), std::abs(mesh.high[d])) > 1e-3 / 6e-8;
  return result;
}

std::vector<std::string> remarks_of(const MeshDiagnosis& diagnosis) {
  std::vector<std::string> remarks;
  if (!diagnosis.rims.empty()) {
    constexpr std::size_t max_reported = 3;
    std::string text =
        fmt::format("mesh: {} open edges, {} hole{} or free end{}:", diagnosis.open_edges, diagnosis.rims.size(),
                    diagnosis.rims.size() == 1 ? "" : "s", diagnosis.rims.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min(max_reported, diagnosis.rims.size()); ++i)
      text += fmt::format("{} {} across at {}", i == 0 ? "" : ",", size_text(diagnosis.rims[i].extent),
                          place_text(diagnosis.rims[i].centre));
    remarks.push_back(text + (diagnosis.rims.size() > max_reported ? ", ..." : ""));
  }
  const auto add = [&](const MeshDefect& defect, const char* one, const char* many, const std::string& comment) {
    if (defect.count == 0) return;
    remarks.push_back(fmt::format("mesh: {} {}, {}{}{}", defect.count, defect.count == 1 ? one : many,
                                  defect.count == 1 ? "at " : "the first at ", place_text(defect.first), comment));
  };
  add(diagnosis.gaps, "corner almost meets another", "corners almost meet another",
      fmt::format("; gaps up to {}", size_text(diagnosis.max_gap)));
  add(diagnosis.flipped, "edge between facets of opposite orientation", "edges between facets of opposite orientation",
      "; the orientation has no effect");
  add(diagnosis.duplicate, "duplicate facet", "duplicate facets", "");
  add(diagnosis.degenerate, "facet without an area", "facets without an area", "");
  if (diagnosis.far_away)
    remarks.push_back(
        "mesh: it is so far from the origin that its coordinates are accurate only to a millimetre or worse; move it");
  return remarks;
}

}  // namespace fdtd
