#include "engine/rays/receivers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/philox.hpp"
#include "tests/support/catch.hpp"

namespace fdtd {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : key_(philox_key(seed, 0)) {}
  double operator()(double low, double high) {
    return low + (high - low) * uniform(philox({count_++, 0, 0, 0}, key_)[0]);
  }
  Point point(const Point& low, const Point& high) {
    Point at;
    for (std::size_t d = 0; d < 3; ++d) at[d] = (*this)(low[d], high[d]);
    return at;
  }
  Point direction() {
    const double z = (*this)(-1.0, 1.0), turn = 2.0 * std::numbers::pi * (*this)(0.0, 1.0);
    const double r = std::sqrt(1.0 - z * z);
    return {r * std::cos(turn), r * std::sin(turn), z};
  }

 private:
  PhiloxKey key_{};
  std::uint32_t count_ = 0;
};

void add_quad(Mesh& mesh, const std::array<Point, 4>& corners) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
  mesh.triangles.push_back({first, first + 2, first + 3});
}

void add_block(Mesh& mesh, const Point& low, const Point& high) {
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t d = side / 2, u = (d + 1) % 3, v = (d + 2) % 3;
    std::array<Point, 4> quad;
    for (std::size_t i = 0; i < 4; ++i) {
      quad[i][d] = side % 2 == 0 ? low[d] : high[d];
      quad[i][u] = i == 1 || i == 2 ? high[u] : low[u];
      quad[i][v] = i >= 2 ? high[v] : low[v];
    }
    add_quad(mesh, quad);
  }
}

// A room with a table, a cupboard and an inclined board, its corner anywhere; `chips`: small triangles on the floor.
FacetRoom furnished_room(const Point& corner, int chips) {
  Mesh mesh;
  mesh.materials = {"wall"};
  add_block(mesh, {0.0, 0.0, 0.0}, {4.2, 3.3, 2.6});
  add_block(mesh, {1.6, 1.1, 0.7}, {3.0, 1.9, 0.74});
  add_block(mesh, {0.1, 1.9, 0.1}, {0.5, 3.1, 2.1});
  add_quad(mesh, {Point{1.0, 0.8, 2.0}, {3.0, 0.8, 2.0}, {3.0, 2.4, 2.45}, {1.0, 2.4, 2.45}});
  for (int i = 0; i < chips; ++i) {
    const double x = 2.0 + 0.05 * i;
    add_quad(mesh, {Point{x, 2.2, 0.2}, {x + 0.04, 2.2, 0.25}, {x + 0.04, 2.3, 0.25}, {x, 2.3, 0.2}});
  }
  for (Point& vertex : mesh.vertices) vertex = plus(vertex, corner);
  mesh.material.assign(mesh.triangles.size(), 0);
  return facets_of_mesh(mesh, {0}, 30.0, false);
}

struct Met {
  std::uint32_t receiver = 0;
  double middle = 0.0, length = 0.0;
  bool operator==(const Met&) const = default;
};

// All spheres by their definition, in a loop.
std::vector<Met> by_loop(const FacetRoom& room, const ReceiverBalls& balls, const Point& from, const Point& direction,
                         double begin, double end) {
  std::vector<Met> met;
  for (std::uint32_t r = 0; r < balls.size(); ++r) {
    const Point way = minus(balls[r].centre, from);
    const double nearest = dot(way, direction);
    const double square = balls[r].radius * balls[r].radius - (dot(way, way) - nearest * nearest);
    if (!(square > 0.0)) continue;
    const double enter = std::max(begin, nearest - std::sqrt(square)),
                 leave = std::min(end, nearest + std::sqrt(square));
    if (!(leave > enter)) continue;
    const double middle = 0.5 * (enter + leave);
    if (room.tree.distance(balls[r].centre, balls[r].radius) < balls[r].radius &&
        !room.tree.free_between(balls[r].centre, along(from, middle, direction), no_facet, no_facet))
      continue;
    met.push_back({r, middle, leave - enter});
  }
  return met;
}

}  // namespace

TEST_CASE("a ray meets the spheres that a loop over all of them meets, on the same chords") {
  for (const double away : {0.0, 3000.0}) {
    for (const int chips : {0, 30}) {
      const Point corner = {away, -0.7 * away, 0.2 * away}, opposite = plus(corner, {4.2, 3.3, 2.6});
      const FacetRoom room = furnished_room(corner, chips);
      for (const int count : {3, 5, 9, 70, 700}) {
        Draw draw(static_cast<std::uint64_t>(count));
        std::vector<RayReceiver> receivers;
        for (int r = 0; r < count; ++r)
          receivers.push_back({draw.point(corner, opposite), draw(0.1, 0.4), false, draw(0.2, 0.9)});
        if (count > 10) receivers[7].position = receivers[8].position = receivers[9].position;
        const RayReceivers balls(room, receivers);
        std::size_t met = 0, cut = 0;
        for (int ray = 0; ray < 300; ++ray) {
          const Point from = draw.point(corner, opposite), direction = draw.direction();
          const double begin = draw(0.0, 1.0), end = begin + draw(0.0, 4.0);
          for (const ReceiverBalls* const some : {&balls.early(), &balls.late()}) {
            std::vector<Met> found;
            some->on(from, direction, begin, end, [&](std::uint32_t r, const ReceiverBall& ball, const Chord& chord) {
              found.push_back({r, chord.middle, chord.length});
              cut += ball.cut ? 1 : 0;
            });
            std::ranges::sort(found, {}, &Met::receiver);
            const std::vector<Met> expected = by_loop(room, *some, from, direction, begin, end);
            REQUIRE(found == expected);
            met += found.size();
          }
        }
        CHECK(met > static_cast<std::size_t>(3 * count));
        CHECK(cut > met / 10);
        CHECK(cut < met);
      }
    }
  }
}

TEST_CASE("the air of a sphere is the part of it that its centre sees") {
  const FacetRoom room = furnished_room({}, 30);
  // In the open; half of it below the floor; on both sides of the table top, 0.04 m thick and larger than the sphere.
  const RayReceivers balls(
      room, std::vector<RayReceiver>{
                {{3.5, 0.6, 1.3}, 0.3, false}, {{3.5, 0.6, 1e-5}, 0.3, false}, {{2.3, 1.5, 0.75}, 0.3, false}});
  const double whole = 4.0 / 3.0 * std::numbers::pi * 0.027;
  CHECK(balls[0].air == Approx(whole).epsilon(1e-12));
  CHECK(balls[1].air == Approx(0.5 * whole).epsilon(0.01));
  const double height =
      0.31 * 0.31 * (0.9 - 0.31) * std::numbers::pi / 3.0;  // of the cap above the table, h2 (3 r - h)
  CHECK(balls[2].air == Approx(height).epsilon(0.02));
}

}  // namespace fdtd
