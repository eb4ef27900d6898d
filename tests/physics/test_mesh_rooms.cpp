// Rooms from meshes through the whole pipeline: a box as a mesh is the box, and a turned box sounds like the straight one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "engine/backend.hpp"
#include "engine/make_plan.hpp"
#include "engine/metrics.hpp"
#include "engine/render.hpp"
#include "engine/run.hpp"
#include "engine/source_gain.hpp"
#include "scenes/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using test::TemporaryFolder;
using test::Turn;

namespace {

constexpr std::array<double, 3> box = {5.0, 4.0, 3.0}, source = {0.6, 0.5, 0.4}, receiver = {4.3, 3.4, 2.5};
constexpr double sound_speed = 343.0;

std::string numbers(const std::array<double, 3>& p) {
  return fmt::format("[{:.12f}, {:.12f}, {:.12f}]", p[0], p[1], p[2]);
}

struct Asked {
  double max_frequency, dispersion_error, duration;
  std::string walls;  // the body of [materials.*] tables of all six walls, by name
};

// `room` is the [room] table's body, the box or the mesh of it that `turn` has turned.
Recording simulate(const std::string& room, const Turn& turn, const Asked& asked, const TemporaryFolder& folder,
                   Planned* kept = nullptr) {
  const std::string text = fmt::format(
      "schema = 1\n[simulation]\nduration = {}\nmax_frequency = {}\ndispersion_error = {}\nprecision = \"f64\"\n"
      "stencil = \"leggy-4\"\n[air]\nsound_speed = 343.0\n[room]\n{}{}[[source]]\nname = \"S\"\nposition = {}\n"
      "[[receiver]]\nname = \"R\"\nposition = {}\n",
      asked.duration, asked.max_frequency, asked.dispersion_error, room, asked.walls, numbers(turn(source)),
      numbers(turn(receiver)));
  ParsedScene parsed = parse_scene(text, folder.path() / "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  Planned planned = make_plan(parsed.scene, *find_stencil("leggy-4"));
  Recording recording = run(planned.plan, *make_cpu_backend({1, ""}));
  if (kept != nullptr) *kept = std::move(planned);
  return recording;
}

void write_box(const TemporaryFolder& folder, const std::string& name, const Turn& turn) {
  const Mesh mesh = test::box_mesh({0, 0, 0}, box, turn);
  std::string text;
  for (const auto& v : mesh.vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    text += fmt::format("usemtl {}\nf {} {} {}\n", mesh.materials[mesh.material[t]], a + 1, b + 1, c + 1);
  }
  folder.write(name, text);
}

const std::string box_room = "box = [5.0, 4.0, 3.0]\n";
const std::string absorbing =
    "[room.walls]\ndefault = \"plaster\"\nz_min = \"carpet\"\n[materials.plaster]\nadmittance = 0.02\n"
    "[materials.carpet]\nadmittance = 0.08\n";
const std::string rigid = "[room.walls]\ndefault = \"stone\"\n[materials.stone]\nrigid = true\n";

const std::vector<double>& response(const Recording& recording) { return recording.pressure; }

std::vector<double> box_modes(std::size_t count) {
  std::vector<double> modes;
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b)
      for (int c = 0; c < 6; ++c) modes.push_back(sound_speed / 2.0 * std::hypot(a / box[0], b / box[1], c / box[2]));
  std::sort(modes.begin(), modes.end());
  return {modes.begin() + 1, modes.begin() + 1 + static_cast<std::ptrdiff_t>(count)};
}

// Where the spectrum under a Blackman-Harris window is largest within +-span of `frequency`.
double peak_near(const std::vector<double>& x, double rate, double frequency, double span) {
  const auto magnitude = [&](double at) {
    const double step = 2.0 * std::numbers::pi / static_cast<double>(x.size());
    const std::complex<double> turn = std::polar(1.0, -2.0 * std::numbers::pi * at / rate);
    std::complex<double> sum = 0.0, phase = 1.0;
    for (std::size_t i = 0; i < x.size(); ++i, phase *= turn) {
      const double t = step * static_cast<double>(i);
      sum += (0.35875 - 0.48829 * std::cos(t) + 0.14128 * std::cos(2 * t) - 0.01168 * std::cos(3 * t)) * x[i] * phase;
    }
    return std::abs(sum);
  };
  double best = frequency;
  for (double at = frequency - span; at <= frequency + span; at += span / 40.0) {
    if (magnitude(at) > magnitude(best)) best = at;
  }
  return best;
}

// T20 by octave band of the rendered response.
std::map<double, double> T20_of(const Recording& recording, const Planned& planned, const Asked& asked) {
  RenderOptions options;
  options.bandwidth = asked.max_frequency;
  options.duration = asked.duration;
  options.remove_time_dispersion = planned.choice.time_dispersion_removal;
  options.gain = channel_gain(planned.plan);
  const Rendered rendered = render(recording, options);
  std::map<double, double> times;
  for (const BandMetrics& band : measure(rendered.ir, rendered.sample_rate, {asked.max_frequency, 1.0}).bands) {
    if (band.T20.value) times[band.centre] = *band.T20.value;
  }
  return times;
}

}  // namespace

TEST_CASE("a box as a mesh gives the box's response", "[physics]") {
  const TemporaryFolder folder;
  write_box(folder, "box.obj", test::unturned);
  const Asked asked{400.0, 0.02, 0.1, absorbing};
  const Recording as_box = simulate(box_room, test::unturned, asked, folder);
  const Recording as_mesh = simulate("mesh = \"box.obj\"\n", test::unturned, asked, folder);
  REQUIRE(as_box.samples == as_mesh.samples);
  double peak = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < response(as_box).size(); ++i) {
    peak = std::max(peak, std::abs(response(as_box)[i]));
    difference = std::max(difference, std::abs(response(as_box)[i] - response(as_mesh)[i]));
  }
  CHECK(peak > 0.0);
  CHECK(difference < 1e-9 * peak);
}

TEST_CASE("a box turned by 30 degrees keeps its first ten eigenfrequencies to 1 %", "[physics]") {
  const TemporaryFolder folder;
  const Turn turn = test::turned(30.0, 0.0);
  write_box(folder, "turned.obj", turn);
  const Recording recording = simulate("mesh = \"turned.obj\"\n", turn, {120.0, 0.003, 3.0, rigid}, folder);
  for (const double mode : box_modes(10)) {
    const double found = peak_near(response(recording), recording.sample_rate, mode, 0.012 * mode);
    CAPTURE(mode, found);
    CHECK(std::abs(found / mode - 1.0) < 0.01);
  }
}

TEST_CASE("a box turned by 30 degrees has the reverberation time of the straight one to 3 %", "[physics]") {
  const TemporaryFolder folder;
  const Asked asked{180.0, 0.002, 0.7, absorbing};
  Planned straight, oblique;
  const Recording as_box = simulate(box_room, test::unturned, asked, folder, &straight);
  const auto expected = T20_of(as_box, straight, asked);
  REQUIRE(expected.size() >= 3);
  const Turn turn = test::turned(30.0, 0.0);
  write_box(folder, "turned.obj", turn);
  const Recording turned = simulate("mesh = \"turned.obj\"\n", turn, asked, folder, &oblique);
  const auto found = T20_of(turned, oblique, asked);
  for (const auto& [band, time] : expected) {
    CAPTURE(band, time);
    REQUIRE(found.count(band) == 1);
    CHECK(found.at(band) == Approx(time).epsilon(0.03));
  }
}
