#include "engine/reports/result_page/wall_dips.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/notches/notch_fields.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

PairNotches two_notches() {
  PairNotches pair{"S1", "R<1>", 2.5, false, true, {}};
  pair.notches.push_back({"z_min", {1.0, 2.0, 0.0}, 1.5, 110.0, 7.25, ResponseDip{112.5, -5.5}});
  pair.notches.push_back({"wall & door", {0.0, 2.0, 1.0}, 1.1, 160.0, 4.0, std::nullopt});
  return pair;
}

}  // namespace

TEST_CASE("stored notches are read as they were") {
  Result result;
  CHECK(stored_notches(result).empty());
  result.notches_json = nlohmann::ordered_json::array({pair_notches_fields().write(two_notches())}).dump();
  const auto pairs = stored_notches(result);
  REQUIRE(pairs.size() == 1);
  CHECK(notches_of_pair(pairs, "S1", "R2") == nullptr);
  const PairNotches* const pair = notches_of_pair(pairs, "S1", "R<1>");
  REQUIRE(pair != nullptr);
  CHECK(pair->distance == 2.5);
  CHECK((pair->computed && !pair->blocked));
  REQUIRE(pair->notches.size() == 2);
  const WallNotch& first = pair->notches[0];
  CHECK((first.wall == "z_min" && first.at == Point{1.0, 2.0, 0.0} && first.extra == 1.5));
  CHECK((first.frequency == 110.0 && first.depth == 7.25));
  REQUIRE(first.dip);
  CHECK((first.dip->frequency == 112.5 && first.dip->level == -5.5));
  CHECK_FALSE(pair->notches[1].dip);
  result.notches_json = "[{}]";
  CHECK_THROWS_AS(stored_notches(result), nlohmann::json::exception);
}

TEST_CASE("a table has the notches that are dips, with their walls") {
  PairNotches pair = two_notches();
  const std::string html = wall_dips_html(&pair, "S1 at R<1>");
  for (const char* part :
       {"S1 at R&lt;1&gt;: 1 of 2", "z_min", ">7.2<", ">1.500<", "1.00, 2.00, 0.00", ">112.5<", ">-5.5<"})
    CHECK_THAT(html, Catch::Contains(part));
  CHECK(html.find("door") == html.npos);
  pair.notches[0].dip.reset();
  CHECK_THAT(wall_dips_html(&pair, ""), Catch::Contains("2 notches of first reflections, none of them"));
  pair.notches.clear();
  CHECK_THAT(wall_dips_html(&pair, ""), Catch::Contains("No first reflection takes 3 dB"));
  pair.blocked = true;
  CHECK_THAT(wall_dips_html(&pair, ""), Catch::Contains("direct path"));
  CHECK(wall_dips_html(nullptr, "").empty());
}

TEST_CASE("a spectrum has a line down to its curve at each dip within its axis") {
  const PairNotches pair = two_notches();
  Plot plot;
  plot.x.low = 20.0, plot.x.high = 200.0, plot.y.low = -60.0, plot.y.high = 10.0;
  Series curve;
  for (int f = 20; f <= 200; ++f) curve.points.emplace_back(f, f == 113 ? -17.0 : f == 130 ? -40.0 : -3.0);
  plot.series.push_back(curve);
  mark_wall_dips(plot, &pair);
  REQUIRE(plot.series.size() == 2);
  const auto& points = plot.series[1].points;
  REQUIRE(points.size() == 3);
  CHECK(points[0] == std::pair(112.5, 10.0));
  CHECK(points[1] == std::pair(112.5, -17.0));
  CHECK(std::isnan(points[2].second));
  plot.x.high = 112.0;
  mark_wall_dips(plot, &pair);
  mark_wall_dips(plot, nullptr);
  CHECK(plot.series.size() == 2);
}
