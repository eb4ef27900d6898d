#include "engine/above/above_work.hpp"

#include "engine/above/above_plan.hpp"
#include "engine/above/trace_above.hpp"
#include "engine/images/lattice.hpp"
#include "tests/support/above_box.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Scene room_with(int receivers, double scattering) {
  std::vector<std::array<double, 3>> places;
  for (int i = 0; i < receivers; ++i) places.push_back({0.5 + 0.02 * i, 2.2, 1.1});
  Scene scene = test::above_box(0.01, scattering, places);
  scene.above.rays = 2000;
  return scene;
}

AbovePlan plan_of(const Scene& scene, double duration) {
  return *plan_above(scene, {1000.0, 0.02, duration, 4.2 * 3.3 * 2.6, 343.2});
}

AboveWork work_of(const Scene& scene, const AbovePlan& plan) {
  return above_work(scene, {plan.duration, plan.volume, plan.sound_speed, plan.radius, plan.image_reach, plan.rays});
}

}  // namespace

TEST_CASE("the work of geometry counts the images and the reflections that there are", "[above]") {
  const Scene smooth = room_with(3, 0.0);
  const AbovePlan plan = plan_of(smooth, 0.2);
  const AboveWork work = work_of(smooth, plan);
  double images = 0.0;
  for (const ReceiverSpec& one : smooth.receivers)
    visit_images({smooth.room.box, smooth.sources[0].position, one.position}, 0.0, plan.image_reach,
                 [&](const LatticeImage&) { images += 1.0; });
  CHECK(work.images == Approx(images).epsilon(0.02));
  CHECK(work.crossings == 0.0);  // all sound is that of images
  CHECK(work.samples == Approx(3.0 * 0.3 * 48000.0));

  const Scene rough = room_with(3, 0.3);
  const AboveWork of_rays = work_of(rough, plan_of(rough, 0.2));
  const auto hits = static_cast<double>(trace_above(rough, plan_of(rough, 0.2)).hits);
  CHECK(of_rays.crossings > hits);
  CHECK(of_rays.crossings < 2.0 * hits);
  const double a_receiver =
      (work_of(room_with(103, 0.3), plan_of(rough, 0.2)).crossings - of_rays.crossings) / 100.0 / hits;
  CHECK(a_receiver > 0.03);  // of the section of the room, by a sphere of 0.6 m
  CHECK(a_receiver < 0.12);
}

TEST_CASE("the work of geometry grows with channels of sources and receivers", "[above]") {
  Scene scene = room_with(4, 0.3);
  const AbovePlan plan = plan_of(scene, 0.2);
  const AboveWork plain = work_of(scene, plan);
  for (ReceiverSpec& one : scene.receivers) {
    one.directivity.pattern = "ambisonic";
    one.directivity.order = 2;
  }
  CHECK(work_of(scene, plan).samples == Approx(9.0 * plain.samples));
  CHECK(work_of(scene, plan).images == plain.images);  // one walk serves all channels
  scene.sources.push_back(scene.sources[0]);
  CHECK(work_of(scene, plan).samples == Approx(18.0 * plain.samples));
  CHECK(work_of(scene, plan).images == Approx(2.0 * plain.images));
  CHECK(work_of(scene, plan).crossings == Approx(2.0 * plain.crossings));
  CHECK(work_of(scene, plan).total() > 2.0 * plain.total());
}

TEST_CASE("auto leaves geometry out for more samples than fit, however few images there are", "[above]") {
  Scene scene = room_with(4, 0.0);
  scene.above.method = Above::Method::automatic;
  scene.room.box = {40.0, 30.0, 20.0};
  const WavePart hall = {1000.0, 0.02, 2.0, 24000.0, 343.2};
  CHECK(above_omitted(scene, hall).empty());
  scene.receivers.resize(2000);  // 2e8 samples
  CHECK(above_omitted(scene, hall).empty());
  scene.receivers.resize(2500);
  CHECK(work_of(scene, *plan_above(scene, {1000.0, 0.02, 1.0, 24000.0, 343.2})).samples < most_above_samples);
  CHECK_FALSE(above_omitted(scene, hall).empty());
  CHECK(response_end(scene, hall) == 1000.0);
}
