#include "engine/reports/result_page/targets.hpp"

#include <cmath>

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
  const UseTargets speech = targets_of("speech", 200.0);
  const double time = 0.37 * std::log10(200.0) - 0.14;
  CHECK(octave_of(speech, "T30", 500.0)[1] == Approx(0.8 * time));
  CHECK(octave_of(speech, "T30", 500.0)[2] == Approx(1.2 * time));
  CHECK(octave_of(speech, "T20", 125.0)[2] == Approx(1.45 * time));
  CHECK(octave_of(speech, "T20", 4000.0)[1] == Approx(0.65 * time));
  CHECK_THAT(speech.about, Catch::Contains("A2") && Catch::Contains("0.71 s in 200 m\u00b3"));
  CHECK(octave_of(targets_of("music", 500.0), "T30", 1000.0)[2] == Approx(1.2 * (0.45 * std::log10(500.0) + 0.07)));
  CHECK(octave_of(targets_of("teaching", 200.0), "T30", 1000.0)[2] == Approx(1.2 * (0.32 * std::log10(200.0) - 0.17)));
  CHECK(octave_of(targets_of("inclusive", 200.0), "T30", 1000.0)[2] == Approx(1.2 * (0.26 * std::log10(200.0) - 0.14)));
  // Beyond the volumes of the standard there is none, and the page says so.
  CHECK(targets_of("music", 1000.0).figures.empty());
  CHECK_THAT(targets_of("music", 1000.0).about, Catch::Contains("no target") && Catch::Contains("1000 m\u00b3"));
}

TEST_CASE("targets of a studio are those of BS.1116 within the range of Tech 3276") {
  const UseTargets studio = targets_of("studio", 100.0);
  CHECK(octave_of(studio, "T30", 1000.0)[1] == Approx(0.20));
  CHECK(octave_of(studio, "T30", 1000.0)[2] == Approx(0.30));
  CHECK(octave_of(studio, "T30", 63.0)[2] == Approx(0.55));  // 0.3 s above the mean at 63 Hz, 0.05 s at 200 Hz
  CHECK(octave_of(studio, "T30", 125.0)[2] == Approx(0.402).margin(0.001));
  CHECK(octave_of(studio, "T30", 8000.0)[2] == Approx(0.35));
  CHECK(octave_of(targets_of("studio", 30.0), "T20", 1000.0)[2] == Approx(0.25));
  CHECK_THAT(targets_of("studio", 30.0).about, Catch::Contains("the end of the range"));
  CHECK_THAT(studio.about, !Catch::Contains("the end of the range"));
}

TEST_CASE("typical ranges of halls are of their mid-frequency octaves alone, and every use has its source") {
  const UseTargets hall = targets_of("concert", 9000.0);
  CHECK(octave_of(hall, "C80", 1000.0) == std::array{1000.0, -5.0, 5.0});
  CHECK(hall.figures.front().band.size() == 2);
  CHECK(targets_of("concert", 30000.0).figures.empty());
  for (const std::string& use : room_uses()) CHECK(targets_of(use, 100.0).source.size() > 8);
  CHECK_THROWS_AS(targets_of("opera", 100.0), Error);
}

}  // namespace fdtd::test
