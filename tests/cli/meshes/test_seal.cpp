// room.seal as a user meets it: what the refusal of a leak says of it, what plans and runs say, and bad values.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes/leaky_rooms.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
using nlohmann::json;

namespace {

// A tenth of a second in the studio on a grid of 0.15 m.
SceneText studio_scene() {
  SceneText text;
  text.simulation = "duration = 0.1\ngrid_spacing = 0.15\nstencil = \"leggy-2\"\n";
  text.room = "mesh = \"room.obj\"\n";
  text.walls = "default = \"w\"\n";
  text.materials = "[materials.w]\nadmittance = 0.02\n";
  text.source = "[3.0, 2.0, 1.2]";
  text.receiver = "[5.1, 3.3, 1.6]";
  return text;
}

bool says(const Outcome& outcome, const std::string& text) {
  INFO(outcome.out + outcome.err);
  CHECK((outcome.out + outcome.err).find(text) != std::string::npos);
  return (outcome.out + outcome.err).find(text) != std::string::npos;
}

json planned(const TemporaryFolder& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"plan", "scene.toml", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run_fdtd(words, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out);
}

double distance_of(const json& place, const Place& other) {
  return std::hypot(place[0].get<double>() - other[0], place[1].get<double>() - other[1],
                    place[2].get<double>() - other[2]);
}

double area_of(const json& plan, const std::string& name, const char* field) {
  for (const auto& one : plan["mesh"]["materials"])
    if (one["name"] == name) return one[field];
  return -1.0;
}

}  // namespace

TEST_CASE("the refusal of a leak names the seal that closes it, which plans as the watertight room", "[cli]") {
  const TemporaryFolder folder;
  folder.write("scene.toml", text_of(studio_scene()));
  folder.write("room.obj", as_obj(room_with_short_wall({7.0, 5.6, 3.0}, 0.2)));
  const Outcome leaks = run_fdtd({"plan", "scene.toml"}, folder.path());
  CHECK(leaks.status == 2);
  says(leaks, "the room leaks: from source S1");
  says(leaks, "room.seal = 0.21 closes it");
  says(leaks, "or close it in the mesh");
  const Outcome narrower = run_fdtd({"plan", "scene.toml", "--set", "room.seal=0.19"}, folder.path());
  CHECK(narrower.status == 2);
  says(narrower, "room.seal = 0.21 closes it");

  const json closed = planned(folder, {"--set", "room.seal=0.21"});
  const std::string said = closed["warnings"].dump();
  CHECK(said.find("room.seal = 0.21 closes 1 opening to the outside: 0.2 m wide and 5.6 m long, 1.12 m2 at (0, 2.8, "
                  "2.9) (with ceiling)") != said.npos);
  const json sealed = closed["mesh"]["sealed"];
  REQUIRE(sealed.size() == 1);
  CHECK(std::abs(sealed[0]["width"].get<double>() - 0.2) < 1e-6);
  CHECK(std::abs(sealed[0]["length"].get<double>() - 5.6) < 1e-6);
  CHECK(std::abs(sealed[0]["area"].get<double>() - 1.12) < 1e-6);
  CHECK(distance_of(sealed[0]["position"], {0.0, 2.8, 2.9}) < 1e-6);
  CHECK(sealed[0]["name"] == "ceiling");
  folder.write("room.obj", as_obj(room_with_short_wall({7.0, 5.6, 3.0}, 0.0)));
  const json whole = planned(folder);
  CHECK(whole["mesh"]["sealed"].empty());
  CHECK(closed["grid"] == whole["grid"]);
  CHECK(std::abs(closed["mesh"]["volume"].get<double>() - whole["mesh"]["volume"].get<double>()) < 1e-6 * 117.6);
  CHECK(std::abs(area_of(closed, "ceiling", "area") - 7.0 * 5.6 - 1.12) < 1e-6);
  CHECK(std::abs(area_of(closed, "front", "area_in_room") + area_of(closed, "ceiling", "area_in_room") -
                 area_of(whole, "front", "area_in_room") - area_of(whole, "ceiling", "area_in_room")) < 0.02);
}

TEST_CASE("a studio with a slit of 5 mm over a beam closes alike on any grid", "[cli]") {
  const TemporaryFolder folder;
  SceneText text = studio_scene();
  text.room += "seal = 0.02\n";
  folder.write("scene.toml", text_of(text));
  folder.write("room.obj", as_obj(studio(0.005)));
  for (const char* spacing : {"0.3", "0.1"}) {
    const json plan = planned(folder, {"--set", std::string("simulation.grid_spacing=") + spacing});
    const std::string said = plan["warnings"].dump();
    CAPTURE(said);
    CHECK(said.find("room.seal = 0.02 closes 1 opening to the outside: 5 mm wide and 5.6 m long, 0.028 m2 at (0.1, "
                    "2.8, 2.998) (with ceiling)") != said.npos);
    // Without the 5.6 m of the beam's 0.1 m before the wall.
    CHECK(std::abs(plan["mesh"]["volume"].get<double>() - (117.6 - 0.1 * 0.4 * 5.6)) < 0.01);
  }
}

TEST_CASE("a run states what room.seal closes, and its decay is that of the watertight room", "[cli]") {
  // Set beforehand: within 1 % where waves decay.
  const TemporaryFolder folder;
  SceneText text = studio_scene();
  text.simulation = "duration = 0.5\ngrid_spacing = 0.3\nstencil = \"leggy-2\"\ngeometry_error = 10.0\n";
  text.materials = "[materials.w]\nadmittance = 0.1\n";
  folder.write("scene.toml", text_of(text));
  std::vector<double> energies;
  for (const double gap : {0.0, 0.005}) {
    folder.write("room.obj", as_obj(studio(gap)));
    const Outcome run =
        run_fdtd({"run", "scene.toml", "-o", "out", "--force", "--json", "--set", "room.seal=0.02"}, folder.path());
    INFO(run.err);
    REQUIRE(run.status == 0);
    const json made = json::parse(run.out);
    const std::string warnings = made["plan"]["warnings"].dump();
    CHECK((warnings.find("room.seal = 0.02 closes 1 opening") != warnings.npos) == (gap > 0.0));
    CHECK((warnings.find("room.seal = 0.02 closes nothing") != warnings.npos) == (gap == 0.0));
    CHECK(made["plan"]["mesh"]["sealed"].size() == (gap > 0.0 ? 1 : 0));
    energies.push_back(made["energy"]["final"].get<double>());
  }
  CHECK(std::abs(energies[1] / energies[0] - 1.0) < 0.01);
}

TEST_CASE("an opening wider than a tenth of the room is refused without a seal that would close it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("scene.toml", text_of(studio_scene()));
  folder.write("room.obj", as_obj(room_with_short_wall({7.0, 5.6, 3.0}, 0.6)));
  const Outcome leaks = run_fdtd({"plan", "scene.toml"}, folder.path());
  CHECK(leaks.status == 2);
  says(leaks, "no room.seal up to 0.3 m, a tenth of the room, closes it; close it in the mesh");
}

TEST_CASE("bad values of room.seal say what is wrong", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.obj", as_obj(studio(0.005)));
  folder.write("scene.toml", text_of(studio_scene()));
  const auto with = [&](const std::string& value) {
    const Outcome outcome = run_fdtd({"plan", "scene.toml", "--set", "room.seal=" + value}, folder.path());
    CHECK(outcome.status == 2);
    return outcome;
  };
  says(with("-0.01"), "room.seal: ");
  says(with("-0.01"), "between 0 and 1000 m");
  says(with("nan"), "room.seal");
  says(with("inf"), "room.seal");
  says(with("\"wide\""), "room.seal");
  says(with("0.31"), "0.31 m is more than a tenth of the room's shortest side, 0.3 m");
  SceneText box = studio_scene();
  box.room = "";
  box.box = "[7.0, 5.6, 3.0]\nseal = 0.02";
  folder.write("scene.toml", text_of(box));
  const Outcome of_box = run_fdtd({"plan", "scene.toml"}, folder.path());
  CHECK(of_box.status == 2);
  says(of_box, "room.seal: belongs to a mesh, and there is none");
}
