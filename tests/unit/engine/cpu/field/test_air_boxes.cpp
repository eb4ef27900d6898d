#include "engine/cpu/field/air_boxes.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;
using namespace fdtd::test;

namespace {

constexpr int line = 16;

AirMask below(const std::array<int, 3>& size, double slope_y, double slope_z) {
  AirMask air = AirMask::walls(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      air.set_run(0, std::min(size[0], static_cast<int>(8.0 + slope_y * y + slope_z * z)), y, z);
  return air;
}

// How often each node lies in the boxes of blocks of `columns` x `layers` tiles, less the solid pieces of those tiles.
std::vector<int> visits(const AirBoxes& boxes, const Layout& layout, int columns, int layers, int& count) {
  std::vector<int> times(static_cast<std::size_t>(layout.length));
  const auto at = [&](std::ptrdiff_t offset) -> int& { return times[static_cast<std::size_t>(offset)]; };
  count = 0;
  for (int layer = 0; layer < layout.layers; layer += layers)
    for (int column = 0; column < layout.columns; column += columns) {
      const int columns_end = std::min(column + columns, layout.columns),
                layers_end = std::min(layer + layers, layout.layers);
      boxes.each(layout, column, columns_end, layer, layers_end, [&](const AirBox& box) {
        ++count;
        for (int z = box.z; z < box.z + box.planes; ++z)
          for (int y = box.y; y < box.y + box.rows; ++y)
            for (int x = box.x_begin; x < box.x_end; ++x) ++at(layout.offset(x, y, z));
      });
      for (int l = layer; l < layers_end; ++l) {
        const std::size_t begin = layout.first_tile(l);
        for (const SolidPiece& piece :
             boxes.solid(begin + static_cast<std::size_t>(column), begin + static_cast<std::size_t>(columns_end))) {
          REQUIRE(piece.count <= line);
          for (std::ptrdiff_t x = 0; x < piece.count; ++x) --at(piece.offset + x);
        }
      }
    }
  return times;
}

}  // namespace

TEST_CASE("boxes of air hold each air node once, and their solid nodes are listed once") {
  std::mt19937 random(11);
  const std::array<int, 3> size = {53, 23, 19};
  for (const double fraction : {1.0, 0.97, 0.5, 0.05, 0.0}) {
    for (const bool oblique : {false, true}) {
      const AirMask air = oblique ? below(size, 1.5, fraction) : AirMask(size, random_mask(size, fraction, random));
      const Layout layout(size, 2, sizeof(float));
      const AirBoxes boxes(air, layout, line);
      for (const auto& [columns, layers] : {std::pair{1, 1}, {3, 2}, {5, 1}, {100, 100}}) {
        CAPTURE(fraction, oblique, columns, layers);
        int count = 0;
        const std::vector<int> times = visits(boxes, layout, columns, layers, count);
        bool right = true;
        for (int z = 0; z < size[2]; ++z)
          for (int y = 0; y < size[1]; ++y)
            for (int x = 0; x < size[0]; ++x)
              right = right && times[static_cast<std::size_t>(layout.offset(x, y, z))] == (air(x, y, z) ? 1 : 0);
        CHECK(right);
      }
    }
  }
}

TEST_CASE("rows beside an oblique wall are one box of a tile, tiles filled alike one box of them all") {
  const std::array<int, 3> size = {300, 40, 40};
  const Layout layout(size, 1, sizeof(float));
  int count = 0;
  // The wall meets each row 2 nodes further on, but no plane.
  visits(AirBoxes(below(size, 2.0, 0.0), layout, line), layout, layout.columns, layout.layers, count);
  CHECK(count <= layout.columns);
  visits(AirBoxes(below(size, 2.0, 1.0), layout, line), layout, layout.columns, layout.layers, count);
  CHECK(count < 1.1 * layout.columns * layout.layers);
  visits(AirBoxes(AirMask(size), layout, line), layout, layout.columns, layout.layers, count);
  CHECK(count == 1);
  AirMask pillar(size, std::vector<char>(300 * 40 * 40, 1));
  for (int z = 0; z < 40; ++z)
    for (int y = 16; y < 24; ++y)
      for (int x = 100; x < 200; ++x) pillar.set(x, y, z, false);
  visits(AirBoxes(pillar, layout, line), layout, layout.columns, layout.layers, count);
  CHECK(count == 4);  // on its four sides
}
