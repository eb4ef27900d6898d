#include "engine/pictures/map_picture.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "engine/pictures/colour_map.hpp"
#include "engine/pictures/fixed_font.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/picture.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr Colour black{0, 0, 0}, grey{0x80, 0x80, 0x80}, gold{0xff, 0xd7, 0x00};

// 4 x 3 cells of 0.5 m from x = 1, y = 2 on; a wall in the upper right cell.
MapPicture example() {
  MapPicture map;
  map.title = "S1, 2.0 ms";
  map.quantity = "pressure (Pa)";
  map.cells = {4, 3};
  map.first = {1.25, 2.25};
  map.spacing = {0.5, 0.5};
  map.values = {-1, 0, 1, 2, -2, 0, 0, 0, 0, 0, 0, std::numeric_limits<double>::quiet_NaN()};
  map.low = -1.0;
  map.high = 1.0;
  map.diverging = true;
  map.pixels = 160;
  return map;
}

}  // namespace

TEST_CASE("cells of a map have the colours of their values, walls are grey with an outline") {
  const MapPicture map = example();
  REQUIRE(map_zoom(map) == 40);
  const Picture picture = picture_of(map_png(map));
  const auto [left, top] = picture.corner_of_map(160);
  const auto middle = [&, x0 = left, y0 = top](int x, int y) {
    return picture.at(x0 + 40 * x + 20, y0 + 40 * (2 - y) + 20);
  };
  const std::vector<Colour> colours = diverging_colours(251);
  CHECK(middle(0, 0) == colours.front());
  CHECK(middle(1, 0) == Colour{0xff, 0xff, 0xff});
  CHECK(middle(2, 0) == colours.back());
  CHECK(middle(3, 0) == colours.back());   // beyond the scale
  CHECK(middle(0, 1) == colours.front());  // second row from below
  CHECK(middle(3, 2) == grey);
  // Black along the two sides on which the wall meets air, one pixel thick, on the side of the wall.
  CHECK(picture.count(black, left + 120, top, 1, 40) == 40);
  CHECK(picture.count(black, left + 120, top + 39, 40, 1) == 40);
  CHECK(picture.count(black, left, top, 160, 120) == 79);
  CHECK(picture.count(grey, left, top, 160, 120) == 1600 - 79);
}

TEST_CASE("a map says what grey stands for where there is any") {
  MapPicture map = example();
  CHECK_FALSE(picture_of(map_png(map)).shows("grey: no place"));
  map.grey = "no place";
  CHECK(picture_of(map_png(map)).shows("grey: no place"));
  map.values.back() = 0.0;
  CHECK_FALSE(picture_of(map_png(map)).shows("grey: no place"));
}

TEST_CASE("the scale beside a map shows every colour between its ends") {
  const MapPicture map = example();
  const Picture picture = picture_of(map_png(map));
  const auto [left, top] = picture.corner_of_map(160);
  const std::vector<Colour> colours = diverging_colours(251);
  const int bar = left + 160 + 12 + 6;
  CHECK(picture.at(bar, top) == colours[249]);  // half a pixel below the end
  CHECK(picture.at(bar, top + 119) == colours[1]);
  CHECK(picture.at(bar, top + 60) != picture.at(bar, top + 30));
}

TEST_CASE("axes of a map are marked at round metres where these are") {
  const Picture picture = picture_of(map_png(example()));
  const auto [left, top] = picture.corner_of_map(160);
  // x from 1 to 3 m, 80 pixels a metre; y from 2 to 3.5 m. Below the frame and to the left of it.
  std::vector<int> across, up;
  for (int x = 0; x <= 160; ++x)
    if (picture.count(black, left + x, top + 121, 1, 5) == 5) across.push_back(x);
  for (int y = 0; y <= 120; ++y)
    if (picture.count(black, left - 6, top + 120 - y, 5, 1) == 5) up.push_back(y);
  CHECK(across == std::vector<int>{0, 80, 160});
  CHECK(up == std::vector<int>{0, 80});
}

TEST_CASE("a map is labelled with its title, its quantity, its axes, and the values at their marks") {
  MapPicture map = example();
  map.axes = {'y', 'z'};
  map.scale_bar = true;
  const Picture picture = picture_of(map_png(map));
  const auto [left, top] = picture.corner_of_map(160);
  for (const char* words : {"S1, 2.0 ms", "pressure (Pa)", "y (m)", "z (m)", "0.5 m"}) {
    INFO(words);
    REQUIRE(picture.places_of(words).size() == 1);
  }
  CHECK(picture.places_of("z (m)")[0][1] < top);        // the axis upwards at its upper end,
  CHECK(picture.places_of("y (m)")[0][1] > top + 120);  // the other at its right end
  CHECK_FALSE(picture.shows("x (m)"));
  const int below = top + 120 + 7 + letter_height / 2, beside = left - 9 - letter_width / 2;
  for (const int metres : {1, 2, 3}) CHECK(picture.shows_at(std::to_string(metres), left + 80 * (metres - 1), below));
  CHECK(picture.shows_at("2", beside, top + 120));
  CHECK(picture.shows_at("3", beside, top + 40));
  const int bar = left + 160 + 12 + 12 + 6;  // from -1 to 1 over 120 pixels
  CHECK(picture.shows_at("1", bar + letter_width / 2, top));
  CHECK(picture.shows_at("0", bar + letter_width / 2, top + 60));
  CHECK(picture.shows_at("-1", bar + letter_width, top + 120));
}

TEST_CASE("a source is marked at its place on a map, and the length below it is to scale") {
  MapPicture map = example();
  map.title.clear();
  const auto gold_at = [&](double x, double y) {
    map.marks = {{{x, y}, "S1"}};
    const Picture picture = picture_of(map_png(map));
    const auto [left, top] = picture.corner_of_map(160);
    return picture.at(left + static_cast<int>((x - 1.0) * 80.0), top + 120 - static_cast<int>((y - 2.0) * 80.0)) ==
           gold;
  };
  CHECK(gold_at(1.5, 2.5));
  CHECK(picture_of(map_png(map)).shows("S1"));
  CHECK(gold_at(2.75, 3.25));
  map.marks = {{{9.0, 2.5}, "far"}};  // not on the map
  Picture picture = picture_of(map_png(map));
  CHECK(picture.count(gold, 0, 0, picture.width, picture.height) == 0);
  map.scale_bar = true;
  picture = picture_of(map_png(map));
  const auto [left, top] = picture.corner_of_map(160);
  int longest = 0;
  for (int y = top + 130; y < picture.height; ++y)
    for (int run = 0, x = left; x < left + 160; ++x)
      longest = std::max(longest, run = picture.at(x, y) == black ? run + 1 : 0);
  CHECK(longest == 40);  // 0.5 m
}

TEST_CASE("a map of one value, and one of walls alone, are drawn") {
  MapPicture map = example();
  map.high = map.low;
  CHECK_NOTHROW(map_png(map));
  map.low = std::numeric_limits<double>::infinity();
  map.high = -map.low;
  map.values.assign(12, std::numeric_limits<double>::quiet_NaN());
  CHECK_NOTHROW(map_png(map));
}
