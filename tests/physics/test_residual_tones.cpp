// Lossy boxes through the whole pipeline: after the response has decayed, nothing is left, whatever the stencil.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"
#include "engine/run/run.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

TEST_CASE("nothing above -80 dB is left after the response of a lossy box has decayed", "[physics]") {
  // The slowest mode falls as exp(-c b (1/Lx + 1/Ly + 1/Lz) t), 80 dB in 0.15 s; the low-cut rings a little longer.
  const std::string name =
      GENERATE("leggy-1", "leggy-4", "leggy-4/warp1", "leggy-8/opt1", "compact-3/opt1", "compact-9/opt1",
               "compact-9/radial03", "compact-3/radial1", "box-222/radial1", "box-222/opt1", "box-222/opt2");
  test::SceneText scene;
  scene.simulation = fmt::format(
      "duration = 0.9\nmax_frequency = 700\ndispersion_error = 0.02\nprecision = \"f64\"\nstencil = \"{}\"\n", name);
  scene.box = "[2.05, 1.65, 1.35]";
  scene.materials = "[materials.panel]\nadmittance = 0.1\n";
  scene.source = "[0.35, 0.45, 0.55]";
  scene.receiver = "[1.55, 1.1, 0.75]";
  const ParsedScene parsed = parse_scene(text_of(scene), "box.toml");
  REQUIRE(parsed.problems.empty());
  const PlanResult planned = make_plan(parsed.scene, *find_stencil(name));
  CHECK(planned.choice.branch_frequency >= 1.05 * 700.0 * (1.0 - 1e-6));
  const Recording recording = run(planned.plan, *make_cpu_backend({1, ""}));
  RenderOptions options = render_options(parsed.scene, planned.plan, planned.choice.max_frequency);
  const Rendered rendered = render(recording, options);
  double peak = 0.0, late = 0.0;
  for (std::size_t n = 0; n < rendered.ir.size(); ++n) {
    peak = std::max(peak, std::abs(rendered.ir[n]));
    if (static_cast<double>(n) > 0.6 * rendered.sample_rate) late = std::max(late, std::abs(rendered.ir[n]));
  }
  INFO(name << ", branch at " << options.branch << " Hz");
  CHECK(20.0 * std::log10(late / peak) < -80.0);
}
