#include "engine/above/ray_deviation.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/above/geometric_room.hpp"
#include "engine/facets/off_facets.hpp"
#include "engine/rays/ray_count.hpp"
#include "engine/rays/trace.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/above_box.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;

namespace {

constexpr std::size_t deviation_seeds = 30;

AbovePlan plan_of_volume(Scene& scene, double volume) {
  scene.output.sample_rate = 8000.0;  // octaves of 1 to 4 kHz
  scene.above.rays = 2000;
  return *plan_above(scene, {1000.0, 0.02, scene.simulation.duration, volume, 343.2});
}

std::optional<RayDeviation> deviation_of(const Scene& scene, const AbovePlan& plan) {
  return ray_deviation(GeometricRoom(scene, plan), plan, sources_above(scene).front());
}

Scene bench_room(const char* name) {
  return load_scene(std::filesystem::path(FDTD_SOURCE_DIR) / "bench/whole_band" / (std::string(name) + ".toml")).scene;
}

// A box with walls of the admittance 0.008, but for some of 0.3, that scatter.
Scene uneven_box(const std::vector<std::size_t>& soft, double scattering) {
  Scene scene = test::above_box(0.008, scattering, {{3.1, 2.2, 1.1}, {2.3, 0.9, 1.6}});
  scene.materials["soft"] = scene.materials["wall"];
  scene.materials["soft"].name = "soft";
  scene.materials["soft"].admittance = 0.3;
  for (const std::size_t wall : soft) scene.room.walls[wall] = "soft";
  scene.simulation.duration = 0.5;
  return scene;
}

// The energies of one draw up to `until`, by octave and receiver in the 10 ms before. `images`: with those that image
// sources have.
std::vector<double> energies_before(const Scene& scene, const AbovePlan& plan, double until, std::uint64_t seed,
                                    bool images) {
  const GeometricRoom room(scene, plan);
  std::vector<RayOctave> octaves;
  for (const double centre : plan.octaves) octaves.push_back(room.octave(centre));
  std::vector<RayReceiver> receivers;
  for (const ReceiverSpec& one : scene.receivers)
    receivers.push_back({off_facets(room.facets, one.position), plan.radius, false, late_growth * plan.radius});
  RaySettings settings;
  settings.rays = plan.rays;
  settings.duration = until;
  settings.bin = 0.01;
  settings.sound_speed = plan.sound_speed;
  settings.seed = seed;
  settings.image_order = images || !scene.room.mesh ? -1 : plan.image_order;
  settings.image_reach = images ? 0.0 : plan.image_reach;
  const RayEnergies energies =
      trace_rays(room.facets, octaves, off_facets(room.facets, scene.sources[0].position), {}, receivers, settings);
  std::vector<double> last(receivers.size() * octaves.size());
  for (std::size_t i = 0; i < 2 * last.size(); ++i)
    last[i % last.size()] += energies.energy[(i + 1) * energies.bins - 1];
  return last;
}

// Over seeds, by root mean square over the receivers; of the octave where it is largest.
double measured_deviation(const Scene& scene, const AbovePlan& plan, double until) {
  std::vector<std::vector<double>> counted, all;
  for (std::uint64_t seed = 0; seed < deviation_seeds; ++seed) {
    counted.push_back(energies_before(scene, plan, until, seed + 1, false));
    all.push_back(energies_before(scene, plan, until, seed + 1, true));
  }
  std::vector<double> of_octave(plan.octaves.size());
  for (std::size_t i = 0; i < counted[0].size(); ++i) {
    double mean = 0.0, whole = 0.0, square = 0.0;
    for (std::size_t n = 0; n < deviation_seeds; ++n)
      mean += counted[n][i] / deviation_seeds, whole += all[n][i] / deviation_seeds;
    for (const auto& one : counted) square += (one[i] - mean) * (one[i] - mean) / (deviation_seeds - 1);
    of_octave[i % of_octave.size()] += square / (whole * whole) / static_cast<double>(scene.receivers.size());
  }
  return std::sqrt(std::ranges::max(of_octave));
}

void check_deviation(const char* name, Scene scene, double volume) {
  const AbovePlan plan = plan_of_volume(scene, volume);
  const auto stated = deviation_of(scene, plan);
  REQUIRE(stated);
  const double measured = measured_deviation(scene, plan, stated->until);
  const double alike = deviation(plan.rays, plan.volume, plan.radius, plan.sound_speed, deviation_width);
  INFO(fmt::format("{}, {:g} s: stated {:.3f}, measured {:.3f}, of equal energies {:.3f}", name, stated->until,
                   stated->relative, measured, alike));
  CHECK(stated->relative > 0.7 * measured);
  CHECK(stated->relative < 1.4 * measured);
}

}  // namespace

TEST_CASE("the deviation of rays is 0.7 to 1.4 times that over seeds, in rooms whose walls absorb unlike", "[above]") {
  check_deviation("one absorbing wall", uneven_box({1}, 0.2), 36.0);
  check_deviation("absorbing walls", uneven_box({0, 1, 2, 3, 4, 5}, 0.4), 36.0);
  check_deviation("little scattering", uneven_box({}, 0.01), 36.0);
  check_deviation("two absorbing walls, little scattering", uneven_box({0, 1}, 0.05), 36.0);
  check_deviation("hall", load_scene(std::filesystem::path(FDTD_SOURCE_DIR) / "scenes/examples/hall.toml").scene,
                  1285.0);
  check_deviation("L", bench_room("l"), 53.0);
  check_deviation("furnished", bench_room("furnished"), 38.0);
  check_deviation("classroom", bench_room("class"), 70.0);
}

TEST_CASE("no deviation of rays is stated where image sources have the sound", "[above]") {
  Scene smooth = uneven_box({1}, 0.0);
  CHECK_FALSE(deviation_of(smooth, plan_of_volume(smooth, 36.0)));
  Scene scattering = uneven_box({}, 0.01);
  AbovePlan brief = plan_of_volume(scattering, 36.0);
  const auto late = deviation_of(scattering, brief);
  REQUIRE(late);
  CHECK(late->until > 0.1);  // when more has scattered
  brief.duration = 0.1;
  CHECK_FALSE(deviation_of(scattering, brief));
}

TEST_CASE("the deviation of rays falls with the root of their number, and is that of any number of threads",
          "[above]") {
  Scene scene = uneven_box({1, 4}, 0.2);
  AbovePlan plan = plan_of_volume(scene, 36.0);
  const double few = deviation_of(scene, plan)->relative;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  CHECK(deviation_of(scene, plan)->relative == few);
  omp_set_num_threads(threads);
  plan.rays *= 4;
  CHECK(deviation_of(scene, plan)->relative == Approx(few / 2.0));
}
