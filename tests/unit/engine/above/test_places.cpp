#include "engine/above/places.hpp"

#include <string>
#include <vector>

#include "engine/transducers/channels.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

TEST_CASE("places above the waves: each pattern has its exact factors of harmonics", "[above]") {
  const auto pattern_of = [](const std::string& keys) {
    test::SceneText text;
    text.receiver_keys = keys;
    const ParsedScene parsed = parse_scene(text_of(text), "room.toml");
    REQUIRE(parsed.problems.empty());
    const std::vector<AbovePlace> places =
        places_of(channels_of(parsed.scene).receivers, mixes_of(parsed.scene).receivers, 1);
    REQUIRE(places.at(0).outputs.size() == 1);
    return places[0].outputs[0].pattern;
  };
  const auto check = [](const std::vector<double>& is, const std::vector<double>& right) {
    REQUIRE(is.size() == right.size());
    for (std::size_t i = 0; i < is.size(); ++i) CHECK(is[i] == Approx(right[i]).margin(1e-12));
  };
  check(pattern_of(""), {});
  // a + (1 - a) cos of (0, .6, .8): SN3D in the order 1, y, z, x.
  check(pattern_of("pattern = \"cardioid\"\ndirection = [0, 3, 4]"), {0.5, 0.3, 0.4, 0.0});
  check(pattern_of("pattern = \"hypercardioid\"\ndirection = [-4, 0, 3]"), {0.25, 0.0, 0.45, -0.6});
  check(pattern_of("pattern = \"figure-eight\"\ndirection = [0, -2, 0]"), {0.0, -1.0, 0.0, 0.0});
}
