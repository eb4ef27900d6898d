#include "engine/reports/result_page/dry_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "base/math/philox.hpp"

namespace fdtd {
namespace {

constexpr double length = 2.6;  // s

// White noise of -1 to 1.
class Noise {
 public:
  explicit Noise(std::uint64_t stream) : key_(philox_key(1, stream)) {}
  double next() { return 2.0 * uniform(philox({count_++, 0, 0, 0}, key_)[0]) - 1.0; }

 private:
  PhiloxKey key_;
  std::uint32_t count_ = 0;
};

struct Sound {
  double rate;
  std::vector<double> samples;

  template <class Value>
  void add(double at, double seconds, const Value& value) {
    const auto first = static_cast<std::size_t>(at * rate), count = static_cast<std::size_t>(seconds * rate);
    for (std::size_t i = 0; i < count && first + i < samples.size(); ++i)
      samples[first + i] += value(static_cast<double>(i) / rate);
  }
};

// Noise around `centre` Hz that decays with `decay` s: a resonance of two poles.
void add_burst(Sound& sound, double at, double centre, double decay, double level, std::uint64_t stream) {
  Noise noise(stream);
  const double radius = std::exp(-std::numbers::pi * 0.8 * centre / sound.rate);
  const double turn = 2.0 * radius * std::cos(2.0 * std::numbers::pi * std::min(centre / sound.rate, 0.45));
  double last = 0.0, before = 0.0;
  sound.add(at, 8.0 * decay, [&](double t) {
    const double now = (1.0 - radius) * noise.next() + turn * last - radius * radius * before;
    before = last, last = now;
    return level * now * std::exp(-t / decay);
  });
}

void add_block(Sound& sound, double at, double pitch, double level) {
  sound.add(at, 0.25, [&](double t) {
    const double rise = 1.0 - std::exp(-t / 3e-4);
    const auto partial = [&](double times, double decay) {
      return times * pitch < 0.45 * sound.rate
                 ? std::sin(2.0 * std::numbers::pi * times * pitch * t) * std::exp(-t / decay)
                 : 0.0;
    };
    return level * rise * (partial(1.0, 0.03) + 0.5 * partial(2.41, 0.012) + 0.3 * partial(3.9, 0.008));
  });
}

void add_string(Sound& sound, double at, double pitch, double seconds, double level, std::uint64_t stream) {
  const double period = sound.rate / pitch - 0.5;  // half a sample is the delay of the mean of two
  const auto whole = static_cast<std::size_t>(period);
  const double rest = period - static_cast<double>(whole);
  Noise noise(stream);
  std::vector<double> line(whole + 2);
  double smooth = 0.0;
  for (double& one : line) one = smooth += 0.5 * (noise.next() - smooth);
  const double damping = std::pow(1e-3, 1.0 / (1.8 * pitch));  // 60 dB in 1.8 s
  std::size_t at_line = 0;
  const auto tap = [&](std::size_t back) { return line[(at_line + line.size() - back) % line.size()]; };
  sound.add(at, seconds, [&](double t) {
    const auto late = [&](std::size_t back) { return (1.0 - rest) * tap(back) + rest * tap(back + 1); };
    const double now = damping * 0.5 * (late(whole) + late(whole - 1));
    at_line = (at_line + 1) % line.size();
    line[at_line] = now;
    const double fade = std::min(1.0, (seconds - t) / 0.03);
    return level * now * fade;
  });
}

}  // namespace

std::vector<double> dry_sample(double rate) {
  Sound sound{rate, std::vector<double>(static_cast<std::size_t>(length * rate))};
  for (const double at : {0.02, 0.031, 0.039}) add_burst(sound, at, 1300.0, 0.006, 2.0, 3);  // a clap
  add_block(sound, 0.35, 880.0, 0.5);
  add_block(sound, 0.55, 660.0, 0.5);
  add_burst(sound, 0.8, 180.0, 0.05, 0.8, 5);  // a drum
  add_burst(sound, 0.8, 3000.0, 0.03, 0.5, 6);
  constexpr double chord[] = {110.0, 164.81, 220.0, 277.18};
  for (std::size_t i = 0; i < std::size(chord); ++i)
    if (chord[i] * 8.0 < rate) add_string(sound, 1.2 + 0.14 * static_cast<double>(i), chord[i], 0.75, 1.4, 10 + i);
  double peak = 1e-300;
  for (const double x : sound.samples) peak = std::max(peak, std::abs(x));
  for (double& x : sound.samples) x /= peak;
  return std::move(sound.samples);
}

}  // namespace fdtd
