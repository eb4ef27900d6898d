#include "engine/reports/materials_report.hpp"

#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("materials_report: a band that is off on the grid alone is named with both coefficients") {
  MaterialFit fit;
  fit.name = "wall";
  fit.bands = {125, 250, 500, 1000, 2000};
  fit.asked = {0.02, 0.5, 0.5, 0.3, 0.1};
  fit.fitted = {0.0205, 0.51, 0.6, 0.3, 0.1};
  const double beyond = std::numeric_limits<double>::quiet_NaN();
  // Within 10 %; off by 6 %; off in the fit already, which the fit's own remark states; off, but above max_frequency.
  const std::vector<WallAccuracy> walls = {{"wall", 700.0, {0.0215, 0.53, 0.6, 0.4, beyond}}};
  const std::vector<std::string> remarks = grid_remarks({fit}, 700.0, walls);
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0] ==
        "material wall: 0.5 requested at 250 Hz, 0.53 on the grid; a smaller simulation.wall_error brings it nearer");
  CHECK(grid_remarks({fit}, 1000.0, walls)[0].find("0.3 requested at 1000 Hz, 0.4 on the grid") != std::string::npos);
  CHECK(grid_remarks({fit}, 200.0, walls).empty());
  CHECK(grid_remarks({fit}, 700.0, {}).empty());
  // Of 1 a wall absorbs 0.951 at most.
  fit.asked = {0.02, 1.0, 0.5, 0.3, 0.1};
  fit.fitted = {0.02, 0.95, 0.5, 0.3, 0.1};
  CHECK(grid_remarks({fit}, 300.0, {{"wall", 300.0, {0.02, 0.94, beyond, beyond, beyond}}}).empty());
}

TEST_CASE("materials_report: where a wall appears is in millimetres, without an exponent") {
  CHECK(displacement_text(0.0023) == "2.3 mm further out");
  CHECK(displacement_text(-0.401) == "400 mm further in");
}
