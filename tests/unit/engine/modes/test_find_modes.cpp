#include "engine/modes/find_modes.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "engine/modes/common_poles.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct Known {
  double frequency = 0.0, decay = 0.0;  // Hz, 1/s
};

// Sums of decaying cosines with random amplitudes, those above `to` stronger by far, and noise.
Recording record_of(const std::vector<Known>& modes, std::size_t sources, std::size_t receivers, double seconds,
                    double noise, unsigned seed = 7, double rate = 4000.0) {
  Recording recording;
  recording.sample_rate = rate;
  recording.samples = static_cast<std::int64_t>(seconds * rate);
  recording.sources.assign(sources, "S");
  recording.receivers.assign(receivers, "R");
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> drives(modes.size()), shapes(modes.size());
  for (std::size_t k = 0; k < modes.size(); ++k) {
    for (std::size_t s = 0; s < sources; ++s) drives[k].push_back(normal(random));
    for (std::size_t r = 0; r < receivers; ++r) shapes[k].push_back(normal(random));
  }
  for (std::size_t s = 0; s < sources; ++s)
    for (std::size_t r = 0; r < receivers; ++r)
      for (std::int64_t n = 0; n < recording.samples; ++n) {
        const double t = static_cast<double>(n) / rate;
        double sum = n < 2 ? 0.0 : noise * normal(random);
        for (std::size_t k = 0; k < modes.size() && n >= 2; ++k)
          sum += drives[k][s] * shapes[k][r] * std::exp(-modes[k].decay * t) *
                 std::cos(2.0 * std::numbers::pi * modes[k].frequency * t);
        recording.pressure.push_back(sum);
      }
  return recording;
}

// The shapes of record_of.
std::vector<std::vector<std::complex<double>>> shapes_of(const std::vector<Known>& modes, std::size_t sources,
                                                         std::size_t receivers, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<std::complex<double>>> shapes(modes.size());
  for (auto& shape : shapes) {
    for (std::size_t s = 0; s < sources; ++s) normal(random);
    for (std::size_t r = 0; r < receivers; ++r) shape.emplace_back(normal(random));
  }
  return shapes;
}

std::vector<Known> some_modes() {
  std::vector<Known> modes;
  for (int k = 0; k < 40; ++k) modes.push_back({23.0 + 4.6 * k + 1.9 * std::sin(3.7 * k), 9.0 + 5.0 * std::cos(k)});
  for (int k = 0; k < 60; ++k) modes.push_back({230.0 + 25.0 * k, 12.0});  // above the band
  return modes;
}

void check_found(const ModeList& list, const std::vector<Known>& modes, double to, double cents, double decay) {
  std::size_t expected = 0;
  for (const Known& one : modes) {
    if (one.frequency > to) continue;
    ++expected;
    const FoundMode* nearest = nullptr;
    for (const FoundMode& mode : list.modes)
      if (nearest == nullptr || std::abs(mode.frequency - one.frequency) < std::abs(nearest->frequency - one.frequency))
        nearest = &mode;
    REQUIRE(nearest != nullptr);
    CAPTURE(one.frequency, one.decay, nearest->frequency, nearest->decay);
    CHECK(std::abs(1200.0 * std::log2(nearest->frequency / one.frequency)) < cents);
    CHECK(std::abs(nearest->decay / one.decay - 1.0) < decay);
  }
  CHECK(list.modes.size() == expected);
}

}  // namespace

TEST_CASE("every decaying cosine is found with its amplitude, and none besides") {
  const std::vector<Known> modes = some_modes();
  const ModeList list = find_modes(record_of(modes, 2, 12, 0.9, 1e-7), {20.0, 205.0, 0.7, 0.3});
  check_found(list, modes, 205.0, 0.01, 1e-4);
}

TEST_CASE("noise hides no mode that stands out of it, and makes none") {
  const std::vector<Known> modes = some_modes();
  const ModeList list = find_modes(record_of(modes, 2, 12, 0.9, 1e-3), {20.0, 205.0, 0.7, 0.3});
  check_found(list, modes, 205.0, 1.0, 0.05);
}

TEST_CASE("a record far beyond the decay has the modes of one that ends with it") {
  const std::vector<Known> modes = {{32.4, 9.7}, {41.8, 10.6}, {52.9, 13.1}, {54.1, 9.9}};
  for (const double noise : {1e-6, 1e-9, 1e-13}) {  // rounding in f32, something between, f64
    const ModeList list = find_modes(record_of(modes, 3, 12, 30.0, noise, 7, 400.0), {20.0, 60.0, 0.7, 0.1});
    CAPTURE(noise);
    check_found(list, modes, 60.0, 0.05, 1e-3);
    // exp(-9.7 t) = 1e-6 at 1.4 s
    CHECK(list.used > 0.5);
    CHECK(list.used < 3.0);
  }
  // A decay that does not reach the noise is used to its end.
  const ModeList all = find_modes(record_of(modes, 3, 12, 1.0, 1e-13, 7, 400.0), {20.0, 60.0, 0.7, 0.1});
  CHECK(all.used + all.lost == Approx(1.0).margin(0.02));
}

TEST_CASE("sources and receivers separate modes of one frequency and decay") {
  const std::vector<Known> modes = {{40.0, 8.0}, {40.0, 8.0}, {40.0, 8.0}, {55.0, 9.0}, {55.0, 9.0}, {71.0, 6.0}};
  const auto multiplicities = [&](std::size_t sources) {
    std::vector<std::size_t> counts;
    for (const FoundMode& mode : find_modes(record_of(modes, sources, 9, 1.0, 1e-6), {20.0, 90.0, 0.8, 0.2}).modes)
      counts.push_back(mode.multiplicity());
    return counts;
  };
  CHECK(multiplicities(3) == std::vector<std::size_t>{3, 2, 1});
  CHECK(multiplicities(1) == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("the amplitude of a mode is that at the first sample of the record") {
  const std::vector<Known> modes = {{40.0, 8.0}, {61.0, 12.0}};
  const Recording recording = record_of(modes, 2, 3, 1.0, 0.0);
  const ModeList list = find_modes(recording, {20.0, 90.0, 0.8, 0.2});
  REQUIRE(list.modes.size() == 2);
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t r = 0; r < 3; ++r)
      for (const std::int64_t n : {2, 300, 2000}) {
        double sum = 0.0;
        for (const FoundMode& mode : list.modes)
          sum += (mode.amplitude(s, r) * std::pow(mode.z, static_cast<double>(n))).real();
        CHECK(sum == Approx(recording.pressure[(s * 3 + r) * static_cast<std::size_t>(recording.samples) +
                                               static_cast<std::size_t>(n)])
                         .margin(1e-6));
      }
}

TEST_CASE("a record too short for any band is refused") {
  CHECK_THROWS_AS(find_modes(record_of({{40.0, 8.0}}, 1, 2, 0.1, 0.0), {20.0, 90.0, 0.8, 0.2}), Error);
}

TEST_CASE("an exponential that grows, or is wider than a band, is no mode") {
  const auto count = [](const std::vector<Known>& modes) {
    return find_modes(record_of(modes, 2, 6, 1.0, 1e-7), {20.0, 90.0, 0.8, 0.2}).modes.size();
  };
  CHECK(count({{40.0, 8.0}, {71.0, 6.0}}) == 2);
  CHECK(count({{40.0, 8.0}, {71.0, -1.0}}) == 1);
  // By less than a tenth of a neper over the record: within the tolerance of decays.
  CHECK(count({{40.0, 8.0}, {71.0, -0.05}}) == 1);
  // Bands are 23 Hz wide: half widths of 9.5 and 14 Hz.
  const auto alone = [](double decay) {
    return find_modes(record_of({{71.0, decay}}, 2, 6, 1.0, 0.0), {20.0, 90.0, 0.8, 0.2}).modes.size();
  };
  CHECK(alone(60.0) == 1);
  CHECK(alone(90.0) == 0);
}

TEST_CASE("estimates that differ by more than 5 cents or 10 % of decay are no mode") {
  // Noise moves frequencies of wide modes, and decays of narrow ones, beyond these before the others.
  std::size_t found = 0;
  using Case = std::pair<double, double>;  // decay, noise
  for (const auto& [decay, noise] :
       {Case(0.5, 0.03), Case(0.5, 0.3), Case(6.0, 0.3), Case(25.0, 3e-4), Case(25.0, 1e-3)})
    for (const std::size_t receivers : {1, 4}) {
      const std::vector<Known> modes = {{23.0, decay}, {47.0, decay}, {66.0, decay}, {84.0, decay}};
      const ModeList list = find_modes(record_of(modes, 1, receivers, 1.0, noise), {20.0, 90.0, 0.8, 0.2});
      for (const FoundMode& mode : list.modes) {
        CAPTURE(decay, noise, receivers, mode.frequency, mode.decay);
        CHECK(mode.frequency_error < 0.0029 * mode.frequency);
        CHECK(mode.decay_error < 0.1 * mode.decay + 0.015);  // 1 % of a neper over the 0.7 s behind the filter
        ++found;
      }
    }
  CHECK(found > 10);
}

TEST_CASE("modes within 0.2 cents and 1 % of decay are one row, others are rows of their own") {
  const auto multiplicities = [](const Known& other) {
    std::vector<std::size_t> counts;
    for (const FoundMode& mode :
         find_modes(record_of({{40.0, 8.0}, other}, 2, 6, 1.0, 1e-9), {20.0, 90.0, 0.8, 0.2}).modes)
      counts.push_back(mode.multiplicity());
    return counts;
  };
  CHECK(multiplicities({40.0 * 1.00005, 8.0}) == std::vector<std::size_t>{2});
  CHECK(multiplicities({40.0, 8.0 * 1.005}) == std::vector<std::size_t>{2});
  CHECK(multiplicities({40.0 * 1.002, 8.0}) == std::vector<std::size_t>{1, 1});
  CHECK(multiplicities({40.0, 10.0}) == std::vector<std::size_t>{1, 1});
}

TEST_CASE("noise alone has no modes") {
  // The only mode lies above the band.
  for (const std::size_t receivers : {1, 2, 5}) {
    const ModeList list = find_modes(record_of({{900.0, 12.0}}, 1, receivers, 1.0, 1.0), {20.0, 205.0, 0.7, 0.3});
    CAPTURE(receivers);
    CHECK(list.modes.empty());
    CHECK(list.left_out > 0);
  }
}

TEST_CASE("a mode at the border of two bands is found once, with its multiplicity") {
  // By its errors it lies in either band, in both, or in neither.
  const ModeSearch search{20.0, 205.0, 0.7, 0.3};
  const int count = static_cast<int>(std::ceil((search.to - search.from) / band_transition(search)));
  REQUIRE(count > 4);
  std::vector<Known> modes;
  for (int i = 1; i < count; ++i) modes.push_back({search.from + i * (search.to - search.from) / count, 9.0});
  for (const double noise : {1e-7, 1e-4, 1e-3, 3e-3}) {
    CAPTURE(noise);
    check_found(find_modes(record_of(modes, 2, 12, 0.9, noise), search), modes, search.to, 1.0, 0.05);
  }
  modes.resize(1);
  modes.push_back(modes[0]);
  const ModeList list = find_modes(record_of(modes, 2, 12, 0.9, 1e-4), search);
  REQUIRE(list.modes.size() == 1);
  CHECK(list.modes[0].multiplicity() == 2);
}

// Each criterion alone decides one of these: without the residual, the shape or the noise of either estimate a mode too
// many or too few is reported, or one with a foreign shape; so it is where two exponentials share a partner.
TEST_CASE("in many records every reported mode is one of the record, with its shape") {
  struct Case {
    std::vector<Known> modes;
    std::size_t sources, receivers;
    double noise;
    bool all;  // are found
  };
  const std::vector<Known> two = {{40.0, 8.0}, {71.0, 6.0}},
                           close = {{40.0, 8.0}, {40.02, 8.2}, {40.1, 7.0}, {71.0, 6.0}};
  for (const Case& one : std::vector<Case>{{{{300.0, 12.0}}, 1, 1, 1.0, false},  // above the band
                                           {two, 2, 6, 1e-6, true},
                                           {two, 1, 6, 1e-3, true},
                                           {close, 2, 6, 0.003, false},
                                           {close, 2, 6, 0.03, false}})
    for (unsigned seed = 1; seed <= 15; ++seed) {
      CAPTURE(one.noise, one.modes.size(), seed);
      const ModeList list = find_modes(record_of(one.modes, one.sources, one.receivers, 1.0, one.noise, seed, 1000.0),
                                       {20.0, 90.0, 0.8, 0.2});
      const auto shapes = shapes_of(one.modes, one.sources, one.receivers, seed);
      std::vector<char> taken(one.modes.size(), 0);
      std::size_t found = 0;
      for (const FoundMode& mode : list.modes)
        for (const auto& shape : mode.shapes) {
          std::vector<std::vector<std::complex<double>>> near;
          std::size_t own = one.modes.size();
          for (std::size_t k = 0; k < one.modes.size(); ++k) {
            if (std::abs(mode.frequency / one.modes[k].frequency - 1.0) > 0.006) continue;
            near.push_back(shapes[k]);
            if (taken[k] == 0 && std::abs(mode.decay / one.modes[k].decay - 1.0) < 0.3) own = k;
          }
          CAPTURE(mode.frequency, mode.decay);
          CHECK(own < one.modes.size());
          CHECK(part_within(shape, near) > 0.9);
          if (own < one.modes.size()) taken[own] = 1;
          ++found;
        }
      if (one.all) CHECK(found == one.modes.size());
    }
}
