// Differences of a run from a measurement, by hand.
#include "engine/measured/match.hpp"

#include <cmath>
#include <string>

#include "base/error.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr std::size_t edt = 0, t20 = 1, c50 = 3, c80 = 4, d50 = 5, ts = 6, g = 7;

struct Value {
  std::size_t octave, figure;
  double value;
};

PairFigures pair_of(const char* source, const char* receiver, std::size_t octaves, const std::vector<Value>& values) {
  OctaveFigures none;
  for (Figure& one : none) one.reason = "not there";
  PairFigures pair{source, receiver, std::vector(octaves, none)};
  for (const Value& one : values) pair.octaves[one.octave][one.figure] = {one.value, ""};
  return pair;
}

std::string error_of(const RoomFigures& run, const RoomFigures& measured, const MatchOptions& options = {}) {
  try {
    (void)match_figures(run, measured, options);
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.remedy;
  }
  return "";
}

}  // namespace

TEST_CASE("match: just noticeable differences are those of ISO 3382-1, table A.1", "[measured]") {
  CHECK(just_noticeable(edt, 2.0) == Approx(0.1));
  CHECK(just_noticeable(t20, 1.0) == Approx(0.05));
  CHECK(just_noticeable(c50, -3.0) == 1.0);
  CHECK(just_noticeable(c80, 12.0) == 1.0);
  CHECK(just_noticeable(d50, 0.5) == 0.05);
  CHECK(just_noticeable(ts, 0.1) == 0.01);
  CHECK(just_noticeable(g, 10.0) == 1.0);
}

TEST_CASE("match: differences and their means over pairs and octaves", "[measured]") {
  const RoomFigures run{{125.0, 250.0},
                        {pair_of("S", "A", 2, {{0, t20, 1.1}, {1, t20, 2.0}, {0, c80, 3.0}}),
                         pair_of("S", "B", 2, {{0, t20, 0.8}, {1, c80, 0.0}})}};
  const RoomFigures measured{
      {125.0, 250.0, 500.0},
      {pair_of("S", "B", 3, {{0, t20, 1.0}, {1, t20, 1.0}, {1, c80, 2.0}}),
       pair_of("S", "A", 3, {{0, t20, 1.0}, {1, t20, 1.0}, {0, c80, 2.0}, {2, c80, 1.0}}), pair_of("S", "C", 3, {})}};
  const Match match = match_figures(run, measured);
  CHECK(match.centres == std::vector{125.0, 250.0, 500.0});
  REQUIRE(match.pairs.size() == 2);
  CHECK(match.pairs[0].names.receiver == "A");
  CHECK(*match.pairs[0].octaves[0][t20].difference == Approx(0.1));
  CHECK(*match.pairs[0].octaves[0][t20].noticeable == Approx(2.0));
  CHECK(*match.pairs[1].octaves[0][t20].noticeable == Approx(-4.0));

  const MatchMean& low = match.means[0][t20];
  CHECK(low.pairs == 2);
  CHECK(low.size == Approx(3.0));
  CHECK(low.signed_mean == Approx(-1.0));
  CHECK(low.difference == Approx(-0.05));
  CHECK(match.means[1][t20].pairs == 1);
  CHECK(match.means[1][t20].size == Approx(20.0));
  CHECK(match.means[2][t20].pairs == 0);
  CHECK(std::isnan(match.means[2][t20].size));
  CHECK(match.overall[t20].centres == std::vector{125.0, 250.0});
  CHECK(match.overall[t20].size == Approx(11.5));
  CHECK(match.overall[t20].signed_mean == Approx(9.5));
  CHECK(match.overall[c80].size == Approx(1.5));
  CHECK(std::isnan(match.overall[g].size));
  CHECK(match.only_measured == std::vector<std::string>{"S at C"});
  CHECK(match.only_in_run.empty());

  MatchOptions one;
  one.lowest = one.highest = 125.0;
  CHECK(match_figures(run, measured, one).overall[t20].size == Approx(3.0));
}

TEST_CASE("match: whatever is not compared is counted, with the reason", "[measured]") {
  RoomFigures run{{125.0}, {pair_of("S", "A", 1, {{0, t20, 1.0}})}};
  run.pairs[0].octaves[0][edt].reason = "the decay spans 3.5 dB";
  RoomFigures measured{{125.0, 250.0}, {pair_of("S", "A", 2, {{0, t20, 1.0}, {0, edt, 1.0}, {1, edt, 1.0}})}};
  run.other_octaves = "not within its valid band";
  const Match match = match_figures(run, measured);
  std::size_t count = 0;
  for (const NotCompared& one : match.not_compared) count += one.count;
  CHECK(count == 15);  // of two octaves of eight figures, all but one
  const auto& differences = match.pairs[0].octaves;
  CHECK(differences[0][t20].reason.empty());
  CHECK(differences[0][edt].reason == "run: the decay spans 3.5 dB");
  CHECK(differences[0][g].reason == "run: not there; measured: not there");
  CHECK(differences[1][edt].reason == "run: not within its valid band");
  CHECK(*differences[1][edt].measured == 1.0);
}

TEST_CASE("match: pairs are found by name, or as they are given", "[measured]") {
  const RoomFigures run{{125.0}, {pair_of("S", "A", 1, {{0, g, 1.0}}), pair_of("S", "B", 1, {{0, g, 2.0}})}};
  const RoomFigures measured{{125.0}, {pair_of("L", "A", 1, {{0, g, 1.0}}), pair_of("S", "B", 1, {{0, g, 5.0}})}};
  CHECK(match_figures(run, measured).pairs.size() == 1);
  MatchOptions options;
  options.names = {{"S", "A", "L", "A"}};
  const Match match = match_figures(run, measured, options);
  REQUIRE(match.pairs.size() == 2);
  CHECK(match.pairs[0].names.measured_source == "L");
  CHECK(match.means[0][g].size == Approx(1.5));

  options.names = {{"S", "X", "L", "A"}};
  CHECK(error_of(run, measured, options).find("the run has no \"S\" at \"X\" | its pairs are S at A, S at B") == 0);
  options.names = {{"S", "A", "L", "X"}};
  CHECK(error_of(run, measured, options).find("the measurement has no \"L\" at \"X\"") == 0);
  options.names = {{"S", "A", "L", "A"}, {"S", "A", "S", "B"}};
  CHECK(error_of(run, measured, options).find("S at A of the run is paired twice") == 0);
  options.names = {{"S", "A", "L", "A"}, {"S", "B", "L", "A"}};
  CHECK(error_of(run, measured, options).find("L at A of the measurement is paired twice") == 0);
  CHECK(error_of(run, {{125.0}, {pair_of("L", "A", 1, {})}}).find("no pair is both in the run and") == 0);
  MatchOptions runs;
  runs.words = words_of_runs();
  const std::string of_runs = error_of(run, {{125.0}, {pair_of("L", "A", 1, {})}}, runs);
  CHECK(of_runs.find("no pair is both in B and in A: B has ") == 0);
  CHECK(of_runs.find("--pair") == of_runs.npos);
}

TEST_CASE("match: sources and receivers that stand elsewhere are named", "[measured]") {
  RoomFigures run{{125.0}, {pair_of("S", "A", 1, {{0, g, 1.0}})}, {{"S", {0, 0, 0}}}, {{"A", {1, 1, 1}}}};
  RoomFigures measured = run;
  CHECK(match_figures(run, measured).remarks.empty());
  measured.receivers[0].position = {1, 1, 1.2};
  const Match match = match_figures(run, measured);
  REQUIRE(match.remarks.size() == 1);
  CHECK(match.remarks[0] == "receiver \"A\" stands 0.2 m from its place in the measurement, (1, 1, 1.2)");
}
