// Area of oblique walls that moves a little inward.
#include "engine/walls/inward_walls.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("walls cut: the wall of a cut voxel moves inward along each axis in proportion to its normal", "[walls]") {
  // 4 x 4 x 1 voxels; the wall cuts node 10 = (2, 2, 0), its normal (0.6, -0.8, 0) outward.
  CutVoxels cut;
  cut.volumes = {{10, 0.5F}};
  cut.passages[0] = {{9, 0.9F}, {10, 0.3F}};
  cut.passages[1] = {{6, 0.1F}, {10, 0.9F}};
  const AirMask air({4, 4, 1});
  const auto moved = moved_inward(air, cut);
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].from == 10);
  CHECK(moved[0].to == 9);
  CHECK(moved[0].fraction == Approx(inward_fraction * 0.6));
  CHECK(moved[1].from == 10);
  CHECK(moved[1].to == 14);
  CHECK(moved[1].fraction == Approx(inward_fraction * 0.8));
  // The mean distance is the same for every normal.
  CHECK(moved[0].fraction * 0.6 + moved[1].fraction * 0.8 == Approx(inward_fraction));
}

TEST_CASE(
    "walls cut: the wall along the grid of a voxel with little air reads the next node, the more the less there is",
    "[walls]") {
  const AirMask air({5, 1, 1});
  const auto moved = [&](float volume, bool along_grid) {
    CutVoxels cut;
    cut.volumes = {{4, volume}};  // ends at a wall across x
    const std::vector<MovedWall> found = moved_inward(air, cut, {0.0, along_grid});
    if (found.empty()) return 0.0;
    REQUIRE(found.size() == 1);
    CHECK(found[0].from == 4);
    CHECK(found[0].to == 3);
    return found[0].fraction;
  };
  CHECK(moved(0.25F, true) == Approx(inward_fraction_along_grid(0.25)));
  CHECK(moved(0.05F, true) > 2.0 * moved(0.3F, true));
  CHECK(moved(0.05F, true) < 1.0);
  CHECK(moved(0.5F, true) == 0.0);
  CHECK(moved(0.9F, true) == 0.0);
  CHECK(moved(0.25F, false) == 0.0);
}

TEST_CASE("walls cut: no wall moves into wall, through a closed passage or away from a whole voxel", "[walls]") {
  CutVoxels cut;
  cut.volumes = {{0, 0.5F}, {2, 0.5F}};
  cut.passages[0] = {{2, 0.0F}};
  AirMask air({5, 1, 1});
  air.set(1, 0, 0, false);
  CHECK(moved_inward(air, cut).empty());
  CutVoxels whole;
  whole.passages[0] = {{2, 0.5F}};
  CHECK(moved_inward(AirMask({5, 1, 1}), whole).empty());
}

TEST_CASE("walls cut: areas that move inward keep their sum and material", "[walls]") {
  std::vector<BoundaryFace> faces = {{10, 0.8F, 3, 1}, {11, 1.0F, 3, 1}};
  move_walls(faces, {{10, 9, 0.1}, {10, 14, 0.2}});
  REQUIRE(faces.size() == 4);
  CHECK(faces[0].node == 9);
  CHECK(faces[0].area == Approx(0.08));
  CHECK(faces[1].area == Approx(0.56));
  CHECK(faces[3].node == 14);
  CHECK(faces[3].area == Approx(0.16));
  for (const BoundaryFace& face : faces) CHECK(face.material == 3);
}
