// Ambisonic orders above 3 beside image sources: direct sound and the echo of the floor, before other walls answer.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "base/math/spherical_harmonics.hpp"
#include "base/vectors.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"
#include "engine/run/run.hpp"
#include "engine/transducers/harmonic_limits.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

constexpr double pi = std::numbers::pi, speed = 343.0, band = 900.0, side = 5.6;
constexpr double reach = 5.2;  // m of travel, before which only the floor answers
constexpr double dispersion = 0.01;
constexpr int order = 5;
const Point receiver = {1.9, 2.8, 1.2}, source = {3.7, 3.1, 1.5};

struct Heard {
  Rendered rendered;
  RenderOptions options;
  HarmonicLimits limits;
};

Heard hear(const char* precision) {
  test::SceneText scene;
  scene.simulation = fmt::format(
      "duration = {:.9f}\nmax_frequency = {}\ndispersion_error = {}\nprecision = \"{}\"\nstencil = \"leggy-4\"\n",
      reach / speed, band, dispersion, precision);
  scene.air = fmt::format("sound_speed = {}\n", speed);
  scene.box = fmt::format("[{}, {}, {}]", side, side, side);
  scene.materials = "[materials.panel]\nrigid = true\n";
  scene.source = fmt::format("[{}, {}, {}]", source[0], source[1], source[2]);
  scene.receiver = fmt::format("[{}, {}, {}]", receiver[0], receiver[1], receiver[2]);
  scene.receiver_keys = fmt::format("pattern = \"ambisonic\"\norder = {}", order);
  const ParsedScene parsed = parse_scene(text_of(scene), "floor.toml");
  REQUIRE(parsed.problems.empty());
  const PlanResult planned = make_plan(parsed.scene, *find_stencil("leggy-4"));
  Heard heard;
  heard.options = render_options(parsed.scene, planned.plan, band);
  heard.options.low_cut = 0.0;
  heard.options.duration = 0.0;
  heard.limits = harmonic_limits(planned.plan, band);
  heard.rendered = render(run(planned.plan, *make_cpu_backend({1, ""})), heard.options);
  return heard;
}

// Between the times of travel over those distances, with edges of a metre.
Complex spectrum(const Heard& heard, std::size_t channel, double frequency, double from, double to) {
  const auto samples = static_cast<std::size_t>(heard.rendered.samples);
  Complex sum = 0.0;
  for (std::size_t n = 0; n < samples; ++n) {
    const double metres = static_cast<double>(n) / 48000.0 * speed;
    const double in = std::clamp(metres - from, 0.0, 1.0), out = std::clamp(to - metres, 0.0, 1.0);
    const double window = (0.5 - 0.5 * std::cos(pi * in)) * (0.5 - 0.5 * std::cos(pi * out));
    sum += window * heard.rendered.ir[channel * samples + n] *
           std::polar(1.0, -2.0 * pi * frequency * static_cast<double>(n) / 48000.0);
  }
  return sum;
}

// The exact channel `acn` of a source at `place`.
Complex exact(const Heard& heard, std::size_t acn, double frequency, const Point& place) {
  const Point apart = minus(place, receiver);
  const int n = harmonic_degree(acn);
  const double r = norm(apart), k = 2.0 * pi * frequency / speed;
  const Complex i(0.0, 1.0);
  Complex value = std::exp(-i * k * r) / r * SphericalHarmonics(order, HarmonicNorm::sn3d)(apart)[acn];
  value *= std::pow(-i, n) * spherical_hankel(n, k * r) / spherical_hankel(0, k * r);
  double cut = heard.options.channels->cut[static_cast<std::size_t>(n)];
  if (n == 0) return value;
  if (!heard.options.channels->near_corner.empty())
    cut = std::max(cut, heard.options.channels->near_corner[acn] / radial_corner(n));
  const double ratio = frequency / cut;
  return value * std::pow(i * ratio, n) * radial_integration(n, ratio);
}

}  // namespace

TEST_CASE(
    "harmonics: order 5 points at the direct sound within 3 degrees, f32 and f64, and has the image sources' response",
    "[physics]") {
  const Point image = {source[0], source[1], -source[2]}, s = unit(minus(source, receiver));
  for (const char* precision : {"f64", "f32"}) {
    const Heard heard = hear(precision);
    REQUIRE(heard.limits.orders.size() == 2);
    CHECK(heard.limits.orders[1].order == 5);
    CHECK(heard.limits.orders[1].to == band);
    CHECK(heard.limits.orders[1].noise < 80.0);
    for (const double frequency : {300.0, 450.0, 600.0, 800.0}) {
      // Up to half the band both arrivals, with their phases; above, where the grid's dispersion turns the phases over
      // 3.3 m by more than the bound, the direct sound beside that of the pressure.
      const bool both = frequency <= band / 2.0;
      const double until = both ? reach : 3.3;
      const Complex turned =
          both ? 1.0 : spectrum(heard, 0, frequency, 0.0, until) / exact(heard, 0, frequency, source);
      for (int n = 4; n <= order; ++n) {
        double error = 0.0, wanted = 0.0;
        for (std::size_t acn = harmonic_count(n - 1); acn < harmonic_count(n); ++acn) {
          const Complex is = spectrum(heard, acn, frequency, 0.0, until) / turned;
          const Complex right =
              exact(heard, acn, frequency, source) + (both ? exact(heard, acn, frequency, image) : 0.0);
          error += std::norm(is - right);
          wanted += std::norm(right);
        }
        INFO(precision << ", order " << n << " at " << frequency << " Hz");
        // The grid's wave number, to the power n, differs by direction.
        CHECK(std::sqrt(error / wanted) < (both ? 0.06 : 0.06 + n * dispersion));
      }
    }
    // Plane-wave decomposition of the direct sound: the direction of the largest beam.
    const SphericalHarmonics harmonics(order, HarmonicNorm::sn3d);
    std::vector<std::vector<Complex>> beams;
    for (double frequency = 400.0; frequency < 850.0; frequency += 50.0) {
      std::vector<Complex>& beam = beams.emplace_back();
      for (std::size_t acn = 0; acn < harmonics.count(); ++acn)
        beam.push_back((2.0 * harmonic_degree(acn) + 1.0) * spectrum(heard, acn, frequency, 0.0, 3.3));
    }
    double largest = 0.0, angle = 180.0;
    for (int i = 0; i < 180; ++i)
      for (int j = -45; j <= 45; ++j) {
        const double turn = 2.0 * pi * i / 180.0, z = std::sin(pi / 90.0 * j), across = std::sqrt(1.0 - z * z);
        const Point towards = {across * std::cos(turn), across * std::sin(turn), z};
        const std::vector<double> y = harmonics(towards);
        double power = 0.0;
        for (const std::vector<Complex>& beam : beams) {
          Complex sum = 0.0;
          for (std::size_t acn = 0; acn < y.size(); ++acn) sum += y[acn] * beam[acn];
          power += std::norm(sum);
        }
        if (power < largest) continue;
        largest = power;
        angle = std::acos(std::min(1.0, dot(towards, s))) * 180.0 / pi;
      }
    INFO(precision);
    CHECK(angle < 3.0);
  }
}
