// Receivers with a path: their places, and what is refused.
#include "scenes/moving_receivers.hpp"

#include "tests/support/files.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string at_position = "position = [2, 2, 2]";

struct Walk {
  TemporaryFolder folder;
  std::string text;
  ParsedScene parsed;
  Walk(const std::string& rows, const std::string& keys = "", const std::vector<std::string>& set = {}) {
    folder.write("walk.csv", rows);
    text = replaced(small, at_position, "path = \"walk.csv\"\n" + keys);
    ParseOptions options;
    options.overrides = set;
    parsed = parse_scene(text, folder.path() / "hall.toml", options);
  }
};

void check_refused(const Walk& walk, const std::string& message) {
  REQUIRE(walk.parsed.problems.size() == 1);
  CHECK_THAT(all_messages(walk.parsed, walk.text), Catch::Matchers::Contains(message));
}

}  // namespace

TEST_CASE("a receiver on a path becomes receivers at its places") {
  const Walk walk("t,x,y,z\n0,1,1,1.5\n2,3,1,1.5\n");
  INFO(all_messages(walk.parsed, walk.text));
  REQUIRE(walk.parsed.problems.empty());
  const Scene& scene = walk.parsed.scene;
  REQUIRE(scene.moving.size() == 1);
  const MovingReceiver& moving = scene.moving.front();
  CHECK(moving.name == "R1");
  CHECK(moving.count > 10);
  REQUIRE(scene.receivers.size() >= moving.first + moving.count);
  CHECK(scene.receivers[moving.first].name == "R1_01");
  CHECK(scene.receivers[moving.first].position == Point{1, 1, 1.5});
  for (std::size_t i = moving.first; i < moving.first + moving.count; ++i) {
    CHECK(scene.receivers[i].position[1] == 1.0);
    CHECK(scene.receivers[i].position[0] <= 3.0);
  }
}

TEST_CASE("a receiver on a path at rest is one like any other") {
  const Walk walk("t,x,y,z\n0,2,2,2\n2,2,2,2\n");
  REQUIRE(walk.parsed.problems.empty());
  const ParsedScene plain = parse_scene(small, "hall.toml");
  CHECK(walk.parsed.scene.moving.empty());
  REQUIRE(walk.parsed.scene.receivers.size() == plain.scene.receivers.size());
  for (std::size_t i = 0; i < plain.scene.receivers.size(); ++i) {
    CHECK(walk.parsed.scene.receivers[i].name == plain.scene.receivers[i].name);
    CHECK(walk.parsed.scene.receivers[i].position == plain.scene.receivers[i].position);
  }
  const Walk turning("t,x,y,z,yaw\n0,2,2,2,0\n2,2,2,2,90\n", "pattern = \"ambisonic\"\norder = 1\n");
  REQUIRE(turning.parsed.problems.empty());
  REQUIRE(turning.parsed.scene.moving.size() == 1);
  CHECK(turning.parsed.scene.moving.front().count == 1);
  const std::string head = "pattern = \"binaural\"\ndirection = [1, 0, 0]\nhrtf = \"walk.csv\"\n";
  CHECK(Walk("t,x,y,z,yaw\n0,2,2,2,0\n2,2,2,2,90\n", head).parsed.scene.moving.size() == 1);
  CHECK(Walk("t,x,y,z\n0,2,2,2\n2,2,2,2\n", head).parsed.scene.moving.empty());
}

TEST_CASE("a pattern turns with a path's yaw unless it points up or down, or the yaw is 0") {
  const auto turns = [](const std::string& rows, const std::string& direction) -> bool {
    const Walk walk("t,x,y,z,yaw\n" + rows, "pattern = \"cardioid\"\ndirection = " + direction + "\n");
    INFO(all_messages(walk.parsed, walk.text));
    REQUIRE(walk.parsed.problems.empty());
    REQUIRE(walk.parsed.scene.moving.size() == 1);
    return turning_receivers(walk.parsed.scene.receivers, walk.parsed.scene.moving)
        .at(walk.parsed.scene.moving.front().first);
  };
  CHECK(turns("0,1,1,1,0\n1,2,1,1,90\n", "[1, 0, 0]"));
  CHECK(turns("0,2,2,2,0\n2,2,2,2,90\n", "[1, 0, 1]"));  // in place
  CHECK_FALSE(turns("0,1,1,1,0\n1,2,1,1,90\n", "[0, 0, -1]"));
  CHECK_FALSE(turns("0,1,1,1,0\n1,2,1,1,360\n", "[1, 0, 0]"));
}

TEST_CASE("paths that make no sense are refused, each with one message") {
  const std::string rows = "t,x,y,z\n0,1,1,1.5\n2,3,1,1.5\n";
  check_refused(Walk("t,x,y\n0,1,1\n"), "walk.csv: line 1: the column \"z\" is missing");
  check_refused(Walk("t,x,y,z\n0,1,1,1\n1,99,1,1\n"), "line 3 of the path: (99, 1, 1) is outside the room");
  check_refused(Walk("t,x,y,z\n0,1,1,1\n0.005,3,1,1\n"), "line 3 of the path: 400 m/s is not below the sound speed");
  check_refused(Walk(rows, "", {"above.method=rays"}), "hears waves alone");
  check_refused(Walk(rows, "pattern = \"binaural\"\ndirection = [1, 0, 0]\nhrtf = \"walk.csv\"\nrotations = [0, 9]\n"),
                "a head on a path has no rotations of its own");
  check_refused(Walk(rows, "", {"simulation.max_frequency=", "simulation.grid_spacing=0.1"}),
                "a path needs simulation.max_frequency");
  std::string many = "t,x,y,z\n";
  for (int i = 0; i < 3000; ++i) many += std::to_string(i) + (i % 2 == 0 ? ",0.1" : ",3.9") + ",1,1.5\n";
  check_refused(Walk(many, "", {"simulation.max_frequency=4000"}), "places up to max_frequency, more than 10000");
  check_refused(Walk("t,x,y,z\n0,1,1,1.5\n0.01,3,1,1.5\n", "",
                     {"simulation.max_frequency=3000", "output.sample_rate=8000", "output.low_cut=0"}),
                "the Doppler effect takes 3600 Hz beyond half of output.sample_rate");
}
