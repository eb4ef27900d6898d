#include "engine/transducers/near_field.hpp"

#include <algorithm>
#include <cmath>

#include "engine/planning/make_plan.hpp"
#include "scenes/toml/parse.hpp"
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

TEST_CASE("near field: far pairs have none, and of omnidirectional ones those a little apart") {
  CHECK(near_field(plan_of("[3.0, 4.0, 3.0]", "", "[4.6, 4.4, 3.3]", "")).empty());
  const auto near = near_field(plan_of("[3.0, 4.0, 3.0]", "", "[3.06, 4.04, 3.03]", ""));
  REQUIRE(near.size() == 1);
  // A fraction of the direct sound, 1 / 0.078 there.
  CHECK(std::abs(near[0][0]) > 0.1 / 0.078);
  CHECK(std::abs(near[0][0]) < 1.0 / 0.078);
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
    CHECK((found[0] != NearField{}) == (near == 0.0));  // the pressure, too, within 5 cells
    double largest = 0.0;
    for (std::size_t acn = 9; acn < 16; ++acn) largest = std::max(largest, std::abs(found[acn][0]));
    if (near > 0.0) CHECK(largest < 0.02 * near);
    near = largest;
  }
}

TEST_CASE("near field: walls along the grid are mirrors to a pair, those that absorb too, and others leave a doubt") {
  const std::string third = "pattern = \"ambisonic\"\norder = 3";
  const auto plan = [&](const std::string& receiver, const std::string& walls) {
    return plan_of("[1.5, 4.0, 3.0]", "", receiver, third, walls);
  };
  const std::string beside = "[0.7, 4.4, 3.3]";
  for (const char* walls : {"admittance = 0.2", "rigid = true"}) {
    CHECK(near_field_doubts(plan(beside, walls)).empty());
    CHECK(near_field(plan(beside, walls)).at(15) != NearField{});
    CHECK(near_corners(plan(beside, walls)).empty());
  }
  // A corner of wall among the receiver's nodes: no mirror.
  for (const char* walls : {"admittance = 0.2", "rigid = true"}) {
    Plan corner = plan(beside, walls);
    for (int z = 0; z < corner.grid.size[2]; ++z) corner.air.set(0, 22, z, false);
    const auto doubts = near_field_doubts(corner);
    REQUIRE(doubts.size() == 1);
    CHECK(doubts[0].highest == 3);
    CHECK(doubts[0].corner > 100.0);
    CHECK(near_corners(corner).at(15) <= doubts[0].corner);
    CHECK(near_corners(corner).at(15) > 0.0);
    CHECK(doubts[0].error > 0.1);
    CHECK(doubts[0].distance == Approx(std::hypot(0.8, 0.4, 0.3)));
    CHECK(near_field(corner).at(15) == NearField{});
  }
  Plan far = plan("[4.9, 4.4, 3.3]", "admittance = 0.2");
  CHECK(near_field_doubts(far).empty());
}

TEST_CASE("near field: between two walls all images of a source count") {
  // A duct of 5 cells across, and the same duct behind its mirror: the field of a pair is that of its images.
  const auto fields = [&](const std::string& box, const std::string& source, const std::string& receiver) {
    test::SceneText scene;
    scene.materials = "[materials.panel]\nrigid = true\n";
    scene.simulation = "duration = 0.01\ngrid_spacing = 0.2\nprecision = \"f64\"\n";
    scene.box = box;
    scene.source = source;
    scene.receiver = receiver;
    scene.receiver_keys = "pattern = \"ambisonic\"\norder = 3";
    const ParsedScene parsed = parse_scene(text_of(scene), "duct.toml");
    REQUIRE(parsed.problems.empty());
    return near_field(make_plan(parsed.scene, *find_stencil("compact-4/radial1")).plan);
  };
  const auto half = fields("[1.0, 8.0, 8.0]", "[0.37, 4.0, 4.0]", "[0.71, 4.3, 4.2]");
  const auto one = fields("[2.0, 8.0, 8.0]", "[0.37, 4.0, 4.0]", "[0.71, 4.3, 4.2]"),
             other = fields("[2.0, 8.0, 8.0]", "[1.63, 4.0, 4.0]", "[0.71, 4.3, 4.2]");
  REQUIRE(half.size() == 16);
  double largest = 0.0;
  for (const NearField& field : half) largest = std::max(largest, std::abs(field[0]));
  for (std::size_t acn = 1; acn < 16; ++acn)
    for (std::size_t j = 0; j < 2; ++j)
      CHECK(half[acn][j] == Approx(one[acn][j] + other[acn][j]).margin(1e-6 * largest).epsilon(1e-4));
}

TEST_CASE("near field: what is not subtracted of omnidirectional pairs is known beside oblique walls alone") {
  const Plan free = plan_of("[3.0, 4.0, 3.0]", "", "[3.06, 4.04, 3.03]", "");
  const auto pairs = near_pressures(free, 0.5);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].distance == Approx(std::hypot(0.06, 0.04, 0.03)));
  CHECK(pairs[0].left == NearField{});
  CHECK(near_pressures(free, 0.05).empty());
  CHECK(near_pressures(plan_of("[3.0, 4.0, 3.0]", "", "[3.06, 4.04, 3.03]", eight), 0.5).empty());
}

TEST_CASE("near field: of many omnidirectional receivers near a source the nearest are computed") {
  test::SceneText scene;
  scene.materials = "[materials.panel]\nrigid = true\n";
  scene.simulation = "duration = 0.01\nmax_frequency = 700\nprecision = \"f64\"\n";
  scene.box = "[8.0, 9.0, 7.0]";
  scene.source = "[3.0, 4.0, 3.0]";
  scene.receiver = "[3.2, 4.1, 3.0]";
  const std::string grid =
      "[[receiver]]\nname = \"G\"\ngrid = { from = [2.8, 3.8, 3.05], to = [3.2, 4.2, 3.05], count = [10, 10, 1] }\n";
  const ParsedScene parsed = parse_scene(text_of(scene) + grid, "near.toml");
  REQUIRE(parsed.problems.empty());
  const Plan plan = make_plan(parsed.scene, *find_stencil("compact-4/radial1")).plan;
  const auto pairs = near_pressures(plan, 0.5);
  REQUIRE(pairs.size() == 101);
  double farthest_known = 0.0, nearest_unknown = 1.0;
  std::size_t known = 0;
  for (const NearPressure& pair : pairs) {
    known += pair.known ? 1 : 0;
    if (pair.known)
      farthest_known = std::max(farthest_known, pair.distance);
    else
      nearest_unknown = std::min(nearest_unknown, pair.distance);
  }
  CHECK(known <= max_near_pressures);
  CHECK(known > max_near_pressures / 2);
  CHECK(farthest_known <= nearest_unknown * 1.01);
}
