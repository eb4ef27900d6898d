// fdtd match as a user meets it: a run beside figures, responses and another run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using nlohmann::json;

namespace {

// Two sources at one receiver, octaves of 125 and 250 Hz.
SceneText small_room() {
  SceneText scene;
  scene.simulation = "duration = 0.6\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  scene.materials = "[materials.panel]\nabsorption = { bands = [125, 250], alpha = [0.2, 0.2] }\n";
  scene.second_source = "[0.9, 0.4, 0.3]";
  return scene;
}

const json& figure_of(const json& octave, const std::string& name) {
  for (const json& one : octave["figures"])
    if (one["figure"] == name) return one;
  FAIL("no figure " << name);
  return octave;
}

const json& octave_of(const json& list, double centre) {
  for (const json& one : list)
    if (one["centre"] == centre) return one;
  FAIL("no octave " << centre);
  return list;
}

// The figures that fdtd metrics states for the run, changed: T20 / 1.1, C80 - 1.5 dB; of the first source EDT is not known.
std::string changed_figures(const json& metrics) {
  json pairs = json::object();
  for (const json& response : metrics["responses"]) {
    json t20 = json::array(), c80 = json::array(), edt = json::array();
    for (const double centre : {125.0, 250.0}) {
      const json& band = octave_of(response["metrics"]["bands"], centre);
      t20.push_back(band["T20"].get<double>() / 1.1);
      c80.push_back(band["C80"].get<double>() - 1.5);
      edt.push_back(response["source"] == "S1" ? json("door open") : band["EDT"]);
    }
    pairs[fmt::format("{} {}", response["source"].get<std::string>(), response["receiver"].get<std::string>())] = {
        {"t20", t20}, {"c80", c80}, {"edt", edt}};
  }
  return json{{"bands_hz", {125, 250}}, {"pairs", pairs}}.dump();
}

}  // namespace

TEST_CASE("match compares a run with figures, responses and other runs", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of(small_room()));
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "out", "--quiet", "--sofa"}, folder.path()).status == 0);
  const auto output = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "match");
    words.emplace_back("--json");
    return json_of(run_fdtd(words, folder.path()));
  };

  const auto metrics = json_of(run_fdtd({"metrics", "out/result.h5", "--json"}, folder.path()));
  folder.write("measured.json", changed_figures(metrics));
  const json found = output({"out", "measured.json", "--bands", "125:250"});
  REQUIRE(found["pairs"].size() == 2);
  const json& low = octave_of(found["means"], 125.0);
  CHECK(figure_of(low, "T20")["pairs"] == 2);
  CHECK(figure_of(low, "T20")["jnd"].get<double>() == Approx(2.0));
  CHECK(figure_of(low, "C80")["jnd_signed"].get<double>() == Approx(1.5));
  CHECK(figure_of(low, "C80")["difference"].get<double>() == Approx(1.5));
  CHECK(figure_of(low, "EDT")["pairs"] == 1);
  CHECK(figure_of(low, "EDT")["jnd"].get<double>() == 0.0);
  const json& own = octave_of(metrics["responses"][0]["metrics"]["bands"], 250.0);
  const json& pair = octave_of(found["pairs"][0]["octaves"], 250.0);
  CHECK(pair["from"] == "wave");
  CHECK(figure_of(pair, "T20")["run"] == own["T20"]);
  CHECK(figure_of(pair, "EDT")["reason"] == "measured: door open");
  CHECK(found["overall"][1]["octaves"] == json{125.0, 250.0});
  CHECK(found["overall"][1]["jnd"].get<double>() == Approx(2.0));

  const Outcome text = run_fdtd({"match", "out/result.h5", "measured.json", "--bands", "125:250"}, folder.path());
  CHECK(text.status == 0);
  for (const char* line : {"125-250", "    2.00", "   +1.50", "pairs that are compared, of 2", "measured: door open",
                           "not stated in the measurement"}) {
    INFO(line << "\n" << text.out);
    CHECK(text.out.find(line) != std::string::npos);
  }
  folder.write("measured.csv", fmt::format("Source;Receiver;Figure;Band;Value\nS1;R1;t20;250;{}\nS9;R1;t20;250;1,5\n",
                                           own["T20"].get<double>()));
  const json table = output({"out", "measured.csv"});
  CHECK(figure_of(octave_of(table["means"], 250.0), "T20")["jnd"].get<double>() == Approx(0.0).margin(1e-9));
  CHECK(table["only_measured"] == json{"S9 at R1"});
  CHECK(table["only_in_run"] == json{"S2 at R1"});

  // Of itself a run differs in nothing: not by result.h5, and by its audio files no more than these are rounded.
  std::filesystem::copy(folder.path() / "out", folder.path() / "heard");
  std::filesystem::remove(folder.path() / "heard/result.h5");
  std::filesystem::copy(folder.path() / "out/ir_S2_R1.wav", folder.path() / "take.wav");
  const std::vector<std::vector<std::string>> same = {
      {"out", "out"}, {"out", "heard"}, {"out", "take.wav", "--pair", "S2:R1=take.wav"}};
  for (const auto& words : same) {
    const json none = output(words);
    INFO(words[1]);
    CHECK(none["pairs"].size() == (words.size() == 2 ? 2 : 1));
    CHECK(figure_of(octave_of(none["means"], 250.0), "T20")["jnd"].get<double>() < 1e-3);
    CHECK(figure_of(octave_of(none["means"], 250.0), "G")["jnd"].get<double>() < 1e-3);
  }
  // A SOFA file does not state when sound can arrive first.
  const json sofa = output({"out", "out/responses.sofa", "--max-frequency", "400", "--scale", "1"});
  CHECK(sofa["pairs"].size() == 2);
  CHECK(figure_of(octave_of(sofa["means"], 250.0), "T20")["jnd"].get<double>() < 0.05);
  CHECK(figure_of(octave_of(sofa["means"], 250.0), "G")["jnd"].get<double>() < 0.05);
  const json crossed = output({"out", "heard", "--pair", "S1:R1=S2:R1", "--pair", "S2:R1=S1:R1"});
  CHECK(figure_of(octave_of(crossed["means"], 250.0), "C80")["jnd"].get<double>() > 0.01);

  struct Bad {
    std::vector<std::string> words;
    int status;
    const char* says;
  };
  folder.write("bad.json", R"({"bands_hz": [125], "pairs": {"S1 R1": {"t20": [1, 2]}}})");
  folder.write("false.sofa", "no HDF5");
  folder.write("others.json", R"({"bands_hz": [125], "pairs": {"L M": {"t20": [1]}}})");
  const std::vector<Bad> refused = {
      {{"out", "bad.json"}, 5, "bad.json: pairs.\"S1 R1\".t20: has 2 values for the 1 octave"},
      {{"out", "none.json"}, 5, "none.json"},
      {{"none", "measured.json"}, 5, "none"},
      {{"out", "room.toml"}, 5, "of no kind that holds figures"},
      {{"out", "take.wav"}, 5, "--pair S1:R1=take.wav"},
      {{"out", "take.wav", "measured.json"}, 5, "name figures (*.json, *.csv) alone"},
      {{"out", "out/responses.sofa", "--channel", "2"}, 5, "has 1 receivers (R) a measurement, not 2"},
      {{"out", "false.sofa"}, 5, "false.sofa: no HDF5 file"},
      {{"out", "others.json"}, 2, "no pair is both in the run and in the measurement"},
      {{"out", "others.json", "--pair", "S1=L"}, 2, "--pair S1:R1=LS1:MP1"},
      {{"out", "others.json", "--pair", "S1:R2=L:M"}, 2, "the run has no \"S1\" at \"R2\""},
      {{"out", "measured.json", "--bands", "100:400"}, 2, "--bands"},
      {{"out", "measured.json", "--bands", "250:125"}, 2, "is no range of octaves"},
  };
  for (Bad bad : refused) {
    bad.words.insert(bad.words.begin(), "match");
    const Outcome outcome = run_fdtd(bad.words, folder.path());
    INFO(fmt::format("{}\n{}", fmt::join(bad.words, " "), outcome.err));
    CHECK(outcome.status == bad.status);
    CHECK(outcome.err.find(bad.says) != std::string::npos);
  }
}

// The bounds are those of a first run with absorption that was fitted for rays, not of a room that is understood.
TEST_CASE("match compares waves in a measured room with its measurement", "[cli]") {
  const auto room = std::filesystem::path(FDTD_SOURCE_DIR) / "../shared/data/rooms/bras_cr2";
  if (!std::filesystem::exists(room)) {
    WARN("skipped: " << room << " is not there");
    return;
  }
  const TemporaryFolder folder;
  REQUIRE(run_fdtd({"run", (room / "scene_fitted.toml").string(), "--set", "simulation.max_frequency=355", "--set",
                    "above.method=none", "-o", "out", "--quiet"},
                   folder.path())
              .status == 0);
  const json found = json_of(
      run_fdtd({"match", "out", (room / "measured.json").string(), "--bands", "63:250", "--json"}, folder.path()));
  CHECK(found["pairs"].size() == 10);
  CHECK(found["remarks"].empty());
  for (const json& one : found["overall"]) {
    if (one["figure"] == "G") continue;
    INFO(one.dump());
    CHECK(one["octaves"] == json{63.0, 125.0, 250.0});
    CHECK(one["jnd"].get<double>() < (one["figure"] == "EDT" ? 8.0 : 6.0));
  }
}
