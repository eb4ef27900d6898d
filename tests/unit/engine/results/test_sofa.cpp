// SOFA files, read by the HDF5 library as others would: one measurement a pair of a source and a receiver.
#include "engine/results/sofa.hpp"

#include <cmath>
#include <string>

#include "base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/h5_library.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Two sources, one of them a cardioid's two channels; a receiver of one channel and an ambisonic one of four.
Result example() {
  Result result;
  result.version = "0.1.0";
  result.run = {"cpu", "2024-01-01T00:00:00Z", 1.0};
  result.recording.sources = read_channel_names({"S1", "S1:v", "S2"});
  result.recording.receivers = read_channel_names({"seat", "ambi:00", "ambi:01", "ambi:02", "ambi:03"});
  result.source_positions = {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}};
  result.source_directions = {{1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  for (int r = 0; r < 5; ++r) {
    result.receiver_positions.push_back({0.5 * r, 1, 2});
    result.receiver_directions.push_back({0, 0, 0});
  }
  result.room_box = {7, 8, 9};
  result.rendered.sample_rate = 48000;
  result.rendered.samples = 6;
  for (int i = 0; i < 3 * 5 * 6; ++i) result.rendered.ir.push_back(0.25 * i);
  return result;
}

}  // namespace

TEST_CASE("sofa: receivers of one channel and ambisonic ones go into files of their own, a row a pair") {
  const Result result = example();
  const TemporaryFolder folder;
  const auto files = sofa_files(result.recording);
  REQUIRE(files.size() == 2);
  for (const SofaFile& file : files) {
    INFO(file.name);
    write_sofa(folder / file.name, result, file, false);
    CHECK_THROWS_AS(write_sofa(folder / file.name, result, file, false), Error);  // it exists
    write_sofa(folder / file.name, result, file, true);
    const auto path = folder / file.name;
    CHECK(h5_shape(path, "/Data.IR") == std::vector<std::int64_t>{2, file.channels, 6});
    const auto ir = h5_values(path, "/Data.IR");
    const std::size_t first = file.channels == 1 ? 0 : 1;  // among the receivers' channels
    for (std::size_t pair = 0; pair < 2; ++pair)
      for (std::size_t c = 0; c < static_cast<std::size_t>(file.channels); ++c)
        for (std::size_t n = 0; n < 6; ++n)
          CHECK(ir[(pair * static_cast<std::size_t>(file.channels) + c) * 6 + n] ==
                0.25 * static_cast<double>(((pair == 0 ? 0 : 2) * 5 + first + c) * 6 + n));
    CHECK(h5_values(path, "/Data.SamplingRate") == std::vector<double>{48000.0});
    CHECK(h5_values(path, "/SourcePosition") == std::vector<double>{1, 2, 3, 4, 5, 6});
  }
  CHECK(files[0].name == "responses.sofa");
  CHECK(files[1].channels == 4);
}

TEST_CASE("sofa: an array has a file of its own, with its microphones about their mean") {
  Result result = example();
  result.recording.receivers = read_channel_names({"seat", "eye:m01", "eye:m02", "eye:m03", "eye:m04"});
  const TemporaryFolder folder;
  const auto files = sofa_files(result.recording);
  REQUIRE(files.size() == 2);
  CHECK(files[1].name == "responses_array_eye.sofa");
  CHECK(files[1].array == "eye");
  write_sofa(folder / "eye.sofa", result, files[1], false);
  CHECK(h5_shape(folder / "eye.sofa", "/Data.IR") == std::vector<std::int64_t>{2, 4, 6});
  CHECK(h5_values(folder / "eye.sofa", "/Data.IR").front() == 0.25 * 6);
  CHECK(h5_values(folder / "eye.sofa", "/ListenerPosition") == std::vector<double>{1.25, 1, 2, 1.25, 1, 2});
  CHECK(h5_values(folder / "eye.sofa", "/ReceiverPosition") ==
        std::vector<double>{-0.75, 0, 0, -0.25, 0, 0, 0.25, 0, 0, 0.75, 0, 0});
  write_sofa(folder / "seat.sofa", result, files[0], false);
  CHECK(h5_shape(folder / "seat.sofa", "/Data.IR") == std::vector<std::int64_t>{2, 1, 6});
}

TEST_CASE("sofa: the description of an array's channels states their names and weights") {
  Result result = example();
  result.recording.receivers = read_channel_names({"seat", "eye::front", "eye::10", "eye::left", "eye::up"});
  result.options.weights = {1.0, 1.0, 0.5, -2.0, 1.0};
  const TemporaryFolder folder;
  const auto files = sofa_files(result.recording);
  REQUIRE(files.size() == 2);
  const auto description = [&] {
    write_sofa(folder / "eye.sofa", result, files[1], true);
    return h5_text(folder / "eye.sofa", "ReceiverDescription");
  };
  const std::string names = "the microphones of eye: front, 10, left, up; ",
                    position = "the listener's position is the mean of theirs";
  CHECK(description() == names + "multiplied by the weights 1, 0.5, -2, 1; " + position);
  result.options.weights = {2.0, 1.0, 1.0, 1.0, 1.0};  // of another array
  CHECK(description() == names + position);
}
