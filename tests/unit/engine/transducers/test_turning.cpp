#include "engine/transducers/turning.hpp"

#include "engine/transducers/exchange.hpp"
#include "scenes/moving_receivers.hpp"
#include "scenes/path.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

namespace {

// Receiver R, of a pattern of the keys, on a path in place with this yaw, and R2 without a pattern.
Scene turning_scene(const std::string& keys, double yaw) {
  test::SceneText text;
  text.receiver_keys = keys;
  text.more = "[[receiver]]\nname = \"R2\"\nposition = [0.5, 0.5, 0.5]\n";
  ParsedScene parsed = parse_scene(text_of(text), "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  MovingReceiver& one = parsed.scene.moving.emplace_back();
  one.path = Path({{0.0, parsed.scene.receivers[0].position, yaw}});
  one.count = 1;
  return parsed.scene;
}

}  // namespace

TEST_CASE("turning: a pattern that turns has its level figure-eights, weighed, beside its own channels") {
  const Scene scene = turning_scene("pattern = \"cardioid\"\ndirection = [0, 3, 4]", 30.0);
  CHECK(turning_receivers(scene.receivers, scene.moving) == std::vector<bool>{true, false});
  const std::vector<Channel> all = channels_of(scene).receivers;
  REQUIRE(all.size() == 5);
  const std::string name = scene.receivers[0].name;
  CHECK(all[2].id.name == name + ":f");
  CHECK(all[3].id.name == name + ":s");
  REQUIRE(all[2].operation.size() == 1);
  CHECK(all[2].operation[0].powers == std::array<int, 3>{0, 1, 0});
  CHECK(all[2].operation[0].coefficient == Approx(0.5 * 0.6));
  REQUIRE(all[3].operation.size() == 1);
  CHECK(all[3].operation[0].powers == std::array<int, 3>{1, 0, 0});
  CHECK(all[3].operation[0].coefficient == Approx(-0.5 * 0.6));
  CHECK(mixes_of(scene).receivers == std::vector<ChannelMix>{{0, 1, 0.5}});
  CHECK(channels_of(turning_scene("pattern = \"cardioid\"\ndirection = [0, 3, 4]", 0.0)).receivers.size() == 3);
  CHECK(channels_of(turning_scene("pattern = \"cardioid\"\ndirection = [0, 0, 4]", 30.0)).receivers.size() == 3);
}

TEST_CASE("turning: receivers that send have a pass for each channel, those by which they turn included") {
  Scene scene = turning_scene("pattern = \"hypercardioid\"\ndirection = [1, 2, 0]", 30.0);
  scene.simulation.reciprocity = Reciprocity::on;
  scene.simulation.precision = Precision::f64;  // in single precision patterns do not send
  CHECK(passes_of(scene).count == 5);
  CHECK(channels_of(scene).receivers.size() == 5);
}

TEST_CASE("turning: along a path the channels by which a pattern turns are played after its own") {
  const std::vector<ChannelId> names =
      read_channel_names({"A", "B", "B:v", "B:f", "B:s", "C", "C:f", "C:s", "D:00", "D:01", "E", "E:h01"});
  const std::vector<ChannelGroup> groups = groups_of(names);
  REQUIRE(groups.size() == 5);
  const std::vector<std::vector<std::size_t>> played = {{0}, {1, 3, 4}, {5, 6, 7}, {8, 9}, {10}};
  for (std::size_t g = 0; g < groups.size(); ++g) CHECK(channels_along_path(names, groups[g]) == played[g]);
}
