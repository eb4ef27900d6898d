// Sound along a path, against the delays and levels of free field.
#include "engine/responses/moving/moving_sound.hpp"

#include <cmath>
#include <numbers>

#include "base/vectors.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double rate = 8000.0, speed = 340.0, bandwidth = 1000.0;
constexpr std::size_t taps = 540;
const Point fixed{0.0, 1.0, 1.0};

// A delay of r / c and the gain 1 / r, by a windowed sinc that ends at 1.2 times the bandwidth: as responses are.
std::vector<double> free_field(const Point& at) {
  const double r = norm(minus(at, fixed)), delay = r / speed * rate;
  std::vector<double> response(taps);
  const double cut = 1.1 * bandwidth / (0.5 * rate), half = 160.0;
  for (std::size_t n = 0; n < taps; ++n) {
    const double t = static_cast<double>(n) - delay, x = std::numbers::pi * cut * t;
    if (std::abs(t) >= half) continue;
    response[n] = cut / r * (std::abs(x) < 1e-9 ? 1.0 : std::sin(x) / x) *
                  std::pow(std::cos(0.5 * std::numbers::pi * t / half), 4);
  }
  return response;
}

struct Walked {
  std::vector<std::vector<double>> filters;
  PlaceResponses responses;
  explicit Walked(const Path& path) {
    responses.wave_number = largest_wave_number(bandwidth, rate, speed);
    responses.places = places_along(path, responses.wave_number);
    for (const Point& one : responses.places) filters.push_back(free_field(one));
    responses.filters.assign(filters.begin(), filters.end());
  }
};

std::vector<std::vector<double>> play(const PlaceResponses& responses, const Path& path, Moves moves,
                                      const std::vector<double>& signal) {
  SamplesInMemory stream(signal);
  std::vector<std::vector<double>> heard(moves == Moves::receiver ? heard_channels(responses) : responses.channels);
  play_along(stream, responses, path, moves, rate, [&](const auto& block) {
    for (std::size_t c = 0; c < block.size(); ++c) heard[c].insert(heard[c].end(), block[c].begin(), block[c].end());
  });
  return heard;
}

std::vector<double> tone(double frequency, std::size_t samples) {
  std::vector<double> signal(samples);
  for (std::size_t n = 0; n < samples; ++n)
    signal[n] = std::sin(2.0 * std::numbers::pi * frequency * static_cast<double>(n) / rate);
  return signal;
}

}  // namespace

// The source's sound is compressed in time, and louder, by the factor 1 / (1 + r'/c).
TEST_CASE("a moving receiver and a moving source hear what the exact delays give") {
  constexpr double frequency = 700.0, v = 20.0, begin = 1.95, end = 2.25;
  constexpr std::size_t samples = 20000;  // two blocks of transforms, which meet at 2.05 s
  const Path path({{begin, {8.0, 1, 1}}, {end, {8.0 + (end - begin) * v, 1, 1}}});
  const Walked walked(path);
  for (const Moves moves : {Moves::receiver, Moves::source}) {
    const auto heard = play(walked.responses, path, moves, tone(frequency, samples));
    REQUIRE(heard.front().size() == samples + taps - 1);
    double worst = 0.0;
    for (std::size_t n = 1200; n < samples - 200; ++n) {
      const double t = static_cast<double>(n) / rate;
      double sent = t - norm(minus(path.position(t), fixed)) / speed, r = (t - sent) * speed, louder = 1.0;
      if (moves == Moves::source) {
        for (int i = 0; i < 50; ++i) sent = t - (r = norm(minus(path.position(sent), fixed))) / speed;
        if (std::abs(sent - begin) < 0.03 || std::abs(sent - end) < 0.03) continue;  // the low-pass rings at jumps
        if (sent > begin && sent < end) louder = 1.0 / (1.0 + v / speed);
      }
      const double exact = louder * std::sin(2.0 * std::numbers::pi * frequency * sent) / r;
      worst = std::max(worst, std::abs(heard.front()[n] - exact));
    }
    CAPTURE(worst);
    CHECK(worst < 1e-3 / 8.0);  // -60 dB of the tone at 8 m
  }
}

TEST_CASE("a path at rest gives the convolution with the response of its place") {
  const Path rest(std::vector<PathRow>{{0.0, {3.0, 1, 1}}});
  const Walked walked(rest);
  REQUIRE(walked.filters.size() == 1);
  std::vector<double> click(30, 0.0);
  click[7] = 0.5;
  for (const Moves moves : {Moves::receiver, Moves::source}) {
    const auto heard = play(walked.responses, rest, moves, click);
    REQUIRE(heard.front().size() == click.size() + taps - 1);
    for (std::size_t n = 0; n < taps; ++n)
      CHECK(heard.front()[n + 7] == Approx(0.5 * walked.filters[0][n]).margin(1e-15));
  }
}

TEST_CASE("ambisonic channels turn with the yaw") {
  // A wave from the azimuth of 100 degrees, heard with a yaw of 30: it comes from 70.
  const Path path(std::vector<PathRow>{{0.0, {3.0, 1, 1}, 30.0}});
  const auto harmonics = [](double degrees) {
    const double a = degrees * std::numbers::pi / 180.0;
    return std::vector<double>{1.0,
                               std::sin(a),
                               0.0,
                               std::cos(a),
                               std::sqrt(0.75) * std::sin(2.0 * a),
                               0.0,
                               -0.5,
                               0.0,
                               std::sqrt(0.75) * std::cos(2.0 * a)};
  };
  Walked walked(path);
  const std::vector<double> from = harmonics(100.0), expected = harmonics(70.0);
  std::vector<std::vector<double>> filters;
  for (const double factor : from) filters.push_back({factor});
  walked.responses.filters.assign(filters.begin(), filters.end());
  walked.responses.channels = from.size();
  walked.responses.turning = Turning::ambisonic;
  const auto heard = play(walked.responses, path, Moves::receiver, {1.0});
  for (std::size_t c = 0; c < from.size(); ++c) CHECK(heard[c][0] == Approx(expected[c]).margin(1e-12));
  const auto source = play(walked.responses, path, Moves::source, {1.0});
  for (std::size_t c = 0; c < from.size(); ++c) CHECK(source[c][0] == Approx(from[c]).margin(1e-12));
}

TEST_CASE("channels turn with the yaw of their own time, in every block") {
  const Path path(std::vector<PathRow>{{0.0, {3.0, 1, 1}, 0.0}, {5.0, {3.0, 1, 1}, 100.0}});
  Walked walked(path);
  const std::vector<double> one = {1.0}, none = {0.0};
  walked.responses.filters = {one, none, none, one};  // a wave along x
  walked.responses.channels = 4;
  walked.responses.turning = Turning::ambisonic;
  const auto heard = play(walked.responses, path, Moves::receiver, std::vector<double>(36000, 1.0));
  REQUIRE(heard[0].size() == 36000);
  for (const std::size_t n : {std::size_t{0}, std::size_t{10000}, std::size_t{20000}, std::size_t{35999}}) {
    const double yaw = 20.0 * static_cast<double>(n) / rate * std::numbers::pi / 180.0;
    CHECK(heard[3][n] == Approx(std::cos(yaw)).margin(1e-9));
    CHECK(heard[1][n] == Approx(-std::sin(yaw)).margin(1e-9));
  }
}

TEST_CASE("a pattern of the cardioid family turns with the yaw, into one channel") {
  // A wave from the azimuth of 100 degrees; the pattern .3 + .7 cos looks along x, then 30 degrees to its left.
  const Path path(std::vector<PathRow>{{0.0, {3.0, 1, 1}, 30.0}});
  Walked walked(path);
  const auto cosine = [](double degrees) { return std::cos(degrees * std::numbers::pi / 180.0); };
  const std::vector<double> pattern = {0.3 + 0.7 * cosine(100.0)}, front = {0.7 * cosine(100.0)},
                            left = {0.7 * cosine(10.0)};
  walked.responses.filters = {pattern, front, left};
  walked.responses.channels = 3;
  walked.responses.turning = Turning::pattern;
  const auto heard = play(walked.responses, path, Moves::receiver, {1.0});
  REQUIRE(heard.size() == 1);
  CHECK(heard[0][0] == Approx(0.3 + 0.7 * cosine(70.0)).epsilon(1e-12));
}

TEST_CASE("the worst place of a path is where the places end") {
  const Path known({{0.0, {3.0, 1, 1}}, {1.0, {5.0, 1, 1}}});
  const Walked walked(known);
  CHECK(worst_place(walked.responses, known, 1.0).error <= 1e-3);
  const Path beyond({{0.0, {3.0, 1, 1}, 0.0, 2}, {1.0, {4.0, 1, 1}, 0.0, 3}, {2.0, {7.0, 1, 1}, 0.0, 4}});
  const WorstPlace worst = worst_place(walked.responses, beyond, 0.01);
  CHECK(worst.error > 0.01);
  CHECK(worst.line == 3);
  CHECK(worst.position[0] == Approx(5.0).margin(0.1));
}

TEST_CASE("responses that do not belong to the places are refused") {
  const Path rest(std::vector<PathRow>{{0.0, {3.0, 1, 1}}});
  Walked walked(rest);
  walked.responses.filters.clear();
  CHECK_THROWS(play(walked.responses, rest, Moves::receiver, {1.0}));
}
