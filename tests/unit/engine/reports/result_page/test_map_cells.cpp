// Cells of maps in a room that is no box: none reaches beyond a wall, and they fill the room.
#include "engine/reports/result_page/map_cells.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

using Place = std::array<double, 2>;

// The walls over a closed line, from the floor to 3 m.
RoomSurface walls_over(const std::vector<Place>& corners) {
  RoomSurface surface;
  surface.materials = {"wall"};
  for (const Place& at : corners)
    for (const double z : {0.0, 3.0}) surface.vertices.push_back({at[0], at[1], z});
  const auto count = static_cast<std::uint32_t>(corners.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t a = 2 * i, b = 2 * ((i + 1) % count);
    surface.triangles.push_back({a, b, b + 1});
    surface.triangles.push_back({a, b + 1, a + 1});
    surface.material.insert(surface.material.end(), 2, 0);
  }
  return surface;
}

double area_of(const CellRectangle& cell) { return (cell.high[0] - cell.low[0]) * (cell.high[1] - cell.low[1]); }

// 6 x 4 m without the quarter beyond (3.3, 1.8).
const std::vector<Place> ell = {{0.0, 0.0}, {6.0, 0.0}, {6.0, 1.8}, {3.3, 1.8}, {3.3, 4.0}, {0.0, 4.0}};
bool in_ell(double x, double y) { return x < 3.3 || y < 1.8; }

}  // namespace

TEST_CASE("cells of an L-shaped room end at its walls", "[reports]") {
  std::vector<Place> places;
  for (double x = 0.4; x < 6.0; x += 0.8)
    for (double y = 0.4; y < 4.0; y += 0.8)
      if (in_ell(x, y)) places.push_back({x, y});
  const std::vector<CellRectangle> cells = map_cells(walls_over(ell), places, 1.2, {0.8, 0.8});
  REQUIRE(cells.size() == places.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellRectangle& cell = cells[i];
    CAPTURE(places[i][0], places[i][1], cell.low[0], cell.high[0], cell.low[1], cell.high[1]);
    for (std::size_t d = 0; d < 2; ++d) {
      CHECK(cell.low[d] < places[i][d]);
      CHECK(cell.high[d] > places[i][d]);
      CHECK(cell.high[d] - cell.low[d] < 0.8 + 1e-9);
    }
    CHECK((cell.high[0] < 3.3 + 1e-9 || cell.high[1] < 1.8 + 1e-9));
    CHECK((cell.high[0] < 6.0 + 1e-9 && cell.high[1] < 4.0 + 1e-9));
  }
  // A cell between walls is whole; the one in front of the inner wall ends there, over its whole width.
  const auto at = [&](double x, double y) {
    const auto found =
        std::ranges::find_if(places, [&](const Place& p) { return std::hypot(p[0] - x, p[1] - y) < 1e-6; });
    REQUIRE(found != places.end());
    return cells[static_cast<std::size_t>(found - places.begin())];
  };
  CHECK(area_of(at(1.2, 2.0)) == Approx(0.64));
  CHECK(at(4.4, 1.2).high[1] == Approx(1.6));
  CHECK(at(2.8, 2.8).high[0] == Approx(3.2));
}

TEST_CASE("cells end at a wall between them and the next receiver, and at the walls of a small room", "[reports]") {
  const std::vector<Place> places = {{1.0, 1.0}, {2.0, 1.0}, {3.0, 1.0}};
  const auto beside = [&](const RoomSurface& surface, double height) {
    return map_cells(surface, places, height, {1.0, 1.0});
  };
  // The wall of x = 1.4 is in front of the cell's end, 1.5; the one of x = 2.7 cuts the third from the left.
  RoomSurface walls = walls_over({{0.0, 0.0}, {9.0, 0.0}, {9.0, 9.0}, {0.0, 9.0}});
  for (const double x : {1.4, 2.7}) {
    const auto first = static_cast<std::uint32_t>(walls.vertices.size());
    walls.vertices.insert(walls.vertices.end(), {{x, 0.0, 0.0}, {x, 9.0, 0.0}, {x, 9.0, 2.0}});
    walls.triangles.push_back({first, first + 1, first + 2});
    walls.material.push_back(0);
  }
  // At this height a wall of the triangle is from y = 0.9 to 9 m: it is beside the receiver.
  const std::vector<CellRectangle> low = beside(walls, 0.2);
  CHECK(low[0].high[0] == Approx(1.4));
  CHECK(low[1].low[0] == Approx(1.5));
  CHECK(low[1].high[0] == Approx(2.5));
  CHECK(low[2].low[0] == Approx(2.7));
  // It is not there above its top.
  CHECK(beside(walls, 2.5)[0].high[0] == Approx(1.5));
  CHECK(beside({}, 1.0)[0].high[0] == Approx(1.5));
}

TEST_CASE("an oblique wall cuts cells in front of it", "[reports]") {
  // A triangle below the line x + y = 4.
  const RoomSurface corner = walls_over({{0.0, 0.0}, {4.0, 0.0}, {0.0, 4.0}});
  std::vector<Place> places;
  for (double x = 0.25; x < 4.0; x += 0.5)
    for (double y = 0.25; y < 4.0; y += 0.5)
      if (x + y < 3.9) places.push_back({x, y});
  double sum = 0.0;
  for (const CellRectangle& cell : map_cells(corner, places, 1.0, {0.5, 0.5})) {
    CHECK(cell.high[0] + cell.high[1] < 4.0 + 0.5 / 32.0);
    sum += area_of(cell);
  }
  CHECK(sum > 0.8 * 8.0);
  CHECK(sum < 8.0);
}

}  // namespace fdtd::test
