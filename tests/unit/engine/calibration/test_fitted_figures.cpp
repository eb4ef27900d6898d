#include "engine/calibration/fitted_figures.hpp"

#include <cmath>
#include <string>

#include "engine/responses/band_metrics.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a step is one just noticeable difference", "[calibration]") {
  CHECK(in_steps(0, 1.05) - in_steps(0, 1.0) == Approx(1.0));
  CHECK(in_steps(1, 2.1) - in_steps(1, 2.0) == Approx(1.0));
  CHECK(in_steps(2, 3.0) - in_steps(2, 2.0) == Approx(1.0));
  CHECK(in_steps(3, -1.0) - in_steps(3, -2.0) == Approx(1.0));
  CHECK(std::isnan(in_steps(0, 0.0)));
  CHECK(std::isnan(in_steps(0, std::nan(""))));
  CHECK(std::isnan(in_steps(2, std::nan(""))));
}

TEST_CASE("fitted figures are figures of merit", "[calibration]") {
  for (const FittedFigure& one : fitted_figures) CHECK(std::string(named_figures[index_of(one)].name) == one.name);
}
