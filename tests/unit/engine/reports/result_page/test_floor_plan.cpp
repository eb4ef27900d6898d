#include "engine/reports/result_page/floor_plan.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

// A floor of 4 x 2 m of two triangles.
Result floor_of() {
  Result result;
  result.surface = {{{0, 0, 0}, {4, 0, 0}, {4, 2, 0}, {0, 2, 0}}, {{0, 1, 2}, {0, 2, 3}}, {0, 0}, {"wood"}};
  result.source_positions = {{1.0, 0.5, 1.2}};
  result.receiver_positions = {{3.0, 1.5, 1.2}};
  return result;
}

// cx and cy of the mark with this tooltip.
std::pair<double, double> mark_at(const std::string& svg, const std::string& tooltip) {
  const std::size_t title = svg.find("<title>" + tooltip + "</title></circle>");
  REQUIRE(title != std::string::npos);
  const std::size_t circle = svg.rfind("<circle", title);
  return {std::stod(svg.substr(svg.find("cx=\"", circle) + 4, 20)),
          std::stod(svg.substr(svg.find("cy=\"", circle) + 4, 20))};
}

}  // namespace

TEST_CASE("the plan of a room has its edges, sources and receivers at their places, to one scale on both axes") {
  const Plot plan = places_plan(floor_of());
  REQUIRE(plan.series.size() == 3);
  std::size_t ends = 0;
  for (const auto& [x, y] : plan.series[0].points) {
    if (!std::isfinite(x)) continue;
    ++ends;
    CHECK((x == 0.0 || x == 4.0));
    CHECK((y == 0.0 || y == 2.0));
  }
  CHECK(ends == 8);  // four edges: not the diagonal between the triangles
  const std::string svg = to_svg(plan);
  const auto source = mark_at(svg, "source: 1, 0.5"), receiver = mark_at(svg, "receiver: 3, 1.5");
  CHECK(receiver.first - source.first > 100.0);  // px, to the right and above
  CHECK(receiver.first - source.first == Approx(2.0 * (source.second - receiver.second)).margin(0.3));
  CHECK(plan.x.low < 0.0);
  CHECK(plan.x.high > 4.0);
  CHECK(plan.y.low < 0.0);
  CHECK(plan.y.high > 2.0);
}

}  // namespace fdtd::test
