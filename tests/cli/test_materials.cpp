#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;

TEST_CASE("materials lists the library, reports fits and plots them", "[cli]") {
  const TemporaryFolder folder;
  const Outcome list = run_fdtd({"materials", "--json"}, folder.path());
  REQUIRE(list.status == 0);
  CHECK(nlohmann::json::parse(list.out).size() >= 30);
  folder.write("z.csv", "frequency,real,imaginary\n100,2,-8\n200,1.5,-3\n400,1.2,-1\n800,1.1,0.5\n");
  const auto json = json_of(run_fdtd(
      {"materials", "marble", "z.csv", "--max-frequency", "1000", "-o", "fits.html", "--json"}, folder.path()));
  REQUIRE(json.size() == 2);
  for (std::size_t b = 0; b < 4; ++b)
    CHECK(json[0]["fitted"][b].get<double>() == Approx(json[0]["asked"][b].get<double>()).margin(0.01));
  CHECK(!json[1]["branches"].empty());
  const std::string html = read_file(folder.path() / "fits.html");
  CHECK(html.find("<svg") != std::string::npos);
  CHECK(html.find("reflection coefficient") != std::string::npos);
  CHECK(run_fdtd({"materials", "marble", "-o", "fits.html"}, folder.path()).status == 5);
  // Bands that the grid does not carry are named, not reported as fitted.
  const Outcome low = run_fdtd({"materials", "marble", "--max-frequency", "300"}, folder.path());
  CHECK(low.out.find("250 Hz") != std::string::npos);
  CHECK(low.out.find("500 Hz") == std::string::npos);
  CHECK(low.out.find("; above 300 Hz, so not fitted: 500, 1000") != std::string::npos);
  const Outcome misspelt = run_fdtd({"materials", "marbel"}, folder.path());
  CHECK(misspelt.status == 2);
  CHECK(misspelt.err.find("marble") != std::string::npos);
  CHECK(run_fdtd({"materials", "nothing.csv"}, folder.path()).status == 2);
}

TEST_CASE("a scene's walls may be porous, of the library or of a file", "[cli]") {
  const TemporaryFolder folder;
  folder.write("wall.csv", "frequency,alpha\n125,0.2\n250,0.3\n500,0.4\n");
  SceneText scene;
  scene.simulation = "duration = 0.05\nmax_frequency = 500.0\nstencil = \"leggy-3\"\n";
  scene.box = "[2.3, 1.9, 1.4]";
  scene.walls = "default = \"stone\"\nz_min = \"wool\"\nx_max = \"mine\"\n";
  scene.materials = R"([materials.stone]
library = "concrete-rough"
[materials.wool]
porous = { flow_resistivity = 12000, thickness = 0.1 }
[materials.mine]
file = "wall.csv"
)";
  scene.receiver = "[1.7, 1.1, 0.4]";
  folder.write("room.toml", text_of(scene));
  const auto json = json_of(run_fdtd({"run", "room.toml", "-o", "made", "--json"}, folder.path()));
  CHECK(json["energy"]["balance_error"].get<double>() < 1e-4);
  REQUIRE(json["materials"].size() == 3);
  for (const auto& material : json["materials"])
    for (std::size_t b = 0; b < material["bands"].size() && material["bands"][b].get<double>() <= 500.0; ++b)
      CHECK(material["fitted"][b].get<double>() == Approx(material["asked"][b].get<double>()).margin(0.02));
  const Outcome reported = run_fdtd({"materials", "--scene", "room.toml", "-o", "fits.html"}, folder.path());
  CHECK(reported.status == 0);
  CHECK(read_file(folder.path() / "fits.html").find("wool") != std::string::npos);
}

namespace {

std::string hard_room(const std::string& walls, int max_frequency, const char* above = "none") {
  return fmt::format(R"(schema = 1
[simulation]
duration = 4.0
max_frequency = {}
stencil = "leggy-4"
[above]
method = "{}"
[room]
box = [3.4, 2.7, 2.3]
walls = {{ default = "w" }}
[materials.w]
{}
[[source]]
name = "S1"
position = [0.6, 0.5, 0.4]
[[receiver]]
name = "R1"
position = [2.5, 2.0, 1.7]
)",
                     max_frequency, above, walls);
}

double time_of(const nlohmann::json& run, double centre) {
  for (const auto& band : run["receivers"][0]["metrics"]["bands"])
    if (band["centre"] == centre) return band["T20"].get<double>();
  FAIL("no such octave");
  return 0.0;
}

}  // namespace

TEST_CASE("hard walls decay as their table states, below its lowest band too, whatever max_frequency", "[cli]") {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& walls, int max_frequency) {
    folder.write("room.toml", hard_room(walls, max_frequency));
    return json_of(run_fdtd({"run", "room.toml", "-o", "made", "--force", "--json"}, folder.path()));
  };
  // 0.03 to 250 Hz, then more: 63 Hz is not stated, and held.
  const std::string table = "absorption = { bands = [125, 250, 500, 1000], alpha = [0.03, 0.03, 0.06, 0.12] }";
  const auto flat = run("absorption = { bands = [125], alpha = [0.03] }", 355), low = run(table, 355),
             high = run(table, 710);
  for (const double centre : {63.0, 125.0}) {
    CAPTURE(centre);
    CHECK(time_of(low, centre) == Approx(time_of(flat, centre)).epsilon(0.08));
    CHECK(time_of(high, centre) == Approx(time_of(low, centre)).epsilon(0.03));
  }
  CHECK(time_of(high, 250.0) == Approx(time_of(low, 250.0)).epsilon(0.03));
}

TEST_CASE("estimate and plan count on the same absorption", "[cli]") {
  const TemporaryFolder folder;
  for (const std::string walls : {"library = \"concrete-smooth\"", "library = \"curtain-light\"",
                                  "absorption = { bands = [250, 1000], alpha = [0.9, 0.01] }",
                                  "porous = { flow_resistivity = 20000, thickness = 0.03 }"}) {
    folder.write("room.toml", hard_room(walls, 1500, "auto"));
    const auto estimate = json_of(run_fdtd({"estimate", "room.toml", "--json"}, folder.path()));
    const auto plan = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
    REQUIRE(plan["reverberation"].size() == 8);  // to 8 kHz
    for (const auto& octave : plan["reverberation"])
      for (const auto& band : estimate["bands"])
        if (band["centre"] == octave["centre"]) {
          CAPTURE(walls, double(octave["centre"]));
          CHECK(band["eyring"].get<double>() == Approx(octave["eyring"].get<double>()).epsilon(0.01));
        }
  }
}

TEST_CASE("plan notes a band that is off on the grid, and a smaller wall_error mends it", "[cli]") {
  const TemporaryFolder folder;
  for (const auto& [error, noted] : {std::pair("0.9", true), std::pair("0.05", false)}) {
    SceneText scene;
    scene.simulation = fmt::format(
        "duration = 0.2\nmax_frequency = 1420.0\nstencil = \"compact-3/radial1\"\nwall_error = {}\n", error);
    scene.box = "[0.6, 0.5, 0.45]";
    scene.materials =
        "[materials.panel]\nabsorption = { bands = [125, 250, 500, 1000], alpha = [0.1, 0.3, 0.9, 0.5] }\n";
    scene.source = "[0.2, 0.2, 0.2]";
    scene.receiver = "[0.4, 0.3, 0.3]";
    folder.write("room.toml", text_of(scene));
    const auto plan = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
    const std::string notes = plan["warnings"].dump();
    CAPTURE(error, notes);
    CHECK((notes.find("material panel: 0.5 requested at 1000 Hz, 0.5") != notes.npos) == noted);
    CHECK((notes.find(" on the grid; a smaller simulation.wall_error") != notes.npos) == noted);
  }
}
