#include "engine/above/trace_above.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "engine/above/blocked_pairs.hpp"
#include "engine/above/geometric_room.hpp"
#include "engine/above/ray_spread.hpp"
#include "tests/support/above_box.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;

namespace {

Scene box_scene(double scattering) { return test::above_box(0.05, scattering, {{3.1, 2.2, 1.1}}); }

// An L of two arms 2 m wide; R0 is round the corner from S, R1 in its arm.
Scene corner_scene() {
  Scene scene = box_scene(0.0);
  Mesh mesh;
  const std::vector<std::array<double, 2>> plan = {{0, 0}, {6, 0}, {6, 2}, {2, 2}, {2, 6}, {0, 6}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto& a = plan[i];
    const auto& b = plan[(i + 1) % plan.size()];
    test::add_quad(mesh, {{{a[0], a[1], 0.0}, {b[0], b[1], 0.0}, {b[0], b[1], 3.0}, {a[0], a[1], 3.0}}}, "wall",
                   test::unturned);
  }
  for (const double z : {0.0, 3.0}) {
    test::add_quad(mesh, {{{0, 0, z}, {6, 0, z}, {6, 2, z}, {0, 2, z}}}, "wall", test::unturned);
    test::add_quad(mesh, {{{0, 2, z}, {2, 2, z}, {2, 6, z}, {0, 6, z}}}, "wall", test::unturned);
  }
  merge_vertices(mesh);
  scene.room.mesh = std::make_shared<const Mesh>(mesh);
  scene.room.surfaces = {"wall"};
  scene.room.box = {6.0, 6.0, 3.0};
  scene.sources[0].position = {4.5, 1.2, 1.5};
  scene.receivers[0].position = {1.2, 4.6, 1.5};
  scene.receivers.push_back(scene.receivers[0]);
  scene.receivers[1].name = "R1";
  scene.receivers[1].position = {1.2, 1.4, 1.5};
  return scene;
}

double total_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double x : values) sum += x;
  return sum;
}

}  // namespace

TEST_CASE("no sound of a box is counted by images and by rays", "[above]") {
  const Scene smooth = box_scene(0.0);
  AbovePlan plan = *plan_above(smooth, {1000.0, 0.02, 0.15, 36.0, 343.2});
  plan.rays = plan.most_rays = 2000;
  const AboveTrace images = trace_above(smooth, plan);
  REQUIRE(images.record.late.size() == 1);
  CHECK(total_of(images.record.late[0].energy) == 0.0);  // all of it is image sources

  const Scene rough = box_scene(0.3);
  const AboveTrace both = trace_above(rough, plan);
  CHECK(total_of(both.record.late[0].energy) > 0.0);

  // Images up to a distance: rays have what is later, and nothing before.
  plan.summed_reach = plan.image_reach = 0.05 * 343.2;
  const AboveTrace shared = trace_above(smooth, plan);
  const std::vector<double>& energy = shared.record.late[0].energy;
  const std::size_t bins = energy.size() / plan.octaves.size();
  CHECK(std::all_of(energy.begin(), energy.begin() + 49, [](double e) { return e == 0.0; }));
  CHECK(total_of({energy.begin() + 51, energy.begin() + static_cast<std::ptrdiff_t>(bins)}) > 0.0);
}

// Rigid walls keep all sound, whatever they scatter: 4 pi c / V each second, with an energy of 1 / r^2 at 1 m.
TEST_CASE("images and rays of a rigid box that scatters have all of its sound together", "[above]") {
  for (const double scattering : {0.0, 0.1, 0.5, 0.9}) {
    Scene scene = test::above_box(0.0, scattering,
                                  {{3.37, 2.31, 1.13}, {1.61, 2.57, 0.71}, {2.87, 0.83, 1.87}, {0.71, 1.97, 0.93}});
    scene.sources[0].position = {0.93, 0.87, 1.47};
    scene.output.sample_rate = 8000.0;
    AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.25, 36.0, 343.2});
    plan.volume = 4.2 * 3.3 * 2.6;
    plan.rays = plan.most_rays = 5000;
    const AboveTrace trace = trace_above(scene, plan);
    constexpr std::size_t bins = 250, from = 50, to = 230;
    double images = 0.0, rays = 0.0;  // means over the receivers and the octaves of 1, 2 and 4 kHz
    REQUIRE(plan.octaves.size() == 3);
    for (const AboveChannel& channel : trace.record.channels) {
      const std::vector<double> early = early_energies(channel.early, plan.octaves, 1e-3, bins);
      const std::vector<double>& late = trace.record.late.at(channel.late).energy;
      for (std::size_t octave = 0; octave < 3; ++octave)
        for (std::size_t i = octave * bins + from; i < octave * bins + to; ++i)
          images += early[i] / 12.0, rays += late[i] / 12.0;
    }
    const double all = 4.0 * std::numbers::pi * 343.2 * (to - from) * 1e-3 / plan.volume;
    CAPTURE(scattering, images / all, rays / all);
    CHECK(std::abs(10.0 * std::log10((images + rays) / all)) < 0.4);
    CHECK((rays > 0.2 * all) == (scattering > 0.0));
  }
}

// Late rays of such a box are some 10 dB above its images, whose grazing ones cancel.
TEST_CASE("rays between walls that absorb unlike go on at the level that all images would have", "[above]") {
  Scene scene = box_scene(0.0);
  scene.materials["soft"] = scene.materials["wall"];
  scene.materials["soft"].name = "soft";
  scene.materials["soft"].admittance = 0.3;
  scene.materials["wall"].admittance = 0.01;
  scene.room.walls[4] = scene.room.walls[5] = "soft";
  AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.5, 36.0, 343.2});
  const AboveTrace whole = trace_above(scene, plan);
  plan.summed_reach = plan.image_reach = 0.3 * 343.2;
  plan.rays = plan.most_rays = 40000;
  const AboveTrace shared = trace_above(scene, plan);
  const std::size_t bins = 500;
  const std::vector<double> images = early_energies(whole.record.channels.at(0).early, plan.octaves, 1e-3, bins);
  const std::vector<double>& rays = shared.record.late.at(0).energy;
  for (std::size_t octave = 0; octave < 3; ++octave) {  // of 1, 2 and 4 kHz
    double expected = 0.0, found = 0.0;
    for (std::size_t i = octave * bins + 310; i < octave * bins + 490; ++i) expected += images[i], found += rays[i];
    CAPTURE(octave, expected, found);
    CHECK(std::abs(10.0 * std::log10(found / expected)) < 3.0);
  }
}

TEST_CASE("an ambisonic receiver of a box hears in its first channel the images of an omnidirectional one", "[above]") {
  Scene scene = box_scene(0.0);
  const AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.1, 36.0, 343.2});
  const AboveTrace omni = trace_above(scene, plan);
  scene.receivers[0].directivity.pattern = "ambisonic";
  scene.receivers[0].directivity.order = 1;
  const AboveTrace all = trace_above(scene, plan);
  REQUIRE(all.record.channels.size() == 4);
  CHECK(all.record.channels[0].early == omni.record.channels[0].early);
  // The others have direct sound by the cosines of its direction: y, z, x.
  const std::array<double, 3> source = scene.sources[0].position, at = scene.receivers[0].position;
  const double length = std::hypot(source[0] - at[0], source[1] - at[1], source[2] - at[2]);
  const auto arrival = static_cast<std::size_t>(length / 343.2 * 48000.0 + 0.5);
  for (const std::size_t channel : {1U, 2U, 3U}) {
    const double cosine = (source[channel % 3] - at[channel % 3]) / length;
    CHECK(all.record.channels[channel].early[arrival] ==
          Approx(cosine * omni.record.channels[0].early[arrival]).margin(0.01));
  }
}

TEST_CASE("direct sound of a box has its height and delay", "[above]") {
  const Scene scene = box_scene(0.0);
  AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.05, 36.0, 343.2});
  plan.rays = plan.most_rays = 1000;
  const AboveTrace trace = trace_above(scene, plan);
  const double distance = std::hypot(2.1, 1.0, 0.2);
  CHECK(trace.record.late[0].start == Approx(distance / 343.2));
  const std::vector<double>& early = trace.record.channels.at(0).early;
  const auto at = static_cast<std::size_t>(distance / 343.2 * early_rate);
  double sum = 0.0;  // until the first reflection
  for (std::size_t i = at - 20; i < at + 20; ++i) sum += early[i];
  CHECK(sum == Approx(1.0 / distance).epsilon(0.05));
}

TEST_CASE("a receiver round a corner hears the edge first, where no path of mirrors is as short", "[above]") {
  const Scene scene = corner_scene();
  AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.03, 60.0, 343.2});
  plan.rays = plan.most_rays = 1000;
  plan.image_order = 2;
  const AboveTrace trace = trace_above(scene, plan);
  const BlockedPairs pairs = blocked_pairs(scene, GeometricRoom(scene, plan).facets).value();
  CHECK(pairs.pairs == 2);
  CHECK(pairs.blocked == 1);
  CHECK(pairs.bent() == 1);
  CHECK(blocked_text(pairs, scene) == "direct sound is blocked for 1 of 2 pairs; 1 bends around one edge");
  const double length = std::hypot(2.5, 0.8) + std::hypot(0.8, 2.6);
  const std::vector<double>& early = trace.record.channels.at(0).early;
  const auto at = static_cast<std::size_t>(length / 343.2 * early_rate);
  const auto energy = [&](std::size_t from, std::size_t to) {
    double sum = 0.0;
    for (std::size_t i = from; i < to; ++i) sum += early[i] * early[i];
    return sum;
  };
  CHECK(energy(at - 10, at + 10) > 100.0 * energy(0, at - 60));
  // A sample at twice the peak's distance: far below direct sound of this length, far above nothing.
  CHECK(energy(at - 10, at + 10) < 0.1 / (length * length));
  CHECK(energy(at - 10, at + 10) > 1e-4 / (length * length));
  // In sight of the source nothing is added.
  const std::vector<double>& seen = trace.record.channels.at(1).early;
  const double distance = std::hypot(3.3, 0.2);
  const auto first = static_cast<std::size_t>(distance / 343.2 * early_rate);
  double sum = 0.0;
  for (std::size_t i = first - 15; i < first + 15; ++i) sum += seen[i];
  CHECK(sum == Approx(1.0 / distance).epsilon(0.1));
}

TEST_CASE("blocked pairs are counted, and those named that no edge reaches", "[above]") {
  const Scene scene = corner_scene();
  BlockedPairs pairs;
  ShadowedReceivers receivers(2);
  pairs.add(0, receivers);
  CHECK(blocked_text(pairs, scene).empty());
  receivers[1].blocked = true;
  pairs.add(0, receivers);
  CHECK(pairs.bent() == 0);
  CHECK(blocked_text(pairs, scene) ==
        "direct sound is blocked for 1 of 4 pairs; 0 bend around one edge, none for S to R1");
}

TEST_CASE("a room that rays leave is refused, with a place, and a gap is counted", "[above]") {
  Scene scene = box_scene(0.0);
  const auto traced = [&](double gap) {  // between two parts of the ceiling, m
    Mesh mesh;
    const auto quad = [&](const std::array<std::array<double, 3>, 4>& corners) {
      test::add_quad(mesh, {{corners[0], corners[1], corners[2], corners[3]}}, "wall", test::unturned);
    };
    for (const double z : {0.0, 2.6}) {
      const double open = z > 0.0 ? gap : 0.0;
      quad({{{0, 0, z}, {2, 0, z}, {2, 3.3, z}, {0, 3.3, z}}});
      if (2.0 + open < 4.2) quad({{{2.0 + open, 0, z}, {4.2, 0, z}, {4.2, 3.3, z}, {2.0 + open, 3.3, z}}});
    }
    for (const double y : {0.0, 3.3}) quad({{{0, y, 0}, {4.2, y, 0}, {4.2, y, 2.6}, {0, y, 2.6}}});
    for (const double x : {0.0, 4.2}) quad({{{x, 0, 0}, {x, 3.3, 0}, {x, 3.3, 2.6}, {x, 0, 2.6}}});
    scene.room.mesh = std::make_shared<const Mesh>(mesh);
    scene.room.surfaces = {"wall"};
    AbovePlan plan = *plan_above(scene, {1000.0, 0.02, 0.1, 36.0, 343.2});
    plan.rays = plan.most_rays = 2000;
    return trace_above(scene, plan);
  };
  const AboveTrace closed = traced(0.0), slit = traced(0.2);
  CHECK(closed.lost == 0);
  const double share = static_cast<double>(slit.lost) / static_cast<double>(slit.hits + slit.lost);
  CHECK(share == Approx(0.2 * 3.3 / (2.0 * (4.2 * 3.3 + 4.2 * 2.6 + 3.3 * 2.6))).epsilon(0.3));
  try {
    traced(2.2);  // of 66 m2 of walls 7 lack
    FAIL("half a ceiling lacks");
  } catch (const Error& error) {
    CHECK(error.status == Status::scene);
    CHECK(std::string(error.what()).find("% of the reflections of rays find no wall, the first beyond (") !=
          std::string::npos);
    CHECK_FALSE(error.remedy.empty());
  }
}

TEST_CASE("a trace is watched from its beginning to its end, and ends where the caller says so", "[above]") {
  const Scene rough = box_scene(0.3);
  AbovePlan plan = *plan_above(rough, {1000.0, 0.02, 0.15, 36.0, 343.2});
  plan.rays = plan.most_rays = 4000;
  int begun = 0, ended = 0, checks = 0, last = -1;
  AboveCalls calls;
  calls.begin = [&] { ++begun; };
  calls.end = [&] { ++ended; };
  calls.check = [&] {
    if (++checks == last) throw Error(Status::interrupted, "enough");
  };
  const AboveTrace whole = trace_above(rough, plan, calls);
  CHECK(whole.record.late.size() == 1);
  CHECK((begun == 1 && ended == 1));
  const int all = checks;
  CHECK(all >= 3);  // before image sources, before rays, and last of all
  for (last = 1; last <= all; ++last) {
    checks = 0;
    CHECK_THROWS_AS(trace_above(rough, plan, calls), Error);
    CHECK(checks == last);
  }
  CHECK((begun == all + 1 && ended == all + 1));
}
