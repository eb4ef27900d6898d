// The order of a response and a dry signal: noted where it is exchanged, and not where it is right.
#include "engine/session/exchanged_files.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/results/wav_comment.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

using Signal = std::vector<double>;
constexpr int rate = 16000;

class Maker {
 public:
  // Noise that falls by 60 dB in `time`, over noise that is so many dB below.
  Signal decay(double time, double seconds, double floor) {
    Signal x(static_cast<std::size_t>(seconds * rate));
    const std::size_t onset = rate / 50;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double falls = -60.0 * (static_cast<double>(i) - onset) / rate / time;
      x[i] = (i < onset ? 0.0 : normal_(random_) * std::pow(10.0, falls / 20.0)) +
             normal_(random_) * std::pow(10.0, -floor / 20.0);
    }
    return x;
  }
  // Syllables of noise with pauses.
  Signal speech(double seconds) {
    Signal x(static_cast<std::size_t>(seconds * rate), 0.0);
    for (double t = 0.1; t < seconds - 0.4; t += between(0.2, 0.6)) {
      const double length = between(0.1, 0.2), smooth = between(0.1, 0.9);
      double y = 0.0;
      for (auto i = static_cast<std::size_t>(t * rate); i < static_cast<std::size_t>((t + length) * rate); ++i) {
        y += smooth * (normal_(random_) - y);
        x[i] += std::sin(std::numbers::pi * (static_cast<double>(i) / rate - t) / length) * y;
      }
    }
    return x;
  }
  // Notes of strings, each of which decays.
  Signal plucked(double seconds) {
    Signal x(static_cast<std::size_t>(seconds * rate), 0.0);
    for (double t = 0.05; t < seconds; t += between(0.15, 0.5)) {
      const double pitch = 110.0 * std::exp2(std::floor(between(0.0, 36.0)) / 12.0);
      for (auto i = static_cast<std::size_t>(t * rate); i < x.size(); ++i) {
        const double s = static_cast<double>(i) / rate - t;
        for (int h = 1; h < 6; ++h) x[i] += std::sin(2.0 * std::numbers::pi * pitch * h * s) * std::exp(-4.0 * s) / h;
      }
    }
    return x;
  }

 private:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("exchanged_files: speech and music in the place of responses are noted, in the right order not") {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& name, const Signal& samples, const std::string& comment = "") {
    write_audio(folder / name, {samples}, rate, SampleFormat::float32, true, comment);
    return (folder / name).string();
  };
  Maker maker;
  const std::vector<std::string> dry = {file("speech.wav", maker.speech(4.0)), file("plucked.wav", maker.plucked(3.0))};
  const std::vector<std::string> responses = {file("short.wav", maker.decay(0.3, 0.6, 90.0)),
                                              file("noisy.wav", maker.decay(1.2, 2.0, 40.0))};
  const std::string stated = file("stated.wav", maker.decay(0.3, 0.6, 90.0), to_text(ResponseNote{}));
  for (const std::string& signal : dry) {
    for (const std::string& response : responses) {
      CAPTURE(signal, response);
      CHECK(remark_on_files(response, signal) == "");
      const std::string remark = remark_on_files(signal, response);
      CHECK(says(remark, signal + " may not be an impulse response"));
      CHECK(says(remark, "are the two exchanged? The response comes first: `fdtd auralize " + response + " " + signal));
    }
    CHECK(remark_on_files(stated, signal) == "");
    CHECK(says(remark_on_files(signal, stated), stated + " is an impulse response, as its comment says: are the two"));
    CHECK(remark_on_dry(signal) == "");
  }
  // Two signals that are no responses: a remark on the first, none on their order.
  const std::string two = remark_on_files(dry[0], dry[1]);
  CHECK(says(two, "may not be an impulse response"));
  CHECK_FALSE(says(two, "exchanged"));
  // A noise that goes on is no response, though nothing else denies it.
  Signal endless = maker.decay(1e9, 2.0, 300.0);
  endless.erase(endless.begin(), endless.begin() + rate / 50);
  const std::string noise = file("noise.wav", endless);
  CHECK(says(remark_on_files(dry[0], noise), "may not be an impulse response"));
  CHECK_FALSE(says(remark_on_files(dry[0], noise), "exchanged"));
  // Dry signals that decay, and a response of three samples.
  CHECK(remark_on_files(responses[0], responses[1]) == "");
  CHECK(remark_on_files(file("three.wav", {0.5, 0.0, -0.25}), dry[0]) == "");
  CHECK(says(remark_on_dry(stated), "stands where the dry signal is expected"));
  CHECK(says(remark_on_files(stated, stated), "stands where the dry signal is expected"));
}
