#include "engine/notches/wall_notches.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "base/vectors.hpp"
#include "engine/notches/response_dips.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;

namespace {

// `walls`: of the box; "hard" reflects all, "half" has the admittance 0.5, and nothing of normal incidence returns from
// "open".
Scene box_scene(const std::string& walls) {
  const std::string text = R"(schema = 1
[simulation]
duration = 0.1
max_frequency = 500.0
[air]
sound_speed = 343.2
absorption = false
[room]
box = [6.0, 5.0, 4.0]
walls = { )" + walls + R"( }
[materials.hard]
admittance = 0.0
[materials.half]
admittance = 0.5
[materials.open]
admittance = 1.0
[[source]]
name = "S1"
position = [1.5, 2.4, 0.9]
[[receiver]]
name = "R1"
position = [4.0, 2.6, 1.2]
)";
  ParsedScene parsed = parse_scene(text, "box.toml");
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

constexpr double c = 343.2;
const Point source = {1.5, 2.4, 0.9}, receiver = {4.0, 2.6, 1.2};

// A room of 6 m x 6 m x 5 m, in whose middle a box floats, 0.8 m x 1.3 m, its top 2.2 m high; a receiver 1 m from the
// source, both 0.78 m above its top, and one farther and lower.
Scene desk_scene(bool desk) {
  Mesh mesh;
  test::add_box(mesh, {0, 0, 0}, {6, 6, 5}, {"wall", "wall", "wall", "wall", "wall", "wall"});
  if (desk) test::add_box(mesh, {2.6, 2.35, 1.48}, {3.4, 3.65, 2.2}, {"desk", "desk", "desk", "desk", "desk", "desk"});
  merge_vertices(mesh);
  Scene scene = box_scene(R"(default = "open")");
  scene.room.mesh = std::make_shared<const Mesh>(mesh);
  scene.room.surfaces = {"open"};
  if (desk) scene.room.surfaces.emplace_back("hard");
  scene.room.box = {6.0, 6.0, 5.0};
  scene.sources[0].position = {2.5, 3.0, 2.98};
  scene.receivers[0].position = {3.5, 3.0, 2.98};
  scene.receivers.push_back(scene.receivers[0]);
  scene.receivers[1].name = "R2";
  scene.receivers[1].position = {3.9, 3.4, 2.7};
  return scene;
}

}  // namespace

TEST_CASE("notches of a rigid floor are odd numbers of half wavelengths, as deep as paths differ") {
  const auto pairs = wall_notches(box_scene(R"(default = "open", z_min = "hard")"), 20.0, 1500.0);
  REQUIRE(pairs.size() == 1);
  const double direct = norm(minus(source, receiver)), reflected = norm(minus(Point{1.5, 2.4, -0.9}, receiver));
  const double extra = reflected - direct;
  CHECK(pairs[0].distance == Approx(direct));
  std::vector<double> due;
  for (int n = 1; n * c / (2.0 * extra) <= 1500.0; n += 2) due.push_back(n * c / (2.0 * extra));
  REQUIRE(due.size() >= 3);
  REQUIRE(pairs[0].notches.size() == due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    const WallNotch& one = pairs[0].notches[i];
    CHECK(one.wall == "z_min");
    CHECK(one.frequency == Approx(due[i]).epsilon(1e-6));
    CHECK(one.depth == Approx(-20.0 * std::log10(1.0 - direct / reflected)).epsilon(1e-5));
    CHECK(one.extra == Approx(extra));
    // 0.9 above the floor to 1.2: at 3/7 of the way
    CHECK(norm(minus(one.at, {1.5 + 2.5 * 3.0 / 7.0, 2.4 + 0.2 * 3.0 / 7.0, 0.0})) < 1e-9);
  }
}

TEST_CASE("a wall that absorbs makes shallower notches, and none below 3 dB") {
  const auto pairs = wall_notches(box_scene(R"(default = "open", z_min = "half")"), 20.0, 500.0);
  const double direct = norm(minus(source, receiver)), reflected = norm(minus(Point{1.5, 2.4, -0.9}, receiver));
  const double cosine = 2.1 / reflected, factor = (cosine - 0.5) / (cosine + 0.5);
  REQUIRE(20.0 * std::log10(1.0 - factor * direct / reflected) > -3.0);
  for (const WallNotch& one : pairs[0].notches) CHECK(one.wall != "z_min");
  // Of a wall with normal incidence hardly less than the rule: 1 - a = 10^(-3/20).
  const auto nearer = wall_notches(box_scene(R"(default = "open", x_min = "hard")"), 20.0, 500.0);
  REQUIRE(nearer[0].notches.size() > 1);
  const double behind = norm(minus(Point{-1.5, 2.4, 0.9}, receiver));
  CHECK(nearer[0].notches[0].wall == "x_min");
  CHECK(nearer[0].notches[0].frequency == Approx(c / 2.0 / (behind - direct)).epsilon(1e-6));
  CHECK(nearer[0].notches[0].depth == Approx(-20.0 * std::log10(1.0 - direct / behind)).epsilon(1e-5));
}

TEST_CASE("dips of a response are where the notch of an echo is, and a flat response has none") {
  constexpr double rate = 4000.0;
  constexpr int delay = 20;  // 5 ms: notches at 100 and 300 Hz
  PairNotches pair;
  for (const double f : {100.0, 200.0, 300.0}) pair.notches.push_back({"w", {}, 0.0, f, 6.0, {}});
  std::vector<double> response(400, 0.0);
  response[0] = 1.0;
  PairNotches flat = pair;
  find_dips(flat, response, rate, 0.0);
  CHECK(flat.computed);
  for (const WallNotch& one : flat.notches) CHECK(!one.dip);
  response[delay] = 0.7;
  PairNotches echo = pair;
  find_dips(echo, response, rate, 250.0);
  REQUIRE(echo.notches[0].dip);
  CHECK(echo.notches[0].dip->frequency == Approx(100.0).epsilon(0.01));
  // 1 + 0.49 + 1.4 cos(2 pi f 5 ms), averaged over each band
  const auto mean = [](double low, double high) {
    const double k = 2.0 * std::numbers::pi * 0.005;
    return 1.49 + 1.4 * (std::sin(k * high) - std::sin(k * low)) / k / (high - low);
  };
  const double octave = std::sqrt(2.0), half = std::exp2(1.0 / 24.0);
  CHECK(echo.notches[0].dip->level ==
        Approx(10.0 * std::log10(mean(100.0 / half, 100.0 * half) / mean(100.0 / octave, 100.0 * octave))).margin(0.2));
  CHECK(!echo.notches[1].dip);  // a peak
  CHECK(!echo.notches[2].dip);  // beyond what the response holds
}

TEST_CASE("a dip of a run is 3 dB below the octave about it, no ripple", "[small_rooms]") {
  // A reflection 1/480 s later: minima at 240, 720, 1200 Hz, of 20 log10((1 - a)/sqrt(1 + a^2)).
  const auto dip = [](double reflected) {
    std::vector<double> response(4800, 0.0);
    response[0] = 1.0, response[100] = reflected;
    return ResponseLevels(response, 48000.0, 700.0, 740.0).dip_near(720.0);
  };
  CHECK_FALSE(dip(0.1));
  REQUIRE(dip(0.8));
  CHECK(dip(0.8)->frequency == Approx(720.0).epsilon(0.01));
}

TEST_CASE("the static pressure of a closed room hides no dip", "[small_rooms]") {
  constexpr double rate = 1000.0;
  const auto dip = [](double pressure) {
    std::vector<double> response(1200, 0.0);
    for (std::size_t i = 0; i < response.size(); ++i)
      response[i] = pressure * (1.0 - std::exp(-static_cast<double>(i) / rate / 2.0));
    response[1198] *= 0.6, response[1199] *= 0.2;  // as behind a low-pass
    response[0] += 1.0, response[5] += 0.8;        // 5 ms: a minimum at 100 Hz
    return ResponseLevels(response, rate, 90.0, 110.0).dip_near(100.0);
  };
  REQUIRE(dip(0.0));
  // The end spreads pressure * rate / (2 pi 100 Hz), beside 0.2 at the minimum; the rise itself has 0.0013 times the pressure.
  for (const double pressure : {0.3, -0.3, 1.0}) {
    REQUIRE(dip(pressure));
    CHECK(dip(pressure)->frequency == dip(0.0)->frequency);
    CHECK(dip(pressure)->level == Approx(dip(0.0)->level).margin(0.1));
  }
}

TEST_CASE("one dip near several notches has one frequency and one level", "[small_rooms]") {
  std::vector<double> response(4800, 0.0);
  response[0] = 1.0, response[100] = 0.8;
  const ResponseLevels levels(response, 48000.0, 690.0, 750.0);
  const auto first = levels.dip_near(720.0);
  REQUIRE(first);
  for (const double near : {690.0, 703.3, 711.1, 735.7, 750.0}) {
    const auto dip = levels.dip_near(near);
    REQUIRE(dip);
    CHECK(dip->frequency == first->frequency);
    CHECK(dip->level == first->level);
  }
}

TEST_CASE("the first minute of a response makes its dips, however long it is") {
  constexpr double rate = 1000.0;
  const auto dip = [](int late) {
    std::vector<double> response(61001, 0.0);
    response[0] = 1.0, response[5] = 0.8;  // 5 ms: a minimum at 100 Hz
    response[static_cast<std::size_t>(late)] = 10.0;
    return ResponseLevels(response, rate, 90.0, 110.0).dip_near(100.0);
  };
  CHECK(dip(60001));
  CHECK_FALSE(dip(53000));  // fills the minimum; the last tenth of the minute is faded out
}

TEST_CASE("a desk makes notches where waves have them, by its edges") {
  // Of `fdtd run` on a grid of 0.04 m with and without the desk: the sum over the direct sound, both ended after 9 ms, before
  // the first wall. Mirrored by a whole plane they would be at 201 and 604 Hz, 6.5 dB deep, and at 376 Hz.
  struct Known {
    double frequency, depth;
  };
  const std::vector<std::vector<Known>> waves = {{{263.7, 7.9}, {603.5, 8.4}}, {{416.0, 6.2}}};
  const auto pairs = wall_notches(desk_scene(true), 60.0, 900.0);
  REQUIRE(pairs.size() == 2);
  for (std::size_t r = 0; r < 2; ++r) {
    std::vector<WallNotch> desk;
    for (const WallNotch& one : pairs[r].notches)
      if (one.wall == "desk") desk.push_back(one);
    REQUIRE(desk.size() >= waves[r].size());
    for (std::size_t i = 0; i < waves[r].size(); ++i) {
      CAPTURE(r, desk[i].frequency, desk[i].depth);
      CHECK(desk[i].frequency == Approx(waves[r][i].frequency).epsilon(0.08));
      CHECK(std::abs(desk[i].depth - waves[r][i].depth) < 2.0);
    }
  }
  for (const PairNotches& pair : wall_notches(desk_scene(false), 60.0, 900.0))
    for (const WallNotch& one : pair.notches) CHECK(one.wall == "wall");
}
