// Decays of a box with absorbing walls against its exact modes, at resolutions down to 2.3 points a wavelength.
//
// T30 at a single receiver depends on how thousands of modes interfere there. Where the grid shifts their frequencies
// by a fraction that dispersion_error allows, or the side of a cubic grid by a centimetre, they interfere in another
// way, and the exact T30 of such a box differs from that of the room by up to a fifth at a receiver
// (bench/rooms/lossy_box.py). So the reference has the sides of the grid and the frequencies that its symbol gives the modes;
// decays, the walls' part, are exact.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/profiling/auto_stencil.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/run/run.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/lossy_modes.hpp"

using namespace fdtd;
using test::LossyBox;

namespace {

constexpr std::array<double, 3> sides = {5.3, 4.3, 3.5}, source = {0.9, 1.2, 0.8};
const std::vector<std::array<double, 3>> receivers = {{4.0, 2.9, 2.5}, {3.0, 3.8, 1.0}, {1.2, 3.4, 2.7},
                                                      {4.7, 0.6, 1.6}, {3.6, 1.7, 3.0}, {2.2, 2.5, 1.8},
                                                      {4.4, 3.6, 0.5}, {1.6, 0.5, 2.2}};
constexpr double max_frequency = 707.2, rate = 3000.0, sound_speed = 343.2;

struct Heard {
  Scene scene;
  PlanResult planned;
  std::vector<std::vector<double>> found, exact;  // responses, by receiver
};

// The sum of the exact modes of the box as it stands on the grid, with the frequencies that the grid gives them.
std::vector<std::vector<double>> exact_responses(const Heard& heard, double duration) {
  const PlanResult& planned = heard.planned;
  const Grid& grid = planned.choice.grid;
  LossyBox box;
  box.sound_speed = grid.sound_speed;
  for (std::size_t d = 0; d < 3; ++d) box.sides[d] = grid.size[d] * grid.spacing[d];
  for (std::size_t side = 0; side < 6; ++side)
    box.walls[side] = std::ranges::find(planned.materials, heard.scene.room.walls[side], &MaterialFit::name)->branches;
  const std::vector<test::LossyMode> modes = test::lossy_modes(box, 1.2 * max_frequency);
  const LowPass low_pass{max_frequency, 1.2 * max_frequency};
  const auto on_grid = test::on_grid_of(planned.choice);
  const auto change = [&](const test::LossyMode& mode) {
    test::ModeChange one = on_grid(mode);
    one.factor *= low_pass.response((mode.omega.real() + one.shift) / (2.0 * std::numbers::pi));
    return one;
  };
  std::vector<std::vector<double>> responses;
  for (const Tap& receiver : planned.plan.receivers)
    responses.push_back(test::modal_sum(modes, grid.sound_speed, planned.plan.sources.at(0).position, receiver.position,
                                        change, duration, rate));
  return responses;
}

// `walls`: the tables [room.walls] and [materials.*].
Heard simulate(const std::string& stencil, const std::string& walls, double error, double duration) {
  test::SceneText text;
  text.simulation = fmt::format("duration = {}\nmax_frequency = {}\ndispersion_error = {}\nstencil = \"{}\"\n",
                                duration, max_frequency, error, stencil);
  text.air = fmt::format("sound_speed = {}\n", sound_speed);
  text.room = fmt::format("box = [{}, {}, {}]\n{}", sides[0], sides[1], sides[2], walls);
  text.walls = text.materials = text.receiver = "";
  text.source = fmt::format("[{}, {}, {}]", source[0], source[1], source[2]);
  for (std::size_t r = 0; r < receivers.size(); ++r)
    text.more += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, {}, {}]\n", r, receivers[r][0],
                             receivers[r][1], receivers[r][2]);
  ParsedScene parsed = parse_scene(text_of(text), "box.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  Heard heard;
  heard.scene = std::move(parsed.scene);
  heard.planned =
      make_plan(heard.scene, stencil == "auto" ? cheapest_stencil(heard.scene, DeviceClass::cpu_avx2).stencil
                                               : *find_stencil(stencil));
  RenderOptions options = render_options(heard.scene, heard.planned.plan, max_frequency);
  options.output_rate = rate;
  const Rendered rendered = render(run(heard.planned.plan, *make_cpu_backend({1, ""})), options);
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const auto begin = rendered.ir.begin() + static_cast<std::ptrdiff_t>(r) * rendered.samples;
    heard.found.emplace_back(begin, begin + rendered.samples);
  }
  heard.exact = exact_responses(heard, duration);
  return heard;
}

// T30 by octave; nothing where it is missing.
std::map<double, double> octave_times(const std::vector<double>& response) {
  MetricsOptions options;
  options.valid_bandwidth = max_frequency;
  std::map<double, double> times;
  for (const BandMetrics& band : measure(response, rate, options).bands)
    if (band.T30.value) times[band.centre] = *band.T30.value;
  return times;
}

// Time of 60 dB of the energy of all responses together in a third of an octave, from the line between -5 and -25 dB of
// the decay integrated backwards.
double third_octave_time(const std::vector<std::vector<double>>& responses, double centre) {
  std::vector<double> energy;
  for (const std::vector<double>& response : responses) {
    const std::int64_t length = smooth_length(2 * static_cast<std::int64_t>(response.size()));
    auto spectrum = real_fft(response, length);
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
      const double f = static_cast<double>(k) * rate / static_cast<double>(length);
      spectrum[k] /= std::sqrt(1.0 + std::pow(4.318 * (f / centre - centre / std::max(f, 1e-3)), 6));
    }
    const std::vector<double> band = inverse_real_fft(spectrum, length);
    energy.resize(response.size());
    for (std::size_t n = 0; n < energy.size(); ++n) energy[n] += band[n] * band[n];
  }
  for (std::size_t n = energy.size() - 1; n-- > 0;) energy[n] += energy[n + 1];
  double count = 0.0, t = 0.0, level = 0.0, tt = 0.0, tl = 0.0;
  for (std::size_t n = 0; n < energy.size(); ++n) {
    const double time = static_cast<double>(n) / rate, decibel = 10.0 * std::log10(energy[n] / energy[0]);
    if (decibel > -5.0 || decibel < -25.0) continue;
    count += 1.0, t += time, level += decibel, tt += time * time, tl += time * decibel;
  }
  return -60.0 * (count * tt - t * t) / (count * tl - t * level);
}

}  // namespace

TEST_CASE("T30 of a lossy box is that of its exact modes, at the coarsest grids of several stencils", "[physics]") {
  const std::string walls =
      "walls = { default = \"wall\" }\n[materials.wall]\n"
      "absorption = { bands = [125, 250, 500, 1000], alpha = [0.06, 0.10, 0.16, 0.24] }\n";
  const auto [stencil, error] = GENERATE(table<std::string, double>({{"auto", 0.02},
                                                                     {"leggy-4", 0.02},
                                                                     {"leggy-4/warp1", 0.02},
                                                                     {"leggy-8/warp03", 0.02},
                                                                     {"compact-9/opt1", 0.02},
                                                                     {"box-222/opt1", 0.02},
                                                                     {"compact-4/radial1", 0.02},
                                                                     {"compact-3/radial1", 0.02},
                                                                     {"box-222/radial1", 0.02},
                                                                     {"box-222/radial03", 0.02},
                                                                     {"auto", 0.01},
                                                                     {"leggy-4/warp1", 0.01},
                                                                     {"auto", 0.003},
                                                                     {"leggy-8/warp03", 0.003},
                                                                     {"box-222/radial03", 0.003},
                                                                     {"compact-9/radial03", 0.003}}));
  const Heard heard = simulate(stencil, walls, error, 1.6);
  for (const double octave : {250.0, 500.0}) {
    double mean = 0.0;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      CAPTURE(stencil, error, octave, r);
      const auto found = octave_times(heard.found[r]), exact = octave_times(heard.exact[r]);
      REQUIRE(found.contains(octave));
      REQUIRE(exact.contains(octave));
      const double ratio = found.at(octave) / exact.at(octave);
      CHECK(ratio == Approx(1.0).margin(0.1));
      mean += ratio / static_cast<double>(receivers.size());
    }
    CHECK(mean == Approx(1.0).margin(0.05));
  }
}

// On the grid that the interior needs: where walls meet they are solved together, so that each absorbs beside the others
// what it does alone.
TEST_CASE("a box with six different lossy walls decays as its exact Green's function", "[physics]") {
  // x_max resonates at 423 Hz, about four points a wavelength, y_max at 177 Hz, nine points.
  const std::string walls =
      "[room.walls]\nx_min = \"a\"\nx_max = \"b\"\ny_min = \"c\"\ny_max = \"d\"\nz_min = \"e\"\nz_max = \"f\"\n"
      "[materials]\na.admittance = 0.02\nb.branches = [{ D = 2.2e-3, E = 8.0, F = 1.55e4 }]\nc.admittance = 0.05\n"
      "d.branches = [{ D = 5.0e-3, E = 10.0, F = 6.2e3 }]\ne.admittance = 0.1\nf.admittance = 0.03\n";
  const std::string stencil =
      GENERATE("leggy-4", "leggy-4/warp1", "leggy-8/warp03", "compact-9/opt1", "box-222/opt1", "compact-3/radial1",
               "compact-4/radial1", "box-222/radial1", "box-222/radial03", "compact-9/radial03");
  const Heard heard = simulate(stencil, walls, 0.02, 0.8);
  const double three_points = sound_speed / 3.0 / *std::ranges::max_element(heard.planned.choice.grid.spacing);
  for (const double centre : {200.0, 250.0, 315.0, 400.0, 500.0, 630.0}) {
    const double ratio = third_octave_time(heard.found, centre) / third_octave_time(heard.exact, centre);
    CAPTURE(stencil, centre, three_points);
    CHECK(ratio == Approx(1.0).margin(1.12 * centre < three_points ? 0.05 : 0.10));
  }
}
