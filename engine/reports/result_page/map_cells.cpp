#include "engine/reports/result_page/map_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace fdtd {
namespace {

using Place = std::array<double, 2>;
using Segment = std::array<Place, 2>;

constexpr double touching = 1e-6;     // m: a wall so near the edge of a cell cuts nothing
constexpr int most_halvings = 6;      // of an oblique wall in a cell
constexpr double most_columns = 4e3;  // of cells, in which walls are looked for

// Where the surface's triangles cross the height. A vertex at the height counts as below it.
std::vector<Segment> section_of(const RoomSurface& surface, double height) {
  std::vector<Segment> section;
  for (const auto& triangle : surface.triangles) {
    Segment found{};
    std::size_t ends = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto &a = surface.vertices[triangle[i]], &b = surface.vertices[triangle[(i + 1) % 3]];
      if ((a[2] > height) == (b[2] > height)) continue;
      const double t = (height - a[2]) / (b[2] - a[2]);
      found[ends++] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
    }
    if (ends == 2) section.push_back(found);
  }
  return section;
}

// The part of a segment inside a rectangle; none where it only touches it.
std::optional<Segment> part_inside(const Segment& wall, const CellRectangle& cell) {
  double from = 0.0, to = 1.0;
  for (std::size_t d = 0; d < 2; ++d) {
    const double start = wall[0][d], along = wall[1][d] - start;
    const double low = cell.low[d] + touching, high = cell.high[d] - touching;
    if (along == 0.0) {
      if (start <= low || start >= high) return std::nullopt;
      continue;
    }
    const double first = (low - start) / along, second = (high - start) / along;
    from = std::max(from, std::min(first, second)), to = std::min(to, std::max(first, second));
  }
  if (from >= to) return std::nullopt;
  const auto at = [&](double t) {
    return Place{wall[0][0] + t * (wall[1][0] - wall[0][0]), wall[0][1] + t * (wall[1][1] - wall[0][1])};
  };
  return Segment{at(from), at(to)};
}

double area_of(const CellRectangle& cell) { return (cell.high[0] - cell.low[0]) * (cell.high[1] - cell.low[1]); }

// The cut beside a wall that loses least; the wall is divided where it passes the receiver on two sides.
void cut(CellRectangle& cell, const Place& receiver, const Segment& wall, int halvings = 0) {
  const std::optional<Segment> part = part_inside(wall, cell);
  if (!part) return;
  CellRectangle best = cell;
  double most = -1.0;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto [low, high] = std::minmax((*part)[0][d], (*part)[1][d]);
    CellRectangle left = cell;
    if (low >= receiver[d])
      left.high[d] = low;
    else if (high <= receiver[d])
      left.low[d] = high;
    else
      continue;
    if (area_of(left) > most) most = area_of(left), best = left;
  }
  const auto& [a, b] = *part;
  const bool oblique = std::abs(a[0] - b[0]) > touching && std::abs(a[1] - b[1]) > touching;
  if (halvings == most_halvings || (!oblique && most >= 0.0)) {
    if (most >= 0.0) cell = best;
    return;
  }
  // From the middle on: what is nearest to the receiver cuts first.
  const Place middle{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
  const auto apart = [&](const Place& end) { return std::hypot(end[0] - receiver[0], end[1] - receiver[1]); };
  const bool first = apart(a) <= apart(b);
  cut(cell, receiver, first ? Segment{a, middle} : Segment{middle, b}, halvings + 1);
  cut(cell, receiver, first ? Segment{middle, b} : Segment{a, middle}, halvings + 1);
}

double distance_of(const Place& receiver, const Segment& wall) {
  const double x = wall[1][0] - wall[0][0], y = wall[1][1] - wall[0][1], square = x * x + y * y;
  const double along = (receiver[0] - wall[0][0]) * x + (receiver[1] - wall[0][1]) * y;
  const double t = square > 0.0 ? std::clamp(along / square, 0.0, 1.0) : 0.0;
  return std::hypot(wall[0][0] + t * x - receiver[0], wall[0][1] + t * y - receiver[1]);
}

// Walls by columns of x, so that each cell meets those near it alone.
class WallColumns {
 public:
  WallColumns(const std::vector<Segment>& walls, double low, double high, double width)
      : low_(low), width_(std::max(width, (high - low) / most_columns)) {
    columns_.resize(column(high) + 1);
    for (const Segment& wall : walls) {
      const auto [from, to] = std::minmax(wall[0][0], wall[1][0]);
      if (to < low - width || from > high + width) continue;
      for (std::size_t i = column(from); i <= column(to); ++i) columns_[i].push_back(wall);
    }
  }
  // Of a cell, the nearest to the receiver first.
  std::vector<Segment> near(const CellRectangle& cell, const Place& receiver) const {
    std::vector<std::pair<double, Segment>> found;
    for (std::size_t i = column(cell.low[0]); i <= column(cell.high[0]); ++i)
      for (const Segment& wall : columns_[i])
        if (part_inside(wall, cell)) found.emplace_back(distance_of(receiver, wall), wall);
    std::ranges::sort(found);
    std::vector<Segment> walls;
    for (const auto& one : found) walls.push_back(one.second);
    return walls;
  }

 private:
  std::size_t column(double x) const {
    const double at = std::floor((x - low_) / width_);
    const double last = columns_.empty() ? most_columns + 1.0 : static_cast<double>(columns_.size() - 1);
    return static_cast<std::size_t>(std::clamp(at, 0.0, last));
  }

  double low_, width_;
  std::vector<std::vector<Segment>> columns_;
};

}  // namespace

std::vector<CellRectangle> map_cells(const RoomSurface& surface, const std::vector<std::array<double, 2>>& places,
                                     double height, std::array<double, 2> step) {
  std::vector<CellRectangle> cells;
  for (const Place& at : places) {
    CellRectangle& cell = cells.emplace_back();
    for (std::size_t d = 0; d < 2; ++d) cell.low[d] = at[d] - 0.5 * step[d], cell.high[d] = at[d] + 0.5 * step[d];
  }
  if (surface.vertices.empty() || places.empty()) return cells;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto [low, high] = std::ranges::minmax(surface.vertices, {}, [&](const auto& at) { return at[d]; });
    for (CellRectangle& cell : cells)
      cell.low[d] = std::max(cell.low[d], low[d]), cell.high[d] = std::min(cell.high[d], high[d]);
  }
  const auto [first, last] = std::ranges::minmax(places, {}, [](const Place& at) { return at[0]; });
  const WallColumns walls(section_of(surface, height), first[0], last[0], step[0]);
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (const Segment& wall : walls.near(cells[i], places[i])) cut(cells[i], places[i], wall);
  return cells;
}

}  // namespace fdtd
