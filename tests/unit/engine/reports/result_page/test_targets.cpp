#include "engine/reports/result_page/targets.hpp"

#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "engine/responses/band_metrics.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

std::array<double, 3> octave_of(const UseTargets& targets, const std::string& figure, double centre) {
  for (const FigureTarget& target : targets.figures)
    if (named_figures[target.figure].name == figure)
      for (const auto& one : target.band)
        if (one[0] == centre) return one;
  FAIL(figure << " has no target at " << centre << " Hz");
  return {};
}

}  // namespace

TEST_CASE("targets of DIN 18041 follow its equations and its range by octave") {
  const auto check = [](const char* use, double volume, double time) {
    const UseTargets targets = targets_of(use, volume);
    for (const char* figure : {"T20", "T30"})
      for (const auto& [centre, low, high] : {std::tuple(63.0, 0.5, 1.7),
                                              {125.0, 0.65, 1.45},
                                              {250.0, 0.8, 1.2},
                                              {500.0, 0.8, 1.2},
                                              {1000.0, 0.8, 1.2},
                                              {2000.0, 0.8, 1.2},
                                              {4000.0, 0.65, 1.2},
                                              {8000.0, 0.5, 1.2}}) {
        CAPTURE(use, figure, centre);
        CHECK(octave_of(targets, figure, centre)[1] == Approx(low * time));
        CHECK(octave_of(targets, figure, centre)[2] == Approx(high * time));
      }
  };
  check("music", 500.0, 0.45 * std::log10(500.0) + 0.07);
  check("speech", 200.0, 0.37 * std::log10(200.0) - 0.14);
  check("teaching", 200.0, 0.32 * std::log10(200.0) - 0.17);
  check("inclusive", 200.0, 0.26 * std::log10(200.0) - 0.14);
  CHECK_THAT(targets_of("speech", 200.0).about, Catch::Contains("A2") && Catch::Contains("0.71 s in 200 m\u00b3"));
  for (const auto& [use, least, most] : {std::tuple("music", 30.0, 1000.0),
                                         {"speech", 50.0, 5000.0},
                                         {"teaching", 30.0, 5000.0},
                                         {"inclusive", 30.0, 500.0}}) {
    CAPTURE(use);
    CHECK(targets_of(use, least).figures.size() == 2);
    CHECK(targets_of(use, 0.999 * least).figures.empty());
    CHECK(targets_of(use, 0.999 * most).figures.size() == 2);
    CHECK(targets_of(use, most).figures.empty());
  }
  // Beyond the volumes of the standard there is none, and the page says so.
  CHECK(targets_of("music", 1000.0).figures.empty());
  CHECK_THAT(targets_of("music", 1000.0).about, Catch::Contains("no target") && Catch::Contains("1000 m\u00b3"));
}

TEST_CASE("targets of a studio are those of EBU Tech 3276, in its band and from 0.2 to 0.4 s") {
  const UseTargets studio = targets_of("studio", 100.0);
  for (const double centre : {250.0, 500.0, 1000.0, 2000.0, 4000.0})
    for (const char* figure : {"T20", "T30"}) {
      CHECK(octave_of(studio, figure, centre)[1] == Approx(0.20));
      CHECK(octave_of(studio, figure, centre)[2] == Approx(0.30));
    }
  CHECK(studio.figures.front().band.size() == 5);  // none below 200 Hz and above 4 kHz
  CHECK(octave_of(targets_of("studio", 200.0), "T20", 1000.0)[2] == Approx(0.25 * std::cbrt(2.0) + 0.05));
  CHECK(octave_of(targets_of("studio", 30.0), "T20", 1000.0)[2] == Approx(0.25));
  CHECK(octave_of(targets_of("studio", 900.0), "T20", 1000.0)[1] == Approx(0.35));
  for (const double volume : {30.0, 900.0})
    CHECK_THAT(targets_of("studio", volume).about, Catch::Contains("the end of the range"));
  CHECK_THAT(studio.about, !Catch::Contains("the end of the range"));
}

TEST_CASE(
    "typical ranges of halls are those of ISO 3382-1, table A.1, at single positions, and every use has its source") {
  const UseTargets hall = targets_of("concert", 9000.0);
  CHECK(hall.single_positions);
  for (const auto& [figure, low, high] :
       {std::tuple("EDT", 1.0, 3.0), {"C80", -5.0, 5.0}, {"D50", 0.3, 0.7}, {"Ts", 0.06, 0.26}, {"G", -2.0, 10.0}})
    for (const double centre : {500.0, 1000.0}) CHECK(octave_of(hall, figure, centre) == std::array{centre, low, high});
  CHECK(hall.figures.size() == 5);
  CHECK(hall.figures.front().band.size() == 2);
  CHECK(targets_of("concert", 25000.0).figures.size() == 5);
  CHECK(targets_of("concert", 25001.0).figures.empty());
  for (const std::string& use : room_uses()) {
    CHECK(targets_of(use, 100.0).source.size() > 8);
    CHECK(targets_of(use, 100.0).single_positions == (use == "concert"));
  }
  CHECK_THROWS_AS(targets_of("opera", 100.0), Error);
}

}  // namespace fdtd::test
