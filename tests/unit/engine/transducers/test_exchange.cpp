#include "engine/transducers/exchange.hpp"

#include "engine/transducers/channels.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

Scene scene_with(const std::string& reciprocity, const std::string& more = "", const std::string& receiver_keys = "",
                 const std::string& precision = "f64") {
  SceneText text;
  text.simulation += "precision = \"" + precision + "\"\n";
  if (!reciprocity.empty()) text.simulation += "reciprocity = \"" + reciprocity + "\"\n";
  text.second_source = "[0.2, 0.3, 0.4]";
  text.receiver_keys = receiver_keys;
  text.more = more;
  const ParsedScene parsed = parse_scene(text_of(text), "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

const std::string second_receiver = "[[receiver]]\nname = \"R2\"\nposition = [0.5, 0.5, 0.5]\n";
const std::string snapshots = "[output]\nsnapshots = [{ plane = \"z\", position = 0.5, every = 0.001 }]\n";

}  // namespace

TEST_CASE("sources and receivers are exchanged where that takes fewer passes, or as the scene states") {
  CHECK(passes_of(scene_with("")).exchanged);
  CHECK(passes_of(scene_with("auto")).exchanged);
  CHECK(passes_of(scene_with("")).count == 1);
  CHECK_FALSE(passes_of(scene_with("off")).exchanged);
  CHECK(passes_of(scene_with("off")).count == 2);
  CHECK_FALSE(passes_of(scene_with("", second_receiver)).exchanged);  // as many
  CHECK(passes_of(scene_with("on", second_receiver)).exchanged);
  CHECK(passes_of(scene_with("on", second_receiver)).count == 2);
}

TEST_CASE("passes of directional transducers count by channel when it is decided who sends") {
  const std::string cardioid = "pattern = \"cardioid\"\ndirection = [1, 0, 0]";
  CHECK_FALSE(passes_of(scene_with("", "", cardioid)).exchanged);  // two channels against two sources
  const std::string third = "[[source]]\nname = \"S3\"\nposition = [0.9, 0.5, 0.5]\n";
  CHECK(passes_of(scene_with("", third, cardioid)).exchanged);
  CHECK(passes_of(scene_with("", third, cardioid)).count == 2);
  CHECK_FALSE(passes_of(scene_with("", third, "pattern = \"ambisonic\"\norder = 1")).exchanged);
  CHECK(passes_of(scene_with("on", third, "pattern = \"ambisonic\"\norder = 1")).count == 4);
  for (const char* pattern : {"omni", "subcardioid", "cardioid", "supercardioid", "hypercardioid", "figure-eight"})
    for (const char* order : {"1", "2", "3"}) {
      const std::string aim = std::string(pattern) == "omni" ? "" : "\ndirection = [0, 1, 0]";
      const std::string aimed = "pattern = \"" + std::string(pattern) + "\"" + aim;
      const Scene scene =
          scene_with("on",
                     "[[receiver]]\nname = \"R2\"\nposition = [0.5, 0.5, 0.5]\npattern = \"ambisonic\"\norder = " +
                         std::string(order) + "\n",
                     aimed);
      CHECK(passes_of(scene).count == channels_of(scene).receivers.size());
    }
}

TEST_CASE("in single precision receivers with a pattern do not send, sources with one may record") {
  const std::string third = "[[source]]\nname = \"S3\"\nposition = [0.9, 0.5, 0.5]\n";
  const std::string cardioid = "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n";
  CHECK(passes_of(scene_with("auto", third, cardioid, "f64")).exchanged);
  CHECK_FALSE(passes_of(scene_with("auto", third, cardioid, "f32")).exchanged);
  const Scene sent = scene_with("auto", third + cardioid + second_receiver, "", "f32");
  CHECK(channels_of(sent).sources.size() == 4);
  CHECK(passes_of(sent).exchanged);
  CHECK(passes_of(sent).count == 2);
}

TEST_CASE("both channels of a source of a pattern send in one pass, whatever the receivers, also with snapshots") {
  const std::string keys = "direction = [1, 0, 0]\n";
  const std::string third = "[[source]]\nname = \"S3\"\nposition = [0.9, 0.5, 0.5]\npattern = \"cardioid\"\n" + keys +
                            "[[source]]\nname = \"S4\"\nposition = [0.9, 0.5, 0.4]\npattern = \"figure-eight\"\n" +
                            keys;
  const Passes joint = passes_of(scene_with("off", third));
  CHECK(joint.count == 4);
  CHECK(joint.joint == std::vector<JointParts>{{2, 0.5}});
  CHECK(passes_of(scene_with("auto", third)).exchanged);  // to one receiver
  CHECK(passes_of(scene_with("on", third)).joint.empty());
  const std::string aimed = "pattern = \"cardioid\"\n" + keys;
  CHECK(passes_of(scene_with("off", third, aimed)).joint == std::vector<JointParts>{{2, 0.5}});
  CHECK(passes_of(scene_with("off", third, aimed)).count == 4);
  CHECK(passes_of(scene_with("off", third + snapshots)).count == 4);
  // As many receivers as passes: they send, as without joint passes.
  CHECK(passes_of(scene_with("auto", third + second_receiver +
                                         "[[receiver]]\nname = \"R3\"\nposition = [0.5, 0.6, 0.5]\n"
                                         "[[receiver]]\nname = \"R4\"\nposition = [0.5, 0.7, 0.5]\n"))
            .exchanged);
}

TEST_CASE("all harmonics of a measured source send in one pass, and receivers where they are fewer than sources") {
  const auto scene = [](const std::string& reciprocity, const std::string& more) {
    Scene parsed = scene_with(reciprocity, more);
    for (SourceSpec& source : parsed.sources) {
      source.directivity.pattern = measured_pattern;
      auto balloon = std::make_shared<Balloon>();
      balloon->order = 3;
      source.directivity.balloon = balloon;
    }
    return parsed;
  };
  const Passes sent = passes_of(scene("auto", second_receiver));  // two sources, two receivers
  CHECK_FALSE(sent.exchanged);
  CHECK(sent.count == 2);
  CHECK(sent.joint == std::vector<JointParts>{{0, 1.0, 16}, {16, 1.0, 16}});
  CHECK(passes_of(scene("auto", "")).exchanged);  // one receiver
  CHECK(passes_of(scene("off", snapshots)).count == 2);
}

TEST_CASE("sources send where snapshots show their field") {
  CHECK_FALSE(passes_of(scene_with("", snapshots)).exchanged);
  CHECK(passes_of(scene_with("", snapshots)).count == 2);
}

TEST_CASE("a plan is exchanged while it is computed, and then as it was") {
  Plan plan;
  plan.sources.resize(3);
  plan.receivers.resize(1);
  {
    const WhileExchanged computed(plan, true);
    CHECK(plan.sources.size() == 1);
    CHECK(plan.receivers.size() == 3);
  }
  CHECK(plan.sources.size() == 3);
  const WhileExchanged computed(plan, false);
  CHECK(plan.sources.size() == 3);
}
