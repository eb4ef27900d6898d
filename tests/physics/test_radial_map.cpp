// Stencils with a radial map: what rendering leaves of their dispersion, in a free field and in a rigid box.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"
#include "engine/run/run.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/spectrum.hpp"

using namespace fdtd;

namespace {

constexpr double sound_speed = 343.0;

struct Heard {
  PlanResult planned;
  Rendered rendered;
};

Heard hear(const test::SceneText& text, const std::string& stencil, bool fade) {
  ParsedScene parsed = parse_scene(text_of(text), "radial.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  Heard heard{make_plan(parsed.scene, *find_stencil(stencil)), {}};
  const auto backend = make_cpu_backend();
  Recording recording = run(heard.planned.plan, *backend, {});
  // Out before echoes arrive, from 4.4 m of travel to 7.1 m: on the grid some waves of the band are a quarter faster.
  if (fade) {
    const double per_sample = sound_speed / recording.sample_rate;
    const auto samples = static_cast<std::size_t>(recording.samples);
    for (std::size_t r = 0; r * samples < recording.pressure.size(); ++r) {
      double response = 0.0, before = 0.0;
      for (std::size_t n = 0; n < samples; ++n) {
        double& value = recording.pressure[r * samples + n];
        response += value;
        const double fraction = std::clamp((static_cast<double>(n) * per_sample - 4.4) / 2.7, 0.0, 1.0);
        const double faded = response * (0.5 + 0.5 * std::cos(std::numbers::pi * fraction));
        value = faded - before;
        before = faded;
      }
    }
  }
  RenderOptions options = render_options(parsed.scene, heard.planned.plan, heard.planned.choice.max_frequency);
  options.duration = 0.0;
  heard.rendered = render(recording, options);
  return heard;
}

test::SceneText cube(double max_frequency, double tolerance, double duration) {
  test::SceneText text;
  text.simulation = "duration = " + std::to_string(duration) + "\nmax_frequency = " + std::to_string(max_frequency) +
                    "\ndispersion_error = " + std::to_string(tolerance) +
                    "\nprecision = \"f64\"\nstencil = \"leggy-1\"\n";
  text.air = "sound_speed = 343.0\n";
  text.materials = "[materials.panel]\nrigid = true\n";
  text.more = "[output]\nlow_cut = 0.0\n";
  return text;
}

// The node nearest to a point of the scene, in its coordinates.
std::array<double, 3> node_near(const GridChoice& choice, const std::array<double, 3>& at) {
  std::array<double, 3> there{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double h = choice.grid.spacing[d];
    there[d] = (std::floor((at[d] + choice.offset[d]) / h) + 0.5) * h - choice.offset[d];
  }
  return there;
}

std::string position(const std::array<double, 3>& at) {
  return "[" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + "]";
}

}  // namespace

TEST_CASE("radial map, free field: delays and levels in twenty directions up to nine tenths of the band", "[physics]") {
  struct Case {
    const char* stencil;
    double tolerance, decibels;
  };
  for (const Case& one : {Case{"compact-2/radial1", 0.01, 0.7},
                          {"compact-3/radial2", 0.02, 1.3},
                          {"compact-4/radial1", 0.01, 0.77},
                          {"compact-4/radial03", 0.003, 0.4},
                          {"compact-6/radial03", 0.003, 0.3},
                          {"compact-9/radial1", 0.01, 0.9},
                          {"compact-9/radial03", 0.003, 0.32},
                          {"box-222/radial2", 0.02, 0.9},
                          {"box-222/radial03", 0.003, 0.32}}) {
    constexpr double max_frequency = 1900.0;
    test::SceneText text = cube(max_frequency, one.tolerance, 0.021);
    text.box = "[10.4, 10.4, 10.4]";
    text.source = "[5.2, 5.2, 5.2]";
    text.receiver = "[5.2, 5.2, 3.5]";
    const ParsedScene first = parse_scene(text_of(text), "radial.toml");
    REQUIRE(first.problems.empty());
    // Source and receivers at nodes: here the stencil is judged, not the interpolation between nodes.
    const GridChoice choice = make_plan(first.scene, *find_stencil(one.stencil)).choice;
    const std::array<double, 3> source = node_near(choice, {5.2, 5.2, 5.2});
    std::vector<std::array<double, 3>> receivers;
    std::string table;
    for (int i = 0; i < 20; ++i) {  // on a spiral over the sphere, 1.7 m away
      const double z = 1.0 - (2.0 * i + 1.0) / 20.0, turn = 2.399963 * i, across = std::sqrt(1.0 - z * z);
      receivers.push_back(node_near(choice, {source[0] + 1.7 * across * std::cos(turn),
                                             source[1] + 1.7 * across * std::sin(turn), source[2] + 1.7 * z}));
      if (i > 0)
        table += "[[receiver]]\nname = \"N" + std::to_string(i) + "\"\nposition = " + position(receivers.back()) + "\n";
    }
    text.source = position(source);
    text.receiver = position(receivers.front());
    text.more = table + text.more;
    const Heard heard = hear(text, one.stencil, true);
    REQUIRE(heard.planned.choice.grid.size == choice.grid.size);
    const double rate = heard.rendered.sample_rate;
    const auto samples = static_cast<std::size_t>(heard.rendered.samples);
    double worst_delay = 0.0, worst_level = 0.0;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const double distance =
          std::hypot(receivers[r][0] - source[0], receivers[r][1] - source[1], receivers[r][2] - source[2]);
      for (const double fraction : {0.2, 0.4, 0.6, 0.8, 0.9}) {
        const double omega = 2.0 * std::numbers::pi * fraction * max_frequency;
        std::complex<double> sum = 0.0;
        for (std::size_t n = 0; n < samples; ++n)
          sum += heard.rendered.ir[r * samples + n] * std::polar(1.0, -omega * static_cast<double>(n) / rate);
        sum *= distance * std::polar(1.0, omega * distance / sound_speed);
        const double delay = std::abs(std::arg(sum)) / omega, level = std::abs(20.0 * std::log10(std::abs(sum)));
        worst_delay = std::max(worst_delay, delay - 1.05 * one.tolerance * distance / sound_speed);
        worst_level = std::max(worst_level, level);
      }
    }
    INFO(one.stencil << ": delay beyond the tolerance " << 1e6 * worst_delay << " us, level " << worst_level << " dB");
    CHECK(worst_delay < 5e-6);
    CHECK(worst_level < one.decibels);
  }
}

// A mode's level depends on the slope of the map alone, not on the direction: what a transducer with another spectrum
// than 1 would gain in the levels of directions, it would lose here.
TEST_CASE("radial map, rigid box: isolated modes of the grid's box lie within the tolerance, with their levels",
          "[physics]") {
  struct Case {
    const char* stencil;
    double tolerance, decibels;
  };
  for (const Case& one : {Case{"compact-3/radial1", 0.01, 0.2},
                          {"compact-4/radial1", 0.01, 0.2},
                          {"compact-4/radial03", 0.003, 0.1},
                          {"compact-6/radial03", 0.003, 0.1},
                          {"compact-9/radial03", 0.003, 0.1},
                          {"box-222/radial03", 0.003, 0.1},
                          {"leggy-4/warp1", 0.01, 0.3}}) {
    constexpr double max_frequency = 110.0, duration = 3.0;
    test::SceneText text = cube(max_frequency, one.tolerance, duration);
    text.box = "[5.1, 3.9, 2.7]";
    text.source = "[0.5, 0.4, 0.3]";
    text.receiver = "[4.4, 3.5, 2.3]";
    const ParsedScene first = parse_scene(text_of(text), "radial.toml");
    REQUIRE(first.problems.empty());
    const GridChoice choice = make_plan(first.scene, *find_stencil(one.stencil)).choice;
    text.source = position(node_near(choice, {0.5, 0.4, 0.3}));  // at nodes: taps between them have levels of their own
    text.receiver = position(node_near(choice, {4.4, 3.5, 2.3}));
    const Heard heard = hear(text, one.stencil, false);
    const Grid& grid = heard.planned.choice.grid;
    REQUIRE(grid.size == choice.grid.size);
    // The exact amplitude of a mode at source and receiver: near its nodes others drown it.
    const auto amplitude = [&](const std::array<int, 3>& mode) {
      double product = 1.0;
      for (const Tap* tap : {&heard.planned.plan.sources[0], &heard.planned.plan.receivers[0]})
        for (std::size_t d = 0; d < 3; ++d)
          product *= std::cos(std::numbers::pi * mode[d] * tap->position[d] / (grid.size[d] * grid.spacing[d]));
      return std::abs(product);
    };
    constexpr double audible = 0.05;
    struct Mode {  // shape: at source and receiver, times 2 for each axis along which it varies
      double frequency = 0.0, shape = 0.0;
    };
    std::vector<Mode> modes;
    std::vector<double> drowned;
    double volume = 1.0;
    for (std::size_t d = 0; d < 3; ++d) volume *= grid.size[d] * grid.spacing[d];
    for (int a = 0; a < 20; ++a)
      for (int b = 0; b < 20; ++b)
        for (int c = 0; c < 20; ++c) {
          const double f = sound_speed / 2.0 *
                           std::hypot(a / (grid.size[0] * grid.spacing[0]), b / (grid.size[1] * grid.spacing[1]),
                                      c / (grid.size[2] * grid.spacing[2]));
          const double shape = amplitude({a, b, c});
          if (f > 0.0 && f < 1.3 * max_frequency)
            modes.push_back({f, shape * (a > 0 ? 2 : 1) * (b > 0 ? 2 : 1) * (c > 0 ? 2 : 1)});
          if (shape < audible) drowned.push_back(f);
        }
    std::ranges::sort(modes, {}, &Mode::frequency);
    int compared = 0;
    for (std::size_t i = 0; i < modes.size() && modes[i].frequency <= max_frequency; ++i) {
      const double frequency = modes[i].frequency, shape = modes[i].shape;
      const double gap = 5.0 / duration + 2.0 * one.tolerance * frequency;
      if ((i > 0 && frequency - modes[i - 1].frequency < gap) ||
          (i + 1 < modes.size() && modes[i + 1].frequency - frequency < gap))
        continue;
      if (std::ranges::find(drowned, frequency) != drowned.end()) continue;
      const double rate = heard.rendered.sample_rate;
      const std::span<const double> ir(heard.rendered.ir.data(), static_cast<std::size_t>(0.9 * duration * rate));
      const double found = test::peak_near(ir, rate, frequency, 0.5 + one.tolerance * frequency);
      // A monopole of 1/r at r metres excites shape 4 pi c^2 / (omega V) sin(omega t).
      const double level = 2.0 * test::magnitude(ir, rate, found) / (0.35875 * static_cast<double>(ir.size()));
      const double exact = shape * 2.0 * sound_speed * sound_speed / (frequency * volume * rate);
      const double decibels = 20.0 * std::log10(level / exact);
      INFO(one.stencil << ": mode at " << frequency << " Hz found at " << found << " Hz, " << decibels << " dB off");
      CHECK(std::abs(found / frequency - 1.0) <= 1.1 * one.tolerance);
      if (frequency <= 0.9 * max_frequency) CHECK(std::abs(decibels) <= one.decibels);
      ++compared;
    }
    CHECK(compared >= 5);
  }
}
