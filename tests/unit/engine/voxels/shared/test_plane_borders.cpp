#include "engine/voxels/shared/plane_borders.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("borders between shares of planes follow the surface, cover all planes, and may leave shares empty") {
  Mesh mesh = box_mesh({0, 0, 0}, {4.0, 4.0, 4.0});
  for (int i = 0; i < 12; ++i) {  // shelves in the lowest quarter
    const double z = 0.1 + 0.07 * i;
    add_quad(mesh, {Place{0.5, 0.5, z}, {3.5, 0.5, z}, {3.5, 3.5, z}, {0.5, 3.5, z}}, "shelf", unturned);
  }
  merge_vertices(mesh);
  for (const int count : {1, 2, 3, 50}) {
    const std::vector<int> borders = plane_borders(mesh, {40, 40, 40}, {0.1, 0.1, 0.1}, {0, 0, 0}, count);
    REQUIRE(borders.size() == static_cast<std::size_t>(count) + 1);
    CHECK(borders.front() == 0);
    CHECK(borders.back() == 40);
    CHECK(std::is_sorted(borders.begin(), borders.end()));
    if (count == 2) {
      CHECK(borders[1] > 4);
      CHECK(borders[1] < 14);
    }
  }
}
