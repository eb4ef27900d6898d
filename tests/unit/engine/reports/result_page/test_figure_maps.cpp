#include "engine/reports/result_page/figure_maps.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

// Receivers of one source, at every place `at` of a grid of 4 x 3 steps of 0.5 m, with EDT = 1 s + 0.1 s x column.
std::vector<ShownFigures> grid(std::size_t columns, std::size_t rows, double skew = 0.0) {
  std::vector<ShownFigures> all;
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < columns; ++x) {
      ShownFigures one{"S", fmt::format("R{}", all.size()), {}, true, {{125.0, 500.0, 1000.0}, {}}};
      one.at = {1.0 + 0.5 * static_cast<double>(x) + skew * static_cast<double>(x * x * y),
                2.0 + 0.5 * static_cast<double>(y), 1.2};
      for (std::size_t band = 0; band < 3; ++band) {
        auto& values = one.octaves.values.emplace_back();
        values.fill(std::nan(""));
        values[0] = 1.0 + 0.1 * static_cast<double>(x);
        if (band == 0) values[1] = 0.7;
      }
      all.push_back(one);
    }
  return all;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("figures of receivers on a grid are maps, with a cell a receiver and their values beside the colours") {
  const std::string html = figure_maps_html({}, grid(4, 3));
  CHECK(html.find("S at 12 receivers, 1.20 m high") != std::string::npos);
  CHECK(html.find("EDT, s, 500-1000 Hz") != std::string::npos);
  CHECK(html.find("Map of EDT (500-1000 Hz) of S over 12 receivers 1.20 m high: 1 to 1.3 s") != std::string::npos);
  CHECK(html.find("T20, s, 125 Hz") != std::string::npos);  // the only octave that has it
  CHECK(count_of(html, "<svg viewBox=\"0 0") == 2);         // no figure but these
  CHECK(count_of(html, "class=\"cells\"") == 4 + 1);        // a colour a column of EDT, one of T20
  CHECK(html.find(">1.2</text>") != std::string::npos);     // of the colour scale
}

TEST_CASE("receivers that form no grid have no map") {
  CHECK(figure_maps_html({}, grid(5, 1)).empty());        // a line
  CHECK(figure_maps_html({}, grid(2, 2)).empty());        // too few
  CHECK(figure_maps_html({}, grid(4, 3, 0.13)).empty());  // unequal steps
  std::vector<ShownFigures> unplaced = grid(4, 3);
  for (ShownFigures& one : unplaced) one.placed = false;
  CHECK(figure_maps_html({}, unplaced).empty());
}

}  // namespace fdtd::test
