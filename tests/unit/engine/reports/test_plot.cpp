#include "engine/reports/plot.hpp"

#include <limits>
#include <string>

#include "tests/support/catch.hpp"

namespace fdtd::test {

TEST_CASE("a plot without data says why, and names no curve that it does not draw") {
  Plot plot{"Decay", {"s"}, {"dB"}, {{"125 Hz", {}}, {"250 Hz", {{0.0, std::numeric_limits<double>::quiet_NaN()}}}}};
  plot.why_empty = "no decay: the response ends <before> it has lost anything that a line could be fitted to";
  const std::string empty = to_svg(plot);
  CHECK(empty.find("class=\"empty\"") != std::string::npos);
  CHECK(empty.find("no decay: the response ends") != std::string::npos);
  CHECK(empty.find("&lt;before&gt;") != std::string::npos);
  CHECK(empty.find("<before>") == std::string::npos);
  CHECK(empty.find("125 Hz") == std::string::npos);

  plot.why_empty = "";
  CHECK(to_svg(plot).find("no data") != std::string::npos);

  plot.series[0].points = {{0.0, 0.0}, {1.0, -30.0}};
  const std::string drawn = to_svg(plot);
  CHECK(drawn.find("class=\"empty\"") == std::string::npos);
  CHECK(drawn.find("125 Hz") != std::string::npos);
  CHECK(drawn.find("250 Hz") == std::string::npos);
}

TEST_CASE("ranges are filled behind the curves and widen the axis, and a legend above them leaves room") {
  Plot plot{"T30", {"Hz", true, 0.0, 0.0, {125.0, 250.0}}, {"s"}, {{"run", {{125.0, 0.5}, {250.0, 0.6}}}}};
  const auto height_of_run = [](const std::string& svg) {
    const std::size_t at = svg.find("<path d=\"M");
    REQUIRE(at != std::string::npos);
    const std::size_t comma = svg.find(',', at);
    return std::stod(svg.substr(comma + 1));
  };
  const std::string alone = to_svg(plot);
  CHECK(alone.find("class=\"range\"") == std::string::npos);
  CHECK(alone.find(">125</text>") != std::string::npos);
  plot.ranges.push_back({"DIN <A2>", {{125.0, 0.2, 1.0}, {250.0, 0.2, 1.0}}});
  const std::string ranged = to_svg(plot);
  CHECK(ranged.find("class=\"range\"") < ranged.find("<title>run</title>"));
  CHECK(ranged.find("DIN &lt;A2&gt;") != std::string::npos);
  CHECK(height_of_run(ranged) < height_of_run(alone));  // 0.5 s is no longer the lowest
  plot.legend_above = true;
  CHECK(height_of_run(to_svg(plot)) > height_of_run(ranged) + 10.0);
}

}  // namespace fdtd::test
