#include "engine/reports/result_page/octave_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

// EDT (0) and T30 (2) in the octaves of 500 and 1000 Hz.
ShownFigures charted_response(const std::string& receiver, double low, double high) {
  ShownFigures one{"S", receiver, {}, false, {{500.0, 1000.0}, {}}};
  for (const double value : {low, high}) {
    auto& values = one.octaves.values.emplace_back();
    values.fill(std::nan(""));
    values[0] = values[2] = value;
  }
  return one;
}

}  // namespace

TEST_CASE("the mean over the responses meets the target of an octave, or is below or above it") {
  UseTargets targets{"own", "own source", "own words", {{2, {{500.0, 0.4, 0.6}, {1000.0, 0.4, 0.6}}}}};
  const auto html = [&](double low, double high) {
    return octave_charts_html(
        {charted_response("A", low - 0.1, high - 0.1), charted_response("B", low + 0.1, high + 0.1)}, targets);
  };
  CHECK_THAT(html(0.5, 0.59), Catch::Contains("Mean T30: met at 500, 1000 Hz."));
  CHECK_THAT(html(0.39, 0.61), Catch::Contains("Mean T30: below at 500 Hz; above at 1000 Hz."));
  CHECK_THAT(html(0.61, 0.41), Catch::Contains("Mean T30: met at 1000 Hz; above at 500 Hz."));
  targets.figures[0].figure = 5;  // D50, of which there is none
  CHECK_THAT(html(0.5, 0.5), Catch::Contains("own words. No octave of the responses has both a figure and a target."));
}

TEST_CASE("ranges at single positions hold for the mean over their octaves, response by response") {
  UseTargets targets{"own", "own source", "own words", {{0, {{500.0, 1.0, 3.0}, {1000.0, 1.0, 3.0}}}}, true};
  // Means of 2.0, 0.8, 3.1 and 1.1 s, of which the mean, 1.75 s, is within the range; the last has octaves beyond it.
  const std::string html = octave_charts_html({charted_response("A", 2.0, 2.0), charted_response("B", 0.7, 0.9),
                                               charted_response("C", 3.0, 3.2), charted_response("D", 0.9, 1.3)},
                                              targets);
  CHECK_THAT(html, Catch::Contains("EDT: within the range at 2 of 4 responses."));
  CHECK_THAT(html, Catch::Contains("<td>1</td><td>2</td><td>1</td>"));  // below, within, above
}

TEST_CASE("the line of means has a gap at an octave without a figure, and words leave it out") {
  ShownFigures one = charted_response("A", 1.0, std::nan(""));
  one.octaves.centres.push_back(2000.0);
  one.octaves.values.push_back(one.octaves.values[0]);
  const std::string html = overlaid_charts_html({{"run A", {one}}}, std::nullopt);
  const std::size_t end = html.find("<title>run A, mean of 1</title></path>");
  REQUIRE(end != html.npos);
  const std::string path = html.substr(html.rfind("<path", end), end - html.rfind("<path", end));
  CHECK(std::ranges::count(path, 'M') == 2);
  CHECK(std::ranges::count(path, 'L') == 0);
  CHECK(html.find("nan") == html.npos);
  // Of two responses of which neither has a figure there is no chart.
  CHECK(octave_charts_html({charted_response("A", std::nan(""), std::nan(""))}, std::nullopt).find("EDT by octave") ==
        std::string::npos);
}

TEST_CASE("a chart of many responses says of how many its means are, and has none of fewer than half") {
  // EDT of 20 responses at 500 Hz in 19, at 1000 Hz in 2.
  std::vector<ShownFigures> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(charted_response(fmt::format("R{}", i), i == 0 ? std::nan("") : 1.0 + 0.01 * i,
                                   i < 2 ? 3.0 + 0.1 * i : std::nan("")));
  const std::string html = octave_charts_html(all, std::nullopt);
  CHECK_THAT(html, Catch::Contains("least to largest of 19<"));
  CHECK_THAT(html, Catch::Contains("<title>EDT, mean of 19 of 20 responses: 500 Hz 1.100 s<"));
  CHECK_THAT(html, !Catch::Contains("1000 Hz 3."));
  for (int i = 2; i < 12; ++i) all[static_cast<std::size_t>(i)].octaves.values[1][0] = 3.0;
  CHECK_THAT(octave_charts_html(all, std::nullopt), Catch::Contains("least to largest of 12 to 19<"));
  const UseTargets targets{"own", "own source", "own words", {{2, {{1000.0, 2.0, 4.0}}}}, false};
  CHECK_THAT(octave_charts_html(all, targets), Catch::Contains("No octave of the responses"));  // T30 of 2
}

}  // namespace fdtd::test
