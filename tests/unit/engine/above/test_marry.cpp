#include "engine/above/marry.hpp"

#include <omp.h>

#include <cmath>
#include <stdexcept>

#include "base/math/fourier.hpp"
#include "engine/plan/field_operator.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr std::size_t samples = 24000;  // half a second

// One channel with nothing above.
AboveRecord silent(Crossover crossover) {
  AboveRecord record;
  record.crossover = crossover;
  record.upper = 20000.0;
  record.octaves = {1000.0, 2000.0, 4000.0, 8000.0, 16000.0};
  record.bin = 1e-3;
  record.coherent_until = 1.0;
  record.volume = 100.0;
  record.late.push_back({});
  record.late.back().energy.assign(record.octaves.size() * 500, 0.0);
  record.channels.push_back({});
  record.channels.back().early.assign(samples, 0.0);
  return record;
}

Rendered wave_of(std::size_t at, double height) {
  Rendered wave;
  wave.sample_rate = early_rate;
  wave.samples = samples;
  wave.ir.assign(samples, 0.0);
  if (height != 0.0) wave.ir[at] = height;
  return wave;
}

// Energy between two frequencies over that of a pulse of height 1 there.
double energy_of(const std::vector<double>& ir, double low, double high) {
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(ir.size()));
  const auto spectrum = real_fft(ir, length);
  double sum = 0.0, count = 0.0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double f = static_cast<double>(k) * early_rate / static_cast<double>(length);
    if (f < low || f >= high) continue;
    sum += std::norm(spectrum[k]);
    count += 1.0;
  }
  return sum / count;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("a pulse that waves and image sources share is that pulse, wherever the crossover lies", "[above]") {
  std::vector<std::vector<double>> all;
  for (const double to : {300.0, 1000.0, 5000.0}) {
    AboveRecord record = silent({to / std::sqrt(2.0), to});
    record.channels[0].early[4800] = 0.5;
    Rendered married = wave_of(4800, 0.5);
    add_above(record, married);
    all.push_back(married.ir);
  }
  CHECK(largest_difference(all[0], all[1]) < 1e-6);
  CHECK(largest_difference(all[0], all[2]) < 1e-6);
  CHECK(energy_of(all[0], 100.0, 20000.0) == Approx(0.25).epsilon(1e-9));  // of each bin the pulse's, 0.5^2
  CHECK(energy_of(all[0], 22100.0, 24000.0) < 1e-9);
}

TEST_CASE("image sources beyond the wave part's phase are added as powers", "[above]") {
  AboveRecord record = silent({707.0, 1000.0});
  record.coherent_until = 0.05;
  record.channels[0].early[9600] = 1.0;   // 0.2 s
  Rendered married = wave_of(4800, 1.0);  // elsewhere, so that nothing interferes in the mean
  add_above(record, married);
  for (const auto& [low, high] : {std::pair{710.0, 995.0}, std::pair{1100.0, 15000.0}, std::pair{100.0, 600.0}})
    CHECK(energy_of(married.ir, low, high) == Approx(1.0).epsilon(0.02));
}

TEST_CASE("late sound has the energy of the histogram in each octave above the crossover", "[above]") {
  AboveRecord record = silent({707.0, 1000.0});
  const std::size_t bins = 500;
  for (std::size_t octave = 0; octave < record.octaves.size(); ++octave)
    for (std::size_t i = 0; i < bins; ++i)
      record.late[0].energy[octave * bins + i] = 1e-3 / (1.0 + static_cast<double>(octave));
  Rendered married = wave_of(0, 0.0);
  add_above(record, married);
  for (std::size_t octave = 1; octave + 1 < record.octaves.size(); ++octave) {
    INFO(record.octaves[octave]);
    const double expected = 0.5 / (1.0 + static_cast<double>(octave));  // 500 bins
    CHECK(energy_of(married.ir, record.octaves[octave] / 1.15, record.octaves[octave] * 1.15) ==
          Approx(expected).epsilon(0.15));
  }
  CHECK(energy_of(married.ir, 100.0, 700.0) < 1e-4);
}

TEST_CASE("a cardioid hears late sound from its front, and none from behind", "[above]") {
  const std::vector<std::array<double, 3>> directions = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                                         {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  const std::size_t bins = 500;
  std::array<double, 2> energies{};
  for (std::size_t from = 0; from < 2; ++from) {
    AboveRecord record = silent({707.0, 1000.0});
    record.directions = directions;
    record.late[0].directions = true;
    record.late[0].energy.assign(record.octaves.size() * bins * directions.size(), 0.0);
    for (std::size_t i = from; i < record.late[0].energy.size(); i += directions.size())
      record.late[0].energy[i] = 1e-3;
    record.channels[0].pattern = {0.5, 0.0, 0.0, 0.5};  // to x
    Rendered married = wave_of(0, 0.0);
    add_above(record, married);
    energies[from] = energy_of(married.ir, 2000.0, 16000.0);
  }
  CHECK(energies[0] > 0.5 * 0.6);  // of 0.5 before the pattern, within a sixth of the sphere about its front
  CHECK(energies[1] < 0.03 * energies[0]);
}

TEST_CASE("the crossover gives the same bytes on any number of threads", "[above]") {
  AboveRecord record = silent({707.0, 1000.0});
  for (double& e : record.late[0].energy) e = 1e-4;
  record.channels[0].early[480] = 0.1;
  Rendered two = wave_of(480, 0.1);
  two.ir.resize(3 * samples, 0.01);
  for (const std::size_t c : {1, 2}) {
    record.channels.push_back(record.channels[0]);
    record.channels.back().channel = c;
  }
  const int threads = omp_get_max_threads();
  std::vector<std::vector<double>> all;
  for (const int n : {1, 2, 7}) {
    omp_set_num_threads(n);
    Rendered married = two;
    add_above(record, married);
    all.push_back(married.ir);
  }
  omp_set_num_threads(threads);
  CHECK(all[0] == all[1]);
  CHECK(all[0] == all[2]);
}

TEST_CASE("sound above the crossover renders at other rates", "[above]") {
  AboveRecord record = silent({707.0, 1000.0});
  record.channels[0].early[4800] = 1.0;
  for (const double rate : {44100.0, 96000.0}) {
    Rendered wave;
    wave.sample_rate = rate;
    wave.samples = static_cast<std::int64_t>(0.5 * rate);
    wave.ir.assign(static_cast<std::size_t>(wave.samples), 0.0);
    add_above(record, wave);
    const auto largest = std::max_element(wave.ir.begin(), wave.ir.end()) - wave.ir.begin();
    CHECK(static_cast<double>(largest) / rate == Approx(0.1).margin(1e-4));
    // A pulse of height 1 at 48 kHz sums to 1, and so do its bands.
    const std::int64_t length = smooth_length(wave.samples);
    const auto spectrum = real_fft(wave.ir, length);
    const auto bin = static_cast<std::size_t>(4000.0 / rate * static_cast<double>(length));
    CHECK(std::abs(spectrum[bin]) == Approx(1.0).epsilon(1e-3));
  }
}

TEST_CASE("sound above the crossover for a channel that there is not is refused", "[above]") {
  AboveRecord record = silent({707.0, 1000.0});
  record.channels[0].channel = 1;
  Rendered wave = wave_of(0, 0.0);
  CHECK_THROWS_AS(add_above(record, wave), std::invalid_argument);
}
