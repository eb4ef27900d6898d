// Broken WAV files by the thousand: each is read or refused with a reason, in bounded time and memory.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using fdtd::test::TemporaryFolder;

TEST_CASE("a thousand broken WAV files are read or refused with a reason") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "w.wav";
  std::vector<std::vector<double>> channels(2, std::vector<double>(300));
  for (std::size_t i = 0; i < 300; ++i) channels[i % 2][i] = std::sin(0.1 * static_cast<double>(i));
  std::mt19937 random(20'260'102);
  int read = 0, refused = 0;
  for (const SampleFormat format : {SampleFormat::float32, SampleFormat::pcm24}) {
    write_audio(file, {channels[0], channels[1]}, 48000, format, true);
    const std::string whole = fdtd::test::read_file(file);
    for (int i = 0; i < 500; ++i) {
      // The header is where it hurts: every second file is broken there alone.
      const std::size_t head = i % 2 == 0 ? 60 : whole.size();
      folder.write("w.wav", fdtd::test::mutated(whole.substr(0, head), random) + whole.substr(head));
      try {
        const Audio audio = read_audio(file);
        ++read;
        for (const auto& channel : audio.channels) CHECK(channel.size() == audio.channels[0].size());
        CHECK(audio.sample_rate > 0.0);
      } catch (const Error& error) {
        ++refused;
        CHECK(error.status == Status::file);
        CHECK(std::string(error.what()).size() > 10);
      }
    }
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}
