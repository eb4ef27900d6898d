// Rooms of mesh files as a scene names them: what they become, and every way of naming them wrongly. Nothing here
// needs more than the scene's text and its files.
#include <algorithm>
#include <string>

#include "scenes/mesh_diagnosis.hpp"
#include "scenes/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

const std::string corners = "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 0 0 4\nv 2 0 4\nv 2 3 4\nv 0 3 4\n";
const std::string sides = "f 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";
const std::string box = corners + "usemtl brick\nf 1 2 3 4\nusemtl wood\n" + sides;

struct Stage {
  TemporaryFolder folder;

  ParsedScene parse(const std::string& room, const std::string& walls = "default = \"plaster\"\n") const {
    test::SceneText scene;
    scene.simulation = "duration = 0.1\nmax_frequency = 500.0\n";
    scene.room = room + "\n";
    scene.walls = walls;
    scene.materials = "[materials.plaster]\nadmittance = 0.1\n[materials.wood]\nadmittance = 0.2\n";
    scene.source = "[1.0, 1.0, 1.0]";
    scene.receiver = "[1.0, 2.0, 3.0]";
    return parse_scene(text_of(scene), folder.path() / "room.toml");
  }
  // All problems and their hints, a line each.
  std::string message(const std::string& room, const std::string& walls = "default = \"plaster\"\n") const {
    std::string all;
    for (const Problem& problem : parse(room, walls).problems)
      all += problem.where + ": " + problem.message + " | " + problem.hint + "\n";
    return all;
  }
};

}  // namespace

TEST_CASE("a mesh is the room: its bounding box, its materials by name, by the table and by default", "[scenes]") {
  const Stage stage;
  stage.folder.write("box.obj", box);
  const ParsedScene parsed = stage.parse("mesh = \"box.obj\"");
  REQUIRE(parsed.problems.empty());
  const Room& room = parsed.scene.room;
  REQUIRE(room.mesh);
  CHECK(room.box == std::array{2.0, 3.0, 4.0});
  CHECK(room.mesh->materials == std::vector<std::string>{"brick", "wood"});
  CHECK(room.surfaces == std::vector<std::string>{"plaster", "wood"});
  REQUIRE(!room.remarks.empty());
  CHECK_THAT(room.remarks.back(), Contains("\"plaster\", stands for \"brick\""));
  const ParsedScene mapped = stage.parse("mesh = \"box.obj\"", "brick = \"wood\"\n");
  REQUIRE(mapped.problems.empty());
  CHECK(mapped.scene.room.surfaces == std::vector<std::string>{"wood", "wood"});
  stage.folder.write("floor.obj", corners + "f 1 2 3 4\n");
  stage.folder.write("rest.obj", corners + sides);
  const ParsedScene both =
      stage.parse("mesh = [\"floor.obj\", \"rest.obj\"]", "rest = \"wood\"\nfloor = \"plaster\"\n");
  REQUIRE(both.problems.empty());
  CHECK(both.scene.room.mesh->materials == std::vector<std::string>{"floor", "rest"});
  CHECK(both.scene.room.mesh->triangles.size() == 12);
}

TEST_CASE("a mesh that is no room, or is named wrongly, is reported at its place", "[scenes]") {
  const Stage stage;
  stage.folder.write("box.obj", box);
  stage.folder.write("broken.obj", "v 0 0 nan\n");
  CHECK_THAT(stage.message("mesh = \"none.obj\""), Contains("none.obj"));
  CHECK_THAT(stage.message("mesh = \"broken.obj\""), Contains("\"broken.obj\": line 1: \"nan\" is not a coordinate"));
  CHECK_THAT(stage.message("mesh = []"), Contains("a list of 0 files: it must hold 1 to 1000"));
  CHECK_THAT(stage.message("mesh = [\"box.obj\", \"broken.obj\"]"), Contains("broken.obj"));
  CHECK_THAT(stage.message("mesh = 3"), Contains("room.mesh"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"\nunits = \"yard\""), Contains("room.units") && Contains("yard"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"\nup = \"w\""), Contains("room.up"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"\nunits = \"mm\""),
             Contains("bounding box is 0.002 x 0.003 x 0.004 m") && Contains("cm, in and ft are known"));
  stage.folder.write("vast.obj",
                     "v 0 0 0\nv 20000 0 0\nv 0 20000 0\nv 0 0 20000\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  CHECK_THAT(stage.message("mesh = \"vast.obj\""), Contains("each side must be between 0.01 and 10000 m"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"", "bricks = \"wood\"\n"),
             Contains("the mesh has no material \"bricks\"") && Contains("did you mean \"brick\"?"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"", "roof_of_tin = \"wood\"\ndefault = \"wood\"\n"),
             Contains("it has \"brick\", \"wood\""));
  CHECK_THAT(stage.message("mesh = \"box.obj\"", "default = \"plastr\"\n"), Contains("did you mean \"plaster\"?"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"", "default = \"xyz\"\n"), Contains("a table [materials.xyz] is needed"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"", "default = 3\n"), Contains("room.walls.default"));
  CHECK_THAT(stage.message("mesh = \"box.obj\"", ""),
             Contains("no material for \"brick\" of the mesh") && Contains("default = \"...\" for all such"));
  stage.folder.write("named.obj", corners + "usemtl Old_Wood.003\nf 1 2 3 4\nusemtl plaster\n" + sides);
  CHECK_THAT(stage.message("mesh = \"named.obj\"", ""),
             Contains("\"Old_Wood.003\"") && Contains("the nearest is \"wood\""));
}

TEST_CASE("what is odd about a mesh is reported in sentences", "[scenes]") {
  MeshDiagnosis all;
  all.open_edges = 12;
  for (int i = 0; i < 4; ++i) all.rims.push_back({{1.0, -0.0001, 2.5}, i == 0 ? 0.02 : 0.5, 3});
  all.gaps = {2, {1.0, 2.0, 3.0}};
  all.max_gap = 0.004;
  all.flipped = all.duplicate = {1, {0.5, 0.0, 0.0}};
  all.degenerate = {3, {0.25, 0.0, 0.0}};
  all.far_away = true;
  const auto remarks = remarks_of(all);
  REQUIRE(remarks.size() == 4);
  CHECK_THAT(remarks[0], Contains("12 open edges, 4 holes or free ends: 20 mm across at (1, 0, 2.5), 0.5 m across") &&
                             Contains(", ..."));
  CHECK_THAT(remarks[1], Contains("2 corners almost meet another, the first at (1, 2, 3); gaps up to 4 mm"));
  CHECK_THAT(remarks[2], Contains("1 duplicate facet, at (0.5, 0, 0)"));
  CHECK_THAT(remarks[3], Contains("far from the origin"));
  CHECK(remarks_of({}).empty());
  all = {};
  all.rims.push_back({{0.0, 0.0, 0.0}, 1.0, 3});
  all.open_edges = 3;
  CHECK(remarks_of(all).front() == "mesh: 3 open edges, 1 hole or free end: 1 m across at (0, 0, 0)");
}
