#include "engine/pictures/canvas.hpp"

#include <algorithm>
#include <string>

#include "engine/pictures/fixed_font.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Rows of the picture, '#' where it has colour 1.
std::string drawing(const Canvas& canvas) {
  std::string rows;
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x)
      rows += canvas.pixels()[static_cast<std::size_t>(y) * static_cast<std::size_t>(canvas.width()) +
                              static_cast<std::size_t>(x)] == 1
                  ? '#'
                  : '.';
    rows += '\n';
  }
  return rows;
}

std::string written(const std::string& words, int scale = 1) {
  Canvas canvas(text_width(words, scale), letter_height * scale, 0);
  canvas.text(0, 0, words, scale, 1);
  return drawing(canvas);
}

}  // namespace

TEST_CASE("letters of a picture have the shapes of the font") {
  CHECK(written("4") ==
        "......\n"
        "......\n"
        "...#..\n"
        "...#..\n"
        "..##..\n"
        ".#.#..\n"
        ".#.#..\n"
        "#..#..\n"
        "#####.\n"
        "...#..\n"
        "...#..\n"
        "......\n"
        "......\n");
  CHECK(written("m 1 2") != written("m 2 1"));
  const std::string one = written("7"), twice = written("7", 2);
  CHECK(std::count(twice.begin(), twice.end(), '#') == 4 * std::count(one.begin(), one.end(), '#'));
}

TEST_CASE("letters beyond ASCII are drawn, those without a shape as question marks") {
  CHECK(written("\xc3\xa9") != written("?"));  // e with an acute accent
  CHECK(written("\xc3\xa9").size() == written("e").size());
  CHECK(written("\xe2\x82\xac") == written("?"));  // the euro is not in ISO 8859-1
  CHECK(written("\xff") == written("?"));          // no UTF-8
}

TEST_CASE("what lies outside a picture is left out") {
  Canvas canvas(4, 3, 0);
  canvas.fill(-2, -1, 3, 2, 1);
  CHECK(drawing(canvas) == "#...\n....\n....\n");
  canvas.fill(3, 2, 100, 100, 1);
  CHECK(drawing(canvas) == "#...\n....\n...#\n");
  canvas.fill(9, 9, 2, 2, 1);
  canvas.text(-100, -100, "far", 3, 1);
  canvas.disc(-50, 1, 3, 1);
  CHECK(drawing(canvas) == "#...\n....\n...#\n");
  Canvas framed(4, 4, 0);
  framed.frame(1, 1, 2, 2, 1, 1);
  CHECK(drawing(framed) == "####\n#..#\n#..#\n####\n");
}
