#include "engine/reports/result_page/report_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/reports/page.hpp"
#include "engine/reports/page_text.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

// Of large meshes only the largest facets and the longest edges are drawn, to keep pages small.
constexpr std::size_t max_faces = 3000, max_edges = 6000;
constexpr std::size_t max_places = 1000;  // sources or receivers, drawn and listed
constexpr double flat = 0.97;             // cosine between normals: edges between flatter neighbours are not drawn

using Vector = std::array<double, 3>;

Vector normal_of(const RoomSurface& surface, std::size_t triangle) {
  const auto& [a, b, c] = surface.triangles[triangle];
  Vector u{}, v{};
  for (std::size_t d = 0; d < 3; ++d) {
    u[d] = surface.vertices[b][d] - surface.vertices[a][d];
    v[d] = surface.vertices[c][d] - surface.vertices[a][d];
  }
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

double scalar_product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Edge {
  std::uint32_t a = 0, b = 0;
  int material = -1;  // -1: between two materials
  double length = 0.0;
};

// Edges where the surface bends, ends, or changes its material.
std::vector<Edge> edges_of(const RoomSurface& surface, const std::vector<Vector>& normals) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> beside;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
      beside[{std::min(a, b), std::max(a, b)}].push_back(t);
    }
  std::vector<Edge> edges;
  for (const auto& [ends, triangles] : beside) {
    const std::size_t first = triangles.front();
    bool turns = triangles.size() != 2, mixed = false;
    for (const std::size_t t : triangles) {
      const double size =
          std::sqrt(scalar_product(normals[t], normals[t]) * scalar_product(normals[first], normals[first]));
      turns = turns || std::abs(scalar_product(normals[t], normals[first])) < flat * size;
      mixed = mixed || surface.material[t] != surface.material[first];
    }
    if (!turns && !mixed) continue;
    Vector along{};
    for (std::size_t d = 0; d < 3; ++d) along[d] = surface.vertices[ends.first][d] - surface.vertices[ends.second][d];
    edges.push_back({ends.first, ends.second, mixed ? -1 : static_cast<int>(surface.material[first]),
                     std::sqrt(scalar_product(along, along))});
  }
  if (edges.size() > max_edges) {
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.length > b.length; });
    edges.resize(max_edges);
  }
  return edges;
}

std::vector<std::size_t> largest_faces(const std::vector<Vector>& normals) {
  std::vector<std::size_t> faces(normals.size());
  for (std::size_t t = 0; t < faces.size(); ++t) faces[t] = t;
  if (faces.size() > max_faces) {
    std::stable_sort(faces.begin(), faces.end(), [&](std::size_t a, std::size_t b) {
      return scalar_product(normals[a], normals[a]) > scalar_product(normals[b], normals[b]);
    });
    faces.resize(max_faces);
  }
  return faces;
}

// Okabe and Ito's first, then hues by the golden angle.
std::string colour_of(std::size_t material) {
  constexpr std::array<const char*, 7> first = {"#e69f00", "#56b4e9", "#009e73", "#cc79a7",
                                                "#b3a100", "#6f6fd1", "#888888"};
  if (material < first.size()) return first[material];
  return fmt::format("hsl({:.0f}, 55%, 50%)", std::fmod(137.508 * static_cast<double>(material), 360.0));
}

double rounded(double metres) { return std::round(1e4 * metres) / 1e4; }

// One per source or receiver of the scene, up to max_places: its channels share a position.
nlohmann::ordered_json places_json(const std::vector<std::string>& channels, const std::vector<Vector>& positions,
                                   const std::vector<Vector>& directions) {
  auto list = nlohmann::ordered_json::array();
  std::set<std::string> seen;
  for (std::size_t i = 0; i < channels.size() && list.size() < max_places; ++i) {
    const std::string name = read_channel_name(channels[i]).shown;
    if (!seen.insert(name).second) continue;
    nlohmann::ordered_json one{{"name", name}, {"position", positions[i]}};
    if (i < directions.size() && directions[i] != Vector{}) one["direction"] = directions[i];
    list.push_back(one);
  }
  return list;
}

nlohmann::ordered_json room_json(const Result& result) {
  const RoomSurface& surface = result.surface;
  std::vector<Vector> normals;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) normals.push_back(normal_of(surface, t));
  auto vertices = nlohmann::ordered_json::array(), faces = vertices, edges = vertices, materials = vertices;
  std::map<std::uint32_t, std::size_t> place;  // of the vertices that are drawn
  const auto vertex = [&](std::uint32_t v) {
    const auto [at, fresh] = place.emplace(v, place.size());
    if (fresh)
      for (const double x : surface.vertices[v]) vertices.push_back(rounded(x));
    return at->second;
  };
  for (const std::size_t t : largest_faces(normals)) {
    const auto& [a, b, c] = surface.triangles[t];
    const std::size_t first = vertex(a), second = vertex(b), third = vertex(c);
    faces.push_back({first, second, third, surface.material[t]});
  }
  for (const Edge& edge : edges_of(surface, normals)) {
    const std::size_t first = vertex(edge.a), second = vertex(edge.b);
    edges.push_back({static_cast<std::int64_t>(first), static_cast<std::int64_t>(second), edge.material});
  }
  for (std::size_t m = 0; m < surface.materials.size(); ++m)
    materials.push_back({{"name", surface.materials[m]}, {"colour", colour_of(m)}});
  Vector low = surface.vertices.front(), high = low;
  for (const Vector& corner : surface.vertices)
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], corner[d]), high[d] = std::max(high[d], corner[d]);
  return {
      {"vertices", vertices},
      {"faces", faces},
      {"edges", edges},
      {"materials", materials},
      {"low", low},
      {"high", high},
      {"sources", places_json(result.recording.sources, result.source_positions, result.source_directions)},
      {"receivers", places_json(result.recording.receivers, result.receiver_positions, result.receiver_directions)}};
}

Table places_table(const char* what, const nlohmann::ordered_json& places) {
  Table table{{what, "x, m", "y, m", "z, m"}, {}};
  for (const auto& one : places) {
    std::vector<std::string> row{one["name"].get<std::string>()};
    for (const auto& x : one["position"]) row.push_back(fmt::format("{:.3f}", x.get<double>()));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

std::string room_html(const Result& result) {
  const RoomSurface& surface = result.surface;
  const Table sources = places_table("source", places_json(result.recording.sources, result.source_positions, {})),
              receivers =
                  places_table("receiver", places_json(result.recording.receivers, result.receiver_positions, {}));
  std::string html = "<h2>Room</h2>\n";
  if (surface.triangles.empty()) {
    html += "<p>The result does not hold the surface of the room.</p>\n";
  } else {
    html += fmt::format(
        "<canvas id=\"room\" tabindex=\"0\" role=\"img\" aria-label=\"The room in three dimensions: {} facets of {} "
        "materials, {} sources, {} receivers. Arrow keys rotate it.\">The picture of the room needs "
        "JavaScript.</canvas>\n",
        surface.triangles.size(), surface.materials.size(), sources.rows.size(), receivers.rows.size());
    html += "<p class=\"quiet\">";
    for (const auto& [name, low, high, step] :
         {std::tuple("turn", "-180", "180", "1"), {"tilt", "-90", "90", "1"}, {"zoom", "0.5", "8", "0.05"}})
      html +=
          fmt::format("<label>{0} <input type=\"range\" id=\"room-{0}\" min=\"{1}\" max=\"{2}\" step=\"{3}\"></label> ",
                      name, low, high, step);
    html +=
        "drag to rotate</p>\n<ul class=\"key\"><li><i style=\"background:#d55e00;border-radius:50%\"></i>source</li>"
        "<li><i style=\"background:#0072b2\"></i>receiver</li>";
    for (std::size_t m = 0; m < surface.materials.size(); ++m)
      html +=
          fmt::format("<li><i style=\"background:{}\"></i>{}</li>", colour_of(m), escape_html(surface.materials[m]));
    html += "</ul>\n";
  }
  if (result.recording.receivers.size() > max_places && receivers.rows.size() == max_places)
    html += fmt::format("<p>The first {} receivers are drawn and listed.</p>\n", max_places);
  return html + "<details><summary>Positions</summary>" + to_html(sources) + to_html(receivers) + "</details>\n";
}

std::string room_scripts(const Result& result) {
  if (result.surface.triangles.empty()) return "";
  // A "<" in a name must not end the element that holds the data.
  std::string json;
  for (const char c : room_json(result).dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace))
    json += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return fmt::format("<script type=\"application/json\" id=\"room-data\">{}</script>\n<script>\n{}</script>\n", json,
                     room_script);
}

}  // namespace fdtd
