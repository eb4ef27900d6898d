#include "engine/facets/off_facets.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;

namespace {

// A room of 5 x 4 x 3 m with a table top at 0.8 m.
FacetRoom furnished() {
  Mesh mesh;
  test::add_box(mesh, {}, {5.0, 4.0, 3.0}, {"wall", "wall", "wall", "wall", "floor", "wall"});
  test::add_box(mesh, {2.0, 1.0, 0.75}, {3.0, 2.0, 0.8}, {"top", "top", "top", "top", "top", "top"});
  return facets_of_mesh(mesh, std::vector<std::uint16_t>(mesh.materials.size(), 0), 60.0);
}

void check_at(const Point& found, const Point& expected) {
  for (std::size_t d = 0; d < 3; ++d) CHECK(found[d] == Approx(expected[d]).margin(1e-9));
}

}  // namespace

TEST_CASE("a place on a wall is moved into the room, one in the air stays", "[facets]") {
  const FacetRoom room = furnished();
  check_at(off_facets(room, {1.0, 1.0, 0.0}), {1.0, 1.0, 1e-3});
  check_at(off_facets(room, {1.0, 1.0, -1e-8}), {1.0, 1.0, 1e-3});
  check_at(off_facets(room, {1.0, 1.0, 3.0}), {1.0, 1.0, 3.0 - 1e-3});
  check_at(off_facets(room, {0.0, 4.0, 0.0}), {1e-3, 4.0 - 1e-3, 1e-3});
  check_at(off_facets(room, {1.0, 1.0, 2e-4}), {1.0, 1.0, 1e-3});
  const Point air = {1.2, 1.7, 1.1};
  CHECK(off_facets(room, air) == air);
  // In the plane of the table top, but beside the table.
  const Point beside = {1.0, 1.5, 0.8};
  CHECK(off_facets(room, beside) == beside);
}

TEST_CASE("a place on a piece of furniture is above it, and not inside", "[facets]") {
  const FacetRoom room = furnished();
  check_at(off_facets(room, {2.5, 1.5, 0.8004}), {2.5, 1.5, 0.801});
  check_at(off_facets(room, {2.5, 1.5, 0.7497}), {2.5, 1.5, 0.749});
}
