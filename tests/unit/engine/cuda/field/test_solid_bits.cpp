#include "engine/cuda/field/solid_bits.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("solid voxels as bits: rows of 16 bytes at a time, nothing beyond the grid") {
  std::mt19937 random(1);
  for (const int nx : {1, 7, 64, 127, 128, 129, 260}) {
    const std::array<int, 3> size = {nx, 3, 5};
    std::vector<char> air(static_cast<std::size_t>(nx) * 15);
    for (char& voxel : air) voxel = random() % 3 != 0;
    const std::vector<std::uint8_t> bits = cuda::pack_solids(AirMask(size, air));
    const auto row = static_cast<std::size_t>(cuda::solid_row_bytes(nx));
    CHECK(row % 16 == 0);
    CHECK(8 * row >= static_cast<std::size_t>(nx));
    REQUIRE(bits.size() == 15 * row);
    for (std::size_t line = 0; line < 15; ++line)
      for (std::size_t x = 0; x < 8 * row; ++x) {
        const bool solid = x < static_cast<std::size_t>(nx) && air[line * static_cast<std::size_t>(nx) + x] == 0;
        REQUIRE((bits[line * row + x / 8] >> (x % 8) & 1U) == (solid ? 1U : 0U));
      }
  }
}
