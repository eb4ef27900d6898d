#include "engine/above/trace_above.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Scene box_scene(double scattering) {
  Scene scene;
  scene.above.method = Above::Method::rays;
  scene.room.box = {4.2, 3.3, 2.6};
  scene.room.walls.fill("wall");
  Material wall;
  wall.name = "wall";
  wall.kind = Material::Kind::admittance;
  wall.admittance = 0.05;
  if (scattering > 0.0) wall.scattering = {scattering};
  scene.materials["wall"] = wall;
  SourceSpec source;
  source.name = "S";
  source.position = {1.0, 1.2, 1.3};
  scene.sources = {source};
  ReceiverSpec receiver;
  receiver.name = "R";
  receiver.position = {3.1, 2.2, 1.1};
  scene.receivers = {receiver};
  return scene;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double x : values) sum += x;
  return sum;
}

}  // namespace

TEST_CASE("no sound of a box is counted by images and by rays", "[above]") {
  const Scene smooth = box_scene(0.0);
  AbovePlan plan = *plan_above(smooth, {1000.0, 0.02, 0.15, 36.0, 343.2});
  plan.rays = 2000;
  const AboveTrace images = trace_above(smooth, plan);
  REQUIRE(images.record.late.size() == 1);
  CHECK(sum_of(images.record.late[0].energy) == 0.0);  // all of it is image sources

  const Scene rough = box_scene(0.3);
  const AboveTrace both = trace_above(rough, plan);
  CHECK(sum_of(both.record.late[0].energy) > 0.0);

  // Images up to a distance: rays have what is later, and nothing before.
  plan.image_reach = 0.05 * 343.2;
  const AboveTrace shared = trace_above(smooth, plan);
  const std::vector<double>& energy = shared.record.late[0].energy;
  const std::size_t bins = energy.size() / plan.octaves.size();
  CHECK(std::all_of(energy.begin(), energy.begin() + 49, [](double e) { return e == 0.0; }));
  CHECK(sum_of({energy.begin() + 51, energy.begin() + static_cast<std::ptrdiff_t>(bins)}) > 0.0);
}

TEST_CASE("direct sound of a box has its height and delay", "[above]") {
  const Scene scene = box_scene(0.0);
  AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.05, 36.0, 343.2});
  plan.rays = 1000;
  const AboveTrace trace = trace_above(scene, plan);
  const double distance = std::hypot(2.1, 1.0, 0.2);
  CHECK(trace.record.late[0].start == Approx(distance / 343.2));
  const std::vector<double>& early = trace.record.channels.at(0).early;
  const auto at = static_cast<std::size_t>(distance / 343.2 * early_rate);
  double sum = 0.0;  // until the first reflection
  for (std::size_t i = at - 20; i < at + 20; ++i) sum += early[i];
  CHECK(sum == Approx(1.0 / distance).epsilon(0.05));
}
