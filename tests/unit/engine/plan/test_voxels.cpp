#include "engine/plan/voxels.hpp"

#include <random>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;

namespace {

struct Face {
  std::uint64_t node;
  int side;
  bool operator==(const Face&) const = default;
};

// Every face by its definition: an air voxel whose neighbour on that side is not air.
std::vector<Face> faces_by_definition(const AirMask& air) {
  const int steps[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  std::vector<Face> faces;
  std::uint64_t node = 0;
  for (int z = 0; z < air.size()[2]; ++z) {
    for (int y = 0; y < air.size()[1]; ++y) {
      for (int x = 0; x < air.size()[0]; ++x, ++node) {
        for (int side = 0; side < 6 && air(x, y, z); ++side) {
          const auto& step = steps[side];
          if (!air(x + step[0], y + step[1], z + step[2])) faces.push_back({node, side});
        }
      }
    }
  }
  return faces;
}

std::vector<Face> faces_of(const Voxels& voxels) {
  std::vector<Face> faces;
  for (const BoundaryFace& face : voxels.faces) faces.push_back({face.node, face.side});
  return faces;
}

}  // namespace

TEST_CASE("A mask returns the voxels it was made of, and wall outside the grid") {
  std::mt19937 random(1);
  for (const int nx : {1, 63, 64, 65, 130}) {
    const AirMask air = test::random_mask({nx, 3, 2}, 0.6, random);
    std::int64_t count = 0;
    for (int z = -1; z <= 2; ++z) {
      for (int y = -1; y <= 3; ++y) {
        for (int x = -70; x <= nx + 3; ++x) {
          count += air(x, y, z) ? 1 : 0;
          const std::uint64_t bits = air.bits(x, y, z);
          for (int b = 0; b < 64; ++b) REQUIRE((bits >> b & 1U) == (air(x + b, y, z) ? 1U : 0U));
        }
      }
    }
    REQUIRE(air.count() == count);
  }
}

TEST_CASE("A box is all air without a word of memory until a voxel is set to wall") {
  AirMask air({1000, 1000, 1000});
  REQUIRE(air.all_air());
  REQUIRE(air.bytes() == 0);
  REQUIRE(air.count() == 1000000000);
  air.set(3, 4, 5, true);
  REQUIRE(air.all_air());

  AirMask small({70, 3, 3});
  for (int x = -64; x < 71; ++x) REQUIRE((small.bits(x, 1, 1) & 1U) == (small(x, 1, 1) ? 1U : 0U));
  small.set(69, 1, 2, false);
  REQUIRE_FALSE(small.all_air());
  REQUIRE_FALSE(small(69, 1, 2));
  REQUIRE(small(68, 1, 2));
  REQUIRE(small.count() == 70 * 9 - 1);
  REQUIRE(small.bits(64, 0, 0) == 63U);
  REQUIRE_THROWS(small.set(70, 0, 0, false));
  REQUIRE_THROWS(AirMask({0, 1, 1}));
}

TEST_CASE("Runs of air are maximal, ordered and complete") {
  std::mt19937 random(2);
  for (const int nx : {1, 64, 65, 128, 200}) {
    for (const double fraction : {0.05, 0.5, 0.95, 1.0}) {
      const AirMask air = test::random_mask({nx, 2, 2}, fraction, random);
      std::vector<AirMask::Run> runs;
      air.runs(1, 0, runs);
      std::vector<char> seen(static_cast<std::size_t>(nx), 0);
      for (const auto& run : runs) {
        REQUIRE(run.begin < run.end);
        REQUIRE_FALSE(air(run.begin - 1, 1, 0));
        REQUIRE_FALSE(air(run.end, 1, 0));
        for (int x = run.begin; x < run.end; ++x) seen[static_cast<std::size_t>(x)] = 1;
      }
      for (int x = 0; x < nx; ++x) REQUIRE((seen[static_cast<std::size_t>(x)] != 0) == air(x, 1, 0));
    }
  }
}

TEST_CASE("Every face between air and wall appears once, ordered by node and side") {
  std::mt19937 random(3);
  for (const double fraction : {0.1, 0.5, 0.9}) {
    const AirMask air = test::random_mask({67, 5, 4}, fraction, random);
    const Voxels voxels = voxels_of(air, {0.1, 0.2, 0.3}, "plaster");
    REQUIRE(faces_of(voxels) == faces_by_definition(air));
    REQUIRE(voxels.materials == std::vector<std::string>{"plaster"});
    REQUIRE(voxels.spacing[2] == 0.3);
  }
}

TEST_CASE("A box's faces carry the materials of its six walls") {
  for (const auto& size : {std::array<int, 3>{5, 4, 3}, {1, 1, 1}, {1, 6, 2}, {66, 2, 1}}) {
    const Voxels box = voxelise_box(size, {0.1, 0.1, 0.1}, {"a", "b", "a", "c", "b", "d"});
    REQUIRE(box.materials == std::vector<std::string>{"a", "b", "c", "d"});
    REQUIRE(faces_of(box) == faces_by_definition(AirMask(size)));
    const std::array<int, 6> material = {0, 1, 0, 2, 1, 3};
    for (const BoundaryFace& face : box.faces) REQUIRE(face.material == material[face.side]);
  }
}

TEST_CASE("A box of 10^9 voxels has faces for its surface alone") {
  const Voxels box = voxelise_box({1000, 1000, 1000}, {0.01, 0.01, 0.01}, {"w", "w", "w", "w", "w", "w"});
  REQUIRE(box.faces.size() == 6000000);
  REQUIRE(box.air.bytes() == 0);
  REQUIRE(box.faces.back().node == 999999999U);
}
