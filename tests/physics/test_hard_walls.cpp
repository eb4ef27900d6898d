// Reverberation between hard walls of one material, whatever max_frequency. The octave of 250 Hz of a room of 65 m3
// holds 327 modes that hardly overlap: T20 at one receiver is the beat of a few of them, and a grid that shifts their
// frequencies within dispersion_error moves it by several per cent. Exact modes part that from the law and from walls.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/run/run.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/lossy_modes.hpp"

using namespace fdtd;

namespace {

constexpr double hard_rate = 1600.0, hard_centre = 250.0, highest_mode = 520.0;

Scene hard_room(const std::string& material, double max_frequency, const std::string& stencil, double duration) {
  std::string text = fmt::format(
      "schema = 1\n[simulation]\nduration = {}\nmax_frequency = {}\nstencil = \"{}\"\n[above]\nmethod = "
      "\"none\"\n[room]\nbox = [5.2, 4.1, 3.05]\n"
      "walls = {{ default = \"w\" }}\n[materials.w]\nlibrary = \"{}\"\n[[source]]\nname = \"S1\"\n"
      "position = [1.2, 1.1, 1.0]\n",
      duration, max_frequency, stencil, material);
  constexpr std::array<std::array<double, 3>, 6> places = {
      {{3.1, 2.2, 1.4}, {4.3, 3.2, 2.1}, {2.2, 3.5, 0.6}, {0.6, 2.7, 2.5}, {4.7, 0.8, 1.1}, {3.7, 1.6, 2.7}}};
  for (std::size_t r = 0; r < places.size(); ++r)
    text += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, {}, {}]\n", r + 1, places[r][0], places[r][1],
                        places[r][2]);
  ParsedScene parsed = parse_scene(text, "hard.toml");
  REQUIRE(parsed.problems.empty());
  return std::move(parsed.scene);
}

test::LossyBox box_of(const Scene& scene, const std::vector<Branch>& branches) {
  test::LossyBox box;
  box.sides = scene.room.box;
  box.sound_speed = scene.air.speed();
  box.walls.fill(branches);
  return box;
}

// T20 of the octave of 250 Hz.
double time_of(const std::vector<double>& response, double rate, double max_frequency) {
  MetricsOptions options;
  options.valid_bandwidth = std::min(max_frequency, 0.45 * rate);
  for (const BandMetrics& band : measure(response, rate, options).bands)
    if (band.centre == hard_centre) return band.T20.value.value();
  FAIL("no octave of 250 Hz");
  return 0.0;
}

}  // namespace

TEST_CASE("T20 of exact modes between a material's walls is the same for the branches of every max_frequency",
          "[physics]") {
  for (const auto& one : {std::pair("limestone", 8.0), std::pair("concrete-smooth", 14.0)}) {
    const std::string material = one.first;
    const double duration = one.second;
    const Scene scene = hard_room(material, 500.0, "leggy-1", duration);
    const Material& own = scene.materials.at("w");
    const MaterialLaw law(own, scene.air.speed());
    const auto time_with = [&](const std::vector<Branch>& branches) {
      const auto modes = test::lossy_modes(box_of(scene, branches), highest_mode);
      return time_of(test::modal_sum(modes, scene.air.speed(), scene.sources[0].position, scene.receivers[0].position,
                                     {}, duration, hard_rate),
                     hard_rate, highest_mode);
    };
    const double whole = time_with(law.branches());
    for (const double max_frequency : {355.0, 500.0, 710.0, 1000.0, 4000.0}) {
      CAPTURE(material, max_frequency);
      CHECK(time_with(fit_material(own, law, max_frequency).branches) == Approx(whole).epsilon(0.01));
    }
  }
}

TEST_CASE("T20 between hard walls moves with max_frequency as the modes on the grid do, and not in the mean",
          "[physics]") {
  double mean_before = 0.0;
  for (const double max_frequency : {355.0, 710.0}) {
    const Scene scene = hard_room("limestone", max_frequency, "box-111/radial2", 8.0);
    const PlanResult planned = make_plan(scene, *find_stencil("box-111/radial2"));
    RenderOptions options = render_options(scene, planned.plan, max_frequency);
    options.output_rate = hard_rate;
    const Rendered rendered = render(run(planned.plan, *make_cpu_backend({1, ""})), options);
    // The law itself, on the grid's sides and frequencies.
    const Grid& grid = planned.choice.grid;
    test::LossyBox box = box_of(scene, MaterialLaw(scene.materials.at("w"), scene.air.speed()).branches());
    for (std::size_t d = 0; d < 3; ++d) box.sides[d] = grid.size[d] * grid.spacing[d];
    const std::vector<test::LossyMode> modes = test::lossy_modes(box, highest_mode);
    const LowPass low_pass{max_frequency, 1.2 * max_frequency};
    const auto on_grid = test::on_grid_of(planned.choice);
    const auto change = [&](const test::LossyMode& mode) {
      test::ModeChange one = on_grid(mode);
      one.factor *= low_pass.response((mode.omega.real() + one.shift) / (2.0 * std::numbers::pi));
      return one;
    };
    double mean = 0.0, exact_mean = 0.0;
    const std::size_t count = planned.plan.receivers.size();
    for (std::size_t r = 0; r < count; ++r) {
      const auto begin = rendered.ir.begin() + static_cast<std::ptrdiff_t>(r) * rendered.samples;
      const double found = time_of({begin, begin + rendered.samples}, hard_rate, max_frequency);
      const double exact =
          time_of(test::modal_sum(modes, grid.sound_speed, planned.plan.sources.at(0).position,
                                  planned.plan.receivers[r].position, change, scene.simulation.duration, hard_rate),
                  hard_rate, max_frequency);
      CAPTURE(max_frequency, r);
      CHECK(found == Approx(exact).epsilon(0.05));
      mean += found / static_cast<double>(count);
      exact_mean += exact / static_cast<double>(count);
    }
    CAPTURE(max_frequency);
    CHECK(mean == Approx(exact_mean).epsilon(0.03));
    if (mean_before > 0.0) CHECK(mean == Approx(mean_before).epsilon(0.03));
    mean_before = mean;
  }
}
