#include "engine/transducers/joint_parts.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"
#include "engine/transducers/source_gain.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Complex = std::complex<double>;

namespace {

PlanResult planned_with(const std::string& stencil, const std::string& precision, const std::string& pattern) {
  SceneText text;
  text.simulation = "duration = 0.01\nmax_frequency = 1000\nreciprocity = \"off\"\nprecision = \"" + precision +
                    "\"\nstencil = \"" + stencil + "\"\n";
  text.source_keys = "pattern = \"" + pattern + "\"\ndirection = [1, 2, 0.5]";
  const ParsedScene parsed = parse_scene(text_of(text), "room.toml");
  REQUIRE(parsed.problems.empty());
  return make_plan(parsed.scene, *find_stencil(stencil));
}

Complex spectrum(const std::vector<double>& signal, double w) {
  Complex sum = 0.0;
  for (std::size_t n = 0; n < signal.size(); ++n) sum += signal[n] * std::polar(1.0, -w * static_cast<double>(n));
  return sum;
}

}  // namespace

TEST_CASE("the signals of both parts of a source differ as rendering would filter and equalise them, in the band") {
  for (const char* stencil : {"leggy-2", "leggy-4/warp03", "compact-4/radial1", "box-222/opt1"}) {
    const PlanResult planned = planned_with(stencil, "f64", "cardioid");
    const Plan& plan = planned.plan;
    REQUIRE(plan.joint.size() == 1);
    const JointPass& pass = plan.joint[0];
    CHECK(pass.parts.first == 0);
    CHECK(pass.parts.fraction == 0.5);
    const std::vector<double> omni = gain_at_node(plan, plan.sources[0]), eight = gain_at_node(plan, plan.sources[1]);
    const double pi = std::numbers::pi, T = plan.grid.time_step;
    double largest = 0.0, level = 0.0;
    for (double hertz = 2.0; hertz < 1.2 * planned.bandwidth(); hertz *= 1.03) {
      const double w = plan.frequency_map.grid(2.0 * pi * hertz * T);
      if (w > pass.band) break;
      // An integration ends at 5 Hz; a half of the pattern each.
      const Complex wanted =
          plan.grid.sound_speed / (2.0 * pi * Complex(5.0, hertz)) * gain_at(omni, w) / gain_at(eight, w);
      const Complex first = spectrum(pass.signals[0], w), found = spectrum(pass.signals[1], w) / first;
      largest = std::max(largest, std::abs(found / wanted - 1.0));
      // The recursion of the record undoes this.
      const Complex undone = first * (1.0 - std::polar(pass.zero, -w)) / (1.0 - std::polar(pass.pole, -w)) *
                             std::polar(1.0, static_cast<double>(pass.lead) * w);
      level = std::max(level, std::abs(undone / (1.0 - std::polar(1.0, -w)) - 1.0));
    }
    INFO(stencil << ": band " << pass.band << ", " << pass.signals[0].size() << " samples");
    CHECK(largest < 1e-4);
    CHECK(level < 1e-7);
    // Above the band nothing is sent that is much stronger than below it.
    double above = 0.0;
    for (double w = pass.band; w < pi; w += 0.01) above = std::max(above, std::abs(spectrum(pass.signals[1], w)));
    CHECK(above < 4.0 * plan.grid.sound_speed * T);
    for (const auto& signal : pass.signals) {
      CHECK(signal.size() < 800);
      CHECK(std::abs(std::accumulate(signal.begin(), signal.end(), 0.0)) < 1e-11);  // the room's static pressure stays
    }
  }
}

TEST_CASE("a source whose parts add up in the field weighs them by its pattern") {
  const PlanResult half = planned_with("leggy-2", "f32", "cardioid"),
                   less = planned_with("leggy-2", "f32", "subcardioid");
  REQUIRE(less.plan.joint.size() == 1);
  const double fraction = less.plan.joint[0].parts.fraction;
  CHECK(fraction > 0.6);
  CHECK(less.plan.joint[0].signals[0] == half.plan.joint[0].signals[0]);
  CHECK(less.plan.joint[0].signals[1][20] ==
        Approx((1.0 - fraction) / fraction * half.plan.joint[0].signals[1][20]).epsilon(1e-9));
  CHECK(planned_with("leggy-2", "f32", "figure-eight").plan.joint.empty());
}
