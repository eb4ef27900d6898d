#include "engine/reports/result_page/report_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/files/data_uri.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/page_text.hpp"
#include "engine/reports/result_page/floor_plan.hpp"
#include "engine/reports/result_page/surface_edges.hpp"
#include "engine/reports/result_page/three_js.hpp"

namespace fdtd {
namespace {

// Of large meshes only the largest facets and the longest edges are drawn, to keep pages small.
constexpr std::size_t max_faces = 3000, max_edges = 6000;
constexpr std::size_t max_places = 1000;  // sources or receivers, drawn and listed

using Vector = std::array<double, 3>;

double square(const Vector& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

std::vector<std::size_t> largest_faces(const std::vector<Vector>& normals) {
  std::vector<std::size_t> faces(normals.size());
  for (std::size_t t = 0; t < faces.size(); ++t) faces[t] = t;
  if (faces.size() > max_faces) {
    std::stable_sort(faces.begin(), faces.end(),
                     [&](std::size_t a, std::size_t b) { return square(normals[a]) > square(normals[b]); });
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
nlohmann::ordered_json places_json(const std::vector<ChannelId>& channels, const std::vector<Vector>& positions,
                                   const std::vector<Vector>& directions) {
  auto list = nlohmann::ordered_json::array();
  std::set<std::string> seen;
  for (std::size_t i = 0; i < channels.size() && list.size() < max_places; ++i) {
    const std::string name = channels[i].shown();
    if (!seen.insert(name).second) continue;
    nlohmann::ordered_json one{{"name", name}, {"position", positions[i]}};
    if (i < directions.size() && directions[i] != Vector{}) one["direction"] = directions[i];
    list.push_back(one);
  }
  return list;
}

nlohmann::ordered_json room_json(const Result& result) {
  const RoomSurface& surface = result.surface;
  const std::vector<Vector> normals = facet_normals(surface);
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
  for (const SurfaceEdge& edge : surface_edges(surface, max_edges)) {
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

// The view in three dimensions with its sliders.
std::string view_html(const RoomSurface& surface, std::size_t sources, std::size_t receivers) {
  std::string html = fmt::format(
      "<div id=\"room-view\"><div class=\"view\"><canvas id=\"room\" tabindex=\"0\" role=\"img\" aria-label=\"The room "
      "in "
      "three dimensions: {} facets of {} materials, {} sources, {} receivers. Arrow keys rotate it, plus and minus "
      "zoom.\"></canvas><div id=\"room-names\" aria-hidden=\"true\"></div></div>\n<p class=\"quiet sliders\">",
      surface.triangles.size(), surface.materials.size(), sources, receivers);
  for (const auto& [name, low, high, step] :
       {std::tuple("turn", "-180", "180", "1"), {"tilt", "-90", "90", "1"}, {"zoom", "0.5", "8", "0.05"}})
    html +=
        fmt::format("<label>{0} <input type=\"range\" id=\"room-{0}\" min=\"{1}\" max=\"{2}\" step=\"{3}\"></label> ",
                    name, low, high, step);
  return html +
         "drag to rotate</p></div>\n<noscript><p class=\"quiet\">The room in three dimensions needs "
         "JavaScript.</p></noscript>"
         "<p class=\"quiet\" id=\"room-without\" hidden>This browser has no WebGL, or is older than 2023: the room is "
         "shown "
         "as a plan.</p>\n";
}

std::string key_html(const RoomSurface& surface) {
  std::string html =
      "<ul class=\"key\"><li><i style=\"background:#d55e00;border-radius:50%\"></i>source</li>"
      "<li><i style=\"background:#0072b2\"></i>receiver</li>";
  for (std::size_t m = 0; m < surface.materials.size(); ++m)
    html += fmt::format("<li><i style=\"background:{}\"></i>{}</li>", colour_of(m), escape_html(surface.materials[m]));
  return html + "</ul>\n";
}

}  // namespace

std::string room_html(const Result& result) {
  const RoomSurface& surface = result.surface;
  const Table sources = places_table("source", places_json(result.recording.sources, result.source_positions, {})),
              receivers =
                  places_table("receiver", places_json(result.recording.receivers, result.receiver_positions, {}));
  std::string html = "<h2>Room</h2>\n";
  if (surface.triangles.empty())
    html += "<p>The result does not hold the surface of the room.</p>\n";
  else if (three_js().empty())
    html +=
        "<p class=\"quiet\">This build of the program has no three.js, which draws the room in three dimensions.</p>\n";
  else
    html += view_html(surface, sources.rows.size(), receivers.rows.size());
  if (!surface.triangles.empty())
    html += key_html(surface) + "<details id=\"room-plan\"" + (three_js().empty() ? " open" : "") +
            "><summary>Plan</summary>\n<div class=\"plots\">\n" + to_svg(places_plan(result)) + "</div></details>\n";
  if (result.recording.receivers.size() > max_places && receivers.rows.size() == max_places)
    html += fmt::format("<p>The first {} receivers are drawn and listed.</p>\n", max_places);
  return html + "<details><summary>Positions</summary>" + to_html(sources) + to_html(receivers) + "</details>\n";
}

std::string page_scripts() { return fmt::format("<script>\n{}</script>\n", room_script); }

std::string room_scripts(const Result& result) {
  const std::string script = page_scripts();
  if (result.surface.triangles.empty() || three_js().empty()) return script;
  // A "<" in a name must not end the element that holds the data.
  std::string json;
  for (const char c : room_json(result).dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace))
    json += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return fmt::format(
      "<script type=\"application/json\" id=\"room-data\">{}</script>\n<!-- {} -->\n<script type=\"text/plain\" "
      "id=\"three-js\">{}</script>\n{}",
      json, three_js_licence(), base64(three_js()), script);
}

}  // namespace fdtd
