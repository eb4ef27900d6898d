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

TEST_CASE("a cell of a map stands at its receiver, in the colour of its value, and the source at its place") {
  Result result;
  result.recording.sources = {"other", "S"};
  result.source_positions = {{9.0, 9.0, 1.0}, {1.25, 2.75, 1.0}};
  std::vector<ShownFigures> all = grid(4, 3);
  for (ShownFigures& one : all)
    for (auto& values : one.octaves.values) values[5] = 0.5, values[6] = 0.08;  // D50, Ts
  const std::string html = figure_maps_html(result, all), edt = html.substr(0, html.find("</svg>\n<svg viewBox=\"0 0"));
  CHECK(html.find("D50, %, 500-1000 Hz") != std::string::npos);
  CHECK(html.find("1.20 m high: 50 to 50 %") != std::string::npos);
  CHECK(html.find("Ts, ms, 500-1000 Hz") != std::string::npos);
  CHECK(html.find("1.20 m high: 80 to 80 ms") != std::string::npos);
  CHECK(html.find("<title>S: 1.25, 2.75</title>") != std::string::npos);
  CHECK(html.find("other") == std::string::npos);
  // Colours ascend with EDT, which ascends with x: from cell to cell to the right, three receivers each.
  const std::string first = "class=\"cells\" d=\"M";
  std::vector<double> left;
  std::vector<std::string> colours;
  std::size_t at = edt.find(first);
  for (int column = 0; column < 4; ++column, at = edt.find(first, at + 1)) {
    REQUIRE(at != std::string::npos);
    const std::string path = edt.substr(at, edt.find("/>", at) - at);
    CHECK(count_of(path, "M") == 3);
    left.push_back(std::stod(path.substr(first.size(), 20)));
    colours.push_back(path.substr(path.find("fill=")));
  }
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(left[i] - left[i - 1] == Approx(left[1] - left[0]).margin(0.2));
    CHECK(left[i] > left[i - 1] + 20.0);
    CHECK(colours[i] != colours[i - 1]);
  }
  CHECK(colours.front().find("#440154") != std::string::npos);  // viridis from dark to light
  CHECK(colours.back().find("#fde725") != std::string::npos);
}

TEST_CASE("receivers that form no grid have no map") {
  CHECK(figure_maps_html({}, grid(5, 1)).empty());        // a line
  CHECK(figure_maps_html({}, grid(2, 2)).empty());        // too few
  CHECK(figure_maps_html({}, grid(4, 3, 0.13)).empty());  // unequal steps
  std::vector<ShownFigures> unplaced = grid(4, 3);
  for (ShownFigures& one : unplaced) one.placed = false;
  CHECK(figure_maps_html({}, unplaced).empty());
}

TEST_CASE("receivers beside a grid of the scene leave its map as it is") {
  std::vector<ShownFigures> all = grid(4, 3);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].receiver = fmt::format("plane_{:02}", i + 1);
  const std::string alone = figure_maps_html({}, all);
  REQUIRE(alone.find("EDT, s, 500-1000 Hz") != std::string::npos);
  ShownFigures beside = all.front();
  for (const double x : {1.37, 1.04, 2.0}) {  // off the steps, nearly on one, and on one
    beside.receiver = fmt::format("R{}", all.size());
    beside.at[0] = x;
    all.push_back(beside);
  }
  CHECK(figure_maps_html({}, all) == alone);
  // A second grid at the height has a map of its own.
  for (ShownFigures one : grid(3, 2)) {
    one.at[0] += 7.13;
    one.receiver = fmt::format("rear_{}", one.receiver.substr(1));
    all.push_back(one);
  }
  const std::string both = figure_maps_html({}, all);
  CHECK(both.find("S at 12 receivers of plane, 1.20 m high") != std::string::npos);
  CHECK(both.find("S at 6 receivers of rear, 1.20 m high") != std::string::npos);
}

TEST_CASE("cells of a map end at the walls, and a dot of its legend is no line") {
  Result result;
  result.recording.sources = {"S"};
  result.source_positions = {{1.25, 2.75, 1.0}};
  // Receivers from 1 to 2.5 m in steps of 0.5 m, walls at 0.9 and 2.7 m.
  result.surface.vertices = {{0.9, 0.0, 0.0}, {2.7, 9.0, 0.0}, {2.7, 0.0, 3.0}};
  const std::string html = figure_maps_html(result, grid(4, 3)),
                    edt = html.substr(0, html.find("</svg>\n<svg viewBox=\"0 0"));
  std::vector<double> widths;
  for (std::size_t at = edt.find("class=\"cells\""); at != edt.npos; at = edt.find("class=\"cells\"", at + 1))
    widths.push_back(std::stod(edt.substr(edt.find('h', at + 16) + 1, 10)));
  REQUIRE(widths.size() == 4);
  CHECK(widths[0] / widths[1] == Approx(0.35 / 0.5).margin(0.01));
  CHECK(widths[3] / widths[2] == Approx(0.45 / 0.5).margin(0.01));
  const std::size_t name = edt.find(">S</text>");
  REQUIRE(name != edt.npos);
  const std::string row = edt.substr(edt.rfind('\n', name), name - edt.rfind('\n', name));
  CHECK(row.find("<circle") != row.npos);
  CHECK(row.find("<line") == row.npos);
}

TEST_CASE("cells of a map end at a wall inside the box about the room") {
  Result result;
  // From wall to wall 0 to 9 m; one more at 1.6 m, between receivers at 1.5 and 2 m, from the floor to 3 m.
  result.surface.vertices = {{1.6, 0.0, 0.0}, {1.6, 9.0, 0.0}, {1.6, 9.0, 3.0},
                             {1.6, 0.0, 3.0}, {0.0, 0.0, 0.0}, {9.0, 9.0, 3.0}};
  result.surface.triangles = {{0, 1, 2}, {0, 2, 3}};
  result.surface.materials = {"wall"};
  result.surface.material = {0, 0};
  const std::string html = figure_maps_html(result, grid(4, 3)),
                    edt = html.substr(0, html.find("</svg>\n<svg viewBox=\"0 0"));
  std::vector<double> widths;
  for (std::size_t at = edt.find("class=\"cells\""); at != edt.npos; at = edt.find("class=\"cells\"", at + 1))
    widths.push_back(std::stod(edt.substr(edt.find('h', at + 16) + 1, 10)));
  REQUIRE(widths.size() == 4);
  CHECK(widths[1] / widths[0] == Approx(0.35 / 0.5).margin(0.01));
  CHECK(widths[2] / widths[0] == Approx(1.0).margin(0.01));
  CHECK(html.find("a cell a receiver; cells end at walls.") != html.npos);
}

}  // namespace fdtd::test
