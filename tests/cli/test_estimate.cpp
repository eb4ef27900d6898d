// fdtd estimate as a user runs it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using nlohmann::json;

namespace {

const std::string room = R"(schema = 1
[simulation]
duration = 0.5
max_frequency = 60000.0  # a run would take weeks
[room]
box = [6.0, 5.0, 3.0]
walls = { default = "w" }
[materials.w]
absorption = { bands = [500, 1000], alpha = [0.2, 0.1] }
[[source]]
name = "S1"
position = [1.0, 1.2, 1.5]
[[receiver]]
name = "R1"
position = [4.5, 3.5, 1.2]
)";

const json& band(const json& document, double centre) {
  for (const json& one : document["bands"])
    if (one["centre"] == centre) return one;
  FAIL("no such octave");
  return document;
}

}  // namespace

TEST_CASE("an estimate states levels and times by octave, beside the formulas", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const json found = json_of(run_fdtd({"estimate", "room.toml", "--json", "--no-air"}, folder.path()));
  REQUIRE(found["bands"].size() == 8);
  const json& octave = band(found, 1000.0);
  const double eyring = octave["eyring"], T30 = octave["receivers"][0]["T30"], G = octave["receivers"][0]["G"];
  CHECK(eyring == Approx(0.161 * 90.0 / (126.0 * 0.10536)).epsilon(0.01));
  CHECK(T30 == Approx(eyring).epsilon(0.25));  // of smooth walls, which leave directions alone
  CHECK(double(octave["T30_scatter"]) == Approx(eyring).epsilon(0.05));
  // Barron and Lee would call it 10 lg(31200 T/V (1 - alpha)) with the direct sound.
  CHECK(G == Approx(10.0 * std::log10(31200.0 * eyring / 90.0 * 0.9 + 100.0 / 17.6)).margin(0.5));
  CHECK(double(band(found, 63.0)["mean_absorption"]) == Approx(0.2));
  CHECK(double(band(found, 8000.0)["mean_absorption"]) == Approx(0.1));
  const json with_air = json_of(run_fdtd({"estimate", "room.toml", "--json"}, folder.path()));
  CHECK(double(band(with_air, 8000.0)["T30"]) < 0.8 * double(band(found, 8000.0)["T30"]));
  const Outcome text = run_fdtd({"estimate", "room.toml"}, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("no single mode, no single reflection") != text.out.npos);
  CHECK(text.out.find("S1 -> R1") != text.out.npos);
}

TEST_CASE("an estimate is the same for any number of threads", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const Outcome one = run_fdtd({"estimate", "room.toml", "--json", "--cells", "3000", "--threads", "1"}, folder.path());
  const Outcome two = run_fdtd({"estimate", "room.toml", "--json", "--cells", "3000", "--threads", "2"}, folder.path());
  CHECK(one.status == 0);
  CHECK(one.out == two.out);
}

TEST_CASE("an estimate names the device that is not there", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  CHECK(run_fdtd({"estimate", "room.toml", "--cells", "500", "--device", "cpu"}, folder.path()).status == 0);
  const Outcome absent = run_fdtd({"estimate", "room.toml", "--device", "cuda:99"}, folder.path());
  CHECK(absent.status == 3);
  CHECK(absent.err.find("cuda:99") != absent.err.npos);
  CHECK(run_fdtd({"estimate", "room.toml", "--device", "tpu"}, folder.path()).status == 2);
}

TEST_CASE("an estimate without absorption says that there is no steady state", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const std::vector<std::string> rigid = {"estimate",
                                          "room.toml",
                                          "--no-air",
                                          "--cells",
                                          "500",
                                          "--set",
                                          "materials.w.rigid=true",
                                          "--set",
                                          "materials.w.absorption="};
  const Outcome text = run_fdtd(rigid, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("nothing absorbs") != text.out.npos);
  CHECK(text.out.find("short:") == text.out.npos);
  CHECK(text.out.find("->") == text.out.npos);
  std::vector<std::string> as_json = rigid;
  as_json.emplace_back("--json");
  const json found = json_of(run_fdtd(as_json, folder.path()));
  CHECK(band(found, 1000.0)["steady"] == false);
  CHECK(band(found, 1000.0)["eyring"].is_null());
  CHECK(band(found, 1000.0)["receivers"].empty());
}

TEST_CASE("an estimate of walls that absorb all sound has its direct sound alone", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const json found = json_of(run_fdtd({"estimate", "room.toml", "--json", "--no-air", "--cells", "500", "--set",
                                       "materials.w.absorption={ bands = [500], alpha = [1.0] }"},
                                      folder.path()));
  const json& receiver = band(found, 1000.0)["receivers"][0];
  CHECK(double(receiver["G"]) == Approx(10.0 * std::log10(100.0 / 17.63)).margin(0.01));
  CHECK(receiver["G"] == receiver["G_direct"]);
  CHECK(receiver["T30"].is_null());
  CHECK(receiver["slopes"].empty());
}

TEST_CASE("a map without a level is refused, an octave without one is said", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const std::vector<std::string> words = {"estimate", "room.toml", "--no-air", "--cells", "500",
                                          "--map",    "z=1",       "-o",       "map"};
  const auto with = [&](const std::string& absorption) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--set", "materials.w.absorption=" + absorption});
    return run_fdtd(all, folder.path());
  };
  const Outcome refused = with("{ bands = [500], alpha = [0.0] }");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("no steady level to draw") != refused.err.npos);
  CHECK_FALSE(std::filesystem::exists(folder / "map"));
  const Outcome partly = with("{ bands = [500, 1000], alpha = [0.2, 0.0] }");
  CHECK(partly.status == 0);
  CHECK(partly.out.find("1000 Hz, no steady level in this octave") != partly.out.npos);
}

TEST_CASE("a room in two parts has figures in the part that absorbs alone", "[cli]") {
  const TemporaryFolder folder;
  std::string obj, two = R"(schema = 1
simulation = { duration = 0.5, max_frequency = 250.0 }
room.mesh = "two.obj"
materials.hard.rigid = true
materials.soft.absorption = { bands = [500, 1000], alpha = [0.2, 0.2] }
)";
  for (int part = 0; part < 2; ++part) {
    obj += part == 0 ? "usemtl soft\n" : "usemtl hard\n";
    for (int i = 0; i < 8; ++i)
      obj += fmt::format("v {} {} {}\n", 5 * part + (i % 2 == 0 ? 0 : 4), i / 2 % 2 * 3, i / 4 * 3);
    for (const char* face : {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"}) {
      int a = 0, b = 0, c = 0, d = 0;
      std::istringstream(face) >> a >> b >> c >> d;
      obj += fmt::format("f {} {} {} {}\n", a + 8 * part, b + 8 * part, c + 8 * part, d + 8 * part);
    }
    two += fmt::format(
        "[[source]]\nname = \"S{0}\"\nposition = [{1}, 1.2, 1.5]\n[[receiver]]\nname = \"R{0}\"\n"
        "position = [{2}, 2.2, 1.0]\n",
        part + 1, 5 * part + 1, 5 * part + 3);
  }
  folder.write("two.obj", obj);
  folder.write("two.toml", two);
  const std::vector<std::string> words = {"estimate", "two.toml", "--no-air", "--cells", "1500"};
  const Outcome text = run_fdtd(words, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("S2, 63, 125, 250, 500, 1000, 2000, 4000, 8000 Hz: nothing absorbs") != text.out.npos);
  CHECK(text.out.find("S1 -> R1") != text.out.npos);
  CHECK(text.out.find("S2 -> R2") == text.out.npos);
  CHECK(text.out.find("receives nothing") != text.out.npos);
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const json found = json_of(run_fdtd(as_json, folder.path()));
  const json& octave = band(found, 1000.0);
  CHECK(octave["steady"] == false);
  REQUIRE(octave["receivers"].size() == 2);
  CHECK(double(octave["receivers"][0]["T30"]) == Approx(0.161 * 36.0 / (66.0 * 0.2231)).epsilon(0.05));
  CHECK(octave["receivers"][1]["T30"].is_null());
  for (const json& limit : octave["limits"]) CHECK(limit != "short");
  std::vector<std::string> between = words;
  between.insert(between.end(), {"--map", "x=4.5", "-o", "levels"});
  const Outcome in_wall = run_fdtd(between, folder.path());
  CHECK(in_wall.status == 2);
  CHECK(in_wall.err.find("no sound gets to the plane x = 4.5 m") != in_wall.err.npos);
  CHECK_FALSE(std::filesystem::exists(folder / "levels"));
  // The plan does not take the part that decays for the whole.
  const Outcome plan = run_fdtd({"plan", "two.toml", "--set", "air.absorption=false"}, folder.path());
  CHECK(plan.status == 0);
  CHECK(plan.out.find("expected by Eyring's formula") != plan.out.npos);
}

TEST_CASE("one cell is enough for an estimate, and what is not a plane is refused", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const json one = json_of(run_fdtd({"estimate", "room.toml", "--json", "--cells", "1"}, folder.path()));
  CHECK(one["cells"] == json({1, 1, 1}));
  CHECK(double(band(one, 1000.0)["T30"]) > 0.5);
  for (const char* plane : {"w=1", "z", "z=", "z=1m", "z=9", "z=nan"}) {
    INFO(plane);
    const Outcome refused = run_fdtd({"estimate", "room.toml", "--map", plane, "-o", "levels"}, folder.path());
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--map") != refused.err.npos);
    CHECK_FALSE(std::filesystem::exists(folder / "levels"));
  }
  CHECK(run_fdtd({"estimate", "room.toml", "--map", "z=1", "--octave", "900"}, folder.path()).status == 2);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--octave", "500"}, {"--map", ""}}) {
    std::vector<std::string> all = {"estimate", "room.toml"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome refused = run_fdtd(all, folder.path());
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--map") != refused.err.npos);
  }
  CHECK(run_fdtd({"estimate", "room.toml", "-o", "levels"}, folder.path()).status == 2);
}

TEST_CASE("a map of level is written whole, and replaced only on demand", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const std::vector<std::string> words = {"estimate", "room.toml", "--cells", "800", "--map", "x=2", "-o", "levels"};
  REQUIRE(run_fdtd(words, folder.path()).status == 0);
  CHECK(names_in(folder / "levels") == std::vector<std::string>{"estimate.h5", "level_S1.png"});
  CHECK(run_fdtd(words, folder.path()).status == 5);
  std::vector<std::string> forced = words;
  forced.emplace_back("--force");
  CHECK(run_fdtd(forced, folder.path()).status == 0);
}
