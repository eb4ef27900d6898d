// validate() judges any Scene, also one built by hand.
#include "scenes/toml/validate.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

Scene room() {
  Scene scene;
  scene.simulation.duration = 0.1;
  scene.simulation.max_frequency = 500;
  scene.room.box = {5, 4, 3};
  scene.room.walls.fill("wall");
  scene.materials["wall"].name = "wall";
  scene.sources = {{"S1", {1, 1, 1}, "impulse", {}, {}, {}, {}, {}, {}}};
  scene.receivers = {{"R1", {2, 2, 2}, {}, {}, {}, {}}};
  return scene;
}

std::vector<std::string> messages(const Scene& scene) {
  std::vector<Problem> problems;
  validate(scene, problems);
  std::vector<std::string> messages;
  for (const Problem& problem : problems) messages.push_back(problem.where + ": " + problem.message);
  return messages;
}

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("a sound scene has no problems") { CHECK(messages(room()).empty()); }

TEST_CASE("points on the walls are inside, points beyond are not, and the nearest point is reported") {
  Scene scene = room();
  scene.receivers[0].position = {5, 0, 3};
  CHECK(messages(scene).empty());
  scene.receivers[0].position = {8, 2, 7};
  std::vector<Problem> problems;
  validate(scene, problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message == "position (8, 2, 7) is outside the room (5 x 4 x 3 m)");
  CHECK(problems[0].hint == "the nearest point inside is (5, 2, 3), 5 m away");
  scene.receivers[0].position = {2, 2, 2};
  scene.sources[0].position = {-0.25, 2, 2};
  CHECK(messages(scene) == Messages{"source.S1: position (-0.25, 2, 2) is outside the room (5 x 4 x 3 m)"});
}

TEST_CASE("a wall's material must exist, and a missing one is reported once for all its walls") {
  Scene scene = room();
  scene.room.walls.fill("brick");
  scene.room.walls[2] = "wall";
  for (auto& place : scene.room.wall_places) place = {8, 11};
  CHECK(messages(scene) == Messages{"room.walls: there is no material \"brick\""});
}

TEST_CASE("two points of a kind have different names, capitals or not, a source and a receiver may share one") {
  Scene scene = room();
  scene.sources.push_back({"R1", {1, 1, 2}, "impulse", {}, {}, {}, {}, {}, {}});
  CHECK(messages(scene).empty());
  scene.sources.push_back({"s1", {1, 1, 2}, "impulse", {}, {}, {}, {}, {}, {}});
  scene.receivers.push_back({"R1", {1, 1, 2}, {}, {}, {}, {}});
  CHECK(messages(scene) ==
        Messages{"source.s1: the name differs from \"S1\" by capitals alone", "receiver.R1: the name \"R1\" is taken"});
}

TEST_CASE("names that would write one file twice are refused only where there are several sources") {
  Scene scene = room();
  scene.sources[0].name = "in";
  scene.receivers = {{"far", {1, 1, 1}, {}, {}, {}, {}}, {"mid_far", {1, 1, 1}, {}, {}, {}, {}}};
  CHECK(messages(scene).empty());
  scene.sources.push_back({"in_mid", {1, 1, 2}, "impulse", {}, {}, {}, {}, {}, {}});
  CHECK(messages(scene) ==
        Messages{"receiver.mid_far: with source \"in\" it would write the same file as receiver \"far\" with "
                 "source \"in_mid\": ir_in_mid_far.wav"});
  scene.sources[1].name = "in_low";
  CHECK(messages(scene).empty());
}

TEST_CASE("an order where none belongs has the remedy of its kind of point") {
  Scene scene = room();
  scene.sources[0].directivity.order_place.line = 3;
  scene.receivers.at(0).directivity.order_place.line = 4;
  std::vector<Problem> problems;
  validate(scene, problems);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].hint.find("directivity = ") == 0);
  CHECK(problems[1].hint.find("pattern = \"ambisonic\"") == 0);
}

TEST_CASE("a low cut must leave something to hear") {
  Scene scene = room();
  scene.output.low_cut = 500;
  CHECK(messages(scene) == Messages{"output.low_cut: 500 Hz leaves nothing below max_frequency, 500 Hz"});
  scene.output.low_cut = 30000;
  CHECK(messages(scene) == Messages{"output.low_cut: 30000 Hz is not below half the sample rate, 24000 Hz"});
  scene.output.low_cut = 0;
  CHECK(messages(scene).empty());
}

TEST_CASE("a stencil is auto, one of the catalogue, or a file") {
  Scene scene = room();
  for (const char* name : {"auto", "leggy-4", "leggy-4/taylor", "mine.toml"}) {
    scene.simulation.stencil = name;
    CHECK(messages(scene).empty());
  }
  scene.simulation.stencil = "legy-4";
  std::vector<Problem> problems;
  validate(scene, problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message == "there is no stencil \"legy-4\"");
  CHECK(problems[0].hint == "did you mean \"leggy-4\"? `fdtd stencils` lists all");
}

TEST_CASE("a Courant number that single precision does not resolve is refused, whatever the stencil") {
  Scene scene = room();
  for (const char* stencil : {"auto", "leggy-4"}) {
    scene.simulation.stencil = stencil;
    scene.simulation.precision = Precision::f32;
    scene.simulation.courant = 0.0199;
    std::vector<Problem> problems;
    validate(scene, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "simulation.courant");
    CHECK(problems[0].message.find("0.0199 is too small for precision = \"f32\"") == 0);
    CHECK(problems[0].hint == "use at least 0.02, leave the key out, or set precision = \"f64\"");
    scene.simulation.courant = 0.02;
    CHECK(messages(scene).empty());
    scene.simulation.precision = Precision::f64;
    scene.simulation.courant = 0.001;
    CHECK(messages(scene).empty());
  }
}

TEST_CASE("receivers that send leave snapshots nothing to show, so both at once are refused") {
  Scene scene = room();
  scene.output.snapshots.push_back({});
  scene.output.snapshots[0].plane = "z";
  scene.output.snapshots[0].has_position = true;
  scene.output.snapshots[0].every = 0.001;
  for (const Reciprocity wish : {Reciprocity::automatic, Reciprocity::off}) {
    scene.simulation.reciprocity = wish;
    CHECK(messages(scene).empty());
  }
  scene.simulation.reciprocity = Reciprocity::on;
  CHECK(messages(scene) ==
        Messages{"simulation.reciprocity: \"on\" makes the receivers send, but output.snapshots shows "
                 "the field of the sources"});
  scene.output.snapshots.clear();
  CHECK(messages(scene).empty());
}

TEST_CASE("receivers with a pattern cannot be made to send in single precision") {
  Scene scene = room();
  scene.receivers[0].directivity.pattern = "ambisonic";
  scene.receivers[0].directivity.order = 1;
  scene.receivers[0].directivity.order_place = {1, 1};
  CHECK(messages(scene).empty());
  scene.simulation.reciprocity = Reciprocity::on;
  CHECK(messages(scene) ==
        Messages{"simulation.reciprocity: \"on\" makes receiver R1 send, but single precision does not "
                 "resolve what its pattern sends at low frequencies"});
  scene.simulation.precision = Precision::f64;
  CHECK(messages(scene).empty());
}

TEST_CASE("the speed of sound is the temperature's unless it is given") {
  Air air;
  CHECK(air.speed() == Approx(343.2146).epsilon(1e-6));
  air.temperature = 0;
  CHECK(air.speed() == 331.3);
  air.sound_speed = 340;
  CHECK(air.speed() == 340);
}

TEST_CASE("axes of heads and measured sources have one problem, with axes that differ as the remedy", "[scenes]") {
  const TemporaryFolder folder;
  folder.write("head.sofa", "");
  folder.write("speaker.csv", "");
  const auto check = [&](const std::string& of, const std::string& keys, const std::string& says,
                         const std::string& remedy) {
    CAPTURE(of, keys);
    const std::string text = replaced(small, "position = [" + of, keys + "position = [" + of);
    const ParsedScene parsed = parse_scene(text, folder / "hall.toml");
    CAPTURE(all_messages(parsed, text));
    REQUIRE(parsed.problems.size() == 1);
    CHECK_THAT(parsed.problems[0].message, Catch::Matchers::Contains(says));
    CHECK(parsed.problems[0].hint == remedy);
  };
  const std::string source = "directivity = \"speaker.csv\"\n", head = "pattern = \"binaural\"\nhrtf = \"head.sofa\"\n";
  const std::string x_up = "another direction than `direction`, as up = [1, 0, 0]",
                    z_up = "another direction than `direction`, as up = [0, 0, 1]";
  for (const auto& [of, keys] : {std::pair(std::string("1, 1, 1]"), source), {std::string("2, 2, 2]"), head}}) {
    check(of, keys + "direction = [0, 0, 0]\n", "must not be zero in all three numbers", "");
    check(of, keys + "direction = [0, 0, 2]\n", "or ", x_up);
    check(of, keys + "direction = [1, 0, 0]\nup = [2, 0, 0]\n", "or ", z_up);
    check(of, keys + "direction = [1, 0, 0]\nup = [0, 0, 0]\n", "zero", z_up);
  }
  check("1, 1, 1]", source + "direction = [1, 0, 0]\nmeasurement = \"all\"\n",
        "must be a whole number from 1, or \"sum\", not the text \"all\"", "");
}
