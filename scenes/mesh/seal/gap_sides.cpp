#include "scenes/mesh/seal/gap_sides.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "base/math/philox.hpp"
#include "base/parallel_failure.hpp"
#include "base/vectors.hpp"
#include "scenes/mesh/seal/point_on_triangle.hpp"
#include "scenes/mesh/tree/triangle_tree.hpp"

namespace fdtd {
namespace {

constexpr std::size_t walks = 12;       // from a side
constexpr std::size_t least_walks = 8;  // from the same places on both sides: a piece may cross a wall
constexpr std::uint32_t most_reflections = 192;
constexpr double diffuse = 0.2;         // of reflections; others follow channels to their ends
constexpr std::size_t most_points = 8;  // of those inside, at each reflection
constexpr double on_surface = 100.0;    // offsets
constexpr double offset = 1e-8;         // of the size of the mesh, from surfaces

// The findings of rays from a side.
struct Found {
  bool room = false, outside = false;
  std::vector<std::uint32_t> sides;  // of pieces, in the same space
};

// Sides 2 p and 2 p + 1 are of piece p, in front of its normals and behind them.
class Sides {
 public:
  Sides(const Mesh& mesh, const std::vector<GapPiece>& pieces, const std::vector<Point>& inside)
      : pieces_(pieces), inside_(inside), first_(static_cast<std::uint32_t>(mesh.triangles.size())) {
    std::vector<Point> vertices = mesh.vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles = mesh.triangles;
    for (std::uint32_t p = 0; p < pieces.size(); ++p)
      for (const Corners3& t : pieces[p].triangles) {
        const auto v = static_cast<std::uint32_t>(vertices.size());
        vertices.insert(vertices.end(), t.begin(), t.end());
        triangles.push_back({v, v + 1, v + 2});
        piece_.push_back(p);
      }
    std::vector<std::uint32_t> facets(triangles.size());
    std::iota(facets.begin(), facets.end(), 0U);
    alone_ = TriangleTree(mesh.vertices, mesh.triangles, {facets.begin(), facets.begin() + first_});
    tree_ = TriangleTree(std::move(vertices), std::move(triangles), std::move(facets));
    away_ = offset * norm(minus(mesh.high, mesh.low));
  }

  Found explore(std::uint32_t side) const {
    const GapPiece& piece = pieces_[side / 2];
    Found found;
    for (std::size_t w = 0; w < walks && (w < least_walks || (!found.room && !found.outside)); ++w)
      walk(piece.triangles[w % piece.triangles.size()], side, static_cast<std::uint32_t>(w), found);
    std::sort(found.sides.begin(), found.sides.end());
    found.sides.erase(std::unique(found.sides.begin(), found.sides.end()), found.sides.end());
    return found;
  }

 private:
  Point normal_of(const Corners3& t) const { return unit(cross(minus(t[1], t[0]), minus(t[2], t[0]))); }
  Corners3 corners(std::uint32_t triangle) const {
    const auto& [a, b, c] = tree_.triangles()[triangle];
    return {tree_.vertices()[a], tree_.vertices()[b], tree_.vertices()[c]};
  }

  // Of the cosine's distribution about a unit normal.
  static Point scattered(const Point& normal, double u, double v) {
    const Point other = std::abs(normal[0]) < 0.6 ? Point{1.0, 0.0, 0.0} : Point{0.0, 1.0, 0.0};
    const Point x = unit(cross(normal, other)), y = cross(normal, x);
    const double radius = std::sqrt(u), turn = 2.0 * std::numbers::pi * v;
    return unit(
        along(along(scaled(std::sqrt(1.0 - u), normal), radius * std::cos(turn), x), radius * std::sin(turn), y));
  }

  bool sees_inside(const Point& from, std::uint32_t number) const {
    const std::size_t count = std::min(most_points, inside_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Point& to = inside_[(number * count + i) % inside_.size()];
      const Point way = minus(to, from);
      const double distance = norm(way);
      if (!(distance > 0.0)) return true;
      if (!tree_.blocked(from, scaled(1.0 / distance, way), no_facet, distance * (1.0 - 1e-9))) return true;
    }
    return false;
  }

  // One ray from a triangle of a side, until it is known where it is.
  void walk(const Corners3& begin, std::uint32_t side, std::uint32_t number, Found& found) const {
    const PhiloxKey key = philox_key(std::uint64_t{1} << 32 | side, number);
    PhiloxCounter random = philox({0, 0, 0, 0}, philox_key(side / 2, number));
    double a = uniform(random[0]), b = uniform(random[1]);
    if (a + b > 1.0) a = 1.0 - a, b = 1.0 - b;
    Point normal = scaled(side % 2 == 0 ? 1.0 : -1.0, normal_of(begin));
    Point at = along(along(begin[0], a, minus(begin[1], begin[0])), b, minus(begin[2], begin[0]));
    if (alone_.distance(at, on_surface * away_) < on_surface * away_) return;  // a surface is there already
    at = along(at, away_, normal);
    Point direction = scattered(normal, uniform(random[2]), uniform(random[3]));
    for (std::uint32_t reflection = 0; reflection < most_reflections; ++reflection) {
      if (sees_inside(at, number + reflection)) {
        found.room = true;
        return;
      }
      const auto hit = tree_.hit(at, direction, no_facet, std::numeric_limits<double>::infinity());
      if (!hit) {
        found.outside = true;
        return;
      }
      const Point of = normal_of(corners(hit->triangle));
      const bool front = dot(of, direction) < 0.0;
      if (hit->triangle >= first_) found.sides.push_back(2 * piece_[hit->triangle - first_] + (front ? 0U : 1U));
      normal = front ? of : scaled(-1.0, of);
      at = along(along(at, hit->distance, direction), away_, normal);
      random = philox({reflection + 1, 0, 0, 0}, key);
      direction = uniform(random[0]) < diffuse ? scattered(normal, uniform(random[1]), uniform(random[2]))
                                               : unit(along(direction, -2.0 * dot(direction, normal), normal));
    }
  }

  const std::vector<GapPiece>& pieces_;
  const std::vector<Point>& inside_;
  std::uint32_t first_;               // triangle of a piece
  std::vector<std::uint32_t> piece_;  // of the triangles from there on
  TriangleTree tree_, alone_;         // with the pieces, and of the mesh
  double away_ = 0.0;
};

// The space on a side of a piece: sides of one number are of one space.
struct Space {
  enum class Kind { unknown, room, outside } kind = Kind::unknown;
  std::uint32_t number = 0;
};

std::uint32_t root_of(std::vector<std::uint32_t>& above, std::uint32_t v) {
  while (above[v] != v) v = above[v] = above[above[v]];
  return v;
}

// Sides from which rays have seen neither a room nor the outside belong to one of both, or together, by what they have
// met.
std::vector<Space> spaces(const std::vector<Found>& found) {
  using Kind = Space::Kind;
  const auto count = static_cast<std::uint32_t>(found.size());
  std::vector<std::uint32_t> above(count);
  std::iota(above.begin(), above.end(), 0U);
  const auto known = [&](std::uint32_t side) {
    return found[side].room ? Kind::room : found[side].outside ? Kind::outside : Kind::unknown;
  };
  for (std::uint32_t side = 0; side < count; ++side)
    for (const std::uint32_t other : found[side].sides) {
      if (known(side) != Kind::unknown || known(other) != Kind::unknown) continue;
      const std::uint32_t a = root_of(above, side), b = root_of(above, other);
      above[std::max(a, b)] = std::min(a, b);
    }
  std::vector<Kind> met(count, Kind::unknown);  // by root; a room before the outside
  const auto meet = [&](std::uint32_t side, Kind kind) {
    Kind& of = met[root_of(above, side)];
    if (kind == Kind::room || of == Kind::unknown) of = kind;
  };
  for (std::uint32_t side = 0; side < count; ++side)
    for (const std::uint32_t other : found[side].sides) {
      if (known(side) == Kind::unknown && known(other) != Kind::unknown) meet(side, known(other));
      if (known(side) != Kind::unknown && known(other) == Kind::unknown) meet(other, known(side));
    }
  std::vector<Space> space(count);
  for (std::uint32_t side = 0; side < count; ++side) {
    space[side].number = root_of(above, side);
    space[side].kind = known(side) != Kind::unknown ? known(side) : met[space[side].number];
  }
  return space;
}

}  // namespace

std::vector<bool> separating(const Mesh& mesh, const std::vector<GapPiece>& pieces, const std::vector<Point>& inside) {
  const auto count = static_cast<std::uint32_t>(2 * pieces.size());
  std::vector<Found> found(count);
  {
    const Sides sides(mesh, pieces, inside);
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 8)
    for (std::uint32_t side = 0; side < count; ++side) failure.guard([&] { found[side] = sides.explore(side); });
    failure.rethrow();
  }
  const std::vector<Space> space = spaces(found);
  std::vector<bool> outside(count);
  for (std::uint32_t side = 0; side < count; ++side) outside[side] = space[side].kind == Space::Kind::outside;
  // Spaces that pieces alone keep apart from the outside, and that are no rooms, are of it.
  std::vector<bool> open(count, false);  // by number of the space
  for (std::uint32_t side = 0; side < count; ++side)
    if (outside[side]) open[space[side].number] = true;
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t side = 0; side < count; ++side) {
      const Space &from = space[side], &to = space[side ^ 1U];
      if (!open[from.number] || open[to.number] || from.kind == Space::Kind::room || to.kind == Space::Kind::room)
        continue;
      open[to.number] = more = true;
    }
  }
  std::vector<bool> result(pieces.size());
  for (std::uint32_t side = 0; side < count; ++side) {
    const Space &here = space[side], &beyond = space[side ^ 1U];
    if (here.kind == Space::Kind::room && beyond.kind != Space::Kind::room && open[beyond.number])
      result[side / 2] = true;
  }
  return result;
}

}  // namespace fdtd
