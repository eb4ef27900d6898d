#include "engine/transducers/near_field.hpp"

#include <algorithm>
#include <cmath>

#include "engine/planning/make_plan.hpp"
#include "scenes/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

namespace {

Plan plan_of(const std::string& source, const std::string& source_keys, const std::string& receiver,
             const std::string& receiver_keys, const std::string& walls = "rigid = true") {
  test::SceneText scene;
  scene.materials = "[materials.panel]\n" + walls + "\n";
  scene.simulation = "duration = 0.01\nmax_frequency = 700\nprecision = \"f64\"\n";
  scene.box = "[8.0, 9.0, 7.0]";
  scene.source = source;
  scene.source_keys = source_keys;
  scene.receiver = receiver;
  scene.receiver_keys = receiver_keys;
  const ParsedScene parsed = parse_scene(text_of(scene), "near.toml");
  REQUIRE(parsed.problems.empty());
  return make_plan(parsed.scene, *find_stencil("compact-4/radial1")).plan;
}

const std::string eight = "pattern = \"figure-eight\"\ndirection = [0.2, 1.0, -0.4]";

}  // namespace

TEST_CASE("near field: pairs of omnidirectional ones and far ones have none") {
  CHECK(near_field(plan_of("[3.0, 4.0, 3.0]", "", "[3.6, 4.4, 3.3]", "")).empty());
  CHECK(near_field(plan_of("[1.0, 1.0, 1.0]", "", "[7.0, 8.0, 6.0]", eight)).empty());
  CHECK_FALSE(near_field(plan_of("[3.0, 4.0, 3.0]", "", "[3.6, 4.4, 3.3]", eight)).empty());
}

TEST_CASE("near field: a source and a receiver may be exchanged, free and beside walls") {
  for (const auto& [one, other] :
       {std::pair{"[3.0, 4.0, 3.0]", "[3.6, 4.4, 3.3]"}, std::pair{"[0.4, 0.7, 3.0]", "[1.0, 1.2, 3.1]"}}) {
    const auto sent = near_field(plan_of(one, eight, other, "")), read = near_field(plan_of(other, "", one, eight));
    REQUIRE(sent.size() == 1);
    REQUIRE(read.size() == 1);
    for (std::size_t j = 0; j < sent[0].size(); ++j) {
      CHECK(std::abs(sent[0][j]) > 1e-6);
      CHECK(sent[0][j] == Approx(read[0][j]).epsilon(1e-6));
    }
  }
}

TEST_CASE("near field: it vanishes where nodes overlap no more") {
  double near = 0.0;
  for (const char* receiver : {"[3.9, 4.0, 3.1]", "[6.0, 4.0, 3.1]"}) {
    const auto found = near_field(plan_of("[3.0, 4.0, 3.0]", "", receiver, "pattern = \"ambisonic\"\norder = 3"));
    REQUIRE(found.size() == 16);
    CHECK(found[0] == NearField{});
    double largest = 0.0;
    for (std::size_t acn = 9; acn < 16; ++acn) largest = std::max(largest, std::abs(found[acn][0]));
    if (near > 0.0) CHECK(largest < 0.02 * near);
    near = largest;
  }
}

TEST_CASE("near field: beside a wall that absorbs a pair is in doubt, and beside a rigid one is not") {
  const std::string third = "pattern = \"ambisonic\"\norder = 3";
  const auto plan = [&](const std::string& receiver, const std::string& walls) {
    return plan_of("[1.5, 4.0, 3.0]", "", receiver, third, walls);
  };
  const std::string beside = "[0.7, 4.4, 3.3]";
  const auto doubts = near_field_doubts(plan(beside, "admittance = 0.2"));
  REQUIRE(doubts.size() == 1);
  CHECK(doubts[0].order >= 2);
  CHECK(doubts[0].error > 0.1);
  CHECK(doubts[0].distance == Approx(std::hypot(0.8, 0.4, 0.3)));
  const auto fields = near_field(plan(beside, "admittance = 0.2"));
  CHECK(std::ranges::any_of(fields, [](const NearField& one) { return one == NearField{}; }));
  CHECK(near_field_doubts(plan(beside, "rigid = true")).empty());
  CHECK(near_field_doubts(plan("[4.9, 4.4, 3.3]", "admittance = 0.2")).empty());
}
