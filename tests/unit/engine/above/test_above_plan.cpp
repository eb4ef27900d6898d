#include "engine/above/above_plan.hpp"

#include <cmath>

#include "base/error.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Scene scene_of() {
  Scene scene;
  scene.sources.resize(1);
  scene.receivers.resize(1);
  scene.room.box = {5.0, 4.0, 3.0};
  scene.room.walls.fill("plaster");
  Material plaster;
  plaster.name = "plaster";
  plaster.kind = Material::Kind::absorption;
  plaster.bands = {125, 250, 500, 1000, 2000, 4000};
  plaster.alpha = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  scene.materials["plaster"] = plaster;
  return scene;
}

const WavePart wave = {1000.0, 0.02, 1.0, 60.0, 343.2};

}  // namespace

TEST_CASE("geometry takes over where waves end, half an octave wide", "[above]") {
  const Scene scene = scene_of();
  const auto plan = plan_above(scene, wave);
  REQUIRE(plan);
  CHECK(plan->crossover.to == 1000.0);
  CHECK(plan->crossover.from == Approx(1000.0 / std::sqrt(2.0)));
  CHECK(plan->upper == 20000.0);
  CHECK(plan->octaves == std::vector{1000.0, 2000.0, 4000.0, 8000.0, 16000.0});
  CHECK(plan->overlap == Approx(500.0));
  CHECK(plan->rays >= 20000);
  CHECK_FALSE(plan->deviation);  // that of the rays' energies, ray_deviation.hpp
  CHECK(plan->coherent_until == Approx(1.0 / (8.0 * 0.02 * 1000.0 / std::sqrt(std::sqrt(2.0)))));
  CHECK(plan->image_reach == Approx(343.2));  // 1 s of a room of 60 m3 has 2.8e6 images
  REQUIRE(plan->extended.size() == 1);
  CHECK(plan->extended[0].starts_with("plaster from "));
}

TEST_CASE("a lower crossover is obeyed, a higher one refused", "[above]") {
  Scene scene = scene_of();
  scene.above.crossover = 700.0;
  CHECK(plan_above(scene, wave)->crossover.to == 700.0);
  scene.above.crossover = 1400.0;
  try {
    plan_above(scene, wave);
    FAIL("a crossover above the waves' band");
  } catch (const Error& error) {
    CHECK(error.status == Status::scene);
    CHECK(std::string(error.what()) == "above.crossover: 1400 Hz is above the 1000 Hz to which waves are valid");
    CHECK_FALSE(error.remedy.empty());
  }
}

TEST_CASE("nothing is above where the scene asks for nothing, or waves reach the end", "[above]") {
  Scene scene = scene_of();
  scene.above.method = Above::Method::none;
  CHECK_FALSE(plan_above(scene, wave));
  scene.above.method = Above::Method::rays;
  scene.output.sample_rate = 8000;  // responses end at 3600 Hz
  CHECK(plan_above(scene, wave)->upper == Approx(3600.0));
  CHECK(plan_above(scene, wave)->octaves == std::vector{1000.0, 2000.0, 4000.0});
  CHECK_FALSE(plan_above(scene, {3600.0, 0.02, 1.0, 60.0, 343.2}));
}

TEST_CASE("rays are those of the scene, or as many as T20 and the work of the steps ask for", "[above]") {
  Scene scene = scene_of();
  CHECK(plan_above(scene, wave)->most_rays == 2000000);
  CHECK(above_text(*plan_above(scene, wave), true).find(" rays or more, all images") != std::string::npos);
  WavePart long_run = wave;
  long_run.updates = 1e12;
  CHECK(plan_above(scene, wave)->most_hits == 4e7);
  CHECK(plan_above(scene, long_run)->most_hits == Approx(1e12 / 750.0));
  scene.above.rays = 5000;
  CHECK(plan_above(scene, wave)->rays == 5000);
  CHECK(plan_above(scene, wave)->most_rays == 5000);
  CHECK(above_text(*plan_above(scene, wave), true).find(" 5000 rays, all images") != std::string::npos);
  AbovePlan plan = *plan_above(scene, wave);
  plan.deviation = RayDeviation{0.08, 0.123};
  CHECK(above_text(plan, false).find(" 5000 rays (deviation 12 % in 10 ms, 80 ms after the emission), images to ") !=
        std::string::npos);
}

TEST_CASE("without [above] a scene gets geometry, unless its work is too much or the grid is flat, with a note",
          "[above]") {
  Scene scene = scene_of();
  CHECK(plan_above(scene, wave));
  CHECK(above_omitted(scene, wave).empty());
  CHECK(response_end(scene, wave) == 20000.0);
  scene.receivers.resize(1000);
  CHECK(plan_above(scene, wave));
  scene.receivers.resize(5000);  // 1.4e10 images
  CHECK_FALSE(plan_above(scene, wave));
  CHECK(response_end(scene, wave) == 1000.0);
  const std::string note = above_omitted(scene, wave);
  CHECK(
      note.starts_with("responses end at 1000 Hz: geometry has 1.4e+10 image sources, 0 crossings of rays and "
                       "2.6e+08 samples of responses to compute, more than"));
  CHECK(
      note.ends_with("; fewer receivers or a shorter simulation.duration make it less, above.method = \"rays\" adds "
                     "geometry above"));
  WavePart shorter = wave;
  shorter.duration = 0.3;
  CHECK(above_omitted(scene, shorter).empty());
  CHECK(plan_above(scene, shorter));
  scene.receivers.resize(1);
  WavePart flat = wave;
  flat.flat = true;
  CHECK_FALSE(plan_above(scene, flat));
  CHECK(above_omitted(scene, flat).starts_with("responses end at 1000 Hz: the room is one cell across"));
  scene.receivers.resize(5000);
  scene.above.method = Above::Method::rays;
  CHECK(plan_above(scene, flat));
  CHECK(above_omitted(scene, flat).empty());
  scene.receivers.clear();
  CHECK_FALSE(plan_above(scene, wave));
}

TEST_CASE("a long response of a small box has as many images as memory and time allow", "[above]") {
  const Scene scene = scene_of();
  const auto plan = plan_above(scene, {1000.0, 0.02, 3.0, 60.0, 343.2});
  CHECK(plan->image_reach < 3.0 * 343.2);
  CHECK(plan->image_reach == Approx(std::cbrt(5e6 * 60.0 * 3.0 / (4.0 * 3.14159265))).epsilon(0.02));
}
