// Many receivers in one table: their places, their names, and what is refused.
#include "scenes/toml/receiver_places.hpp"

#include <cmath>
#include <numbers>

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
