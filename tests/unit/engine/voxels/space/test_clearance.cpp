#include "engine/voxels/space/clearance.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("the clearance of a voxel is its chessboard distance to the next voxel with a closed link") {
  const std::array<int, 3> size = {9, 7, 5};
  OpenLinks open = all_open(size, size[2]);
  open[0].set(3, 2, 1, false);  // between voxels (2, 2, 1) and (3, 2, 1)
  const std::vector<std::uint8_t> found = clearances(size, open);
  std::size_t n = 0;
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      for (int x = 0; x < size[0]; ++x, ++n) {
        const int along = x < 2 ? 2 - x : x > 3 ? x - 3 : 0;
        CHECK(int{found[n]} == std::max({along, std::abs(y - 2), std::abs(z - 1)}));
      }
    }
  }
  for (const std::uint8_t one : clearances(size, all_open(size, size[2]))) CHECK(int{one} == widest_clearance);
}
