// The modes that `fdtd modes` finds: in boxes with absorbing walls against the exact complex modes, the roots of the
// transcendental equation of each axis solved to rounding (tests/support/solutions/lossy_modes.hpp); in a room that is no
// box against a finer grid.
#include "engine/small_rooms/room_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "engine/responses/air_absorption.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/lossy_modes.hpp"

using namespace fdtd;
using test::LossyBox;
using test::LossyMode;

namespace {

constexpr double sound_speed = 343.2;
constexpr double two_pi = 2.0 * std::numbers::pi;

// Exact, or of a finer grid.
struct Expected {
  double frequency = 0.0, decay = 0.0;
  std::complex<double> amplitude{};
};

ModesRequest request_of(const std::array<double, 3>& sides, const std::string& walls, Precision precision) {
  test::SceneText text;
  text.simulation = "duration = 1.0\nmax_frequency = 200.0\n";
  text.air = fmt::format("sound_speed = {}\n", sound_speed);
  text.room = fmt::format("box = [{}, {}, {}]\n{}", sides[0], sides[1], sides[2], walls);
  text.walls = text.materials = "";
  text.source = fmt::format("[{}, {}, {}]", 0.17 * sides[0], 0.23 * sides[1], 0.31 * sides[2]);
  text.receiver = fmt::format("[{}, {}, {}]", 0.71 * sides[0], 0.64 * sides[1], 0.59 * sides[2]);
  ModesRequest request;
  request.waves.scene.scene = "box.toml";
  request.waves.scene.text = text_of(text);
  request.waves.scene.device = "cpu";
  request.waves.precision = precision;
  request.waves.to = 170.0;
  request.points = 60;
  return request;
}

// In the band of the request, by the materials as they are fitted for it.
std::vector<Expected> exact_modes(const ModesRequest& request) {
  const WavePlan waves = plan_waves(request.waves);
  LossyBox box;
  box.sides = waves.scene.room.box;
  box.sound_speed = sound_speed;
  for (std::size_t side = 0; side < 6; ++side)
    box.walls[side] =
        std::ranges::find(waves.planned.materials, waves.scene.room.walls[side], &MaterialFit::name)->branches;
  std::vector<Expected> modes;
  for (const LossyMode& one : test::lossy_modes(box, 1.3 * request.waves.to)) {
    const double hertz = one.omega.real() / two_pi;
    if (hertz >= request.waves.from && hertz < request.waves.to)
      modes.push_back({hertz, one.omega.imag(),
                       2.0 * two_pi * sound_speed * sound_speed * one.residue *
                           one.shape(waves.scene.sources[0].position) * one.shape(waves.scene.receivers[0].position)});
  }
  return modes;
}

std::size_t count_below(const RoomModes& room, double frequency) {
  std::size_t count = 0;
  for (const RoomMode& mode : room.modes)
    if (mode.frequency < frequency) count += mode.multiplicity;
  return count;
}

// All below the Schroeder frequency, each once and none besides. Returns how many.
std::size_t check_modes(const RoomModes& room, const std::vector<Expected>& expected, double cents, double decay) {
  std::size_t below = 0;
  for (const Expected& one : expected) {
    if (one.frequency > room.schroeder_frequency) continue;
    ++below;
    const auto distance = [&](const RoomMode& mode) {
      return std::hypot(two_pi * (mode.frequency - one.frequency), mode.decay - one.decay);
    };
    const auto nearest = std::ranges::min_element(room.modes, {}, distance);
    REQUIRE(nearest != room.modes.end());
    CAPTURE(one.frequency, one.decay, nearest->frequency, nearest->decay);
    CHECK(std::abs(1200.0 * std::log2(nearest->frequency / one.frequency)) < cents);
    CHECK(nearest->decay / one.decay == Approx(1.0).margin(decay));
    if (one.amplitude != 0.0) CHECK(std::abs(nearest->amplitude[0]) == Approx(std::abs(one.amplitude)).epsilon(0.1));
  }
  CHECK(count_below(room, room.schroeder_frequency) == below);
  return below;
}

}  // namespace

TEST_CASE("the modes of a lossy box are its exact ones within 1 cent and 2 % of decay", "[physics]") {
  const auto [name, walls] = GENERATE(table<std::string, std::string>(
      {{"real",
        "walls = { default = \"w\", z_min = \"s\" }\n[materials.w]\nadmittance = 0.01\n[materials.s]\nadmittance "
        "= 0.04\n"},
       {"complex",
        "walls = { default = \"w\", z_min = \"s\" }\n[materials.w]\nadmittance = 0.01\n"
        "[materials.s]\nbranches = [ { D = 1e-3, E = 8.0, F = 2000.0 } ]\n"},
       {"by octaves",
        "walls = { default = \"w\", z_min = \"s\" }\n[materials.w]\n"
        "absorption = { bands = [125, 250, 500], alpha = [0.10, 0.06, 0.05] }\n[materials.s]\n"
        "absorption = { bands = [63, 125, 250, 500], alpha = [0.05, 0.1, 0.3, 0.6] }\n"}}));
  const Precision precision = name == "complex" ? Precision::f32 : Precision::f64;
  CAPTURE(name);
  const ModesRequest request = request_of({3.1, 2.6, 2.2}, walls, precision);
  CHECK(check_modes(room_modes(request), exact_modes(request), 1.0, 0.02) == 19);
}

TEST_CASE("the bounds hold in both precisions in a box of six different walls to which nothing was tuned",
          "[physics]") {
  const Precision precision = GENERATE(Precision::f32, Precision::f64);
  // Sides and admittances as they came to mind before anything was run.
  ModesRequest request = request_of(
      {2.87, 3.41, 2.23},
      "walls = { x_min = \"a\", x_max = \"b\", y_min = \"c\", y_max = \"a\", z_min = \"d\", z_max = \"e\" }\n"
      "[materials.a]\nadmittance = 0.006\n[materials.b]\nadmittance = 0.03\n[materials.c]\nadmittance = 0.017\n"
      "[materials.d]\nbranches = [ { D = 2e-3, E = 11.0, F = 900.0 } ]\n[materials.e]\n"
      "absorption = { bands = [63, 125, 250], alpha = [0.04, 0.09, 0.2] }\n",
      precision);
  request.waves.to = 130.0;
  CAPTURE(precision == Precision::f32);
  const std::vector<Expected> exact = exact_modes(request);
  CHECK(check_modes(room_modes(request), exact, 1.0, 0.02) > 7);
}

TEST_CASE("the modes of a cube are those of its directions, as many as there are sources at most", "[physics]") {
  const RoomModes room = room_modes(
      request_of({2.4, 2.4, 2.4}, "walls = { default = \"w\" }\n[materials.w]\nadmittance = 0.01\n", Precision::f64));
  CHECK(room.senders == 4);
  std::vector<std::size_t> multiplicities;
  for (const RoomMode& mode : room.modes) multiplicities.push_back(mode.multiplicity);
  // (1 0 0), (1 1 0), (1 1 1), (2 0 0), and (2 1 0), of which there are six
  CHECK(multiplicities == std::vector<std::size_t>{3, 3, 1, 3, 4});
  for (const RoomMode& mode : room.modes)
    for (const auto& shape : mode.shapes) CHECK(shape.size() == room.points.positions.size());
}

TEST_CASE("air adds the attenuation of a wave to the decay of modes", "[physics]") {
  ModesRequest request =
      request_of({2.4, 2.1, 1.8}, "walls = { default = \"w\" }\n[materials.w]\nadmittance = 0.01\n", Precision::f64);
  request.waves.to = 100.0;
  request.waves.duration = 0.8;
  const RoomModes without = room_modes(request);
  request.waves.scene.overrides = {"air.absorption=true", "air.relative_humidity=20"};
  const RoomModes with = room_modes(request);
  REQUIRE(without.modes.size() == 3);
  REQUIRE(with.modes.size() == 3);
  for (std::size_t i = 0; i < with.modes.size(); ++i) {
    // A pressure that falls by a dB a metre falls by exp(-a ln(10) / 20 c) a second.
    const double a = air_attenuation({20.0, 20.0, 101.325, sound_speed}, with.modes[i].frequency);
    CHECK(with.modes[i].decay - without.modes[i].decay ==
          Approx(a * std::log(10.0) / 20.0 * sound_speed).epsilon(1e-6));
    CHECK(with.modes[i].frequency == without.modes[i].frequency);
  }
}

TEST_CASE("the modes of an L-shaped room approach those of a fine grid, with decays within 2 %", "[physics]") {
  // Of a grid of 0.075 m, as `fdtd modes l_room.toml --to 60 --duration 0.8 --points 60` finds them; from 0.1 m they differ by
  // 0.13 % and 0.5 % of decay.
  const std::vector<Expected> fine = {
      {20.347, 10.833, {}}, {31.134, 12.957, {}}, {45.442, 14.384, {}}, {52.760, 14.394, {}}, {57.029, 13.415, {}}};
  ModesRequest request;
  request.waves.scene.scene = FDTD_SOURCE_DIR "/scenes/examples/l_room.toml";
  request.waves.scene.device = "cpu";
  request.waves.to = 60.0;
  request.waves.duration = 0.8;
  request.points = 60;
  // The largest relative error of a frequency. Decays: the 2 % that hold for boxes.
  const auto error_on = [&](double spacing) {
    request.waves.spacing = spacing;
    const RoomModes room = room_modes(request);
    REQUIRE(room.modes.size() == fine.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      CAPTURE(spacing, room.modes[i].frequency, room.modes[i].decay);
      largest = std::max(largest, std::abs(room.modes[i].frequency / fine[i].frequency - 1.0));
      CHECK(room.modes[i].decay == Approx(fine[i].decay).epsilon(0.02));
    }
    return largest;
  };
  // Voxels that walls cut have errors of the first order at most. One that differs by 0.13 % between 0.1 and 0.075 m is
  // 0.13 % / 0.025 m h at most: 1.5 % at 0.286 m, 1.04 % at 0.2 m, and falls as the spacing, but for that of the reference.
  const double coarse = error_on(0.286), finer = error_on(0.2);
  CAPTURE(coarse, finer);
  CHECK(coarse < 0.015);
  CHECK(finer < 0.0104);
  CHECK(finer < 0.2 / 0.286 * coarse + 0.0013);
}
