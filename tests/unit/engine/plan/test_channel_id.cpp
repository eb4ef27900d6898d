#include "engine/plan/channel_id.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/transducers/channels.hpp"
#include "scenes/balloon.hpp"
#include "scenes/scene.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

ReceiverSpec receiver(const std::string& name, const std::string& pattern = "omni", int order = 0) {
  ReceiverSpec one;
  one.name = name;
  one.directivity.pattern = pattern;
  one.directivity.order = order;
  one.directivity.direction = {1.0, 0.0, 0.0};
  return one;
}

Scene every_pattern() {
  Scene scene;
  scene.receivers = {receiver("W"), receiver("x#3"), receiver("b00"), receiver("P_1"), receiver("m01_h02")};
  scene.receivers.push_back(receiver("cardioid", "cardioid"));
  scene.receivers.push_back(receiver("eight", "figure-eight"));
  scene.receivers.push_back(receiver("v", "ambisonic", 9));
  scene.receivers.push_back(receiver("01", "ambisonic", 1));
  scene.receivers.push_back(receiver("head", "binaural", 4));
  for (const auto& [name, number] :
       {std::pair("D:m01", 1), {"D:m02", 2}, {"D:m120", 120}, {"E::front", 0}, {"E::10", 0}}) {
    ReceiverSpec& one = scene.receivers.emplace_back(receiver(name));
    one.array = std::string(1, name[0]);
    one.microphone = number;
  }
  SourceSpec source;
  source.name = "S";
  source.directivity.pattern = "measured";
  auto balloon = std::make_shared<Balloon>();
  balloon->order = 9;
  source.directivity.balloon = balloon;
  scene.sources = {source};
  return scene;
}

}  // namespace

TEST_CASE(
    "channels: a name in a file stands for the channel that wrote it, whatever sources and receivers are called") {
  const Channels channels = channels_of(every_pattern());
  REQUIRE(channels.sources.size() == 100);
  REQUIRE(channels.receivers.size() == 5 + 2 + 1 + 100 + 4 + 25 + 5);
  for (const auto* list : {&channels.sources, &channels.receivers})
    for (const Channel& one : *list) {
      INFO(one.id.name);
      CHECK(read_channel_name(one.id.name) == one.id);
    }
}

TEST_CASE("channels: the kind says what each is, and which are outputs of their own") {
  const std::vector<Channel> all = channels_of(every_pattern()).receivers;
  const auto of = [&](const std::string& owner) {
    std::vector<ChannelId> channels;
    for (const Channel& one : all)
      if (one.id.owner == owner) channels.push_back(one.id);
    return channels;
  };
  for (const char* name : {"W", "x#3", "b00", "P_1", "m01_h02", "eight"}) {
    REQUIRE(of(name).size() == 1);
    CHECK(of(name)[0].kind == ChannelKind::whole);
    CHECK(of(name)[0].shown() == name);
  }
  const std::vector<ChannelId> cardioid = of("cardioid");
  REQUIRE(cardioid.size() == 2);
  CHECK(cardioid[0].first());
  CHECK(cardioid[1].kind == ChannelKind::part);
  CHECK_FALSE(cardioid[1].output());
  CHECK_FALSE(cardioid[1].first());
  const std::vector<ChannelId> field = of("v"), head = of("head");
  CHECK(field[99].kind == ChannelKind::ambisonic);
  CHECK(field[99].number == 99);
  CHECK(field[99].output());
  CHECK_FALSE(field[99].first());
  CHECK(field[0].first());
  CHECK(head[24].kind == ChannelKind::ears);
  CHECK(head[24].number == 24);
  CHECK(head[0].shown() == "head");
  const std::vector<ChannelId> plain = of("D"), named = of("E");
  CHECK(plain[2].number == 120);
  CHECK(plain[2].first());
  CHECK(plain[2].shown() == "D:m120");
  CHECK(plain[2].own_name().empty());
  CHECK(named[1].kind == ChannelKind::microphone);
  CHECK(named[1].own_name() == "10");
  const std::vector<Channel> sent = channels_of(every_pattern()).sources;
  CHECK(sent[0].id.first());
  CHECK(sent[99].id.kind == ChannelKind::part);
  CHECK(sent[99].id.number == 99);
  CHECK(sent[99].id.owner == "S");
}

TEST_CASE("channels: those by which a pattern turns are no outputs, and are read from a file as they were written") {
  for (const int number : {0, 1}) {
    const ChannelId id("C", ChannelKind::turn, number);
    CHECK(id.name == (number == 0 ? "C:f" : "C:s"));
    CHECK(read_channel_name(id.name) == id);
    CHECK_FALSE(id.output());
  }
}

TEST_CASE("channels: a name with a colon is no source or receiver, and one of an unknown kind in a file is a part") {
  CHECK_THROWS_AS(ChannelId("a::W"), std::invalid_argument);
  CHECK_THROWS_AS(ChannelId(std::string("R:00")), std::invalid_argument);
  for (const char* name : {"R:", "R:x", "R:1", "R:100", "R:b1", "R:m1", "R:m00", "R:m123456789", "R:00:v"}) {
    INFO(name);
    const ChannelId id = read_channel_name(name);
    CHECK(id.kind == ChannelKind::part);
    CHECK(id.owner == "R");
    CHECK(id.name == name);
  }
}
