#include "engine/estimate/reverberation.hpp"
#include "engine/materials/absorption.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "base/error.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/session/choices.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

// Absorption by material, the same at all frequencies.
OctaveAbsorption flat_absorption(const std::map<std::string, double>& alpha) {
  return [alpha](const std::string& material, double) { return alpha.at(material); };
}

MaterialFit flat(const std::string& name, double alpha) {
  MaterialFit fit;
  fit.name = name;
  fit.kind = Material::Kind::absorption;
  if (alpha > 0.0) fit.branches = {{0.0, 1.0 / admittance_of_absorption(alpha), 0.0}};
  return fit;
}

Scene scene_of(const std::string& simulation, const std::string& walls, const std::string& materials) {
  SceneText text;
  text.simulation = simulation;
  text.box = "[5.0, 4.0, 3.0]";
  text.walls = walls;
  text.materials = materials;
  return parse_scene(text_of(text), "room.toml").scene;
}

const std::string two_materials =
    "[materials.soft]\nabsorption = { bands = [125, 250, 500, 1000], alpha = [0.3, 0.3, 0.3, 0.3] }\n"
    "[materials.hard]\nabsorption = { bands = [125, 250, 500, 1000], alpha = [0.05, 0.05, 0.05, 0.05] }\n";

}  // namespace

TEST_CASE("the expected reverberation time is Eyring's, with the areas of both materials and the air") {
  const RoomExtent room{60.0, {{"hard", 74.0}, {"soft", 20.0}}};
  const OctaveAbsorption absorption = flat_absorption({{"hard", 0.05}, {"soft", 0.3}});
  Air air;
  const auto bands = estimate_reverberation(room, absorption, air, 1420.0);
  REQUIRE(bands.size() == 5);
  CHECK(bands.front().centre == 63.0);
  CHECK(bands.back().centre == 1000.0);
  const double mean = (74.0 * 0.05 + 20.0 * 0.3) / 94.0, factor = 24.0 * std::numbers::ln10 / air.speed();
  for (const ReverberationBand& band : bands)
    CHECK(band.seconds == Approx(factor * 60.0 / (-94.0 * std::log(1.0 - mean))).epsilon(1e-9));
  air.absorption = true;
  const double nepers = air_attenuation(air_state(air), 1000.0) * std::numbers::ln10 / 10.0;
  CHECK(estimate_reverberation(room, absorption, air, 1420.0).back().seconds ==
        Approx(factor * 60.0 / (-94.0 * std::log(1.0 - mean) + 4.0 * 60.0 * nepers)).epsilon(1e-9));
}

TEST_CASE("a room that reaches no octave has one estimate, and one that absorbs nothing an infinite one") {
  const RoomExtent room{1.0, {{"wall", 6.0}}};
  const auto low = estimate_reverberation(room, flat_absorption({{"wall", 0.1}}), {}, 50.0);
  REQUIRE(low.size() == 1);
  CHECK(low[0].centre == Approx(50.0 / std::numbers::sqrt2));
  const auto rigid = estimate_reverberation(room, flat_absorption({{"wall", 0.0}}), {}, 300.0);
  for (const ReverberationBand& band : rigid) CHECK(std::isinf(band.seconds));
  CHECK_THROWS_WITH(automatic_duration(rigid), Contains("nothing absorbs in the octave of 63 Hz"));
}

TEST_CASE("duration = \"auto\" is 1.25 times the slowest decay, rounded up to 10 ms") {
  CHECK(automatic_duration({{63.0, 0.8}, {125.0, 0.4}}) == 1.0);
  CHECK(automatic_duration({{63.0, 0.801}}) == 1.01);
  CHECK(automatic_duration({{63.0, 0.4, 0.4, 0.8}}) == 1.0);
  CHECK_THROWS_WITH(automatic_duration({{63.0, 1e5}}), Contains("more than 3600 s"));
}

TEST_CASE("a plan has the estimate of its grid, and settles a duration that is \"auto\"") {
  Scene scene = scene_of("duration = \"auto\"\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n",
                         "default = \"hard\"\nz_min = \"soft\"\n", two_materials);
  REQUIRE(scene.simulation.duration_auto);
  const Stencil& stencil = *find_stencil("leggy-2");
  settle_duration(scene, stencil);
  const PlanResult planned = make_plan(scene, stencil);
  const auto bands = expected_decay(scene, planned.extent, planned.choice.max_frequency).bands;
  REQUIRE(bands.size() == 3);  // 63, 125 and 250 Hz
  const double mean = (74.0 * 0.05 + 20.0 * 0.3) / 94.0;
  const double expected = 24.0 * std::numbers::ln10 / scene.air.speed() * 60.0 / (-94.0 * std::log(1.0 - mean));
  CHECK(bands[1].eyring == Approx(expected).epsilon(0.05));
  CHECK(bands[1].model == ReverberationBand::Model::box_modes);
  CHECK(bands[1].seconds > 1.05 * bands[1].eyring);  // the carpet lies on one wall
  CHECK(bands[1].slowest >= bands[1].seconds);
  CHECK(scene.simulation.duration == automatic_duration(bands));
  CHECK(static_cast<double>(planned.plan.steps) * planned.plan.grid.time_step >= scene.simulation.duration);
}

TEST_CASE("Eyring's formula stays where nothing better is known") {
  const std::vector<ReverberationBand> before = {{125.0, 1.0, 1.0, 1.0}};
  const OctaveAbsorption absorption = flat_absorption({{"hard", 0.05}, {"soft", 0.3}});
  Scene scene =
      scene_of("duration = 1.0\nmax_frequency = 400.0\n", "default = \"hard\"\nz_min = \"soft\"\n", two_materials);
  auto bands = before;
  expect_decay(bands, scene, absorption);
  CHECK(bands[0].model == ReverberationBand::Model::box_modes);
  CHECK(bands[0].eyring == 1.0);
  bands = before;
  scene.receivers.clear();
  expect_decay(bands, scene, absorption);
  CHECK(bands[0].model == ReverberationBand::Model::formula);
  CHECK(bands[0].seconds == 1.0);
  bands[0].seconds = std::numeric_limits<double>::infinity();
  expect_decay(bands, scene, absorption);
  CHECK(bands[0].model == ReverberationBand::Model::formula);
}

TEST_CASE("a duration too short for T30 and octaves above max_frequency are remarked on") {
  Simulation simulation;
  simulation.max_frequency = 1000.0;
  simulation.duration = 0.5;
  MaterialFit fit = flat("wall", 0.1);
  fit.bands = {125.0, 500.0, 1000.0, 2000.0};
  const std::vector<ReverberationBand> bands = {{63.0, 1.0}, {125.0, 0.8}, {250.0, 0.6}};
  auto remarks = reverberation_remarks(bands, {fit}, simulation, 1000.0);
  REQUIRE(remarks.size() == 2);
  CHECK_THAT(remarks[0], Contains("too short for T30 in the octaves of 63 Hz, 125 Hz"));
  CHECK_THAT(remarks[1], Contains("max_frequency, 1000 Hz, leaves out octaves") && Contains(": 1000, 2000 Hz;"));
  simulation.duration = 0.75;
  simulation.max_frequency = 2830.0;
  CHECK(reverberation_remarks(bands, {fit}, simulation, 2830.0).empty());
}

}  // namespace fdtd::test
