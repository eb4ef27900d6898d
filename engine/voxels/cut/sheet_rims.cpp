#include "engine/voxels/cut/sheet_rims.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>

#include "scenes/mesh/mesh_weld.hpp"
#include "scenes/mesh/open_edges.hpp"

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

constexpr double flat = 0.05;     // in voxels: a facet's rim lies in its plane
constexpr double alike = 0.95;    // cosine between the normals of facets of one surface
constexpr double thinnest = 0.5;  // in voxels: of what has no rims, however far apart its faces are

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point plus(const Point& a, const Point& b, double t) { return {a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]}; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Point& a) { return std::sqrt(dot(a, a)); }

std::vector<AxisBox> boxes_of(const Mesh& mesh) {
  std::vector<AxisBox> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    AxisBox box;
    for (std::size_t d = 0; d < 3; ++d)
      std::tie(box.low[d], box.high[d]) = std::minmax({mesh.vertices[a][d], mesh.vertices[b][d], mesh.vertices[c][d]});
    boxes.push_back(box);
  }
  return boxes;
}

// The point of the line through both ends at which p lies beside it; nothing beyond the ends.
std::optional<Point> beside(const Point& from, const Point& to, const Point& p) {
  constexpr double rounding = 1e-9;
  const Point way = minus(to, from);
  const double along = dot(minus(p, from), way) / dot(way, way);
  if (!(along >= -rounding && along <= 1.0 + rounding)) return {};
  return plus(from, way, along);
}

}  // namespace

SheetRims::SheetRims(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                     const std::vector<std::array<float, 3>>& normals, bool linked)
    : mesh_(mesh),
      lattice_(lattice),
      spacing_(spacing),
      mean_spacing_(std::cbrt(spacing[0] * spacing[1] * spacing[2])),
      normals_(normals),
      linked_(linked),
      facets_(boxes_of(mesh)),
      rims_(find_rims()),
      rim_tree_([&] {
        std::vector<AxisBox> boxes;
        for (const Rim& rim : rims_) {
          AxisBox box;
          for (std::size_t d = 0; d < 3; ++d) std::tie(box.low[d], box.high[d]) = std::minmax(rim.from[d], rim.to[d]);
          boxes.push_back(box);
        }
        return boxes;
      }()) {}

SheetRims::Rim SheetRims::rim_of(std::uint32_t from, std::uint32_t to, std::uint32_t triangle) const {
  Rim rim{mesh_.vertices[from], mesh_.vertices[to], {}, triangle};
  const Point way = minus(rim.to, rim.from);
  double farthest = 0.0;
  for (const std::uint32_t corner : mesh_.triangles[triangle]) {
    const Point arm = minus(mesh_.vertices[corner], rim.from), across = plus(arm, way, -dot(arm, way) / dot(way, way));
    const double distance = length(across);
    if (distance <= farthest) continue;
    farthest = distance;
    rim.inward = plus({}, across, 1.0 / distance);
  }
  return rim;
}

std::vector<SheetRims::Rim> SheetRims::find_rims() const {
  const double tolerance = weld_tolerance(mesh_);
  const std::vector<std::uint32_t> stands_for = weld(mesh_, tolerance, weld_finely(mesh_, tolerance));
  struct Side {
    std::uint32_t low, high, triangle;
    bool operator<(const Side& o) const { return std::tie(low, high, triangle) < std::tie(o.low, o.high, o.triangle); }
  };
  std::vector<Side> sides;
  std::vector<bool> counts(mesh_.triangles.size(), true);
  std::vector<std::array<std::uint32_t, 4>> known;  // corners in order, and the triangle
  for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    auto c = mesh_.triangles[t];
    for (std::uint32_t& corner : c) corner = stands_for[corner];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    auto sorted = c;
    std::sort(sorted.begin(), sorted.end());
    known.push_back({sorted[0], sorted[1], sorted[2], t});
  }
  std::sort(known.begin(), known.end());
  for (std::size_t i = 0; i < known.size(); ++i) {
    // Coincident facets are one surface here, whatever their materials.
    if (i > 0 && std::equal(known[i].begin(), known[i].begin() + 3, known[i - 1].begin())) {
      counts[known[i][3]] = false;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = known[i][k], b = known[i][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), known[i][3]});
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<Rim> rims;
  for (const OpenEdge& one : survey_edges(mesh_, stands_for, counts, tolerance).open)
    rims.push_back(rim_of(one.from, one.to, one.triangle));
  constexpr double back = 0.1;  // cosine of the angle between two facets at which a surface turns back
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &one = sides[i], &other = sides[i + 1];
    const auto same = [&](const Side& s) { return s.low == one.low && s.high == one.high; };
    if (!same(other) || (i > 0 && same(sides[i - 1])) || (i + 2 < sides.size() && same(sides[i + 2]))) continue;
    Rim first = rim_of(one.low, one.high, one.triangle), second = rim_of(one.low, one.high, other.triangle);
    first.turns = second.turns = true;
    if (dot(first.inward, second.inward) > -back) rims.insert(rims.end(), {first, second});
  }
  return rims;
}

// Edges at which a surface turns back come in pairs at the end of a plate.
bool SheetRims::ends_plate(const Rim& rim, const Point& at) const {
  const Point way = minus(rim.to, rim.from);
  const double reach = thinnest * mean_spacing_;
  bool found = false;
  rim_tree_.near(at, at, reach, [&](std::uint32_t number) {
    const Rim& other = rims_[number];
    if (other.from == rim.from && other.to == rim.to) return true;
    const Point along = minus(other.to, other.from);
    const std::optional<Point> nearest = beside(other.from, other.to, at);
    found = std::abs(dot(along, way)) > alike * length(along) * length(way) && nearest &&
            length(minus(*nearest, at)) < reach;
    return !found;
  });
  return found;
}

void SheetRims::mark(AirMask& cells) const {
  const Point first = lattice_.position({0, 0, 0});
  const auto& size = lattice_.cells();
  const double reach = rim_setback + flat;
  for (const Rim& rim : rims_) {
    const Point way = minus(rim.to, rim.from);
    // Points a quarter of a voxel apart, within the grid.
    double begin = 0.0, end = 1.0, steps = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double low = first[d] - spacing_[d] - rim.from[d],
                   high = first[d] + (size[d] + 1) * spacing_[d] - rim.from[d];
      if (way[d] == 0.0) {
        if (low > 0.0 || high < 0.0) end = -1.0;
        continue;
      }
      begin = std::max(begin, std::min(low / way[d], high / way[d]));
      end = std::min(end, std::max(low / way[d], high / way[d]));
      steps = std::max(steps, std::ceil(4.0 * std::abs(way[d]) / spacing_[d]));
    }
    if (!(begin <= end)) continue;
    for (auto i = static_cast<std::int64_t>(begin * steps); static_cast<double>(i) <= end * steps; ++i) {
      const Point p = plus(rim.from, way, static_cast<double>(i) / steps);
      if (rim.turns && !ends_plate(rim, p)) continue;
      std::array<int, 3> low{}, high{};
      for (std::size_t d = 0; d < 3; ++d) {
        const double at = (p[d] - first[d]) / spacing_[d];
        low[d] = std::max(0, static_cast<int>(std::floor(at - reach)));
        high[d] = std::min(size[d] - 1, static_cast<int>(std::floor(at + reach)));
      }
      const PlaneRange& planes = lattice_.planes();
      for (int z = std::max(low[2], planes.begin); z <= std::min(high[2], planes.end - 1); ++z)
        for (int y = low[1]; y <= high[1]; ++y)
          for (int x = low[0]; x <= high[0]; ++x) cells.set(x, y, z - planes.begin, true);
    }
  }
}

// Where the facets cross the lines along `axis` through the box of a voxel's size at `low`, longer by `around` voxels at
// both ends, line by line.
std::vector<SheetRims::Hit> SheetRims::hits(const Point& low, std::size_t axis, double around) const {
  constexpr double tolerance = 1e-9;
  const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  Point from{}, to{};
  for (std::size_t d = 0; d < 3; ++d) from[d] = to[d] = low[d] + 0.5 * spacing_[d];
  from[axis] = low[axis] - around * spacing_[axis];
  to[axis] = low[axis] + (1.0 + around) * spacing_[axis];
  std::vector<Hit> found;
  facets_.near(from, to, 0.5 * std::max(spacing_[a], spacing_[b]), [&](std::uint32_t t) {
    std::array<double, 3> u{}, v{}, w{};
    for (std::size_t i = 0; i < 3; ++i) {
      const Point& p = mesh_.vertices[mesh_.triangles[t][i]];
      u[i] = (p[a] - low[a]) / spacing_[a];
      v[i] = (p[b] - low[b]) / spacing_[b];
      w[i] = (p[axis] - low[axis]) / spacing_[axis];
    }
    const double twice = (u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]);
    if (!(std::abs(twice) > 1e-12)) return true;
    const auto first = [](double x) { return std::max(0, static_cast<int>(std::ceil(x * lines - 0.5 - 1e-6))); };
    const auto last = [](double x) {
      return std::min(lines - 1, static_cast<int>(std::floor(x * lines - 0.5 + 1e-6)));
    };
    const auto clipped = [](double x) { return std::clamp(x, -1.0, 2.0); };
    const auto [u_low, u_high] = std::minmax({clipped(u[0]), clipped(u[1]), clipped(u[2])});
    const auto [v_low, v_high] = std::minmax({clipped(v[0]), clipped(v[1]), clipped(v[2])});
    for (int j = first(v_low); j <= last(v_high); ++j) {
      for (int i = first(u_low); i <= last(u_high); ++i) {
        const double x = (i + 0.5) / lines, y = (j + 0.5) / lines;
        const double second = ((x - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (y - v[0])) / twice;
        const double third = ((u[1] - u[0]) * (y - v[0]) - (x - u[0]) * (v[1] - v[0])) / twice;
        if (second < -tolerance || third < -tolerance || second + third > 1.0 + tolerance) continue;
        const double at = w[0] + second * (w[1] - w[0]) + third * (w[2] - w[0]);
        if (at >= -around && at < 1.0 + around) found.push_back({static_cast<std::uint32_t>(i + lines * j), t, at});
      }
    }
    return true;
  });
  std::sort(found.begin(), found.end(), [](const Hit& x, const Hit& y) {
    return std::tie(x.line, x.at, x.triangle) < std::tie(y.line, y.at, y.triangle);
  });
  return found;
}

std::vector<CutWall> SheetRims::walls(const std::array<int, 3>& cell, const EndingFacets& ending) const {
  constexpr double back_to_back = 1e-4;
  const Point low = lattice_.position({2 * cell[0], 2 * cell[1], 2 * cell[2]});
  std::vector<CutWall> walls;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double section = spacing_[axis == 0 ? 1 : 0] * spacing_[axis == 2 ? 1 : 2] / (lines * lines);
    std::vector<Hit> found = hits(low, axis, 0.0);
    std::erase_if(found, [&](const Hit& one) { return !ends(ending, one.triangle); });
    for (std::size_t i = 0; i < found.size();) {
      std::size_t end = i + 1;
      while (end < found.size() && found[end].line == found[i].line) ++end;
      const std::span<const Hit> line(found.data() + i, end - i);
      i = end;
      const bool coincide = line.back().at - line.front().at <= back_to_back;
      for (const double way : {1.0, -1.0}) {  // the lower side, which faces up the wall; then the upper one
        std::uint32_t facet = way > 0.0 ? line.front().triangle : line.back().triangle;
        // Of facets back to back the one that looks there.
        for (const Hit& one : line)
          if (coincide && static_cast<double>(normals_[one.triangle][axis]) * way < 0.0) facet = one.triangle;
        Point out{};
        std::size_t most = 0;
        const double turn = way * static_cast<double>(normals_[facet][axis]) >= 0.0 ? 1.0 : -1.0;
        for (std::size_t d = 0; d < 3; ++d) {
          out[d] = turn * static_cast<double>(normals_[facet][d]);
          if (std::abs(out[d]) > std::abs(out[most])) most = d;
        }
        const auto side = static_cast<std::uint8_t>(2 * most + (out[most] > 0.0 ? 1U : 0U));
        auto wall = std::find_if(walls.begin(), walls.end(),
                                 [&](const CutWall& one) { return one.facet == facet && one.side == side; });
        if (wall == walls.end()) wall = walls.insert(walls.end(), {mesh_.material[facet], side, 0.0, {}, facet});
        const double area = section * std::abs(out[axis]);
        wall->area += area;
        for (std::size_t d = 0; d < 3; ++d) wall->outward[d] += area * out[d];
      }
    }
  }
  return walls;
}

// Facets that no line between a cell's points crosses belong to those that are most parallel to them.
bool SheetRims::ends(const EndingFacets& cell, std::uint32_t facet) const {
  if (cell.has(facet)) return true;
  if (cell.facets.empty() || std::binary_search(cell.dividing.begin(), cell.dividing.end(), facet)) return false;
  const auto max_parallel = [&](const std::vector<std::uint32_t>& list) {
    double most = 0.0;
    for (const std::uint32_t other : list) most = std::max(most, std::abs(dot(normal(other), normal(facet))));
    return most;
  };
  return max_parallel(cell.facets) > max_parallel(cell.dividing) + 1e-6;
}

// The distance from a rim, up to `reach`, to the next surface or rim. A part of an open edge may run along a wall: the
// rim itself may lie on one, but for the end of a plate (`turns`).
double SheetRims::free_beyond(const Point& rim, const Point& way, double reach, bool turns) const {
  const double start = 1e-3 * mean_spacing_, beside = flat * mean_spacing_;
  double nearest = reach;
  const Point end = plus(rim, way, reach);
  facets_.near(rim, end, beside, [&](std::uint32_t t) {
    const auto& [a, b, c] = mesh_.triangles[t];
    const Point u = minus(mesh_.vertices[b], mesh_.vertices[a]), v = minus(mesh_.vertices[c], mesh_.vertices[a]);
    const Point p = cross(way, v);
    const double scale = dot(u, p);
    if (!(std::abs(scale) > 1e-3 * length(u) * length(v))) return true;  // in the rim's own plane
    const Point s = minus(rim, mesh_.vertices[a]), q = cross(s, u);
    const double x = dot(s, p) / scale, y = dot(way, q) / scale, at = dot(v, q) / scale;
    if (x >= 0.0 && y >= 0.0 && x + y <= 1.0 && at > (turns ? start : -beside)) nearest = std::clamp(at, 0.0, nearest);
    return true;
  });
  rim_tree_.near(rim, end, beside, [&](std::uint32_t number) {
    const Rim& other = rims_[number];
    const Point edge = minus(other.to, other.from), apart = minus(other.from, rim);
    const double e = dot(edge, edge), m = dot(edge, way), spread = e - m * m;
    if (!(spread > 1e-3 * e)) return true;  // it runs along the way
    const double t = std::clamp((dot(apart, way) * m - dot(apart, edge)) / spread, 0.0, 1.0);
    const Point p = plus(apart, edge, t);
    const double at = dot(p, way);
    if (at > start && length(plus(p, way, -at)) < beside) nearest = std::min(nearest, at);
    return true;
  });
  return nearest;
}

// Of a rim there, in voxels. With links: on faces of voxels, none from .3 voxels beside them on, and of oblique surfaces.
double SheetRims::setback(const Point& at, const Point& normal) const {
  if (!linked_) return rim_setback;
  // Along the grid: to within 2.6 degrees, the bound of oblique walls in geometry_limit.cpp. The places follow from the static
  // field of a rim (docs/explanation/walls.md, section 6, rims; tests/physics/test_screens.cpp).
  constexpr double along_grid = 0.999, on_face = 0.1, between = 0.3;
  for (std::size_t d = 0; d < 3; ++d) {
    if (std::abs(normal[d]) < along_grid) continue;
    const double place = (at[d] - lattice_.position({0, 0, 0})[d]) / spacing_[d];
    const double part = (between - std::abs(place - std::round(place))) / (between - on_face);
    return rim_setback * std::clamp(part, 0.0, 1.0);
  }
  return oblique_setback;
}

// How far a line that crosses a facet there counts as open, 0..1: near to a rim of it, but not beyond half the gap
// there. `plate`: it crosses another face near by.
double SheetRims::cut_back(const Point& at, std::uint32_t triangle, bool plate) const {
  const Point own = normal(triangle);
  const double setback = this->setback(at, own) * mean_spacing_, width = mean_spacing_ / lines;
  double open = 0.0;
  rim_tree_.near(at, at, setback + width, [&](std::uint32_t number) {
    const Rim& rim = rims_[number];
    if (rim.turns && !plate) return true;
    const std::optional<Point> nearest = beside(rim.from, rim.to, at);
    if (!nearest) return true;
    const Point way = minus(*nearest, at);
    const double distance = length(way);
    if (distance >= setback + 0.5 * width || std::abs(dot(way, own)) > flat * mean_spacing_) return true;
    // A surface that goes on from the edge of another, in its plane, does not end there.
    if (std::abs(dot(own, normal(rim.triangle))) < alike || dot(way, rim.inward) > 0.0) return true;
    const Point unit = distance > 0.0 ? plus({}, way, 1.0 / distance) : minus({}, rim.inward);
    const double depth = std::min(setback, 0.5 * free_beyond(*nearest, unit, 2.0 * setback, rim.turns));
    open = std::max(open, std::clamp(0.5 + (depth - distance) / width, 0.0, 1.0));
    return open < 1.0;
  });
  return open;
}

// How far a cell's surfaces close the lines through the passage above it along `axis`, or below it. A surface lies
// between its cell's node, which is on the side of the cell's centre, and the next one beyond it.
void SheetRims::close_lines(const std::array<int, 3>& cell, std::size_t axis, bool above, const EndingFacets* ending,
                            Lines& into) const {
  const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  const Point low = lattice_.position({2 * cell[0], 2 * cell[1], 2 * cell[2]}),
              centre = lattice_.position({2 * cell[0] + 1, 2 * cell[1] + 1, 2 * cell[2] + 1});
  const std::vector<Hit> found = hits(low, axis, thinnest);
  for (std::size_t i = 0; i < found.size();) {
    std::size_t end = i + 1;
    while (end < found.size() && found[end].line == found[i].line) ++end;
    const std::span<const Hit> line(found.data() + i, end - i);
    i = end;
    // Its faces within the cell; those beyond show how thick it is.
    const auto within = [](const Hit& one) { return one.at >= 0.0 && one.at < 1.0; };
    const auto first = std::find_if(line.begin(), line.end(), within);
    if (first == line.end()) continue;
    const auto last = std::find_if(line.rbegin(), line.rend(), within).base() - 1;
    const auto at = [&](double along) {
      Point p = low;
      p[a] += (first->line % lines + 0.5) / lines * spacing_[a];
      p[b] += (first->line / lines + 0.5) / lines * spacing_[b];
      p[axis] += along * spacing_[axis];
      return p;
    };
    const auto is_above = [&](const Hit& one, double along) {
      const Point n = normal(one.triangle);
      return dot(minus(centre, at(along)), n) * n[axis] < 0.0;
    };
    const bool thin = last->at - first->at <= thinnest;
    const bool between = thin ? is_above(*first, 0.5 * (first->at + last->at)) == above
                              : is_above(*first, first->at) == above || is_above(*last, last->at) == above;
    if (!between) continue;
    double open = thin ? 1.0 : 0.0;
    bool divides = false;
    for (auto one = first; one <= last; ++one) {
      divides = divides || ending == nullptr || !ends(*ending, one->triangle);
      const bool plate = std::any_of(line.begin(), line.end(), [&](const Hit& other) {
        return other.triangle != one->triangle && std::abs(other.at - one->at) <= thinnest;
      });
      if (open > 0.0) open = std::min(open, cut_back(at(one->at), one->triangle, plate));
    }
    into.closed[first->line] = std::max(into.closed[first->line], 1.0 - open);
    if (divides) into.divided[first->line] = true;
  }
}

SheetRims::Passage SheetRims::passage(const std::array<int, 3>& cell, std::size_t axis,
                                      const std::array<const EndingFacets*, 2>& ending) const {
  Lines all;
  std::array<int, 3> next = cell;
  ++next[axis];
  close_lines(cell, axis, true, ending[0], all);
  close_lines(next, axis, false, ending[1], all);
  Passage sum;
  for (std::size_t l = 0; l < all.closed.size(); ++l) {
    if (all.divided[l])
      sum.reopened += (1.0 - all.closed[l]) / (lines * lines);
    else
      sum.closed += all.closed[l] / (lines * lines);
  }
  return sum;
}

double partly_closed(double open, const SheetRims::Passage& by) {
  const double at_most = std::min(1.0, open + by.reopened), closed = std::min(by.closed, at_most);
  if (closed > 0.0) return (at_most - closed) / (1.0 + rim_bend * closed / at_most);
  return by.reopened > 0.0 ? std::max(open, at_most / (1.0 + rim_bend * (1.0 - at_most))) : open;
}

}  // namespace fdtd
