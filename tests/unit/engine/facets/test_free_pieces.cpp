#include "engine/facets/free_pieces.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;

namespace {

FacetRoom room_of(const Mesh& mesh) { return facets_of_mesh(mesh, std::vector<std::uint16_t>(2, 0), 100.0); }

double length_of(const FacetRoom& room, std::uint32_t facet, const Point& normal) {
  std::vector<std::uint32_t> triangles;
  for (std::uint32_t t = 0; t < room.facet_of_triangle.size(); ++t)
    if (room.facet_of_triangle[t] == facet) triangles.push_back(t);
  double length = 0.0;
  for (const FreePiece& one : free_pieces(room, triangles, normal))
    length += std::hypot(one.to[0] - one.from[0], one.to[1] - one.from[1], one.to[2] - one.from[2]);
  return length;
}

}  // namespace

TEST_CASE("the rim of a desk is free, that of a wall and of a part of a surface is not") {
  Mesh mesh;
  test::add_box(mesh, {0, 0, 0}, {6, 6, 5}, {"wall", "wall", "wall", "wall", "wall", "wall"});
  test::add_box(mesh, {2.6, 2.35, 1.48}, {3.4, 3.65, 2.2}, {"desk", "desk", "desk", "desk", "desk", "desk"});
  merge_vertices(mesh);
  const FacetRoom room = room_of(mesh);
  for (std::uint32_t f = 0; f < room.facets.size(); ++f) {
    const Facet& one = room.facets[f];
    CAPTURE(f, one.area, one.normal[2]);
    if (std::abs(std::abs(one.normal[2]) - 1.0) > 1e-9) continue;
    const double up = std::copysign(1.0, one.normal[2]), z = one.offset * up;
    if (std::abs(z - 2.2) < 1e-9) CHECK(length_of(room, f, {0, 0, 1}) == Approx(4.2));
    if (std::abs(z) < 1e-9) CHECK(length_of(room, f, {0, 0, 1}) == 0.0);
  }
}
