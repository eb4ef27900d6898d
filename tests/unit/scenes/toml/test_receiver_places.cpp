// Many receivers in one table: their places, their names, and what is refused.
#include "scenes/toml/receiver_places.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/files.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string at_position = "position = [2, 2, 2]";

std::string with(const std::string& places) { return replaced(small, at_position, places); }

std::vector<ReceiverSpec> receivers(const std::string& places) {
  const std::string text = with(places);
  ParsedScene parsed = parse_scene(text, "hall.toml");
  INFO(all_messages(parsed, text));
  REQUIRE(parsed.problems.empty());
  return parsed.scene.receivers;
}

void check_refused(const std::string& places, const std::string& message) {
  CAPTURE(places);
  const std::string text = with(places);
  const ParsedScene parsed = parse_scene(text, "hall.toml");
  REQUIRE(parsed.problems.size() == 1);
  CHECK_THAT(all_messages(parsed, text), Catch::Matchers::Contains(message));
}

}  // namespace

TEST_CASE("receivers on a grid: x fastest, ends exact, numbers of one width, all else alike") {
  const auto all = receivers(
      "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n"
      "grid = { from = [0.1, 1, 1.2], to = [0.7, 3, 1.2], count = [4, 3, 1] }");
  REQUIRE(all.size() == 12);
  CHECK(all[0].name == "R1_01");
  CHECK(all[11].name == "R1_12");
  CHECK(all[1].position[0] == Approx(0.3));
  CHECK(all[1].position[1] == 1.0);
  CHECK(all[4].position == std::array<double, 3>{0.1, 2.0, 1.2});
  CHECK(all[11].position == std::array<double, 3>{0.7, 3.0, 1.2});
  for (const ReceiverSpec& one : all) {
    CHECK(one.directivity.pattern == "cardioid");
    CHECK(one.directivity.direction == std::array<double, 3>{1, 0, 0});
    CHECK(one.position_place.line == all[0].position_place.line);
  }
}

TEST_CASE("receivers on a line: both ends included, a single one keeps its number") {
  const auto all = receivers("line = { from = [1, 1, 1], to = [4, 2.5, 1], count = 4 }");
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "R1_1");
  CHECK(all[0].position == std::array<double, 3>{1, 1, 1});
  CHECK(all[2].position[0] == Approx(3.0));
  CHECK(all[2].position[1] == Approx(2.0));
  CHECK(all[3].position == std::array<double, 3>{4, 2.5, 1});
  CHECK(receivers("line = { from = [1, 1, 1], to = [1, 1, 1], count = 1 }").at(0).name == "R1_1");
}

TEST_CASE("receivers on an arc turn about its axis by the right-hand rule, at equal angles, at one distance") {
  const auto half = receivers("arc = { centre = [2, 2, 1], from = [3, 2, 1], angle = 180, count = 37 }");
  REQUIRE(half.size() == 37);
  for (int i = 0; i < 37; ++i) {
    const auto& place = half[static_cast<std::size_t>(i)].position;
    const double turn = i * 5 * std::numbers::pi / 180;
    CHECK(place[0] == Approx(2 + std::cos(turn)));
    CHECK(place[1] == Approx(2 + std::sin(turn)));
    CHECK(place[2] == 1.0);
  }
  // A whole circle does not stand twice where it begins; a tilted one keeps its height along the axis.
  const auto ring =
      receivers("arc = { centre = [2, 2, 1.5], from = [2, 2.5, 1.75], axis = [0, 0, -2], angle = 360, count = 4 }");
  REQUIRE(ring.size() == 4);
  CHECK(ring[1].position[0] == Approx(2.5));  // clockwise, seen from above
  CHECK(ring[1].position[1] == Approx(2.0));
  CHECK(ring[3].position[0] == Approx(1.5));
  for (const ReceiverSpec& one : ring) CHECK(one.position[2] == Approx(1.75));
}

TEST_CASE("places that make no sense are refused, each with one message") {
  check_refused("", "needs one of position, grid, line, arc");
  check_refused(at_position + "\nline = { from = [1, 1, 1], to = [2, 1, 1], count = 3 }",
                "position and line exclude each other");
  check_refused("grid = { from = [1, 1, 1], to = [2, 2, 1], count = [3, 1, 1] }",
                "one receiver along y cannot stand at 1 and at 2 m");
  check_refused("grid = { from = [1, 1, 1], to = [2, 1, 1], count = [3, 2, 1] }",
                "2 receivers along y stand at one place, 1 m");
  check_refused("grid = { from = [1, 1, 1], to = [2, 2, 2], count = [1000, 1000, 2] }",
                "more than 1000000 receivers in one table");
  check_refused("grid = { from = [1, 1, 1], to = [2, 2, 2], count = [1000000, 1000000, 1000000] }",
                "more than 1000000 receivers in one table");
  check_refused("grid = { from = [1, 1, 1], to = [2, 2, 2], count = [0, 1, 1] }", "must be");
  check_refused("grid = { from = [1, 1, 1], to = [2, 2, 2], count = [2, 2] }", "must be three whole numbers, not 2");
  check_refused("line = { from = [1, 1, 1], to = [1, 1, 1], count = 3 }", "3 receivers stand at one place");
  check_refused("line = { from = [1, 1, 1], to = [2, 1, 1], count = 1 }", "one receiver cannot stand at both ends");
  check_refused("line = { from = [1, 1, 1], to = [2, 1, 1] }", "count");
  check_refused("arc = { centre = [2, 2, 1], from = [2, 2, 2], angle = 90, count = 3 }", "`from` lies on the axis");
  check_refused("arc = { centre = [2, 2, 1], from = [3, 2, 1], axis = [0, 0, 0], angle = 90, count = 3 }",
                "axis must not be zero in all three numbers");
  check_refused("arc = { centre = [2, 2, 1], from = [3, 2, 1], angle = 0, count = 3 }",
                "3 receivers stand at one place");
  check_refused("arc = { centre = [2, 2, 1], from = [3, 2, 1], angle = 90, count = 3, step = 1 }", "step");
}

TEST_CASE("a place of many beyond the room is refused by its own name") {
  check_refused("line = { from = [1, 1, 1], to = [5.5, 1, 1], count = 10 }",
                "receiver.R1_10: position (5.5, 1, 1) is outside the room");
}

TEST_CASE("a receiver that is placed in two ways has one problem") {
  const TemporaryFolder folder;
  folder.write("walk.csv", "t,x,y,z\n0,1,1,1\n1,2,2,1\n");
  folder.write("device.csv", "x,y,z\n0,0,0\n0,0,0.1\n");
  const std::string line = "line = { from = [1, 1, 1], to = [2, 1, 1], count = 3 }", walk = "path = \"walk.csv\"";
  for (const std::string& places : {at_position + "\n" + walk, walk + "\n" + at_position, line + "\n" + walk,
                                    walk + "\n" + line, at_position + "\n" + line + "\narray = \"device.csv\"",
                                    at_position + "\n" + walk + "\narray = \"device.csv\""}) {
    CAPTURE(places);
    const std::string text = with(places);
    const ParsedScene parsed = parse_scene(text, folder / "hall.toml");
    CHECK(parsed.problems.size() == 1);
    CHECK_THAT(all_messages(parsed, text), Catch::Matchers::Contains("exclude each other"));
  }
}

TEST_CASE("an array is a receiver for each microphone, turned by its direction and up") {
  const TemporaryFolder folder;
  folder.write("device.csv", "z;x;y\n0,03;0;0\n0;0,01;0\n0;0;0,02\n");
  const auto microphones = [&](const std::string& keys) {
    const std::string text = with(at_position + "\narray = \"device.csv\"\n" + keys);
    const ParsedScene parsed = parse_scene(text, folder / "hall.toml");
    INFO(all_messages(parsed, text));
    REQUIRE(parsed.problems.empty());
    REQUIRE(parsed.scene.receivers.size() == 3);
    return parsed.scene.receivers;
  };
  const auto check_at = [](const ReceiverSpec& one, const std::string& name, double x, double y, double z) {
    CHECK(one.name == name);
    CHECK(one.directivity.pattern == "omni");
    CHECK(one.position[0] == Approx(x));
    CHECK(one.position[1] == Approx(y));
    CHECK(one.position[2] == Approx(z));
  };
  const auto plain = microphones("");
  check_at(plain[0], "R1:m01", 2, 2, 2.03);
  check_at(plain[1], "R1:m02", 2.01, 2, 2);
  check_at(plain[2], "R1:m03", 2, 2.02, 2);
  // To the scene's y; its left is -x.
  const auto left = microphones("direction = [0, 5, 0]\n");
  check_at(left[0], "R1:m01", 2, 2, 2.03);
  check_at(left[1], "R1:m02", 2, 2.01, 2);
  check_at(left[2], "R1:m03", 1.98, 2, 2);
  // On its side: up along y, as far as that is perpendicular to x.
  const auto side = microphones("up = [1, 2, 0]\n");
  check_at(side[0], "R1:m01", 2, 2.03, 2);
  check_at(side[2], "R1:m03", 2, 2, 1.98);
}

TEST_CASE("microphones have the names and weights of their file") {
  const TemporaryFolder folder;
  folder.write("device.csv", "name,x,y,z,weight\nfront,0.03,0,0,-0.5\n10,0,0.02,0,2\n");
  const ParsedScene parsed = parse_scene(with(at_position + "\narray = \"device.csv\"\n"), folder / "hall.toml");
  REQUIRE(parsed.problems.empty());
  REQUIRE(parsed.scene.receivers.size() == 2);
  CHECK(parsed.scene.receivers[0].name == "R1::front");
  CHECK(parsed.scene.receivers[0].weight == -0.5);
  CHECK(parsed.scene.receivers[1].name == "R1::10");
  CHECK(parsed.scene.receivers[1].weight == 2.0);
}

TEST_CASE("arrays that make no sense are refused with the file's line") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& message, const std::string& keys = "") {
    folder.write("device.csv", bytes);
    const std::string text = with(at_position + "\narray = \"device.csv\"\n" + keys);
    const ParsedScene parsed = parse_scene(text, folder / "hall.toml");
    CAPTURE(bytes);
    REQUIRE(!parsed.problems.empty());
    CHECK_THAT(all_messages(parsed, text), Catch::Matchers::Contains(message));
  };
  const std::string head = "x,y,z\n";
  refused("", "device.csv: no microphone");
  refused(head, "device.csv: no microphone");
  refused("0,0,0\n", "device.csv:1: \"0\" is not a known column: the first line must name the columns x, y and z");
  refused("x,y,name\n0,0,a\n", "device.csv:1: the first line must name the columns x, y and z");
  refused(head + "0,0,0\n0,0\n", "device.csv:3: ");
  refused(head + "0,0,left\n", "device.csv:2: ");
  refused(head + "0,0,nan\n", "device.csv:2: ");
  refused(head + "0,0,1e9\n", "device.csv:2: 1e+09 m is farther than 100 m");
  refused(head + "0,0,1\n0.1,0,0\n0,0,1\n", "device.csv:4: a microphone at this place is listed before");
  refused(head + "0,0,0\n0,0,5\n", "receiver.R1:m02: position (2, 2, 7) is outside the room");
  refused(head + "0,0,0\n", "the microphones of an array are omnidirectional",
          "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n");
  refused(head + "0,0,0\n", "must not be parallel", "direction = [0, 0, 2]\n");
  std::string many = head;
  for (int i = 0; i < 1025; ++i) many += std::to_string(i * 1e-3) + ",0,0\n";
  refused(many, "device.csv:1026: more than 1024 microphones");
  // A name is that of one file of responses.
  const std::string device = "[[receiver]]\nname = \"r1\"\nposition = [1, 1, 1]\n";
  refused(head + "0,0,0\n0,0,0.1\n", "the name \"r1\" is taken", device);
  refused("name," + head + "a,0,0,0\nb,0,0,0.1\n", "the name \"r1\" is taken", device + "array = \"device.csv\"\n");
  check_refused(at_position + "\narray = \"nowhere.csv\"", "nowhere.csv");
  check_refused(at_position + "\nup = [0, 0, 1]", "belongs to an array");
}
