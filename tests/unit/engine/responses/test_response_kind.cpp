// Sweeps, speech and music are no responses; responses of rooms are.
#include "engine/responses/response_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/math/fourier.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Signal = std::vector<double>;
constexpr double rate = 16000.0, pi = std::numbers::pi;

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double noise() { return normal_(random_); }

  Signal silence(double seconds) { return Signal(static_cast<std::size_t>(seconds * rate), 0.0); }
  // Normal noise that falls by 60 dB in `time`, and a direct sound with so many dB more energy than it.
  Signal decay(double time, double seconds, double before, double direct) {
    Signal x = silence(seconds);
    const auto start = static_cast<std::size_t>(before * rate);
    for (std::size_t i = start; i < x.size(); ++i)
      x[i] = noise() * std::pow(10.0, -3.0 * static_cast<double>(i - start) / rate / time);
    x[start] += std::pow(10.0, direct / 20.0) * std::sqrt(time * rate / 13.8);
    return x;
  }
  Signal over_noise(Signal x, double below) {
    double peak = 0.0;
    for (const double v : x) peak = std::max(peak, std::abs(v));
    for (double& v : x) v += peak * std::pow(10.0, -below / 20.0) * noise();
    return x;
  }
  Signal sweep(double low, double high, double seconds, bool logarithmic, double silent) {
    Signal x = silence(seconds + silent);
    const double octaves = std::log(high / low);
    for (std::size_t i = 0; i < static_cast<std::size_t>(seconds * rate); ++i) {
      const double t = static_cast<double>(i) / rate;
      const double phase = logarithmic ? low * seconds / octaves * (std::exp(t / seconds * octaves) - 1.0)
                                       : low * t + 0.5 * (high - low) * t * t / seconds;
      x[i] = std::min({1.0, t / 0.02, (seconds - t) / 0.02}) * std::sin(2.0 * pi * phase);
    }
    return x;
  }
  // Bursts as long as syllables, voiced and not, with pauses.
  Signal speech(double seconds, double silent) {
    Signal x = silence(seconds + silent);
    for (double t = between(0.0, 0.2); t < seconds;) {
      const double length = between(0.08, 0.3), level = std::pow(10.0, between(-12.0, 0.0) / 20.0);
      const double smooth = between(0.1, 0.9), pitch = between(90.0, 220.0);
      const bool voiced = between(0.0, 1.0) < 0.7;
      double y = 0.0;
      for (auto i = static_cast<std::size_t>(t * rate);
           i < static_cast<std::size_t>(std::min(t + length, seconds) * rate); ++i) {
        const double at = static_cast<double>(i) / rate;
        const double pulse = std::fmod(at * pitch, 1.0) < pitch / rate ? 8.0 : 0.0;
        y += smooth * ((voiced ? pulse + 0.1 * noise() : noise()) - y);
        x[i] += level * std::sin(pi * (at - t) / length) * y;
      }
      t += length + (between(0.0, 1.0) < 0.25 ? between(0.2, 0.5) : between(0.01, 0.1));
    }
    return x;
  }
  // Notes that follow each other.
  Signal music(double seconds, double silent) {
    Signal x = silence(seconds + silent);
    for (double t = 0.05; t < seconds;) {
      const double length = between(0.12, 0.6), pitch = 110.0 * std::exp2(std::floor(between(0.0, 36.0)) / 12.0);
      const double level = std::pow(10.0, between(-8.0, 0.0) / 20.0);
      for (auto i = static_cast<std::size_t>(t * rate);
           i < std::min(x.size(), static_cast<std::size_t>((t + length) * rate)); ++i) {
        const double u = static_cast<double>(i) / rate - t;
        for (int h = 1; h < 8 && h * pitch < 0.45 * rate; ++h)
          x[i] += level * std::min({1.0, u / 0.01, (length - u) / 0.02}) * std::sin(2.0 * pi * h * pitch * u) / h;
      }
      t += length;
    }
    return x;
  }
  // Phrases of fricatives and vowels, whose formants differ from syllable to syllable, at the pace of speech.
  Signal formants(double seconds) {
    Signal x = silence(seconds);
    const double pitch = between(85, 230), pace = between(0.7, 1.4);
    for (double t = between(0.0, 0.25); t < seconds; t += between(0.0, 1.0) < 0.4 ? between(0.05, 0.35) : 0.02) {
      const double level = std::pow(10.0, between(-9, 0) / 20.0);
      if (between(0.0, 1.0) < 0.5) {
        const double length = pace * between(0.04, 0.14), bright = between(0.3, 0.95), gain = 0.3 * level;
        double before = 0.0;
        for (auto i = sample(t); i < std::min(x.size(), sample(t + length)); ++i) {
          const double v = noise();
          x[i] += gain * (v - bright * before) * std::sin(pi * (static_cast<double>(i) / rate - t) / length);
          before = v;
        }
        t += length;
      }
      const double length = pace * between(0.07, 0.28), end = pitch * between(0.8, 1.2);
      const std::array<double, 3> centres = {between(280, 800), between(850, 2200), between(2300, 3600)};
      std::array<double, 3> last{}, before{};
      double phase = 0.0;
      for (auto i = sample(t); i < std::min(x.size(), sample(t + length)); ++i) {
        const double fraction = (static_cast<double>(i) / rate - t) / length;
        phase += (pitch + (end - pitch) * fraction) / rate;
        const double driven = phase >= 1.0 ? 1.0 : 0.01 * noise();
        if (phase >= 1.0) phase -= 1.0;
        double sum = 0.0;
        for (std::size_t f = 0; f < centres.size(); ++f) {
          const double radius = std::exp(-pi * (60.0 + 0.05 * centres[f]) / rate);
          const double y =
              driven + 2.0 * radius * std::cos(2.0 * pi * centres[f] / rate) * last[f] - radius * radius * before[f];
          before[f] = std::exchange(last[f], y);
          sum += y / static_cast<double>(1 + 2 * f);
        }
        x[i] += 0.3 * level * sum * std::min({1.0, fraction / 0.15, (1.0 - fraction) / 0.35});
      }
      t += length;
    }
    return x;
  }
  // Struck strings, each of which decays.
  Signal struck(double seconds) {
    Signal x = silence(seconds);
    const double step = between(0.15, 0.5);
    for (double t = between(0.0, 0.2); t < seconds; t += step) {
      const double pitch = 65.4 * std::exp2(std::floor(between(0, 44)) / 12.0), time = between(0.3, 2.0);
      const double level = std::pow(10.0, between(-10, 0) / 20.0);
      for (std::size_t i = sample(t); i < x.size(); ++i) {
        const double u = static_cast<double>(i) / rate - t;
        const double damped = std::min(1.0, u / 0.004) * std::exp(-15.0 * std::max(0.0, u - 2.0 * step));
        for (int h = 1; h < 8 && h * pitch < 0.45 * rate; ++h)
          x[i] += level * damped * std::pow(10.0, -3.0 * u / time * (1 + 0.25 * h)) *
                  std::sin(2.0 * pi * h * pitch * u) / h;
      }
    }
    return x;
  }
  // Low, middle and high hits by turns.
  Signal drums(double seconds) {
    Signal x = silence(seconds);
    const double beat = between(0.2, 0.45);
    int turn = 0;
    for (double t = between(0.0, 0.1); t < seconds; t += beat / 2.0, ++turn) {
      const double time = turn % 4 == 0 ? 0.3 : turn % 4 == 2 ? 0.2 : 0.08;
      const double level = turn % 2 == 0 ? 1.0 : between(0.1, 0.35), dull = turn % 4 == 0   ? 0.05
                                                                            : turn % 4 == 2 ? 0.6
                                                                                            : 1.0;
      double y = 0.0;
      for (std::size_t i = sample(t); i < std::min(x.size(), sample(t + 1.2 * time)); ++i) {
        y += dull * (noise() - y);
        x[i] += level * y * std::pow(10.0, -3.0 * (static_cast<double>(i) / rate - t) / time);
      }
    }
    return x;
  }

 private:
  static std::size_t sample(double seconds) { return static_cast<std::size_t>(seconds * rate); }
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

Signal convolved(const Signal& a, const Signal& b) {
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(a.size() + b.size()));
  auto spectrum = real_fft(a, length);
  const auto other = real_fft(b, length);
  for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= other[k];
  Signal all = inverse_real_fft(spectrum, length);
  all.resize(a.size() + b.size() - 1);
  return all;
}

struct Counts {
  int refused = 0, noted = 0;
  int all() const { return refused + noted; }
};
Counts doubts(const char* what, int seeds, const std::function<Signal(Maker&)>& make, double bandwidth = rate / 2.0) {
  Counts counts;
  for (int seed = 1; seed <= seeds; ++seed) {
    Maker maker(static_cast<unsigned>(seed));
    const ResponseDoubt doubt = response_doubt(make(maker), rate, bandwidth);
    UNSCOPED_INFO(what << ", seed " << seed << ": " << doubt.why);
    if (!doubt.why.empty()) ++(doubt.certain ? counts.refused : counts.noted);
  }
  return counts;
}

int refused(const char* what, int seeds, const std::function<Signal(Maker&)>& make, double bandwidth = rate / 2.0) {
  return doubts(what, seeds, make, bandwidth).refused;
}

}  // namespace

TEST_CASE("response kind: sweeps are none, bare and in rooms, with and without silence after them", "[metrics]") {
  for (const double seconds : {0.5, 1.0, 5.0})
    for (const bool logarithmic : {true, false})
      for (const double silent : {0.0, 1.0}) {
        CAPTURE(seconds, logarithmic, silent);
        CHECK(refused("sweep", 2, [&](Maker& m) {
                return m.over_noise(m.sweep(m.between(20, 60), m.between(5000, 7800), seconds, logarithmic, silent),
                                    m.between(30, 80));
              }) == 2);
        if (seconds >= 1.0)
          CHECK(refused("in a room", 2, [&](Maker& m) {
                  const Signal room = m.decay(m.between(0.3, 2.0), 2.0, 0.02, 0.0);
                  return m.over_noise(convolved(m.sweep(30, 7000, seconds, logarithmic, silent), room),
                                      m.between(30, 80));
                }) == 2);
      }
  CHECK(refused(
            "low", 2, [](Maker& m) { return m.over_noise(m.sweep(30, 355, 3.0, true, 1.0), 60.0); }, 400.0) == 2);
  CHECK(refused("downwards", 1, [](Maker& m) {
          Signal x = m.sweep(20, 7800, 3.0, true, 1.0);
          std::ranges::reverse(x);
          return m.over_noise(x, 60.0);
        }) == 1);
}

TEST_CASE("response kind: speech and music are none", "[metrics]") {
  // A short word may pass: nothing says that it is none.
  for (const double silent : {0.0, 1.5}) {
    CHECK(refused("speech", 12, [&](Maker& m) { return m.over_noise(m.speech(6.0, silent), 50.0); }) == 12);
    CHECK(refused("speech in a room", 12, [&](Maker& m) {
            return m.over_noise(convolved(m.speech(6.0, silent), m.decay(m.between(0.3, 0.8), 1.0, 0.01, 3.0)), 50.0);
          }) >= 10);
    if (silent > 0.0)  // notes of equal level that the file's end cuts off look like a slow decay that it cuts off
      CHECK(refused("music", 12, [&](Maker& m) { return m.over_noise(m.music(6.0, silent), 50.0); }) >= 9);
  }
  CHECK(refused("noise for a second", 6, [](Maker& m) {
          Signal x = m.silence(2.0);
          for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] = m.noise();
          return m.over_noise(x, 50.0);
        }) == 6);
}

TEST_CASE("response kind: speech and music of a second and a half are refused or noted", "[metrics]") {
  // Bounds: nine of ten at the least; of speech, whose sounds differ in colour, more than half are refused.
  constexpr int seeds = 20, least = 18, max_speech = 11;
  const auto in_room = [](Maker& m, const Signal& dry) {
    Signal x = convolved(dry, m.decay(m.between(0.2, 0.8), 0.8, 0.005, m.between(-3, 6)));
    x.resize(dry.size());
    return m.over_noise(x, m.between(35, 70));
  };
  const Counts dry = doubts("speech", seeds, [](Maker& m) { return m.over_noise(m.formants(1.5), m.between(35, 70)); });
  CHECK(dry.refused >= max_speech);
  CHECK(dry.all() >= least);
  const Counts live = doubts("speech in a room", seeds, [&](Maker& m) { return in_room(m, m.formants(1.5)); });
  CHECK(live.refused >= max_speech);
  CHECK(live.all() >= least);
  CHECK(doubts("struck strings", seeds, [](Maker& m) {
          return m.over_noise(m.struck(1.5), m.between(35, 70));
        }).all() >= least);
  CHECK(doubts("struck strings in a room", seeds, [&](Maker& m) { return in_room(m, m.struck(1.5)); }).all() >= least);
  CHECK(doubts("drums", seeds, [](Maker& m) { return m.over_noise(m.drums(1.5), m.between(35, 70)); }).all() >= least);
}

TEST_CASE("response kind: late echoes, slow flutter and distortion ahead of the sound are not refused", "[metrics]") {
  constexpr int seeds = 40;
  CHECK(refused("late echoes", seeds, [](Maker& m) {
          Signal x = m.decay(m.between(0.1, 1.5), m.between(1, 3), 0.02, m.between(0, 12));
          const double peak = *std::ranges::max_element(x);
          for (int e = 0; e < 3; ++e) {
            const auto at = 320 + static_cast<std::size_t>(m.between(0.04, 0.8) * rate);
            const double level = peak * std::pow(10.0, m.between(-25, 0) / 20.0), time = m.between(0.02, 0.3);
            x[at] += level;
            for (std::size_t i = at + 1; i < x.size(); ++i)
              x[i] += 0.1 * level * m.noise() * std::pow(10.0, -3.0 * static_cast<double>(i - at) / rate / time);
          }
          return m.over_noise(x, m.between(25, 90));
        }) == 0);
  CHECK(refused("flutter", seeds, [](Maker& m) {
          Signal x = m.silence(m.between(1, 3));
          const double period = m.between(0.01, 0.2), factor = std::pow(10.0, -m.between(0.5, 4) / 20.0);
          double level = 1.0;
          for (double t = 0.02; t < static_cast<double>(x.size()) / rate - 0.01; t += period, level *= factor)
            x[static_cast<std::size_t>(t * rate)] += level * m.between(0.9, 1.1);
          return m.over_noise(x, m.between(25, 90));
        }) == 0);
  CHECK(refused("distortion", seeds, [](Maker& m) {  // of a deconvolved sweep: harmonics arrive sooner
          const double before = m.between(0.6, 1.5);
          Signal x = m.decay(m.between(0.2, 2), before + m.between(1, 3), before, m.between(0, 10));
          const double peak = std::ranges::max(x);
          const Signal again = m.decay(m.between(0.2, 1), static_cast<double>(x.size()) / rate, 0.0, 5.0);
          for (int h = 2; h < 5; ++h) {
            const double level = std::pow(10.0, m.between(-55, -25) / 20.0) * (peak > 0.0 ? 1.0 : 0.0);
            const auto shift = static_cast<std::size_t>((before - 0.25 * std::log2(h)) * rate);
            for (std::size_t i = shift; i < x.size(); ++i) x[i] += level * again[i - shift];
          }
          return m.over_noise(x, m.between(30, 80));
        }) == 0);
  // Rooms whose octaves decay at different rates, and modes alone up to 1500 Hz.
  CHECK(doubts(
            "modes", seeds,
            [](Maker& m) {
              Signal x = m.silence(m.between(0.5, 2.5));
              const double time = std::exp(m.between(std::log(0.15), std::log(6.0)));
              for (int mode = 0; mode < 60; ++mode) {
                const double f = 1425.0 * std::cbrt(m.between(0.002, 1)), phase = m.between(0, 6.28),
                             own = m.between(0.5, 1.8);
                const double level = m.between(0.2, 1);
                for (std::size_t i = 0; i < x.size(); ++i) {
                  const double t = static_cast<double>(i) / rate;
                  x[i] += level * std::pow(10.0, -3.0 * t / time / own) * std::sin(2.0 * pi * f * t + phase);
                }
              }
              return m.over_noise(x, m.between(25, 90));
            },
            1500.0)
            .refused == 0);
}

TEST_CASE("response kind: what rooms give may be a response", "[metrics]") {
  for (const double time : {0.15, 0.5, 2.0, 8.0})
    for (const double seconds : {0.5, 2.0, 6.0})
      for (const double below : {15.0, 30.0, 100.0}) {
        CAPTURE(time, seconds, below);
        CHECK(refused("decay", 3, [&](Maker& m) {
                return m.over_noise(m.decay(time, seconds, m.between(0.0, 0.1), m.between(-20, 15)), below);
              }) == 0);
      }
  const auto sum = [](Signal a, const Signal& b, double fraction) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += fraction * b[i];
    return a;
  };
  CHECK(refused("two slopes", 10, [&](Maker& m) {
          return m.over_noise(sum(m.decay(0.3, 4, 0.02, 0), m.decay(3, 4, 0.02, 0), m.between(0.05, 0.5)), 60.0);
        }) == 0);
  CHECK(refused("built up in coupled rooms", 10, [](Maker& m) {
          return m.over_noise(convolved(m.decay(m.between(0.5, 2), 3, 0, 0), m.decay(m.between(0.5, 2), 3, 0, 0)),
                              50.0);
        }) == 0);
  CHECK(refused("anechoic", 10, [](Maker& m) {
          Signal x = m.silence(m.between(0.2, 3.0));
          x[static_cast<std::size_t>(m.between(0, 0.1) * rate)] = 1.0;
          return m.over_noise(x, m.between(15, 90));
        }) == 0);
  CHECK(refused("early echoes", 20, [](Maker& m) {
          Signal x = m.decay(m.between(0.05, 1.5), m.between(0.5, 3), 0.02, m.between(0, 15));
          const double peak = *std::ranges::max_element(x);
          for (int e = 0; e < 6; ++e)
            x[320 + static_cast<std::size_t>(m.between(0.002, 0.15) * rate)] += peak * m.between(-1, 1);
          return m.over_noise(x, m.between(20, 90));
        }) == 0);
  CHECK(refused("a flutter echo", 20, [](Maker& m) {
          Signal x = m.silence(3.0);
          const double period = m.between(0.01, 0.12), factor = std::pow(10.0, -m.between(0.5, 4) / 20.0);
          double level = 1.0;
          for (double t = 0.02; t < 2.9; t += period, level *= factor) x[static_cast<std::size_t>(t * rate)] += level;
          return m.over_noise(x, m.between(25, 90));
        }) == 0);
  CHECK(refused(
            "few modes", 20,
            [](Maker& m) {
              Signal x = m.silence(m.between(1.0, 5.0));
              const double time = m.between(0.5, 8.0);
              for (int mode = 0; mode < 10; ++mode) {
                const double frequency = m.between(30, 280), phase = m.between(0, 6.28), level = m.between(0.3, 1);
                for (std::size_t i = 0; i < x.size(); ++i) {
                  const double t = static_cast<double>(i) / rate;
                  x[i] += level * std::pow(10.0, -3.0 * t / time) * std::sin(2.0 * pi * frequency * t + phase);
                }
              }
              return m.over_noise(x, m.between(25, 90));
            },
            300.0) == 0);
}

TEST_CASE("response kind: a stream is judged as the whole", "[metrics]") {
  Maker maker(3);
  const Signal sweep = maker.over_noise(maker.sweep(30, 7000, 3.0, true, 1.0), 50.0);
  const Signal decay = maker.decay(1.0, 3.0, 0.01, 0.0);
  SamplesInMemory first(sweep), second(decay);
  CHECK(response_doubt(first, rate, 8000.0).why == response_doubt(sweep, rate, 8000.0).why);
  CHECK(response_doubt(second, rate, 8000.0).why.empty());
}

TEST_CASE("response kind: silence, and what is too short or too low to tell, may be a response", "[metrics]") {
  for (const std::size_t samples : {0, 1, 100, 5000})
    for (const double bandwidth : {0.0, 50.0, 100.0, 8000.0})
      CHECK(response_doubt(Signal(samples, 0.0), rate, bandwidth).why.empty());
}
