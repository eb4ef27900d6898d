#include "scenes/mesh/mesh_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include "scenes/mesh/mesh_bytes.hpp"

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

constexpr double min_height = 1.8, greatest_height = 60.0, greatest_side = 300.0;  // m, of rooms
constexpr double clearly_more = 1.5;                                               // of one area than of another
const std::vector<std::string> guessed_units = {"mm", "cm", "m"};                  // the smallest room first

double in_metres(double value, const std::string& units) {
  if (units == "mm") return value / 1000.0;  // a product with 0.001 would round twice
  if (units == "cm") return value / 100.0;
  if (units == "in") return value * 254.0 / 10000.0;
  if (units == "ft") return value * 3048.0 / 10000.0;
  if (double factor = 1.0;
      units != "m" && std::from_chars(units.data(), units.data() + units.size(), factor).ec == std::errc())
    return value * factor;
  return value;
}

Point placed(const Point& raw, const MeshFrame& frame) {
  const double x = in_metres(raw[0], frame.units), y = in_metres(raw[1], frame.units),
               z = in_metres(raw[2], frame.units);
  if (frame.up == "y") return {x, 0.0 - z, y};
  if (frame.up == "x") return {y, z, x};
  return {x, y, z};
}

struct Extent {
  Point low{}, high{};
  double side(std::size_t d) const { return high[d] - low[d]; }
  double longest() const { return std::max({side(0), side(1), side(2)}); }
  bool holds(const Point& p) const {
    const double slack = 1e-9 * longest();
    for (std::size_t d = 0; d < 3; ++d)
      if (!(p[d] >= low[d] - slack && p[d] <= high[d] + slack)) return false;
    return true;
  }
  std::string text() const { return fmt::format("{:.4g} x {:.4g} x {:.4g} m", side(0), side(1), side(2)); }
};

Extent extent_in(const Mesh& raw, const MeshFrame& frame) {
  const Point a = placed(raw.low, frame), b = placed(raw.high, frame);
  Extent extent;
  for (std::size_t d = 0; d < 3; ++d) std::tie(extent.low[d], extent.high[d]) = std::minmax(a[d], b[d]);
  return extent;
}

bool like_a_room(const Extent& extent) {
  return extent.side(2) >= min_height && extent.side(2) <= greatest_height && extent.longest() <= greatest_side;
}

bool holds_all(const Extent& extent, const std::vector<Point>& positions) {
  return std::all_of(positions.begin(), positions.end(), [&](const Point& p) { return extent.holds(p); });
}

std::size_t axis_number(const std::string& up) { return up == "x" ? 0 : up == "y" ? 1 : 2; }

const char* name_of(const std::string& units) {
  return units == "mm" ? "millimetres" : units == "cm" ? "centimetres" : "metres";
}

std::vector<std::string> possible_ups(const Mesh& raw, const std::string& requested) {
  if (requested != "auto") return {requested};
  if (const auto up = up_by_areas(facing_areas(raw))) return {*up};
  return {"z", "y"};
}

std::string quoted_units(const std::string& units) { return "units = \"" + units + "\""; }
std::string quoted_up(const std::string& up) { return "up = \"" + up + "\""; }

const std::vector<std::string> every_up = {"z", "y", "x"};

bool is_one_of(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

// "the positions of sources and receivers fit both", or none of them.
std::string held_text(const Mesh& raw, const std::vector<MeshFrame>& readings, const std::vector<Point>& positions) {
  const bool held = std::any_of(readings.begin(), readings.end(),
                                [&](const MeshFrame& one) { return holds_all(extent_in(raw, one), positions); });
  const std::string doubt = held ? "" : doubt_of_positions(raw, readings.front(), positions);
  if (held) return "the positions of sources and receivers fit each of these axes";
  return "none of the axes has all sources and receivers inside" + (doubt.empty() ? "" : ": " + doubt);
}

}  // namespace

std::array<double, 3> facing_areas(const Mesh& raw, const std::function<bool(const std::string&)>& counts) {
  Point areas{};
  for (std::size_t t = 0; t < raw.triangles.size(); ++t) {
    if (counts && !counts(raw.materials[raw.material[t]])) continue;
    const Point v = area_vector(raw, t);
    for (std::size_t d = 0; d < 3; ++d) areas[d] += 0.5 * std::abs(v[d]);
  }
  return areas;
}

std::optional<std::string> up_by_areas(const std::array<double, 3>& areas) {
  if (areas[2] >= clearly_more * areas[1] && areas[2] > 0.0) return "z";
  if (areas[1] >= clearly_more * areas[2] && areas[1] > 0.0) return "y";
  return std::nullopt;
}

void apply_frame(Mesh& mesh, const MeshFrame& frame) {
  for (Point& vertex : mesh.vertices) vertex = placed(vertex, frame);
  merge_vertices(mesh);
}

std::optional<MeshFrame> settle_frame(const Mesh& raw, const MeshFrame& requested, const std::string& stated,
                                      const std::vector<Point>& positions, std::string& why, std::string& hint) {
  if (requested.units != "auto" && requested.up != "auto") return requested;
  const std::vector<std::string> by_area = possible_ups(raw, requested.up),
                                 ups = requested.up == "auto" ? every_up : by_area;
  const bool guess = requested.units == "auto" && stated.empty();
  const std::vector<std::string> units =
      guess ? guessed_units : std::vector<std::string>{requested.units == "auto" ? stated : requested.units};
  std::vector<MeshFrame> readings, holding;
  for (const std::string& unit : units) {
    for (const std::string& up : ups) {
      const MeshFrame frame{unit, up};
      const Extent extent = extent_in(raw, frame);
      if (guess && !like_a_room(extent)) continue;
      if (holds_all(extent, positions)) holding.push_back(frame);
      if (is_one_of(by_area, up)) readings.push_back(frame);
    }
  }
  if (readings.empty() && holding.empty()) {
    why = fmt::format(
        "units = \"auto\" finds none: in metres its bounding box is {}, and neither m, cm nor mm make it {} to {} m "
        "high and at most {} m long",
        extent_in(raw, {"m", by_area.front()}).text(), min_height, greatest_height, greatest_side);
    hint = "write the unit of its numbers: units = \"m\", \"cm\", \"mm\", \"in\" or \"ft\"";
    return std::nullopt;
  }
  if (!holding.empty()) {
    // Facets decide among the axes that hold all positions, where they can.
    const auto by_facets = [&](const MeshFrame& one) { return is_one_of(by_area, one.up); };
    if (std::any_of(holding.begin(), holding.end(), by_facets))
      holding.erase(std::remove_if(holding.begin(), holding.end(), std::not_fn(by_facets)), holding.end());
    readings = std::move(holding);
  }
  std::vector<std::string> open;  // axes that remain
  for (const MeshFrame& one : readings)
    if (!is_one_of(open, one.up)) open.push_back(one.up);
  if (open.size() < 2) return readings.front();
  const Point areas = facing_areas(raw);
  why = fmt::format("up = \"auto\" finds no answer: the area of its facets along z is {:.3g} times that along y, ",
                    areas[2] / areas[1]);
  why += areas[2] < clearly_more * areas[1] && areas[1] < clearly_more * areas[2]
             ? fmt::format("less than {} either way, and {}", clearly_more, held_text(raw, readings, positions))
             : "but " + held_text(raw, readings, positions);
  hint = "write ";
  for (std::size_t i = 0; i < open.size(); ++i)
    hint += (i == 0 ? "" : i + 1 == open.size() ? " or " : ", ") + quoted_up(open[i]);
  return std::nullopt;
}

std::optional<std::string> feet_or_inches(const Mesh& raw, const std::string& up) {
  constexpr double low_room = 2.0, high_room = 30.0;  // m
  for (const char* const units : {"in", "ft"}) {
    const Extent extent = extent_in(raw, {units, up});
    if (extent.side(2) >= low_room && extent.side(2) <= high_room && extent.longest() <= greatest_side) return units;
  }
  return std::nullopt;
}

std::string remark_of_up(const Mesh& raw, const MeshFrame& requested, const MeshFrame& settled,
                         const std::vector<Point>& positions) {
  if (requested.up != "auto") return {};
  const std::vector<std::string> by_area = possible_ups(raw, requested.up);
  if (by_area.size() == 1 && by_area.front() == settled.up) return {};
  if (!holds_all(extent_in(raw, settled), positions)) return {};
  return fmt::format("up = \"auto\" takes {}, the axis under which all sources and receivers lie inside", settled.up);
}

std::string doubt_of_positions(const Mesh& raw, const MeshFrame& frame, const std::vector<Point>& positions) {
  if (holds_all(extent_in(raw, frame), positions)) return {};
  std::vector<std::string> holding;
  std::string counts;
  for (const std::string& up : every_up) {
    const Extent extent = extent_in(raw, {frame.units, up});
    if (holds_all(extent, positions)) holding.push_back(quoted_up(up));
    const auto inside =
        std::count_if(positions.begin(), positions.end(), [&](const Point& p) { return extent.holds(p); });
    counts += fmt::format("{}{} with {}", counts.empty() ? "" : ", ", inside, quoted_up(up));
  }
  if (holding.empty())
    return positions.size() < 2
               ? ""
               : fmt::format("of {} sources and receivers so many lie inside: {}", positions.size(), counts);
  std::string all;
  for (const std::string& one : holding) all += (all.empty() ? "" : " or ") + one;
  return fmt::format("with {} all sources and receivers lie inside", all);
}

std::string doubt_of_units(const Mesh& raw, const MeshFrame& frame) {
  constexpr double smallest = 1.0;  // m: below, nobody speaks in it
  const Extent given = extent_in(raw, frame);
  if (given.longest() <= greatest_side && given.longest() >= smallest) return {};
  for (const std::string& units : guessed_units) {
    if (units == frame.units) continue;
    const Extent other = extent_in(raw, {units, frame.up});
    if (!like_a_room(other)) continue;
    return fmt::format("its bounding box is {}: are its numbers {}? {} makes it {}", given.text(), name_of(units),
                       quoted_units(units), other.text());
  }
  return {};
}

std::string doubt_of_box(const Point& sides) {
  if (Extent{{}, sides}.longest() <= greatest_side) return {};
  for (const std::string units : {"mm", "cm"}) {
    Extent other;
    for (std::size_t d = 0; d < 3; ++d) other.high[d] = in_metres(sides[d], units);
    if (like_a_room(other))
      return fmt::format("the box is {}: are its numbers {}? They are metres: box = [{:.6g}, {:.6g}, {:.6g}]",
                         Extent{{}, sides}.text(), name_of(units), other.high[0], other.high[1], other.high[2]);
  }
  return {};
}

std::string doubt_of_up(const Mesh& raw, const MeshFrame& frame) {
  if (frame.up == "x") return {};
  const std::string other = frame.up == "y" ? "z" : "y";
  const Point areas = facing_areas(raw);
  const double here = areas[axis_number(frame.up)], there = areas[axis_number(other)];
  if (there < clearly_more * std::max(here, areas[0])) return {};
  const MeshFrame turned{frame.units, other};
  const Extent instead = extent_in(raw, turned);
  constexpr double low_room = 2.2;  // m: a corridor is as wide
  if (!(instead.side(2) >= low_room && instead.side(2) <= greatest_height)) return {};
  const double unit = in_metres(1.0, frame.units) * in_metres(1.0, frame.units);
  return fmt::format(
      "with {} up, {:.3g} m2 of its facets face up or down and {:.3g} m2 face along {}, like a floor and a ceiling: is "
      "that the axis that points up? up = \"{}\" makes its bounding box {}",
      frame.up, here * unit, there * unit, other, other, instead.text());
}

std::string stated_units(std::string_view bytes) {
  constexpr std::size_t first_lines = 20;
  Lines lines(bytes);
  for (std::string_view line; lines.number() < first_lines && lines.next(line);) {
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    if (take_word(line) != "File" || take_word(line) != "units" || take_word(line) != "=") continue;
    const std::string_view word = take_word(line);
    for (const auto& [name, units] :
         {std::pair{"meters", "m"}, {"centimeters", "cm"}, {"millimeters", "mm"}, {"inches", "in"}, {"feet", "ft"}})
      if (word == name) return units;
  }
  return {};
}

}  // namespace fdtd
