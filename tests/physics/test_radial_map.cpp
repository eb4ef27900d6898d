// Stencils with a radial map: what rendering leaves of their dispersion, in a free field and in a rigid box.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"
#include "engine/run/run.hpp"
#include "scenes/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/spectrum.hpp"

using namespace fdtd;

namespace {

constexpr double sound_speed = 343.0;

struct Heard {
  Planned planned;
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
        const double share = std::clamp((static_cast<double>(n) * per_sample - 4.4) / 2.7, 0.0, 1.0);
        const double faded = response * (0.5 + 0.5 * std::cos(std::numbers::pi * share));
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
                          {"compact-4/radial1", 0.01, 0.75},
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
    const double h = choice.grid.spacing[0];
    const auto node = [&](const std::array<double, 3>& at) {
      std::array<double, 3> there{};
      for (std::size_t d = 0; d < 3; ++d)
        there[d] = (std::floor((at[d] + choice.offset[d]) / h) + 0.5) * h - choice.offset[d];
      return there;
    };
    const std::array<double, 3> source = node({5.2, 5.2, 5.2});
    std::vector<std::array<double, 3>> receivers;
    std::string table;
    for (int i = 0; i < 20; ++i) {  // on a spiral over the sphere, 1.7 m away
      const double z = 1.0 - (2.0 * i + 1.0) / 20.0, turn = 2.399963 * i, across = std::sqrt(1.0 - z * z);
      receivers.push_back(node(
          {source[0] + 1.7 * across * std::cos(turn), source[1] + 1.7 * across * std::sin(turn), source[2] + 1.7 * z}));
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
      for (const double share : {0.2, 0.4, 0.6, 0.8, 0.9}) {
        const double omega = 2.0 * std::numbers::pi * share * max_frequency;
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

TEST_CASE("radial map, rigid box: isolated modes of the grid's box lie within the tolerance", "[physics]") {
  for (const char* name : {"compact-4/radial03", "compact-6/radial03", "compact-9/radial03", "box-222/radial03"}) {
    constexpr double max_frequency = 110.0, duration = 3.0, tolerance = 0.003;
    test::SceneText text = cube(max_frequency, tolerance, duration);
    text.box = "[5.1, 3.9, 2.7]";
    text.source = "[0.5, 0.4, 0.3]";
    text.receiver = "[4.4, 3.5, 2.3]";
    const Heard heard = hear(text, name, false);
    const Grid& grid = heard.planned.choice.grid;
    // The exact amplitude of a mode at source and receiver: near its nodes others drown it.
    const auto amplitude = [&](const std::array<int, 3>& mode) {
      double product = 1.0;
      for (const Tap* tap : {&heard.planned.plan.sources[0], &heard.planned.plan.receivers[0]})
        for (std::size_t d = 0; d < 3; ++d)
          product *= std::cos(std::numbers::pi * mode[d] * tap->position[d] / (grid.size[d] * grid.spacing[d]));
      return std::abs(product);
    };
    constexpr double audible = 0.05;
    std::vector<double> modes, drowned;
    for (int a = 0; a < 20; ++a)
      for (int b = 0; b < 20; ++b)
        for (int c = 0; c < 20; ++c) {
          const double f = sound_speed / (2.0 * grid.spacing[0]) *
                           std::hypot(static_cast<double>(a) / grid.size[0], static_cast<double>(b) / grid.size[1],
                                      static_cast<double>(c) / grid.size[2]);
          if (f > 0.0 && f < 1.3 * max_frequency) modes.push_back(f);
          if (amplitude({a, b, c}) < audible) drowned.push_back(f);
        }
    std::sort(modes.begin(), modes.end());
    int compared = 0;
    for (std::size_t i = 0; i < modes.size() && modes[i] <= max_frequency; ++i) {
      const double gap = 4.5 / duration;
      if ((i > 0 && modes[i] - modes[i - 1] < gap) || (i + 1 < modes.size() && modes[i + 1] - modes[i] < gap)) continue;
      if (std::ranges::find(drowned, modes[i]) != drowned.end()) continue;
      const double found = test::peak_near(heard.rendered.ir, heard.rendered.sample_rate, modes[i], 0.8);
      INFO(name << ": mode at " << modes[i] << " Hz found at " << found << " Hz");
      CHECK(std::abs(found / modes[i] - 1.0) <= 1.1 * tolerance);
      ++compared;
    }
    CHECK(compared >= 6);
  }
}
