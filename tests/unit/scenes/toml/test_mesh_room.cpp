// Rooms of mesh files as a scene names them: what they become, and every way of naming them wrongly. Nothing here
// needs more than the scene's text and its files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/toml/parse.hpp"
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

// A box that both axes leave room for the positions in: x to 4, y from -4 to 4, z from -4 to 4.
std::string box_of_both() {
  std::string text;
  for (int i = 0; i < 8; ++i) text += fmt::format("v {} {} {}\n", i & 1 ? 8 : 0, i & 2 ? 4 : -4, i & 4 ? 4 : -4);
  return text + "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n";
}

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
             Contains("bounding box is 0.002 x 0.003 x 0.004 m") && Contains("units = \"m\" makes it 2 x 3 x 4 m"));
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

TEST_CASE("units and up \"auto\" are settled by size, faces and positions, or refused with what to write", "[scenes]") {
  const Stage stage;
  const std::string automatic = "mesh = \"box.obj\"\nunits = \"auto\"\nup = \"auto\"";
  const auto box_of = [&](double x, double y, double z, const std::string& head = "") {
    std::string text = head;
    for (int i = 0; i < 8; ++i) text += fmt::format("v {} {} {}\n", i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0);
    stage.folder.write("box.obj", text + "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n");
  };
  const auto settled = [&] {
    const ParsedScene parsed = stage.parse(automatic);
    for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
    REQUIRE(parsed.problems.empty());
    const Room& room = parsed.scene.room;
    CHECK(room.units_auto);
    CHECK(room.up_auto);
    CHECK(room.doubt.empty());
    CHECK(room.box[2] == Approx(room.mesh->high[2] - room.mesh->low[2]));
    return fmt::format("{} {} {:.4g} x {:.4g} x {:.4g}", room.frame.units, room.frame.up, room.box[0], room.box[1],
                       room.box[2]);
  };
  box_of(7, 5, 3.5);
  CHECK(settled() == "m z 7 x 5 x 3.5");
  box_of(7000, 5000, 3200);
  CHECK(settled() == "mm z 7 x 5 x 3.2");
  box_of(700, 500, 320);
  CHECK(settled() == "cm z 7 x 5 x 3.2");
  // The receiver stands at (1, 2, 3): only with y up is the room high enough, and only below y = 0 of the scene.
  box_of(7, 3.5, -5);
  CHECK(settled() == "m y 7 x 5 x 3.5");
  box_of(7000, 3200, -5000);
  CHECK(settled() == "mm y 7 x 5 x 3.2");
  // As mm it would not reach the receiver.
  box_of(1900, 2400, 2000);
  CHECK(settled() == "cm z 19 x 24 x 20");
  // The file's statement counts.
  box_of(700, 500, 320, "# Exporter\n# File units = inches\n");
  CHECK(settled() == "in z 17.78 x 12.7 x 8.128");
  // Neither faces nor positions decide between y and z.
  stage.folder.write("box.obj", box_of_both());
  CHECK_THAT(stage.message(automatic),
             Contains("room.up: up = \"auto\" finds no answer: the area of its facets along z is "
                      "1 times that along y") &&
                 Contains("write up = \"z\" or up = \"y\""));
  box_of(0.4, 0.3, 0.2);
  CHECK_THAT(stage.message(automatic),
             Contains("room.units: units = \"auto\" finds none: in metres its bounding box is 0.4 x 0.3 x 0.2 m") &&
                 Contains("write the unit of its numbers"));
}

TEST_CASE("a unit or an up axis that makes no room is doubted, with what to write", "[scenes]") {
  const Stage stage;
  const auto doubt = [&](double x, double y, double z, const std::string& keys) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += fmt::format("v {} {} {}\n", i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0);
    stage.folder.write("box.obj", text + "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n");
    const ParsedScene parsed = stage.parse("mesh = \"box.obj\"\n" + keys);
    std::string all;
    for (const Problem& problem : parsed.problems) all += problem.message + " | " + problem.hint + "\n";
    if (parsed.problems.empty() && !parsed.scene.room.doubt.empty())
      CHECK(parsed.scene.room.remarks.front().find("mesh: ") == 0);
    return all + parsed.scene.room.doubt;
  };
  CHECK_THAT(
      doubt(6000, 4000, 3200, ""),
      Contains("its bounding box is 6000 x 4000 x 3200 m: are its numbers millimetres? units = \"mm\" makes it 6 x 4 "
               "x 3.2 m"));
  CHECK_THAT(doubt(600, 400, 320, ""), Contains("are its numbers centimetres?"));
  CHECK_THAT(doubt(6, 4, 3.2, "units = \"mm\""),
             Contains("each side must be between 0.01 and 10000 m") &&
                 Contains("its bounding box is 0.006 x 0.004 x 0.0032 m: are its numbers metres?"));
  CHECK_THAT(doubt(60000, 40000, 3200, ""), Contains("are its numbers millimetres?"));
  CHECK_THAT(doubt(8, 3.2, 6, ""),
             Contains("with z up, 51.2 m2 of its facets face up or down and 96 m2 face along y, like a floor and a "
                      "ceiling: is that the axis that points up? up = \"y\" makes its bounding box 8 x 6 x 3.2 m"));
  CHECK_THAT(doubt(8, 3.2, -6, ""), Contains("position (1, 2, 3) is outside the mesh") && Contains("up = \"y\" makes"));
  CHECK_THAT(doubt(8, 6, 3.2, "up = \"y\""), Contains("up = \"z\" makes"));
  for (const auto& [x, y, z] : {std::array{8.0, 6.0, 3.2}, {5.0, 5.0, 30.0}, {20.0, 2.0, 4.0}, {120.0, 80.0, 25.0}})
    CHECK(doubt(x, y, z, "") == "");
}

TEST_CASE("what is odd about a mesh is reported in sentences", "[scenes]") {
  MeshDiagnosis all;
  all.open_edges = 12;
  for (int i = 0; i < 4; ++i) all.rims.push_back({{1.0, -0.0001, 2.5}, i == 0 ? 0.02 : 0.5, 3});
  all.gaps = {2, {1.0, 2.0, 3.0}};
  all.max_gap = 0.004;
  all.flipped = all.duplicate = {1, {0.5, 0.0, 0.0}};
  all.overlap = {1.5, 2, {0.5, 0.0, 0.0}, {}};
  all.degenerate = {3, {0.25, 0.0, 0.0}};
  all.far_away = true;
  const auto remarks = remarks_of(all);
  REQUIRE(remarks.size() == 4);
  CHECK_THAT(remarks[0], Contains("12 open edges, 4 holes or free ends: 20 mm across at (1, 0, 2.5), 0.5 m across") &&
                             Contains(", ..."));
  CHECK_THAT(remarks[1], Contains("2 corners almost meet another, the first at (1, 2, 3); gaps up to 4 mm"));
  CHECK_THAT(remarks[2],
             Contains("mesh: 1.5 m2 are drawn twice, overlapping, the first at (0.5, 0, 0); they count once"));
  CHECK_THAT(remarks[3], Contains("far from the origin"));
  CHECK(remarks_of({}).empty());
  all = {};
  all.rims.push_back({{0.0, 0.0, 0.0}, 1.0, 3});
  all.open_edges = 3;
  CHECK(remarks_of(all).front() == "mesh: 3 open edges, 1 hole or free end: 1 m across at (0, 0, 0)");
}
