#include "engine/notches/wall_notches.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "base/vectors.hpp"
#include "engine/notches/response_dips.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"

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

TEST_CASE("the first minute of a response makes its dips, however long it is") {
  constexpr double rate = 1000.0;
  const auto dip = [](int late) {
    std::vector<double> response(61001, 0.0);
    response[0] = 1.0, response[5] = 0.8;  // 5 ms: a minimum at 100 Hz
    response[static_cast<std::size_t>(late)] = 10.0;
    return ResponseLevels(response, rate, 90.0, 110.0).dip_near(100.0);
  };
  CHECK(dip(60001));
  CHECK_FALSE(dip(59999));  // fills the minimum
}
