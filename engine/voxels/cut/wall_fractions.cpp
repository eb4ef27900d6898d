#include "engine/voxels/cut/wall_fractions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "scenes/mesh/mesh_weld.hpp"

namespace fdtd {
namespace {

using Position = std::array<double, 3>;

double product(const Position& a, const Position& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::array<Position, 3> corners_of(const Mesh& mesh, std::size_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return {mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
}

// The part on one side of a plane across axis d.
std::vector<Position> clipped(const std::vector<Position>& polygon, std::size_t d, double border, bool above) {
  std::vector<Position> kept;
  const auto depth = [&](const Position& p) { return above ? p[d] - border : border - p[d]; };
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Position &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double from = depth(p), to = depth(q);
    if (from >= 0.0) kept.push_back(p);
    if ((from >= 0.0) == (to >= 0.0)) continue;
    const double t = from / (from - to);
    Position x{};
    for (std::size_t e = 0; e < 3; ++e) x[e] = p[e] + t * (q[e] - p[e]);
    kept.push_back(x);
  }
  return kept;
}

double area_of(const std::vector<Position>& polygon) {
  Position twice{};
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
      twice[d] += (polygon[i][a] - polygon[0][a]) * (polygon[i + 1][b] - polygon[0][b]) -
                  (polygon[i][b] - polygon[0][b]) * (polygon[i + 1][a] - polygon[0][a]);
    }
  }
  return 0.5 * std::sqrt(product(twice, twice));
}

std::vector<Position> within(std::vector<Position> polygon, const Position& low, const Position& high) {
  for (std::size_t d = 0; d < 3 && !polygon.empty(); ++d)
    polygon = clipped(clipped(polygon, d, low[d], true), d, high[d], false);
  return polygon;
}

// Does a triangle, in the plane of p, have it?
bool has(const std::array<Position, 3>& triangle, const Position& p) {
  Position u{}, v{}, w{};
  for (std::size_t d = 0; d < 3; ++d)
    u[d] = triangle[1][d] - triangle[0][d], v[d] = triangle[2][d] - triangle[0][d], w[d] = p[d] - triangle[0][d];
  const double uu = product(u, u), uv = product(u, v), vv = product(v, v), uw = product(u, w), vw = product(v, w);
  const double scale = uu * vv - uv * uv;
  if (!(scale > 0.0)) return false;
  const double s = (vv * uw - uv * vw) / scale, t = (uu * vw - uv * uw) / scale;
  return s > 0.0 && t > 0.0 && s + t < 1.0;
}

Position middle_of(const std::vector<Position>& polygon) {
  Position sum{};
  for (const Position& p : polygon)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += p[d] / static_cast<double>(polygon.size());
  return sum;
}

std::vector<AxisBox> boxes_of_facets(const Mesh& mesh) {
  std::vector<AxisBox> boxes;
  boxes.reserve(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    AxisBox box;
    const auto c = corners_of(mesh, t);
    for (std::size_t d = 0; d < 3; ++d) std::tie(box.low[d], box.high[d]) = std::minmax({c[0][d], c[1][d], c[2][d]});
    boxes.push_back(box);
  }
  return boxes;
}

void add_wall(std::vector<CutWall>& walls, std::uint32_t facet, std::uint16_t material, std::uint8_t side, double area,
              const Position& out) {
  if (!(area > 0.0)) return;
  auto wall = std::find_if(walls.begin(), walls.end(),
                           [&](const CutWall& one) { return one.material == material && one.side == side; });
  if (wall == walls.end()) wall = walls.insert(walls.end(), {material, side, 0.0, {}, facet});
  wall->area += area;
  for (std::size_t d = 0; d < 3; ++d) wall->outward[d] += area * out[d];
}

}  // namespace

double clipped_area(const std::array<Position, 3>& triangle, const Position& low, const Position& high) {
  return area_of(within({triangle.begin(), triangle.end()}, low, high));
}

WallFractions::WallFractions(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                             const std::vector<std::array<float, 3>>& normals)
    : mesh_(mesh),
      lattice_(lattice),
      spacing_(spacing),
      mean_spacing_(std::cbrt(spacing[0] * spacing[1] * spacing[2])),
      normals_(normals),
      facets_(boxes_of_facets(mesh)) {}

void WallFractions::mark(AirMask& cells) const {
  constexpr double flat = 0.9;  // cosine between facets of one surface
  if (std::ranges::all_of(mesh_.material, [&](std::uint16_t m) { return m == mesh_.material.front(); })) return;
  const double tolerance = weld_tolerance(mesh_);
  const std::vector<std::uint32_t> stands_for = weld(mesh_, tolerance, weld_finely(mesh_, tolerance));
  struct Edge {
    std::uint32_t low, high, facet;
    bool operator<(const Edge& o) const { return std::tie(low, high, facet) < std::tie(o.low, o.high, o.facet); }
  };
  std::vector<Edge> edges;
  for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = stands_for[mesh_.triangles[t][k]], b = stands_for[mesh_.triangles[t][(k + 1) % 3]];
      if (a != b) edges.push_back({std::min(a, b), std::max(a, b), t});
    }
  }
  std::sort(edges.begin(), edges.end());
  const Position first = lattice_.position({0, 0, 0});
  const auto& size = lattice_.cells();
  const PlaneRange& planes = lattice_.planes();
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low && edges[end].high == edges[i].high) ++end;
    const Edge &one = edges[i], &other = edges[end - 1];
    const bool goes_on = end - i == 2 && mesh_.material[one.facet] == mesh_.material[other.facet] && [&] {
      const auto &n = normals_[one.facet], &m = normals_[other.facet];
      return std::abs(static_cast<double>(n[0] * m[0] + n[1] * m[1] + n[2] * m[2])) > flat;
    }();
    i = end;
    if (goes_on) continue;
    const Position &from = mesh_.vertices[one.low], &to = mesh_.vertices[one.high];
    // Points an eighth of a voxel apart, within the grid, each with a box that reaches the next.
    double begin = 0.0, stop = 1.0, steps = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double way = to[d] - from[d], low = first[d] - spacing_[d] - from[d],
                   high = first[d] + (size[d] + 1) * spacing_[d] - from[d];
      if (way == 0.0) {
        if (low > 0.0 || high < 0.0) stop = -1.0;
        continue;
      }
      begin = std::max(begin, std::min(low / way, high / way));
      stop = std::min(stop, std::max(low / way, high / way));
      steps = std::max(steps, std::ceil(8.0 * std::abs(way) / spacing_[d]));
    }
    if (!(begin <= stop)) continue;
    constexpr double reach = 0.0626;
    for (auto s = static_cast<std::int64_t>(begin * steps); static_cast<double>(s) <= stop * steps; ++s) {
      std::array<int, 3> low{}, high{};
      for (std::size_t d = 0; d < 3; ++d) {
        const double at = (from[d] + static_cast<double>(s) / steps * (to[d] - from[d]) - first[d]) / spacing_[d];
        low[d] = std::max(0, static_cast<int>(std::floor(at - reach)));
        high[d] = std::min(size[d] - 1, static_cast<int>(std::floor(at + reach)));
      }
      for (int z = std::max(low[2], planes.begin); z <= std::min(high[2], planes.end - 1); ++z)
        for (int y = low[1]; y <= high[1]; ++y)
          for (int x = low[0]; x <= high[0]; ++x) cells.set(x, y, z - planes.begin, true);
    }
  }
}

double WallFractions::Plane::sum() const { return std::accumulate(areas.begin(), areas.end(), 0.0); }

// The planes of walls that face one way, the foremost first.
std::vector<WallFractions::Plane> WallFractions::planes_of(const std::vector<const CutWall*>& seen) const {
  constexpr double same = 1e-3;  // in voxels
  std::vector<Plane> planes;
  for (const CutWall* wall : seen) {
    Position out{};
    for (std::size_t d = 0; d < 3; ++d) out[d] = wall->outward[d] / wall->area;
    const double at = product(out, mesh_.vertices[mesh_.triangles[wall->facet][0]]);
    auto plane = std::ranges::find_if(planes, [&](const Plane& one) {
      return product(one.out, out) > 1.0 - 1e-6 && std::abs(one.at - at) < same * mean_spacing_;
    });
    if (plane == planes.end()) plane = planes.insert(planes.end(), {out, at, 0.0, {}, {}});
    plane->seen += wall->area;
    plane->facets.push_back(wall->facet);
  }
  std::ranges::stable_sort(planes, {}, &Plane::at);
  return planes;
}

// The facets of a plane in a cell, with their areas there: those that lines cross, and where `all`, others beside them.
// Of facets that lie upon each other only those that lines cross are known to face the air.
void WallFractions::clip(const std::array<int, 3>& cell, bool all, Plane& plane) const {
  constexpr double same = 1e-3;
  const Position low = lattice_.position({2 * cell[0], 2 * cell[1], 2 * cell[2]});
  Position high{}, centre{};
  for (std::size_t d = 0; d < 3; ++d) high[d] = low[d] + spacing_[d], centre[d] = low[d] + 0.5 * spacing_[d];
  std::ranges::sort(plane.facets);
  plane.facets.erase(std::unique(plane.facets.begin(), plane.facets.end()), plane.facets.end());
  std::vector<Position> middles;
  const auto polygon_of = [&](std::uint32_t t) {
    const auto corners = corners_of(mesh_, t);
    return within({corners.begin(), corners.end()}, low, high);
  };
  for (const std::uint32_t t : plane.facets) {
    const std::vector<Position> polygon = polygon_of(t);
    plane.areas.push_back(area_of(polygon));
    if (!polygon.empty()) middles.push_back(middle_of(polygon));
  }
  if (!all) return;
  const std::vector<std::uint32_t> seen = plane.facets;
  std::vector<std::uint32_t> near;
  const double reach = 0.5 * std::max({spacing_[0], spacing_[1], spacing_[2]});
  facets_.near(centre, centre, reach, [&](std::uint32_t t) {
    const auto& n = normals_[t];
    const double along = plane.out[0] * static_cast<double>(n[0]) + plane.out[1] * static_cast<double>(n[1]) +
                         plane.out[2] * static_cast<double>(n[2]);
    if (std::abs(along) > 1.0 - 1e-6 && !std::ranges::binary_search(seen, t) &&
        std::abs(product(plane.out, mesh_.vertices[mesh_.triangles[t][0]]) - plane.at) < same * mean_spacing_)
      near.push_back(t);
    return true;
  });
  std::ranges::sort(near);
  for (const std::uint32_t t : near) {
    const std::vector<Position> polygon = polygon_of(t);
    if (polygon.empty()) continue;
    const Position middle = middle_of(polygon);
    const auto corners = corners_of(mesh_, t);
    const bool upon = std::ranges::any_of(seen, [&](std::uint32_t o) { return has(corners_of(mesh_, o), middle); }) ||
                      std::ranges::any_of(middles, [&](const Position& p) { return has(corners, p); });
    if (upon) continue;
    plane.facets.push_back(t);
    plane.areas.push_back(area_of(polygon));
  }
}

// Of planes that face one way, the foremost first: nothing hides a plane before the others, and those have what lines say
// of all, less its area.
void WallFractions::divide(std::span<const Plane> planes, std::uint8_t side, bool free,
                           std::vector<CutWall>& walls) const {
  constexpr double max_error = 0.75;  // in faces, of lines about one plane
  const double face = mean_spacing_ * mean_spacing_;
  double left = 0.0;
  for (const Plane& plane : planes) left += plane.seen;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const Plane& plane = planes[p];
    const double sum = plane.sum();
    const bool last = p + 1 == planes.size(), known = std::abs(sum - plane.seen) < max_error * face;
    double area = plane.seen;
    if (free)
      area = known ? sum : area;
    else if (last)
      area = std::max(0.0, left);
    else if (known)
      area = std::min(sum, left);
    left -= area;
    for (std::size_t f = 0; f < plane.facets.size(); ++f)
      add_wall(walls, plane.facets[f], mesh_.material[plane.facets[f]], side,
               sum > 0.0 ? area * plane.areas[f] / sum : area / static_cast<double>(plane.facets.size()), plane.out);
  }
}

std::vector<CutWall> WallFractions::divided(const std::array<int, 3>& cell, const std::vector<CutWall>& seen,
                                            bool free) const {
  constexpr double parallel = 0.999;
  std::vector<CutWall> walls;
  for (std::uint8_t side = 0; side < 6; ++side) {
    std::vector<const CutWall*> of_side;
    for (const CutWall& wall : seen)
      if (wall.side == side && wall.area > 0.0) of_side.push_back(&wall);
    if (of_side.empty()) continue;
    std::vector<Plane> planes = planes_of(of_side);
    for (Plane& plane : planes) clip(cell, !free, plane);
    while (!planes.empty()) {
      const Position out = planes.front().out;
      // Not std::ranges::stable_partition: Clang 14 cannot compile its result.
      const auto others = std::stable_partition(planes.begin(), planes.end(),
                                                [&](const Plane& one) { return product(one.out, out) > parallel; });
      divide(std::span(planes.begin(), others), side, free, walls);
      planes.erase(planes.begin(), others);
    }
  }
  return walls;
}

}  // namespace fdtd
