// Materials of a box: by wall, by floor, ceiling and walls, from the scene or from the library.
#include "scenes/toml/room_keys.hpp"

#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::string with(const std::string& walls) { return replaced(small, "default = \"wall\"", walls); }

using SixWalls = std::array<std::string, 6>;

SixWalls walls_of(const std::string& walls) {
  const std::string text = with(walls);
  const ParsedScene parsed = parse_scene(text, "hall.toml");
  INFO(all_messages(parsed, text));
  REQUIRE(parsed.problems.empty());
  return parsed.scene.room.walls;
}

std::string refusal(const std::string& walls) {
  const std::string text = with(walls);
  const ParsedScene parsed = parse_scene(text, "hall.toml");
  REQUIRE(parsed.problems.size() == 1);
  return all_messages(parsed, text);
}

}  // namespace

TEST_CASE("floor, ceiling and walls name the surfaces of a box, a wall's own name comes first, the default last") {
  CHECK(walls_of("walls = \"wall\"\nfloor = \"carpet-heavy\"\nceiling = \"wall\"") ==
        SixWalls{"wall", "wall", "wall", "wall", "carpet-heavy", "wall"});
  CHECK(walls_of("default = \"wall\"\nwalls = \"brick-painted\"\ny_max = \"wall\"") ==
        SixWalls{"brick-painted", "brick-painted", "brick-painted", "wall", "wall", "wall"});
  CHECK(walls_of("walls = \"wall\"\nz_min = \"wall\"\nceiling = \"wall\"") ==
        SixWalls{"wall", "wall", "wall", "wall", "wall", "wall"});
  CHECK_THAT(refusal("default = \"wall\"\nfloor = \"wall\"\nz_min = \"wall\""),
             Catch::Matchers::Contains("floor and z_min name the same wall"));
  CHECK_THAT(refusal("walls = \"wall\"\nfloor = \"wall\""), Catch::Matchers::Contains("no material for z_max"));
}

TEST_CASE("a wall's material is the library's where the scene has none of that name") {
  const std::string own = "[materials.carpet-heavy]\nrigid = true\n";
  for (const bool in_scene : {false, true}) {
    const std::string text = with("default = \"carpet-heavy\"") + (in_scene ? own : "");
    const ParsedScene parsed = parse_scene(text, "hall.toml");
    INFO(all_messages(parsed, text));
    REQUIRE(parsed.problems.empty());
    const Material& carpet = parsed.scene.materials.at("carpet-heavy");
    CHECK(carpet.name == "carpet-heavy");
    CHECK(carpet.kind == (in_scene ? Material::Kind::rigid : Material::Kind::absorption));
    if (!in_scene) CHECK(carpet.alpha[2] == 0.57);
  }
  const std::string none = replaced(with("default = \"carpet-heavy\""), "[materials.wall]\nrigid = true\n", "");
  CHECK(parse_scene(none, "hall.toml").problems.empty());
  CHECK_THAT(refusal("default = \"carpet-heavi\""), Catch::Matchers::Contains("did you mean \"carpet-heavy\"?"));
  CHECK_THAT(refusal("default = \"vibranium\""), Catch::Matchers::Contains("or a name of the library"));
}
