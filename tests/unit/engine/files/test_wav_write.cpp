#include "tests/support/catch.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::vector<std::span<const double>> spans(const std::vector<std::vector<double>>& channels) {
  return {channels.begin(), channels.end()};
}

Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::done, "");
}

bool mentions(const Error& error, const std::string& text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

std::vector<std::vector<double>> waves(std::size_t channels, std::size_t frames) {
  std::vector<std::vector<double>> out(channels, std::vector<double>(frames));
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t n = 0; n < frames; ++n) out[c][n] = 0.9 * std::sin(0.01 * static_cast<double>((c + 1) * n));
  return out;
}

// The 32-bit little-endian number at a place of the header.
unsigned number_at(const std::string& bytes, std::size_t place) {
  unsigned value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[place + i]);
  return value;
}

}  // namespace

TEST_CASE("audio_file: float32 gives back its samples, one channel and many") {
  const TemporaryFolder folder;
  for (const std::size_t channels : {1, 2, 7, 1024}) {
    const auto x = waves(channels, channels > 100 ? 50 : 10007);
    CHECK(write_audio(folder / "a.wav", spans(x), 44100, SampleFormat::float32, true) == 0);
    const auto audio = read_audio(folder / "a.wav");
    CHECK(audio.sample_rate == 44100.0);
    REQUIRE(audio.channels.size() == channels);
    for (std::size_t c = 0; c < channels; ++c) {
      REQUIRE(audio.channels[c].size() == x[c].size());
      for (std::size_t n = 0; n < x[c].size(); ++n)
        REQUIRE(audio.channels[c][n] == static_cast<double>(static_cast<float>(x[c][n])));
    }
  }
}

TEST_CASE("audio_file: float32 keeps values beyond full scale, pcm24 clips and counts them") {
  const TemporaryFolder folder;
  const std::vector<std::vector<double>> x = {{0.0, 0.5, -0.25, 1.0, -1.0, 1.5, -3.0, 1e-7}};
  CHECK(write_audio(folder / "f.wav", spans(x), 48000, SampleFormat::float32, false) == 0);
  CHECK(read_audio(folder / "f.wav").channels[0][6] == -3.0);
  CHECK(write_audio(folder / "p.wav", spans(x), 48000, SampleFormat::pcm24, false) == 2);
  const auto y = read_audio(folder / "p.wav").channels[0];
  const double step = std::ldexp(1.0, -23);
  const std::vector<double> expected = {0.0, 0.5, -0.25, 1.0 - step, -1.0, 1.0 - step, -1.0};
  for (std::size_t n = 0; n < expected.size(); ++n) CHECK(std::abs(y[n] - expected[n]) <= step);
  CHECK(y[5] > 0.99);  // not wrapped around
  CHECK(std::abs(y[7]) <= step);
}

TEST_CASE("audio_file: the bytes are a plain WAV header and samples, the same every time") {
  const TemporaryFolder folder;
  const auto x = waves(2, 1000);
  write_audio(folder / "a.wav", spans(x), 48000, SampleFormat::float32, false);
  write_audio(folder / "b.wav", spans(x), 48000, SampleFormat::float32, false);
  const auto bytes = read_file(folder / "a.wav");
  CHECK(bytes == read_file(folder / "b.wav"));
  CHECK(bytes.substr(0, 4) == "RIFF");
  CHECK(number_at(bytes, 4) == bytes.size() - 8);
  CHECK(bytes.substr(8, 8) == "WAVEfmt ");
  CHECK(number_at(bytes, 24) == 48000);
  CHECK(bytes.find("PEAK") == std::string::npos);  // it would hold a clock
  const auto data = bytes.find("data");
  REQUIRE(data != std::string::npos);
  CHECK(number_at(bytes, data + 4) == 8000);
  CHECK(bytes.size() == data + 8 + 8000);
  float first_right = 0.0f;
  std::memcpy(&first_right, bytes.data() + data + 8 + 8 * 5 + 4, 4);
  CHECK(first_right == static_cast<float>(x[1][5]));
}

TEST_CASE("audio_file: what cannot be written is refused and leaves nothing") {
  const TemporaryFolder folder;
  const auto x = waves(1, 10);
  const auto write = [&](const std::vector<std::vector<double>>& y, int rate = 48000) {
    return error_of([&] { write_audio(folder / "a.wav", spans(y), rate, SampleFormat::float32, false); });
  };
  CHECK(write({}).status == Status::scene);
  CHECK(mentions(write(waves(1025, 1)), "1025 channels"));
  CHECK(write({{0.0, 1.0}, {0.0}}).status == Status::scene);
  CHECK(write(x, 0).status == Status::scene);
  CHECK(mentions(write({{0.0, 1.0, std::numeric_limits<double>::infinity()}}), "sample 2 of channel 1"));
  CHECK(write({{1e300}}).status == Status::numerical);  // not finite as a float
  CHECK(folder.entries() == 0);
  CHECK(write(x).status == Status::done);
  CHECK(write(x).status == Status::file);  // exists
}

TEST_CASE("audio_file: a full disk gives an error and no file, in both formats") {
  const TemporaryFolder folder;
  const auto x = waves(1, 100000);
  const FileSizeLimit limit(50000);
  for (const auto format : {SampleFormat::float32, SampleFormat::pcm24}) {
    const auto error = error_of([&] { write_audio(folder / "a.wav", spans(x), 48000, format, false); });
    CHECK(error.status == Status::file);
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("audio_file: damaged and foreign files are refused") {
  const TemporaryFolder folder;
  write_audio(folder / "good.wav", spans(waves(1, 5000)), 48000, SampleFormat::float32, false);
  const auto good = read_file(folder / "good.wav");
  const auto refused = [&](const std::string& bytes, const std::string& because) {
    std::ofstream(folder / "bad.wav", std::ios::binary) << bytes;
    const auto error = error_of([&] { read_audio(folder / "bad.wav"); });
    INFO(error.what());
    return error.status == Status::file && mentions(error, because);
  };
  CHECK(refused("", "cannot be read as audio"));
  CHECK(refused("not a sound", "cannot be read as audio"));
  CHECK(refused(good.substr(0, good.size() - 4000), "ends early"));
  CHECK(refused(good.substr(0, 30), ""));
  auto poisoned = good;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(poisoned.data() + good.size() - 40, &nan, 4);
  CHECK(refused(poisoned, "sample 4990 of channel 1 is not finite"));
  auto greedy = good;  // a data chunk of almost 4 GiB
  greedy.replace(good.find("data") + 4, 4, "\xF0\xFF\xFF\xFF");
  CHECK(refused(greedy, "ends early"));
  CHECK(error_of([&] { read_audio(folder / "none.wav"); }).status == Status::file);
  CHECK(error_of([&] { read_audio(folder.path()); }).status == Status::file);
}

TEST_CASE("audio_file: parts make the same file as the whole, which appears when it is finished") {
  const TemporaryFolder folder;
  const auto x = waves(3, 10007);
  write_audio(folder / "whole.wav", spans(x), 48000, SampleFormat::pcm24, false, "a note");
  {
    AudioWriter writer(folder / "parts.wav", 3, 10007, 48000, SampleFormat::pcm24, false, "a note");
    for (std::size_t begin = 0; begin < 10007; begin += 4099) {
      std::vector<std::span<const double>> part;
      for (const auto& channel : x)
        part.push_back(std::span(channel).subspan(begin, std::min<std::size_t>(4099, 10007 - begin)));
      writer.write(part);
    }
    CHECK_FALSE(std::filesystem::exists(folder / "parts.wav"));
    CHECK(writer.finish() == 0);
  }
  CHECK(read_file(folder / "parts.wav") == read_file(folder / "whole.wav"));
  const auto before = folder.entries();
  CHECK(mentions(error_of([&] {
                   AudioWriter writer(folder / "less.wav", 3, 10008, 48000, SampleFormat::pcm24, false);
                   writer.write(spans(x));
                   writer.finish();
                 }),
                 "10008 samples a channel were to be written, there are 10007"));
  { const AudioWriter unfinished(folder / "less.wav", 3, 10008, 48000, SampleFormat::pcm24, false); }
  CHECK(folder.entries() == before);
}

TEST_CASE("audio_file: what is longer than 4 GiB begins as RF64") {
  const TemporaryFolder folder;
  AudioWriter writer(folder / "long.wav", 1, 1'200'000'000, 48000, SampleFormat::float32, false);
  const std::vector<double> some(100'000, 0.5);
  writer.write({some});
  const auto part = *std::filesystem::directory_iterator(folder.path());
  CHECK(read_file(part.path()).substr(0, 4) == "RF64");
}
