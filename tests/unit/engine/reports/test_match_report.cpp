// The table of `fdtd compare`: units, marks and the words below them.
#include "engine/reports/match_report.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "tests/support/catch.hpp"

using namespace fdtd;
using Catch::Matchers::Contains;

namespace {

// One pair whose figures differ by `noticeable` just noticeable differences at 500 Hz and lack values at 1 kHz.
Match of_one_pair(double noticeable) {
  Match match;
  match.centres = {500.0, 1000.0};
  match.pairs.resize(1);
  match.means.resize(2);
  for (std::size_t f = 0; f < main_figures; ++f)
    match.means[0][f] = {1, std::abs(noticeable), noticeable, noticeable * just_noticeable(f, 2.0)};
  return match;
}

std::string row_of(const std::string& text, const std::string& hertz) {
  const std::size_t at = text.find("\n" + hertz + " ");
  return at == text.npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

}  // namespace

TEST_CASE("match_report: a star marks one just noticeable difference or more, of B less A in the units of the table") {
  const std::string above = comparison_text(of_one_pair(1.0)), below = comparison_text(of_one_pair(-0.999));
  CHECK(row_of(above, "     500") ==
        "     500  +0.100*  +0.100*  +0.100*   +1.00*   +1.00*    +5.0*   +10.0*   +1.00*");
  CHECK(row_of(below, "     500") == "     500  -0.100   -0.100   -0.100    -1.00    -1.00     -5.0    -10.0    -1.00");
  CHECK(row_of(above, "    1000").empty());
  // The steps that the words state are those of the figures.
  CHECK_THAT(above, Contains("5 % of decay times,\n  1 dB, 0.05 of D50, 10 ms of Ts") && !Contains("no figure"));
  CHECK_THAT(below, Contains("no figure differs by one just noticeable difference") && !Contains("*"));
}

TEST_CASE("match_report: two runs without a common value are not said to be equal") {
  Match match = of_one_pair(0.0);
  match.means[0] = {};
  CHECK_THAT(comparison_text(match), Contains("no figure has a value in both") && !Contains("differs"));
}

TEST_CASE("match_report: pairs that differ up and down have a star whatever their mean, as its words say") {
  Match match = of_one_pair(0.2);
  for (MatchMean& mean : match.means[0]) mean.size = 1.4;
  CHECK(row_of(comparison_text(match), "     500").find("+0.020*") != std::string::npos);
  CHECK_THAT(comparison_text(match), Contains("up or down,\n  so that the mean above may be less"));
}

TEST_CASE("match_report: a comparison of runs has what is not compared and what stands elsewhere") {
  Match match = of_one_pair(0.2);
  match.not_compared = {{"A: its decay is too short", 2, {1, 2}, {125.0}, 1}};
  match.remarks = {"receiver \"R\" stands 1 m from its place in A, (1, 2, 3)"};
  CHECK_THAT(comparison_text(match), Contains("not compared, 2 values (") && Contains("A: its decay is too short") &&
                                         Contains("stands 1 m from its place in A"));
}
