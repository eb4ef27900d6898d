#include "engine/files/flac_write.hpp"

#include <cmath>

#include "base/error.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

namespace fdtd::test {

TEST_CASE("a FLAC stream holds its channels to half a step of 16 bits, and says how long it is") {
  std::vector<double> left, right;
  for (int i = 0; i < 5000; ++i) left.push_back(0.7 * std::sin(0.03 * i)), right.push_back(i == 17 ? 2.0 : -0.25);
  const std::string bytes = encode_flac({left, right}, 44100);
  CHECK(bytes == encode_flac({left, right}, 44100));
  const TemporaryFolder folder;
  folder.write("one.flac", bytes);
  const AudioHeader header = read_audio_header(folder.path() / "one.flac");
  CHECK(header.frames_stated);
  CHECK(header.frames == 5000);
  const Audio audio = read_audio(folder.path() / "one.flac");
  CHECK(audio.sample_rate == 44100.0);
  REQUIRE(audio.channels.size() == 2);
  double worst = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i)
    worst = std::max(worst, std::abs(audio.channels[0][i] * 32768.0 / 32767.0 - left[i]));
  CHECK(worst < 0.51 / 32767.0);
  CHECK(audio.channels[1][17] == Approx(1.0).margin(1e-4));  // clipped
}

TEST_CASE("FLAC that there is not is refused") {
  const std::vector<double> one(10), other(11);
  CHECK_THROWS_AS(encode_flac({}, 48000), Error);
  CHECK_THROWS_AS(encode_flac(std::vector<std::span<const double>>(9, one), 48000), Error);
  CHECK_THROWS_AS(encode_flac({one, other}, 48000), Error);
  CHECK_THROWS_AS(encode_flac({one}, 0), Error);
  CHECK_THROWS_AS(encode_flac({one}, 2000000), Error);
}

}  // namespace fdtd::test
