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

}  // namespace fdtd::test
