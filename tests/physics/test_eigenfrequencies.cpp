// A rigid box through the whole pipeline: on the planner's grid every eigenfrequency is the analytic one.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/run/run.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/spectrum.hpp"

using namespace fdtd;

namespace {

constexpr double sound_speed = 343.0;
constexpr std::array<double, 3> box = {5.1, 3.9, 2.7};

Scene rigid_box(double max_frequency, double duration) {
  test::SceneText scene;
  scene.simulation = "duration = " + std::to_string(duration) + "\nmax_frequency = " + std::to_string(max_frequency) +
                     "\ndispersion_error = 0.001\nprecision = \"f64\"\nstencil = \"leggy-4\"\n";
  scene.air = "sound_speed = 343.0\n";
  scene.box = "[5.1, 3.9, 2.7]";
  scene.materials = "[materials.panel]\nrigid = true\n";
  scene.source = "[0.11, 0.13, 0.09]";
  scene.receiver = "[4.93, 3.81, 2.6]";
  ParsedScene parsed = parse_scene(text_of(scene), "box.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

std::vector<double> analytic_modes(double up_to) {
  std::vector<double> modes;
  for (int a = 0; a < 20; ++a)
    for (int b = 0; b < 20; ++b)
      for (int c = 0; c < 20; ++c) {
        const double f =
            sound_speed / 2.0 * std::sqrt(std::pow(a / box[0], 2) + std::pow(b / box[1], 2) + std::pow(c / box[2], 2));
        if (f > 0.0 && f < up_to) modes.push_back(f);
      }
  std::sort(modes.begin(), modes.end());
  return modes;
}

}  // namespace

TEST_CASE("isolated eigenfrequencies of a rigid box lie within 3 cents of the analytic ones", "[physics]") {
  constexpr double max_frequency = 110.0, duration = 3.0;
  const Scene scene = rigid_box(max_frequency, duration);
  for (const char* name : {"leggy-1", "leggy-4"}) {
    const PlanResult planned = make_plan(scene, *find_stencil(name));
    const auto backend = make_cpu_backend();
    const Recording recording = run(planned.plan, *backend, {});
    const std::vector<double> modes = analytic_modes(1.2 * max_frequency);
    int compared = 0;
    for (std::size_t i = 0; i < modes.size() && modes[i] <= max_frequency; ++i) {
      // Isolated: no neighbour within the window's main lobe (4 bins each side) and a little.
      const double gap = 4.5 / duration;
      if ((i > 0 && modes[i] - modes[i - 1] < gap) || (i + 1 < modes.size() && modes[i + 1] - modes[i] < gap)) continue;
      const double found = test::peak_near(recording.pressure, recording.sample_rate, modes[i], 0.5);
      const double cents = 1200.0 * std::log2(found / modes[i]);
      INFO(name << ": mode at " << modes[i] << " Hz found at " << found << " Hz, " << cents << " cents");
      CHECK(std::abs(cents) <= 3.0);
      ++compared;
    }
    CHECK(compared >= 8);
  }
}
