// Which sound files a run writes, and which channels they hold.
#include "engine/results/audio_files.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/results/wav_comment.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::vector<ChannelId> numbered(const std::string& name, std::size_t count) {
  std::vector<ChannelId> channels;
  for (std::size_t i = 0; i < count; ++i) channels.emplace_back(fmt::format("{}{}", name, i));
  return channels;
}

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  return names;
}

}  // namespace

TEST_CASE("audio files: one for each receiver, and one of all") {
  CHECK(names_of(audio_files({"S"}, {"A"}, {false}, "")) == std::vector<std::string>{"ir_A.wav"});
  CHECK(names_of(audio_files({"S"}, {"A", "B"}, {true}, "")) ==
        std::vector<std::string>{"ir_A.wav", "ir_B.wav", "responses.wav", "recording_A.wav", "recording_B.wav"});
  CHECK(names_of(audio_files({"S", "T"}, {"A", "B"}, {false, false}, "")) ==
        std::vector<std::string>{"ir_S_A.wav", "ir_S_B.wav", "responses_S.wav", "ir_T_A.wav", "ir_T_B.wav",
                                 "responses_T.wav"});
  CHECK(names_of(audio_files({"S"}, numbered("R", max_single_responses), {false}, "")).size() ==
        max_single_responses + 1);
}

TEST_CASE("audio files: many receivers share files of as many channels as one can hold, in their order") {
  const TemporaryFolder folder;
  const std::size_t count = 2 * max_audio_channels + 3;
  Responses responses;
  responses.sources = {"S"};
  responses.receivers = numbered("R", count);
  Rendered rendered;
  rendered.samples = 2;
  for (std::size_t i = 0; i < count; ++i) {
    rendered.ir.push_back(static_cast<double>(i));
    rendered.ir.push_back(-static_cast<double>(i));
  }
  responses.rendered = &rendered;
  responses.signals = {std::make_shared<SamplesInMemory>(std::vector<double>{2.0, 0.0, 1.0})};
  AudioOptions options;
  options.folder = folder.path();
  const Written written = write_audio_files(responses, options);
  CHECK(names_of(written.files) == std::vector<std::string>{"responses_1.wav", "responses_2.wav", "responses_3.wav",
                                                            "recordings_1.wav", "recordings_2.wav",
                                                            "recordings_3.wav"});
  CHECK(names_of(written.files) == names_of(audio_files(responses.sources, responses.receivers, {true}, "")));
  CHECK(names_in(folder.path()).size() == 6);
  REQUIRE(written.remarks.size() == 1);
  CHECK_THAT(written.remarks[0], Catch::Matchers::Contains("2051 responses share sound files of up to 1024 channels"));
  const Audio second = read_audio(folder / "responses_2.wav"), third = read_audio(folder / "recordings_3.wav");
  REQUIRE(second.channels.size() == max_audio_channels);
  CHECK(second.channels[5] == std::vector<double>{1029.0, -1029.0});
  REQUIRE(third.channels.size() == 3);
  // The whole convolution: 2 + 3 - 1 samples.
  REQUIRE(third.channels[2].size() == 4);
  for (const auto& [at, value] : {std::pair{0, 2.0}, {1, -2.0}, {2, 1.0}, {3, -1.0}})
    CHECK(third.channels[2][static_cast<std::size_t>(at)] == Approx(value * 2050.0));
  const RecordingSize size =
      recording_size(responses.sources, responses.receivers, responses.signals, 2, options.format);
  double disk = 0.0;
  for (const auto& file : written.files)
    if (file.filename().string().starts_with("recordings"))
      disk += static_cast<double>(std::filesystem::file_size(file));
  CHECK(size.disk == Approx(disk).epsilon(0.3));  // with headers, of so short ones
  CHECK(size.memory > 0.0);
}

TEST_CASE("audio files: the channels of an ambisonic receiver stay in one file") {
  std::vector<ChannelId> receivers = numbered("R", 1022);
  for (int acn = 0; acn < 4; ++acn) receivers.emplace_back("array", ChannelKind::ambisonic, acn);
  CHECK(names_of(audio_files({"S"}, receivers, {false}, "")) ==
        std::vector<std::string>{"responses_1.wav", "responses_2.wav"});
}

TEST_CASE("audio files: every response, alone or beside others, states the time of flight of each channel") {
  const TemporaryFolder folder;
  Responses responses;
  responses.sources = {"S", "T"};
  responses.receivers = read_channel_names({"A", "B:00", "B:01", "B:02", "B:03"});
  Rendered rendered;
  rendered.samples = 2;
  rendered.ir.assign(20, 0.5);
  responses.rendered = &rendered;
  AudioOptions options;
  options.folder = folder.path();
  options.earliest = {0.1, 0.2, 0.2, 0.2, 0.2, 0.3, 0.4, 0.4, 0.4, 0.4};
  write_audio_files(responses, options);
  const auto earliest = [&](const char* name) {
    return read_response_note(read_audio(folder / name).comment).value().earliest;
  };
  CHECK(earliest("ir_S_A.wav") == std::vector<double>{0.1});
  CHECK(earliest("ir_T_B.wav") == std::vector<double>{0.4});
  CHECK(earliest("responses_S.wav") == std::vector<double>{0.1, 0.2, 0.2, 0.2, 0.2});
  CHECK(earliest("responses_T.wav") == std::vector<double>{0.3, 0.4, 0.4, 0.4, 0.4});
}
