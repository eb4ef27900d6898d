// fdtd modes and fdtd place as a user runs them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using nlohmann::json;

namespace {

const std::string small_room = R"(schema = 1
[simulation]
duration = 0.5
max_frequency = 4000.0  # of a run; modes have a grid of their own
[air]
sound_speed = 343.2
[room]
box = [2.6, 2.2, 1.9]
walls = { default = "w" }
[materials.w]
admittance = 0.02
[[source]]
name = "S1"
position = [0.4, 0.5, 0.6]
[[receiver]]
name = "R1"
position = [1.9, 1.5, 1.2]
[[receiver]]
name = "R2"
position = [1.4, 0.8, 1.3]
)";

}  // namespace

TEST_CASE("modes are printed, and their shapes are written", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const json found = json_of(
      run_fdtd({"modes", "room.toml", "--to", "110", "--points", "60", "--json", "-o", "shapes"}, folder.path()));
  // (1 0 0), (0 1 0), (0 0 1), (1 1 0) below 110 Hz, and little lower than with rigid walls
  REQUIRE(found["modes"].size() == 4);
  CHECK(double(found["modes"][0]["frequency"]) == Approx(343.2 / 5.2).epsilon(0.01));
  CHECK(double(found["modes"][3]["frequency"]) == Approx(343.2 / 2 * std::hypot(1 / 2.6, 1 / 2.2)).epsilon(0.01));
  for (const json& mode : found["modes"]) {
    CHECK(double(mode["decay_time"]) * double(mode["decay"]) == Approx(3.0 * std::log(10.0)));
    CHECK(mode["levels"].size() == 2);
    CHECK(double(mode["frequency_error"]) < 0.001);
  }
  REQUIRE(found["outputs"].size() == 5);
  for (const json& file : found["outputs"]) CHECK(std::filesystem::exists(folder.path() / file.get<std::string>()));
  const Outcome again = run_fdtd({"modes", "room.toml", "--to", "110", "-o", "shapes", "--quiet"}, folder.path());
  CHECK(again.status == 5);
  CHECK(again.err.find("--force") != again.err.npos);
}

TEST_CASE("modes are the same for any number of threads", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const auto with = [&](const char* threads) {
    return run_fdtd({"modes", "room.toml", "--to", "110", "--points", "60", "--json", "--quiet", "--threads", threads},
                    folder.path());
  };
  const Outcome one = with("1"), two = with("2");
  CHECK(one.status == 0);
  CHECK(one.out == two.out);
}

TEST_CASE("a record that is asked to be short has a length, of which a part is used", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const std::vector<std::string> words = {"modes", "room.toml", "--to", "110", "--points", "60", "--duration", "0.05"};
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--json", "--quiet"});
  const json found = json_of(run_fdtd(as_json, folder.path()));
  CHECK(double(found["used"]) > 0.0);
  CHECK(double(found["used"]) < double(found["duration"]));
  CHECK(double(found["resolution"]) == Approx(1.0 / double(found["used"])));
  const Outcome text = run_fdtd(words, folder.path());
  CHECK(text.out.find(fmt::format("records of {:.3g} s, of which {:.3g} s are used: shapes alone separate modes nearer "
                                  "than {:.2g} Hz",
                                  double(found["duration"]), double(found["used"]), double(found["resolution"]))) !=
        text.out.npos);
  CHECK(text.err.find(fmt::format("passes of {:.3g} s", double(found["duration"]))) != text.err.npos);
}

TEST_CASE("a table of modes says that patterns are left out", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const Outcome text =
      run_fdtd({"modes", "room.toml", "--to", "110", "--points", "60", "--set", "source.S1.pattern=cardioid", "--set",
                "source.S1.direction=[1,0,0]", "--set", "materials.w.admittance=0.1"},
               folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("omnidirectional") != text.out.npos);
}

TEST_CASE("the table of modes states the Schroeder frequency, and marks modes above it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const auto run = [&](bool as_json) {
    std::vector<std::string> words = {"modes",    "room.toml",
                                      "--from",   "60",
                                      "--to",     "85",
                                      "--points", "60",
                                      "--set",    "room.box=[8.2,6.3,4.1]",
                                      "--set",    "materials.w.admittance=0.07"};
    if (as_json) words.insert(words.end(), {"--json", "--quiet"});
    return run_fdtd(words, folder.path());
  };
  const json found = json_of(run(true));
  const Outcome text = run(false);
  CHECK(text.err.find("; 4 passes of ") != text.err.npos);
  CHECK(found["senders"] == 4);
  // 2000 sqrt(T / V) by the median decay time
  std::vector<double> times;
  for (const json& mode : found["modes"]) times.push_back(mode["decay_time"]);
  REQUIRE(!times.empty());
  std::ranges::sort(times);
  const double schroeder = 2000.0 * std::sqrt(times[times.size() / 2] / (8.2 * 6.3 * 4.1));
  CHECK(double(found["schroeder_frequency"]) == Approx(schroeder).epsilon(1e-6));
  CHECK(text.out.find(fmt::format("above the Schroeder frequency, {:.0f} Hz, modes overlap", schroeder)) !=
        text.out.npos);
  std::size_t marks = 0, above = 0;
  for (std::size_t at = 0; (at = text.out.find("1*", at)) != text.out.npos; ++at) ++marks;
  for (const json& mode : found["modes"]) {
    above += double(mode["frequency"]) > schroeder ? 1 : 0;
    CHECK(bool(mode["overlaps"]) == (double(mode["frequency"]) > schroeder));
  }
  CHECK(above > 1);
  CHECK(above < found["modes"].size());
  CHECK(marks == above);
}

TEST_CASE("a multiplicity of as many modes as sources is marked as a least one", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  // (2 1 0) of a cube: six modes, for four sources
  const Outcome text = run_fdtd({"modes", "room.toml", "--from", "150", "--to", "165", "--points", "8", "--duration",
                                 "0.6", "--set", "room.box=[2.4,2.4,2.4]", "--quiet"},
                                folder.path());
  INFO(text.out << text.err);
  CHECK(text.status == 0);
  CHECK(text.out.find(" >=4 ") != text.out.npos);
  CHECK(text.out.find("4 modes from 150 to 165 Hz") == 0);
}

TEST_CASE("the best places of a source are listed, and written as map and table", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const json found = json_of(run_fdtd({"place", "room.toml", "--source", "S1", "--over", "0.2,0.2,0.5,2.4,2.0,0.5",
                                       "--from", "40", "--to", "90", "--json", "-o", "map", "--quiet"},
                                      folder.path()));
  REQUIRE(found["best"].size() == 10);
  CHECK(found["seats"] == json({"R1", "R2"}));
  double last = 0.0;
  for (const json& place : found["best"]) {
    CHECK(double(place["flatness"]) >= last);
    last = place["flatness"];
    CHECK(std::abs(double(place["position"][2]) - 0.5) < 0.15);
  }
  CHECK(double(found["now"]["position"][0]) == Approx(0.4));
  for (const char* name : {"place.h5", "place.csv", "place.png"})
    CHECK(std::filesystem::exists(folder.path() / "map" / name));
}

TEST_CASE("pictures of an earlier search with more modes are removed by force, and no other file is", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const auto modes = [&](const char* to) {
    REQUIRE(run_fdtd({"modes", "room.toml", "--to", to, "--points", "60", "-o", "shapes", "--force", "--quiet"},
                     folder.path())
                .status == 0);
  };
  const auto is_there = [&](const char* name) { return std::filesystem::exists(folder.path() / "shapes" / name); };
  modes("110");
  for (const char* other : {"mode_12.png", "mode_004.txt", "mode_004a.png"})
    folder.write(std::string("shapes/") + other, "mine");
  REQUIRE(is_there("mode_004.png"));
  modes("70");
  CHECK(is_there("mode_001.png"));
  for (const char* old : {"mode_002.png", "mode_003.png", "mode_004.png"}) CHECK_FALSE(is_there(old));
  for (const char* other : {"mode_12.png", "mode_004.txt", "mode_004a.png"}) CHECK(is_there(other));
}

TEST_CASE("a source and a receiver at one place have no notch, and nothing stands between them", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const std::string there = "receiver.R1.position=[0.4,0.5,0.6]";
  const json pair = json_of(run_fdtd({"notches", "room.toml", "--set", there, "--json"}, folder.path()))["pairs"][0];
  CHECK(pair["blocked"] == false);
  CHECK(pair["notches"].empty());
  const Outcome text = run_fdtd({"notches", "room.toml", "--set", there}, folder.path());
  CHECK(text.out.find("S1 at R1, 0.00 m: at one place") != text.out.npos);
  CHECK(text.out.find("stands in") == text.out.npos);
}

TEST_CASE("one seat takes one pass, and one place is one", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const Outcome one = run_fdtd({"place", "room.toml", "--receiver", "R1", "--over", " 1, 1,1 , 1,1, 1 ", "--from", "40",
                                "--to", "90", "-o", "map"},
                               folder.path());
  CHECK(one.err.find("; 1 pass of ") != one.err.npos);
  CHECK(one.err.find(", 2 receivers;") != one.err.npos);
  CHECK(one.out.find("receiver R1 at 1 place, 40 to 90 Hz, for S1") == 0);
}

TEST_CASE("modes and places of no band, no such source, and no air are refused", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", small_room);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why, int status = 2) {
    const Outcome outcome = run_fdtd(words, folder.path());
    INFO(outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.err.find(why) != outcome.err.npos);
  };
  refused({"modes", "room.toml", "--from", "100", "--to", "50"}, "no band");
  refused({"modes", "room.toml", "--force"}, "--output");
  refused({"place", "room.toml"}, "--source");
  refused({"place", "room.toml", "--source", "R1"}, "no source");
  refused({"place", "room.toml", "--source", "S1", "--over", "1,2"}, "six numbers");
  refused({"place", "room.toml", "--source", "S1", "--over", "1,1,1,2,2,x"}, "six numbers");
  refused({"place", "room.toml", "--source", "S1", "--from", "100", "--to", "101"}, "--to 141.43 or more");
  refused({"place", "room.toml", "--source", "S1", "--from", "100", "--to", "141"}, "--to 141.43 or more");
  refused({"place", "room.toml", "--source", "S1", "--from", "1000", "--to", "1414"}, "--to 1414.3 or more");
  const Outcome device = run_fdtd({"modes", "room.toml", "--device", "cuda:99"}, folder.path());
  CHECK(device.status == 3);
  CHECK_THAT(device.err, Catch::Contains("cuda:99") && !Catch::Contains("a lower --to"));
  refused({"modes", "room.toml", "--spacing", "0.001"}, "use a larger --spacing", 3);
  refused({"modes", "room.toml", "--to", "abc"}, "--to: Value abc is not a number");
  refused({"modes", "room.toml", "--to", "1e3x"}, "--to: Value 1e3x is not a number");
  refused({"modes", "room.toml", "--to", "3000"}, "not in range");
  refused({"modes", "room.toml", "--points", "many"}, "--points: Value many is not a whole number");
  refused({"place", "room.toml", "--source", "S1", "--over", "7,7,7,8,8,8"}, "no place");
  refused({"place", "room.toml", "--receiver", "R1", "--target", "even"}, "one seat");
  refused({"place", "room.toml", "--source", "S1", "--set", "materials.w.admittance=0"}, "nothing absorbs");
  refused({"modes", "room.toml", "--to", "110", "--duration", "3600", "--points", "100000"}, "of memory", 3);
  CHECK(!std::filesystem::exists(folder.path() / "out"));
}

TEST_CASE("notches name their wall, and a run of the scene has its dips there", "[cli]") {
  const TemporaryFolder folder;
  const std::string text = R"(schema = 1
[simulation]
duration = 0.12
max_frequency = 420.0
[air]
sound_speed = 343.2
[above]
method = "none"
[room]
box = [8.0, 7.0, 6.0]
walls = { default = "open", z_min = "hard" }
[materials.hard]
admittance = 0.0
[materials.open]
admittance = 1.0
[[source]]
name = "S1"
position = [3.5, 3.4, 0.7]
[[receiver]]
name = "R1"
position = [4.7, 3.6, 0.8]
)";
  folder.write("room.toml", text);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "out", "--quiet"}, folder.path()).status == 0);
  const json found =
      json_of(run_fdtd({"notches", "room.toml", "--to", "400", "--result", "out", "--json"}, folder.path()));
  const json& pair = found["pairs"][0];
  CHECK(pair["computed"] == true);
  REQUIRE(pair["notches"].size() == 1);
  const json& notch = pair["notches"][0];
  CHECK(notch["wall"] == "z_min");
  const double direct = std::sqrt(1.2 * 1.2 + 0.2 * 0.2 + 0.1 * 0.1),
               reflected = std::sqrt(1.2 * 1.2 + 0.2 * 0.2 + 1.5 * 1.5);
  CHECK(double(notch["frequency"]) == Approx(343.2 / 2.0 / (reflected - direct)).epsilon(1e-5));
  REQUIRE(notch["dip"].is_number());
  CHECK(double(notch["dip"]) == Approx(double(notch["frequency"])).epsilon(0.05));
  CHECK(double(notch["dip_level"]) < -3.0);
  const Outcome table = run_fdtd({"notches", "room.toml", "--result", "out/result.h5", "--to", "400"}, folder.path());
  CHECK(table.out.find("dip of the run") != table.out.npos);
  CHECK(table.out.find("z_min") != table.out.npos);
  const std::string page = read_file(folder.path() / "out/report.html");
  CHECK_THAT(page, Catch::Contains("Dips near notches of first reflections, S1 at R1: 1 of 1") &&
                       Catch::Contains("z_min") && Catch::Contains("dips near notches of walls"));
  const Outcome moved =
      run_fdtd({"notches", "room.toml", "--result", "out", "--set", "source.S1.position=[1,1,1]"}, folder.path());
  CHECK(moved.status == 2);
  CHECK(moved.err.find("apart") != moved.err.npos);
  CHECK(run_fdtd({"notches", "room.toml", "--from", "200", "--to", "100"}, folder.path()).status == 2);
  const Outcome cardioid =
      run_fdtd({"notches", "room.toml", "--set", "source.S1.pattern=cardioid", "--set", "source.S1.direction=[1,0,0]"},
               folder.path());
  CHECK(cardioid.out.find("omnidirectional") != cardioid.out.npos);
}

TEST_CASE("modes and places name the wall that makes a dip of their own run", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", R"(schema = 1
[simulation]
duration = 0.1
max_frequency = 300.0
[air]
sound_speed = 343.2
[room]
box = [4.4, 3.8, 2.6]
walls = { default = "open", z_min = "hard" }
[materials.hard]
admittance = 0.0
[materials.open]
admittance = 1.0
[[source]]
name = "S1"
position = [1.5, 1.8, 0.7]
[[receiver]]
name = "R1"
position = [2.7, 2.0, 0.8]
)");
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    const std::vector<std::string> band = {"--from", "150",       "--to", "260",    "--duration",
                                           "0.3",    "--spacing", "0.1",  "--quiet"};
    words.insert(words.end(), band.begin(), band.end());
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_fdtd(words, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  const auto check = [](const json& found, const std::array<double, 3>& source, const std::array<double, 3>& receiver) {
    REQUIRE(found["notches"].size() == 1);
    const json& pair = found["notches"][0];
    CHECK((pair["source"] == "S1" && pair["receiver"] == "R1" && pair["computed"] == true));
    REQUIRE(pair["notches"].size() == 1);
    const json& notch = pair["notches"][0];
    const double across = std::hypot(receiver[0] - source[0], receiver[1] - source[1]);
    const double extra = std::hypot(across, receiver[2] + source[2]) - std::hypot(across, receiver[2] - source[2]);
    CHECK(notch["wall"] == "z_min");
    CHECK(double(notch["frequency"]) == Approx(343.2 / 2.0 / extra).epsilon(1e-4));
    REQUIRE(notch["dip"].is_number());
    CHECK(double(notch["dip"]) == Approx(double(notch["frequency"])).epsilon(0.05));
    CHECK(double(notch["dip_level"]) < -3.0);
  };
  const std::vector<std::string> modes = {"modes", "room.toml", "--points", "8"};
  check(json::parse(with(modes, {"--json"})), {1.5, 1.8, 0.7}, {2.7, 2.0, 0.8});
  CHECK_THAT(with(modes, {}),
             Catch::Contains("dips of these responses near notches of first reflections: 1 of 1 notch\n") &&
                 Catch::Contains("z_min") && Catch::Contains("S1 at R1"));
  const std::vector<std::string> place = {"place", "room.toml", "--receiver", "R1", "--over", "2.6,2,0.8,2.6,2,0.8",
                                          "-o",    "map",       "--force"};
  const json placed = json::parse(with(place, {"--json"}));
  const json& at = placed["best"][0]["position"];
  check(placed, {1.5, 1.8, 0.7}, {at[0], at[1], at[2]});
  CHECK(std::abs(double(at[0]) - 2.6) < 0.06);
  CHECK_THAT(with(place, {}),
             Catch::Contains("dips left at the best place near notches of first reflections: 1 of 1") &&
                 Catch::Contains("z_min"));
}

TEST_CASE("modes, places and runs find the same dips in a closed room, with and without its static pressure", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", R"(schema = 1
[simulation]
duration = 1.5
stencil = "leggy-4"  # whose grid fits a box, as that of modes does
grid_spacing = 0.12
precision = "f64"
[above]
method = "none"
[air]
sound_speed = 343.2
absorption = false
[room]
box = [5.3, 4.1, 2.7]
walls = { default = "w" }
[materials.w]
admittance = 0.03
[[source]]
name = "S1"
position = [1.1, 0.9, 1.2]
[[receiver]]
name = "R1"
position = [3.9, 2.7, 1.4]
)");
  // Where it is, on the grid of modes and places.
  const json placed = json_of(run_fdtd({"place", "room.toml", "--receiver", "R1", "--over", "2.5,3.3,1.1,2.5,3.3,1.1",
                                        "--to", "160", "--json", "--quiet"},
                                       folder.path()));
  const std::string there = "receiver.R1.position=" + placed["best"][0]["position"].dump();
  const auto pair_of = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--to", "160", "--set", there, "--json"});
    return json_of(run_fdtd(words, folder.path()));
  };
  const json modes = pair_of({"modes", "room.toml", "--points", "8", "--quiet"})["notches"][0]["notches"];
  std::vector<json> runs;
  for (const char* low_cut : {"0", "20"}) {
    REQUIRE(run_fdtd({"run", "room.toml", "-o", low_cut, "--quiet", "--set", there, "--set",
                      fmt::format("output.low_cut={}", low_cut)},
                     folder.path())
                .status == 0);
    runs.push_back(pair_of({"notches", "room.toml", "--result", low_cut})["pairs"][0]["notches"]);
  }
  const json& dips = placed["notches"][0]["notches"];
  REQUIRE(dips.size() >= 5);
  REQUIRE(modes.size() == dips.size());
  for (const json& run : runs) REQUIRE(run.size() == dips.size());
  // Bounds: the same records by reciprocity; on two grids a hundredth of an octave and 2 dB, of a level that is a twelfth
  // of an octave wide, 3 dB deep or more. Dips within these bounds of a criterion may be missing on one of them.
  std::size_t deep = 0;
  for (std::size_t i = 0; i < dips.size(); ++i) {
    CAPTURE(dips[i].dump(), modes[i].dump(), runs[0][i].dump(), runs[1][i].dump());
    const json& dip = dips[i]["dip"];
    REQUIRE(modes[i]["dip"].is_number() == dip.is_number());
    REQUIRE(runs[0][i]["dip"].is_number() == runs[1][i]["dip"].is_number());
    if (runs[0][i]["dip"].is_number()) {
      CHECK(runs[0][i]["dip"] == runs[1][i]["dip"]);
      CHECK(double(runs[0][i]["dip_level"]) == Approx(double(runs[1][i]["dip_level"])).margin(0.5));
    }
    if (!dip.is_number()) continue;
    CHECK(dip == modes[i]["dip"]);
    CHECK(double(dips[i]["dip_level"]) == Approx(double(modes[i]["dip_level"])).margin(0.1));
    const double apart = std::abs(std::log2(double(dip) / double(dips[i]["frequency"])));
    if (double(dips[i]["dip_level"]) > -5.0 || apart > 1.0 / 12.0 - 0.02) continue;
    ++deep;
    REQUIRE(runs[0][i]["dip"].is_number());
    CHECK(double(runs[0][i]["dip"]) == Approx(double(dip)).epsilon(0.0151));
    CHECK(double(runs[0][i]["dip_level"]) == Approx(double(dips[i]["dip_level"])).margin(2.0));
  }
  CHECK(deep >= 2);
}
