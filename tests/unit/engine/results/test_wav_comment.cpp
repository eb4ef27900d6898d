#include "engine/results/wav_comment.hpp"

#include <span>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("response_note: read back as written, and nothing else is taken for one") {
  for (const ResponseNote& note :
       {ResponseNote{1.0, 1500.0}, ResponseNote{1.0 / 3.0, 0.0}, ResponseNote{1e-9, 22857.14},
        ResponseNote{1.0, 700.0, 0.0, {0.0123}}, ResponseNote{1.0, 700.0, 20.0, {}},
        ResponseNote{1.0, 700.0, 20.0, {0.0, 1.0 / 3.0, 1e-3}}}) {
    const auto back = read_response_note(to_text(note));
    REQUIRE(back);
    CHECK(back->scale == note.scale);
    CHECK(back->bandwidth == note.bandwidth);
    CHECK(back->low_cut == note.low_cut);
    CHECK(back->earliest == note.earliest);
    ResponseNote named = note;
    named.channels = "front, 10";
    CHECK(read_response_note(to_text(named))->channels == "front, 10");
    CHECK(read_response_note(to_text(named))->earliest == note.earliest);
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

TEST_CASE("response_note: each channel of a file has its own time of flight") {
  const ResponseNote each{1.0, 700.0, 20.0, {0.01, 0.02, 0.03}}, equal{1.0, 700.0, 20.0, {0.02, 0.02}};
  const auto read = read_response_note(to_text(each));
  CHECK(read->earliest_of(0, 3) == 0.01);
  CHECK(read->earliest_of(2, 3) == 0.03);
  CHECK(read->earliest_of(0, 1) == 0.0);  // a program has taken channels out and kept the comment
  CHECK(read->earliest_of(3, 3) == 0.0);
  CHECK(read_response_note(to_text(equal))->earliest == std::vector<double>{0.02});
  CHECK(read_response_note(to_text(equal))->earliest_of(1, 2) == 0.02);
  CHECK(ResponseNote{}.earliest_of(0, 1) == 0.0);
}

TEST_CASE("response_note: a file of as many channels as one can hold carries all times") {
  const TemporaryFolder folder;
  ResponseNote note{1.0, 700.0, 20.0, {}};
  for (std::size_t c = 0; c < max_audio_channels; ++c) note.earliest.push_back(static_cast<double>(c + 1) / 7777.0);
  const std::vector<double> sample = {0.5};
  write_audio(folder / "wide.wav", std::vector<std::span<const double>>(max_audio_channels, sample), 48000,
              SampleFormat::float32, true, to_text(note));
  const auto back = read_response_note(read_audio(folder / "wide.wav").comment);
  REQUIRE(back);
  CHECK(back->earliest == note.earliest);
}
