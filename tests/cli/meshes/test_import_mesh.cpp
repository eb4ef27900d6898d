// fdtd import of meshes: a scene to begin from that plans as it is, whatever unit and axis the mesh has.
#include <filesystem>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path examples = std::filesystem::path(FDTD_SOURCE_DIR) / "scenes/examples";

Outcome fdtd_in(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  return run_fdtd(arguments, folder.path());
}

// A box of 6 x 5 x 3 m with the given axes of the file for x, y and z, in its unit.
std::string box_text(double unit, bool y_up, const std::vector<std::string>& names) {
  std::string text;
  for (int corner = 0; corner < 8; ++corner) {
    const double x = (corner & 1) != 0 ? 6.0 / unit : 0.0, y = (corner & 2) != 0 ? 5.0 / unit : 0.0,
                 z = (corner & 4) != 0 ? 3.0 / unit : 0.0;
    text += "v " + std::to_string(x) + " " +
            (y_up ? std::to_string(z) + " " + std::to_string(-y) : std::to_string(y) + " " + std::to_string(z)) + "\n";
  }
  const std::vector<std::string> quads = {"1 2 4 3", "5 6 8 7", "1 2 6 5", "3 4 8 7", "1 3 7 5", "2 4 8 6"};
  for (std::size_t i = 0; i < quads.size(); ++i) text += "usemtl " + names[i % names.size()] + "\nf " + quads[i] + "\n";
  return text;
}

}  // namespace

TEST_CASE("import makes a scene of a mesh that plans as it is", "[cli]") {
  for (const std::string name : {"hall", "l_room", "studio"}) {
    const TemporaryFolder folder;
    std::filesystem::copy_file(examples / (name + ".obj"), folder.path() / "model.obj");
    const Outcome made = fdtd_in(folder, {"import", "model.obj"});
    CAPTURE(name, made.err, made.out);
    REQUIRE(made.status == 0);
    CHECK_THAT(made.out, Contains("wrote model.toml"));
    const auto plan = json_of(fdtd_in(folder, {"plan", "model.toml", "--json", "--set", "above.method=none", "--set",
                                               "simulation.max_frequency=125"}));
    CHECK(plan["mesh"]["volume"].get<double>() > 10.0);
    const auto whole =
        json_of(fdtd_in(folder, {"plan", (examples / (name + ".toml")).string(), "--json", "--set", "above.method=none",
                                 "--set", "simulation.max_frequency=125", "--set", "simulation.stencil=auto"}));
    CHECK(plan["mesh"]["volume"].get<double>() == Approx(whole["mesh"]["volume"].get<double>()).epsilon(0.02));
  }
}

TEST_CASE("import finds the unit and the axis of a mesh, names its surfaces and writes a comment for what it guessed",
          "[cli]") {
  for (const double unit : {1.0, 0.01, 0.001})
    for (const bool y_up : {false, true}) {
      const TemporaryFolder folder;
      folder.write("room.obj", box_text(unit, y_up, {"Floor Carpet", "ceiling", "drywall"}));
      const Outcome made = fdtd_in(folder, {"import", "room.obj", "-o", "first.toml"});
      CAPTURE(unit, y_up, made.err, made.out);
      REQUIRE(made.status == 0);
      const std::string scene = read_file(folder.path() / "first.toml");
      CHECK_THAT(scene, Contains(unit == 1.0    ? "units = \"m\""
                                 : unit == 0.01 ? "units = \"cm\""
                                                : "units = \"mm\"") &&
                            Contains(y_up ? "up = \"y\"" : "up = \"z\"") &&
                            Contains("mesh = \"room.obj\"  # 6 x 5 x 3 m") && Contains("= \"plasterboard\"") &&
                            Contains("\"ceiling\" = \"plasterboard\"") && Contains("fill in"));
      const auto plan = json_of(fdtd_in(folder, {"plan", "first.toml", "--json", "--set", "above.method=none"}));
      CHECK(plan["mesh"]["volume"].get<double>() == Approx(90.0).epsilon(0.03));
    }
}

TEST_CASE("import takes the axis of a corridor from surfaces named floor and ceiling, and from directions without them",
          "[cli]") {
  const std::string faces =
      "f 1 2 4 3\nusemtl Ceiling\nf 5 6 8 7\nusemtl walls\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n";
  std::string corners;  // 12 x 1.9 x 3 m: more of its surface faces along y
  for (int corner = 0; corner < 8; ++corner)
    corners += std::string("v ") + ((corner & 1) != 0 ? "12 " : "0 ") + ((corner & 2) != 0 ? "1.9 " : "0 ") +
               ((corner & 4) != 0 ? "3\n" : "0\n");
  const TemporaryFolder folder;
  folder.write("named.obj", corners + "usemtl FLOOR\n" + faces);
  folder.write("plain.obj", corners + faces.substr(0, 10) + faces.substr(25));
  REQUIRE(fdtd_in(folder, {"import", "named.obj"}).status == 0);
  CHECK_THAT(read_file(folder.path() / "named.toml"),
             Contains("up = \"z\"  # found by the surfaces named floor or ceiling"));
  REQUIRE(fdtd_in(folder, {"import", "plain.obj"}).status == 0);
  CHECK_THAT(read_file(folder.path() / "plain.toml"),
             Contains("up = \"y\"  # found by the directions of its surfaces"));
  // 3 m high along y, where most of its surface faces along z: 1.4 m are no room's height, in any unit.
  std::string low;
  for (int corner = 0; corner < 8; ++corner)
    low += std::string("v ") + ((corner & 1) != 0 ? "12 " : "0 ") + ((corner & 2) != 0 ? "3 " : "0 ") +
           ((corner & 4) != 0 ? "1.4\n" : "0\n");
  folder.write("low.obj", low + faces.substr(0, 10) + faces.substr(25));
  const Outcome made = fdtd_in(folder, {"import", "low.obj"});
  CHECK_THAT(made.out, Contains("up = \"y\" is found by the heights of rooms"));
  CHECK_THAT(read_file(folder.path() / "low.toml"), Contains("units = \"m\"") && Contains("up = \"y\""));
}

TEST_CASE("import finds inches and feet where no other unit makes a room with the right axis up", "[cli]") {
  // Sides along the file's axes: inches with z and with y up, feet, and a corridor of 30 x 1.4 x 3 m in centimetres.
  const auto [sides, named, units, up, size] =
      GENERATE(table<std::string, bool, std::string, std::string, std::string>({
          {"200 240 100", false, "in", "z", "5.08 x 6.096 x 2.54 m"},
          {"400 300 110", true, "in", "z", "10.16 x 7.62 x 2.794 m"},
          {"400 110 300", false, "in", "y", "10.16 x 7.62 x 2.794 m"},
          {"150 70 58", true, "ft", "y", "45.72 x 17.68 x 21.34 m"},
          {"3000 300 140", false, "cm", "y", "30 x 1.4 x 3 m"},
          {"3000 300 140", true, "in", "z", "76.2 x 7.62 x 3.556 m"},
          {"6 5 3", false, "m", "z", "6 x 5 x 3 m"},
          {"6 3 5", false, "m", "y", "6 x 5 x 3 m"},
      }));
  CAPTURE(sides, named);
  const TemporaryFolder folder;
  double side[3] = {};
  std::istringstream(sides) >> side[0] >> side[1] >> side[2];
  std::string text;
  for (int corner = 0; corner < 8; ++corner) {
    text += "v";
    for (int d = 0; d < 3; ++d) text += ((corner >> d) & 1) != 0 ? " " + std::to_string(side[d]) : " 0";
    text += "\n";
  }
  const std::vector<std::string> along_z = {"1 2 4 3", "5 6 8 7"}, along_y = {"1 2 6 5", "3 4 8 7"};
  const std::vector<std::string>&floors = up == "z" ? along_z : along_y, &walls = up == "z" ? along_y : along_z;
  text += named ? "usemtl floor\n" : "usemtl a\n";
  for (const std::string& face : floors) text += "f " + face + "\n";
  text += "usemtl b\n";
  for (const std::string& face : walls) text += "f " + face + "\n";
  text += "f 1 3 7 5\nf 2 4 8 6\n";
  folder.write("room.obj", text);
  const Outcome made = fdtd_in(folder, {"import", "room.obj"});
  CAPTURE(made.err, made.out);
  REQUIRE(made.status == 0);
  CHECK_THAT(made.out, Contains("units = \"" + units + "\" is found by the size of rooms"));
  CHECK_THAT(read_file(folder.path() / "room.toml"),
             Contains("units = \"" + units + "\"") && Contains("up = \"" + up + "\"") && Contains("  # " + size));
  // With the axis given the unit is found all the same.
  const Outcome given = fdtd_in(folder, {"import", "room.obj", "--up", up, "--force"});
  CAPTURE(given.err);
  CHECK_THAT(given.out, Contains("units = \"" + units + "\" is found by the size of rooms"));
}

TEST_CASE("import of an open model has places to the millimetre, to be replaced", "[cli]") {
  const TemporaryFolder folder;
  const std::string box = box_text(1.0, false, {"plaster"});
  folder.write("open.obj", box.substr(0, box.find("usemtl", box.find("usemtl") + 1)));  // the floor alone, of 6 x 5 m
  std::string raised = read_file(folder.path() / "open.obj");
  raised += "usemtl wall\nf 1 2 6 5\n";
  folder.write("open.obj", raised);
  const Outcome made = fdtd_in(folder, {"import", "open.obj"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK_THAT(made.out + made.err, Contains("no closed space was found"));
  const std::string scene = read_file(folder.path() / "open.toml");
  CHECK_THAT(scene, Contains("position = [2.4, 2, 1.2]") && Contains("position = [3.6, 3, 1.8]"));
}

TEST_CASE("import refuses what is no room, and writes nothing", "[cli]") {
  const TemporaryFolder folder;
  folder.write("broken.obj", "v 0 0\n");
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("room.xyz", "1 2 3\n");
  folder.write("room.obj", box_text(1.0, false, {"a"}));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    std::vector<std::string> all = {"import"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = fdtd_in(folder, all);
    CAPTURE(outcome.out);
    CHECK(outcome.status != 0);
    CHECK_THAT(outcome.err, Contains(why));
  };
  refused({"broken.obj"}, "line 1");
  refused({"flat.obj"}, "units");
  refused({"room.xyz"}, "import reads OBJ");
  refused({"room.obj", "-o", "elsewhere/room.toml"}, "not in the folder of this scene");
  refused({"room.obj", "-o", "room.txt"}, "ends in .toml");
  refused({"missing.obj"}, "no such file");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().extension() != ".toml");
  REQUIRE(fdtd_in(folder, {"import", "room.obj"}).status == 0);
  refused({"room.obj"}, "--force");
  CHECK(fdtd_in(folder, {"import", "room.obj", "--force", "--units", "ft"}).status == 0);
  CHECK_THAT(read_file(folder.path() / "room.toml"), Contains("units = \"ft\""));
}

TEST_CASE("a command given a mesh where a scene belongs names import", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.obj", box_text(1.0, false, {"a"}));
  for (const char* command : {"run", "plan", "estimate"}) {
    const Outcome outcome = fdtd_in(folder, {command, "room.obj"});
    CAPTURE(command, outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("fdtd import room.obj"));
  }
}
