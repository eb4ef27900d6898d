#include "scenes/toml/replace_absorption.hpp"

#include "base/error.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

std::string scene_with(const std::string& materials, const std::string& wall) {
  SceneText text;
  text.materials = materials;
  text.walls = "default = \"" + wall + "\"\n";
  return text_of(text);
}

const AbsorptionTable table{{125.0, 250.0}, {0.1234, 0.5}};

std::string replaced(const std::string& materials, const std::string& wall = "panel") {
  return replace_absorption(scene_with(materials, wall), "room.toml", {{wall, table}});
}

}  // namespace

TEST_CASE("absorption is replaced where it stands, however it is written, and all else stays", "[scene]") {
  const std::string before = "# µ comment\n[materials.panel] # the panel\n",
                    after = "law = \"smooth\"\nscattering = 0.1 # rough\n[materials.other]\nrigid = true\n";
  for (const std::string law :
       {"absorption = { bands = [125], alpha = [0.3] } # as measured\n",
        "absorption.bands = [125,\n 500]\nabsorption.alpha = [0.3, # low\n 0.4]\n", "library = \"plywood-thin\"\n",
        "admittance = 0.05\n", "porous = { flow_resistivity = 12000, thickness = 0.05 }\n",
        "branches = [{ D = 1e-3, E = 0.8, F = 120.0 }]\n"}) {
    INFO(law);
    const std::string text = replaced(before + law + after);
    CHECK_THAT(text, Contains(before) && Contains(after));
    CHECK_THAT(text, Contains("[0.1234, 0.5]"));
    CHECK((text.find("# as measured") != text.npos) == (law.find("# as measured") != law.npos));
    const ParsedScene parsed = parse_scene(text, "room.toml");
    REQUIRE(parsed.problems.empty());
    CHECK(parsed.scene.materials.at("panel").alpha == table.alpha);
    CHECK(parsed.scene.materials.at("panel").scattering == std::vector<double>{0.1});
    CHECK(parsed.scene.materials.at("panel").smooth_law);
  }
}

TEST_CASE("tables in braces, sections of absorption and several materials are replaced at once", "[scene]") {
  const std::string text = scene_with(
      "[materials]\npanel = { absorption = { bands = [125], alpha = [0.3] }, scattering = 0.2 }\n\"a b\" = { library = "
      "\"plywood-thin\" }\n[materials.c.absorption]\nalpha = [0.3]\nbands = [125]\n",
      "panel");
  const std::string made =
      replace_absorption(text, "room.toml", {{"panel", table}, {"a b", table}, {"c", {{500.0}, {0.7}}}});
  const ParsedScene parsed = parse_scene(made, "room.toml");
  REQUIRE(parsed.problems.empty());
  CHECK(parsed.scene.materials.at("panel").bands == table.bands);
  CHECK(parsed.scene.materials.at("a b").alpha == table.alpha);
  CHECK(parsed.scene.materials.at("c").alpha == std::vector<double>{0.7});
}

TEST_CASE("a material of the library without a table gets one", "[scene]") {
  const ParsedScene parsed = parse_scene(replaced("", "plywood-thin"), "room.toml");
  REQUIRE(parsed.problems.empty());
  CHECK(parsed.scene.materials.at("plywood-thin").alpha == table.alpha);
}

TEST_CASE("a material that cannot be replaced is named", "[scene]") {
  CHECK_THROWS_WITH(replaced("[materials.panel.porous]\nflow_resistivity = 12000\nthickness = 0.05\n"),
                    Contains("\"panel\"") && Contains("cannot be replaced"));
}

TEST_CASE("overrides set the same tables", "[scene]") {
  for (const std::string law : {"absorption = { bands = [125], alpha = [0.3] }\n", "library = \"plywood-thin\"\n"}) {
    const std::string text = scene_with("[materials.\"my panel\"]\n" + law, "my panel");
    const ParsedScene parsed =
        parse_scene(text, "room.toml", {absorption_overrides(text, {{"my panel", table}}), false});
    REQUIRE(parsed.problems.empty());
    CHECK(parsed.scene.materials.at("my panel").alpha == table.alpha);
  }
}
