#include "engine/results/wav_comment.hpp"

#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("response_note: read back as written, and nothing else is taken for one") {
  for (const ResponseNote note :
       {ResponseNote{1.0, 1500.0}, ResponseNote{1.0 / 3.0, 0.0}, ResponseNote{1e-9, 22857.14},
        ResponseNote{1.0, 700.0, 0.0, 0.0123}, ResponseNote{1.0, 700.0, 20.0, std::nullopt}}) {
    const auto back = read_response_note(to_text(note));
    REQUIRE(back);
    CHECK(back->scale == note.scale);
    CHECK(back->bandwidth == note.bandwidth);
    CHECK(back->low_cut == note.low_cut);
    CHECK(back->earliest == note.earliest);
  }
  const std::string good = to_text({1.0, 1500.0});
  for (std::size_t length = 0; length < good.size(); ++length) CHECK_FALSE(read_response_note(good.substr(0, length)));
  CHECK_FALSE(read_response_note(to_text({-1.0, 1500.0})));
  CHECK_FALSE(read_response_note("made in a cathedral"));
}

TEST_CASE("response_note: goes through an audio file, and leaves its samples alone") {
  const TemporaryFolder folder;
  const std::vector<double> samples = {0.5, -0.25, 0.125};
  for (const auto format : {SampleFormat::float32, SampleFormat::pcm24}) {
    write_audio(folder / "noted.wav", {samples}, 48000, format, true, to_text({2.0, 1500.0}));
    const Audio audio = read_audio(folder / "noted.wav");
    CHECK(audio.comment == to_text({2.0, 1500.0}));
    CHECK(audio.channels[0] == samples);
  }
  write_audio(folder / "plain.wav", {samples}, 48000, SampleFormat::float32, true);
  CHECK(read_audio(folder / "plain.wav").comment.empty());
}
