// Rigid and lossy rooms that no grid fits, run by the program in time: their modes, read from the spectra of a run, beside
// the exact ones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/math/fourier.hpp"
#include "base/math/quadrature.hpp"
#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/run/run.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/curved_rooms.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using test::Place;

namespace {

constexpr double spacing = 0.1, radius = 1.0, sound_speed = 343.0, pi = std::numbers::pi;

// Families whose weights match space and time together have no error of the time step to remove.
struct Asked {
  std::string stencil = "leggy-4", precision = "f64";
  bool remove_time_error = false;
  double duration = 3.0;
  std::string wall = "rigid = true";
};

struct Room {
  Mesh mesh;
  Place source;
  std::vector<Place> receivers;
};

struct Run {
  Recording recording;
  FrequencyMap map;  // between the record's frequencies and those of sound
};

std::string numbers(const Place& p) { return fmt::format("[{:.12f}, {:.12f}, {:.12f}]", p[0], p[1], p[2]); }

Run run_in(const Room& room, const Asked& asked) {
  const test::TemporaryFolder folder;
  std::string text;
  for (const auto& v : room.mesh.vertices) text += fmt::format("v {:.12g} {:.12g} {:.12g}\n", v[0], v[1], v[2]);
  for (const auto& [a, b, c] : room.mesh.triangles) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  folder.write("room.obj", text);
  test::SceneText scene;
  scene.simulation = fmt::format(
      "duration = {}\ngrid_spacing = {}\nprecision = \"{}\"\nstencil = \"{}\"\nremove_time_dispersion = {}\n",
      asked.duration, spacing, asked.precision, asked.stencil, asked.remove_time_error);
  scene.air = fmt::format("sound_speed = {:.1f}\n", sound_speed);
  scene.room = "mesh = \"room.obj\"\n[room.walls]\ndefault = \"wall\"\n[materials.wall]\n" + asked.wall + "\n";
  scene.walls = scene.materials = scene.receiver = "";
  scene.source = numbers(room.source);
  for (std::size_t r = 0; r < room.receivers.size(); ++r)
    scene.more += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = {}\n", r, numbers(room.receivers[r]));
  ParsedScene parsed = parse_scene(text_of(scene), folder.path() / "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  const PlanResult planned = make_plan(parsed.scene, *find_stencil(asked.stencil));
  return {run(planned.plan, *make_cpu_backend({1, ""})), planned.choice.frequency_map};
}

// A sum of the receivers' signals.
std::vector<double> channel(const Recording& recording, const std::vector<double>& weights) {
  const auto samples = static_cast<std::size_t>(recording.samples);
  std::vector<double> sum(samples, 0.0);
  for (std::size_t r = 0; r < weights.size(); ++r)
    for (std::size_t i = 0; i < samples; ++i) sum[i] += weights[r] * recording.pressure[r * samples + i];
  return sum;
}

// The signal under a Blackman-Harris window of four terms, whose side lobes lie 92 dB down.
std::vector<double> windowed(std::vector<double> signal) {
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const double t = 2.0 * pi * static_cast<double>(i) / static_cast<double>(signal.size());
    signal[i] *= 0.35875 - 0.48829 * std::cos(t) + 0.14128 * std::cos(2 * t) - 0.01168 * std::cos(3 * t);
  }
  return signal;
}

// All peaks within 25 cents of `mode` (Hz) that are not 20 dB below the largest there, in cents from it, the largest
// first.
std::vector<double> peaks_near(const Run& run, const std::vector<double>& signal, double mode) {
  constexpr double span = 25.0, least = 0.1;
  const double radians = 2.0 * pi / run.recording.sample_rate, at_mode = run.map.grid(mode * radians);
  // The lines of the window are 8 pi / samples wide.
  const double step = pi / static_cast<double>(signal.size());
  const int n = static_cast<int>(std::ceil(at_mode * (std::exp2(span / 1200.0) - 1.0) / step));
  std::vector<double> frequencies;
  for (int i = -n; i <= n; ++i) frequencies.push_back(at_mode + i * step);
  const SpectrumSampler sampler(static_cast<std::int64_t>(signal.size()), frequencies);
  std::vector<double> level;
  for (const std::complex<double>& value : sampler(windowed(signal))) level.push_back(std::log(std::abs(value)));
  std::vector<std::array<double, 2>> peaks;  // level, place
  for (std::size_t k = 1; k + 1 < level.size(); ++k) {
    const double a = level[k - 1], b = level[k], c = level[k + 1];
    if (!(b > a && b >= c)) continue;
    // The vertex of a parabola through the logarithms.
    const double at = run.map.truth(frequencies[k] + step * 0.5 * (a - c) / (a - 2.0 * b + c));
    peaks.push_back({b, test::cents(at / radians, mode)});
  }
  std::sort(peaks.begin(), peaks.end(), std::greater<>());
  std::vector<double> found;
  for (const auto& [height, place] : peaks)
    if (height > peaks.front()[0] + std::log(least)) found.push_back(place);
  return found;
}

// ---- the sphere ------------------------------------------------------------------------------------------------------
// Receivers on a sphere of 0.6 of the radius, on which products of harmonics to order 6 are integrated exactly.
struct Harmonics {
  std::vector<Place> directions;
  std::vector<double> weights;
  double value(const test::Mode& mode, const Place& d) const {
    const auto l = static_cast<unsigned>(mode.order), m = static_cast<unsigned>(std::abs(mode.turn));
    const double phi = std::atan2(d[1], d[0]);
    return std::sph_legendre(l, m, std::acos(d[2])) * (mode.turn < 0 ? std::sin(m * phi) : std::cos(m * phi));
  }
  std::vector<double> of(const test::Mode& mode) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < directions.size(); ++i) all.push_back(weights[i] * value(mode, directions[i]));
    return all;
  }
};

Harmonics sphere_points() {
  Harmonics points;
  constexpr int rings = 7, around = 14;
  for (const QuadratureNode& ring : gauss_legendre(rings)) {
    for (int j = 0; j < around; ++j) {
      const double phi = 2.0 * pi * (j + 0.3) / around, x = 2.0 * ring.x - 1.0, across = std::sqrt(1.0 - x * x);
      points.directions.push_back({across * std::cos(phi), across * std::sin(phi), x});
      points.weights.push_back(ring.weight / around);
    }
  }
  return points;
}

Room sphere_room(const Place& centre, const Harmonics& points) {
  Room room{test::sphere_mesh(centre, radius, 96), {}, {}};
  const Place direction = {std::sin(1.0) * std::cos(0.3), std::sin(1.0) * std::sin(0.3), std::cos(1.0)};
  for (std::size_t d = 0; d < 3; ++d) room.source[d] = centre[d] + 0.55 * radius * direction[d];
  for (const Place& p : points.directions)
    room.receivers.push_back(
        {centre[0] + 0.6 * radius * p[0], centre[1] + 0.6 * radius * p[1], centre[2] + 0.6 * radius * p[2]});
  return room;
}

struct Errors {
  std::vector<double> strongest, all, radial;
  double dipole = 0.0;
};

// Modes at 8 points a wavelength and more.
Errors sphere_run(const Asked& asked, const Place& centre) {
  const Harmonics points = sphere_points();
  const Run run = run_in(sphere_room(centre, points), asked);
  Errors errors;
  for (const test::Mode& mode : test::sphere_modes(2.0 * pi * radius / spacing / 8.0)) {
    const double frequency = mode.z * sound_speed / (2.0 * pi * radius);
    const std::vector<double> peaks = peaks_near(run, channel(run.recording, points.of(mode)), frequency);
    CAPTURE(mode.order, mode.turn, mode.z);
    REQUIRE_FALSE(peaks.empty());
    errors.strongest.push_back(peaks.front());
    errors.all.insert(errors.all.end(), peaks.begin(), peaks.end());
    if (errors.strongest.size() <= 3) errors.dipole += peaks.front() / 3.0;
    if (mode.order == 0) errors.radial.push_back(peaks.front());
  }
  return errors;
}

// ---- a cylinder whose axis lies along no axis of the grid ------------------------------------------------------------
constexpr double length = 1.57;

// Receivers on circles about the axis: they separate cosines and sines of angle and height exactly.
struct Cylinder {
  static constexpr int heights = 5, around = 14;
  test::Turn turn;
  Room room() const {
    Room room;
    constexpr int n = 240;
    const auto rim = [&](int i, double z) {
      return turn({radius * std::cos(2.0 * pi * i / n), radius * std::sin(2.0 * pi * i / n), z});
    };
    for (int i = 0; i < n; ++i) {
      test::add_triangle(room.mesh, {rim(i, 0), rim(i + 1, 0), rim(i + 1, length)}, "wall");
      test::add_triangle(room.mesh, {rim(i, 0), rim(i + 1, length), rim(i, length)}, "wall");
      for (const double z : {0.0, length})
        test::add_triangle(room.mesh, {turn({0, 0, z}), rim(i, z), rim(i + 1, z)}, "wall");
    }
    merge_vertices(room.mesh);
    room.source = turn({0.62 * std::cos(0.3), 0.62 * std::sin(0.3), 0.13 * length});
    for (int h = 0; h < heights; ++h)
      for (int i = 0; i < around; ++i)
        room.receivers.push_back(turn({0.6 * std::cos(angle(i)), 0.6 * std::sin(angle(i)), length * height(h)}));
    return room;
  }
  std::vector<double> channel_of(const test::Mode& mode, int axial) const {
    std::vector<double> weights;
    for (int h = 0; h < heights; ++h)
      for (int i = 0; i < around; ++i)
        weights.push_back(std::cos(pi * axial * height(h)) *
                          (mode.turn < 0 ? std::sin(mode.order * angle(i)) : std::cos(mode.order * angle(i))));
    return weights;
  }
  static double height(int h) { return (h + 0.5) / heights; }
  static double angle(int i) { return 2.0 * pi * (i + 0.3) / around; }
};

// Modes at 8 points a wavelength and more: wave numbers sqrt(z^2 + (pi n radius / length)^2).
Errors cylinder_run(const Asked& asked, const test::Turn& turn) {
  const Cylinder cylinder{turn};
  const Run run = run_in(cylinder.room(), asked);
  const double highest = 2.0 * pi * radius / spacing / 8.0;
  std::vector<test::Mode> across = test::disc_modes(highest);
  across.insert(across.begin(), test::Mode{});
  Errors errors;
  for (const test::Mode& mode : across) {
    for (int n = 0; n < Cylinder::heights; ++n) {
      const double z = std::hypot(mode.z, pi * n * radius / length);
      if (z == 0.0 || z > highest) continue;
      const std::vector<double> peaks =
          peaks_near(run, channel(run.recording, cylinder.channel_of(mode, n)), z * sound_speed / (2.0 * pi * radius));
      CAPTURE(mode.order, mode.turn, mode.z, n);
      REQUIRE_FALSE(peaks.empty());
      errors.strongest.push_back(peaks.front());
      errors.all.insert(errors.all.end(), peaks.begin(), peaks.end());
    }
  }
  return errors;
}

Place random_place(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> offset(-0.5 * spacing, 0.5 * spacing);
  const double x = offset(random), y = offset(random), z = offset(random);
  return {x, y, z};
}

}  // namespace

TEST_CASE("a run shows the modes of a rigid sphere of radius 10 cells to 12 cents, 8 points a wavelength and more",
          "[physics]") {
  unsigned seed = 40;
  for (const char* precision : {"f64", "f32"}) {
    const Errors errors = sphere_run({"leggy-4", precision, true}, random_place(++seed));
    const test::Spread strongest = test::spread_of(errors.strongest), all = test::spread_of(errors.all);
    INFO(precision << ": mean " << strongest.mean << " rms " << strongest.rms << " most " << all.most << " of "
                   << all.count << ", dipole " << errors.dipole << ", radial " << errors.radial[0] << " "
                   << errors.radial[1]);
    CHECK(strongest.count == 58);
    CHECK(all.most < 12.0);
    CHECK(strongest.rms < 7.0);
    CHECK(std::abs(errors.dipole) < 2.5);
    REQUIRE(errors.radial.size() == 2);
    for (const double off : errors.radial) CHECK(std::abs(off) < 6.0);
  }
}

TEST_CASE("runs of compact and box stencils show the modes of a rigid sphere to 10 cents in the mean square",
          "[physics]") {
  for (const char* stencil : {"compact-3", "box-222"}) {
    const test::Spread strongest = test::spread_of(sphere_run({stencil, "f32"}, random_place(50)).strongest);
    INFO(stencil << ": mean " << strongest.mean << " rms " << strongest.rms << " most " << strongest.most);
    CHECK(strongest.rms < 10.0);
  }
}

TEST_CASE("a run shows the modes of a tilted rigid cylinder to 12 cents, 8 points a wavelength and more", "[physics]") {
  unsigned seed = 60;
  for (const char* precision : {"f64", "f32"}) {
    const Errors errors = cylinder_run({"leggy-4", precision, true}, test::turned(25.0, 37.0, random_place(++seed)));
    const test::Spread strongest = test::spread_of(errors.strongest), all = test::spread_of(errors.all);
    INFO(precision << ": mean " << strongest.mean << " rms " << strongest.rms << " most " << all.most << " of "
                   << strongest.count << " modes, " << all.count << " peaks");
    CHECK(strongest.count > 60);
    CHECK(all.most < 12.0);
    CHECK(strongest.rms < 7.0);
  }
}

// By the level of two parts of the response, 0.15 s apart.
TEST_CASE("the radial modes of a lossy sphere decay in a run as they should, to 3 % at 14 points and 8 % at 8",
          "[physics]") {
  const Harmonics points = sphere_points();
  constexpr double Y = 0.05, apart = 0.15, part = 0.2;
  const Run run =
      run_in(sphere_room(random_place(70), points), {"leggy-4", "f64", true, 0.4, fmt::format("admittance = {}", Y)});
  const std::vector<double> signal = channel(run.recording, points.of({}));
  const double rate = run.recording.sample_rate;
  const auto length_of = static_cast<std::size_t>(part * rate), shift = static_cast<std::size_t>(apart * rate);
  const auto slope = [&](const std::complex<double>& x) {  // of (sin x)/x, and the wall's condition
    return std::cos(x) / x - std::sin(x) / (x * x) + std::complex<double>(0.0, Y) * std::sin(x) / x;
  };
  for (const auto& [z, tolerance] : {std::pair{4.493409, 0.03}, {7.725252, 0.08}}) {
    std::complex<double> exact = z;
    for (int i = 0; i < 40; ++i) exact -= slope(exact) * 1e-6 / (slope(exact + 5e-7) - slope(exact - 5e-7));
    const double at = run.map.grid(exact.real() * sound_speed / radius / rate);
    const SpectrumSampler sampler(static_cast<std::int64_t>(length_of), {at});
    const auto level = [&](std::size_t from) {
      const auto begin = signal.begin() + static_cast<std::ptrdiff_t>(from);
      return std::log(std::abs(sampler(windowed({begin, begin + static_cast<std::ptrdiff_t>(length_of)})).front()));
    };
    const std::size_t from = static_cast<std::size_t>(0.04 * rate);
    const double decay = (level(from) - level(from + shift)) / (static_cast<double>(shift) / rate);
    INFO(z << ": " << decay << " of " << exact.imag() * sound_speed / radius << " 1/s");
    CHECK(decay == Approx(exact.imag() * sound_speed / radius).epsilon(tolerance));
  }
}
