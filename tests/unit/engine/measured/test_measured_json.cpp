// Figures measured in a room, from JSON: what is read, and what is refused, with its place.
#include "engine/measured/measured_json.hpp"

#include <filesystem>
#include <string>

#include <sys/stat.h>

#include "base/error.hpp"
#include "engine/measured/read_measured.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

RoomFigures figures_in(const std::string& text) {
  std::string why;
  const auto figures = read_measured_json(text, why);
  INFO(why);
  REQUIRE(figures);
  return *figures;
}

std::string refusal_of(const std::string& text) {
  std::string why;
  CHECK_FALSE(read_measured_json(text, why));
  return why;
}

std::string with_pairs(const std::string& pairs) { return R"({"bands_hz": [125, 250], "pairs": )" + pairs + "}"; }

constexpr std::size_t edt = 0, t20 = 1, t30 = 2, d50 = 5, g = 7;

}  // namespace

TEST_CASE("measured: JSON gives the figures of every pair and octave, or why there is none", "[measured]") {
  const RoomFigures figures = figures_in(R"({
    "scene": "S", "licence": "CC BY", "bands_hz": [62.5, 125],
    "sources": {"LS1": [1, 2.5, 3]}, "listeners": {"MP1": [0, 0, -1]},
    "pairs": {"LS1 MP1": {"edt": [1.25, null], "t30": ["", 1.5], "D50": ["too little range", 0.5]}}})");
  CHECK(figures.centres == std::vector{63.0, 125.0});
  REQUIRE(figures.pairs.size() == 1);
  const PairFigures& pair = figures.pairs[0];
  CHECK(pair.source == "LS1");
  CHECK(pair.receiver == "MP1");
  REQUIRE(pair.octaves.size() == 2);
  CHECK(pair.octaves[0][edt].value == 1.25);
  CHECK_FALSE(pair.octaves[1][edt].value);
  CHECK(pair.octaves[1][edt].reason == "not stated in the measurement");
  CHECK(pair.octaves[0][t30].reason == "not stated in the measurement");
  CHECK(pair.octaves[0][d50].reason == "too little range");
  CHECK(pair.octaves[1][d50].value == 0.5);
  CHECK_FALSE(pair.octaves[0][t20].value);
  CHECK(pair.octaves[0][g].reason == "not stated in the measurement");
  REQUIRE(figures.sources.size() == 1);
  CHECK(figures.sources[0].position == std::array{1.0, 2.5, 3.0});
  REQUIRE(figures.receivers.size() == 1);
  CHECK(figures.receivers[0].name == "MP1");
}

TEST_CASE("measured: pairs may be a list, whose names hold blanks", "[measured]") {
  const RoomFigures figures =
      figures_in(with_pairs(R"([{"source": "left stage", "receiver": "seat 4", "g": [1, -2]}])"));
  REQUIRE(figures.pairs.size() == 1);
  CHECK(figures.pairs[0].source == "left stage");
  CHECK(figures.pairs[0].receiver == "seat 4");
  CHECK(figures.pairs[0].octaves[1][g].value == -2.0);
  CHECK(find_pair(figures, "left stage", "seat 4") == 0);
  CHECK(find_pair(figures, "left stage", "seat 5") == 1);
}

TEST_CASE("measured: JSON that cannot be figures is refused, with its place", "[measured]") {
  struct Bad {
    const char *text, *why;
  };
  const Bad bad = GENERATE(values<Bad>({
      {"", "line 1, column 1: the text ends"},
      {"[1]", "no object with \"bands_hz\" and \"pairs\""},
      {R"({"pairs": {"A B": {"edt": []}}})", "\"bands_hz\" is missing"},
      {R"({"bands_hz": [], "pairs": {}})", "bands_hz: is not a list of octaves"},
      {R"({"bands_hz": [125, 160], "pairs": {}})", "bands_hz[1]: 160 Hz is no octave"},
      {R"({"bands_hz": [250, 125], "pairs": {}})", "bands_hz[1]: octaves must increase: 125 follows 250 Hz"},
      {R"({"bands_hz": [125]})", "\"pairs\" is missing"},
      {R"({"bands_hz": [125], "pairs": {}})", "pairs: is neither an object"},
      {R"({"bands_hz": [125], "pairs": {"A B": {"edt": [1]}}, "band_hz": 1})", "did you mean \"bands_hz\"?"},
      {R"({"bands_hz": [125], "pairs": {"A B": {"edt": [NaN]}}})", "line 1, column 47: no valid JSON at \"N"},
      {R"({"bands_hz": [125], "pairs": {"A B": {"edt": [1e999]}}})", "column 47: a number is too large"},
      {R"({"bands_hz": [125], "pairs": {"A B": {"edt": [1]}, "A B": {"edt": [2]}}})", "\"A B\" appears twice"},
      {R"({"bands_hz": [125], "receivers": {}, "listeners": {}, "pairs": {"A B": {"edt": [1]}}})", "two names of one"},
      {R"({"bands_hz": [125], "sources": {"A": [1, 2]}, "pairs": {"A B": {"edt": [1]}}})", "sources.\"A\": is not a"},
  }));
  const std::string why = refusal_of(bad.text);
  INFO("expected: " << bad.why << "\nsaid: " << why);
  CHECK(why.find(bad.why) != std::string::npos);
}

TEST_CASE("measured: pairs that cannot be right are refused, with their place", "[measured]") {
  struct Bad {
    const char *pairs, *why;
  };
  const Bad bad = GENERATE(values<Bad>({
      {R"({"AB": {"edt": [1, 1]}})", "pairs.\"AB\": is not the name of a source and that of a receiver"},
      {R"({"A B C": {"edt": [1, 1]}})", "parted by one blank"},
      {R"({"A B": 3})", "pairs.\"A B\": is not an object with figures"},
      {R"({"A B": {}})", "pairs.\"A B\": has no figures: they are edt, t20, t30, c50, c80, d50, ts, g"},
      {R"({"A B": {"t15": [1, 1]}})", "pairs.\"A B\": has no figures"},
      {R"({"A B": {"t20": [1, 1], "T20": [1, 1]}})", "\"t20\" appears twice"},
      {R"({"A B": {"t20": 1}})", "pairs.\"A B\".t20: is not a list"},
      {R"({"A B": {"t20": [1]}})", "pairs.\"A B\".t20: has 1 value for the 2 octaves of bands_hz"},
      {R"({"A B": {"t20": [1, true]}})", "pairs.\"A B\".t20[1]: is neither a number nor null"},
      {R"({"A B": {"t20": [-1, 1]}})", "t20[0]: T20 = -1 is not between 0.001 and 100: decay times are in seconds"},
      {R"({"A B": {"t20": [1, 1250]}})", "t20[1]: T20 = 1250 is not between"},
      {R"({"A B": {"d50": [45, 50]}})", "d50[0]: D50 = 45 is not between 0 and 1: D50 is a fraction of 1: divide"},
      {R"({"A B": {"ts": [85, 90]}})", "divide milliseconds by 1000"},
      {R"([{"receiver": "B", "t20": [1, 1]}])", "pairs[0]: \"source\" is missing"},
      {R"([{"source": "", "receiver": "B", "t20": [1, 1]}])", "pairs[0].source: a name is empty"},
      {R"([{"source": "A", "receiver": "B", "t20": [1, 1]}, {"source": "A", "receiver": "B", "t30": [1, 1]}])",
       "pairs[1]: \"A\" at \"B\" appears twice"},
  }));
  const std::string why = refusal_of(with_pairs(bad.pairs));
  INFO("expected: " << bad.why << "\nsaid: " << why);
  CHECK(why.find(bad.why) != std::string::npos);
}

TEST_CASE("measured: other figures and descriptions of the data are named and left", "[measured]") {
  const RoomFigures figures = figures_in(
      R"({"bands_hz": [125, 250], "temperature": 19.5, "pairs": {"A B": {"t20": [1, 2], "lf": [0.2, 0.3], "t15": 3}}})");
  CHECK(figures.pairs[0].octaves[1][1].value == 2.0);
  REQUIRE(figures.remarks.size() == 2);
  CHECK(figures.remarks[0] == "\"temperature\" is not read");
  CHECK(figures.remarks[1].find("not compared: \"lf\", \"t15\";") != std::string::npos);
}

TEST_CASE("measured: only regular files of known kinds are read", "[measured]") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe.json").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder / "folder.csv");
  std::filesystem::create_symlink("/dev/zero", folder / "zero.json");
  folder.write("figures.xls", "x");
  for (const char* name : {"pipe.json", "folder.csv", "zero.json", "figures.xls", "missing.csv"})
    CHECK_THROWS_AS(read_measured(folder / name), Error);
}

TEST_CASE("measured: the figures of BRAS CR2", "[measured]") {
  const std::filesystem::path file =
      std::filesystem::path(FDTD_SOURCE_DIR) / "../shared/data/rooms/bras_cr2/measured.json";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: " << file << " is not there");
    return;
  }
  const RoomFigures figures = read_measured(file);
  CHECK(figures.centres.front() == 63.0);
  CHECK(figures.centres.size() == 8);
  CHECK(figures.pairs.size() == 10);
  const PairFigures& pair = figures.pairs.at(find_pair(figures, "LS1", "MP1"));
  CHECK(pair.octaves[1][edt].value == 1.4442);
  CHECK_FALSE(pair.octaves[0][t30].value);
  CHECK(figures.sources.size() == 2);
  CHECK(figures.receivers.size() == 5);
}
