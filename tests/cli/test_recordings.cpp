// Responses rendered again, and signals as the receivers record them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/responses/air_absorption.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/small_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("render makes the same files from the result again, and others on request", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "made"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path()).status == 0);
  for (const char* file : {"ir_R1.wav", "ir_R2.wav", "responses.wav"})
    CHECK(read_file(folder.path() / "made" / file) == read_file(folder.path() / "again" / file));
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "other", "--rate", "16000", "--format", "pcm24", "--normalize"},
                   folder.path())
              .status == 0);
  const Audio audio = read_audio(folder.path() / "other/responses.wav");
  CHECK(audio.sample_rate == 16000.0);
  double peak = 0.0;
  for (const auto& channel : audio.channels)
    for (double value : channel) peak = std::max(peak, std::abs(value));
  CHECK(peak == Approx(1.0).margin(1e-6));
  CHECK(run_fdtd({"render", "small.toml"}, folder.path()).status == 5);
  CHECK(run_fdtd({"render", "missing.h5"}, folder.path()).status == 5);
}

TEST_CASE("air takes its share of a response, and render knows of it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const std::vector<std::string> dry_cold = {"--set", "air.temperature=-10", "--set", "air.relative_humidity=10",
                                             "--set", "above.method=none"};
  const auto run = [&](const char* name, const char* absorption) {
    std::vector<std::string> arguments = {
        "run", "small.toml", "-o", name, "--json", "--set", std::string("air.absorption=") + absorption};
    arguments.insert(arguments.end(), dry_cold.begin(), dry_cold.end());
    return json_of(run_fdtd(arguments, folder.path()));
  };
  CHECK(run("off", "false")["plan"]["air_absorption"] == false);
  CHECK(run("on", "true")["plan"]["air_absorption"] == true);
  std::vector<double> off = read_audio(folder.path() / "off/ir_R1.wav").channels[0];
  const std::vector<double> on = read_audio(folder.path() / "on/ir_R1.wav").channels[0];
  AirState air{-10.0, 10.0, 101.325, 331.3 * std::sqrt(1.0 - 10.0 / 273.15)};
  absorb_by_air(off, 48000.0, air);
  double largest = 0.0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    CHECK(on[i] == Approx(off[i]).margin(1e-7));
    largest = std::max(largest, std::abs(on[i]));
  }
  CHECK(largest > 1e-3);
  REQUIRE(run_fdtd({"render", "on/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "on/ir_R1.wav") == read_file(folder.path() / "again/ir_R1.wav"));
  const Outcome outside =
      run_fdtd({"plan", "small.toml", "--set", "air.absorption=true", "--set", "air.temperature=70"}, folder.path());
  CHECK(outside.out.find("beyond the range of ISO 9613-1") != std::string::npos);
}

TEST_CASE("a signal is played: the recording is its convolution with the response", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> click(200, 0.0);
  click[3] = 0.5;
  click[100] = -0.25;
  write_audio(folder.path() / "click.wav", {click}, 48000, SampleFormat::float32, false);
  folder.write("small.toml", small_room + "");
  REQUIRE(
      run_fdtd({"run", "small.toml", "-o", "made", "--set", "source.S1.signal=\"click.wav\""}, folder.path()).status ==
      0);
  const auto ir = read_audio(folder.path() / "made/ir_R1.wav").channels[0];
  const auto recording = read_audio(folder.path() / "made/recording_R1.wav").channels[0];
  REQUIRE(recording.size() == ir.size() + click.size() - 1);                   // the response to the last sample, too
  const auto at = [&](std::size_t i) { return i < ir.size() ? ir[i] : 0.0; };  // below 0 it wraps around
  for (std::size_t i = 0; i < recording.size(); ++i) {
    const double expected = 0.5 * at(i - 3) - 0.25 * at(i - 100);
    REQUIRE(recording[i] == Approx(expected).margin(1e-7));
  }
}

TEST_CASE("a recording that cannot be written loses neither the simulation nor the next run", "[cli]") {
  const TemporaryFolder folder;
  write_audio(folder.path() / "loud.wav", {std::vector<double>(500, 1e38)}, 48000, SampleFormat::float32, false);
  folder.write("small.toml", small_room);
  const std::vector<std::string> command = {"run",  "small.toml", "-o",
                                            "made", "--set",      "source.S1.signal=\"loud.wav\""};
  const Outcome outcome = run_fdtd(command, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 4);
  CHECK(outcome.err.find("recording_R1.wav") != std::string::npos);
  CHECK(outcome.err.find("made/result.h5 holds the simulation") != std::string::npos);
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path()).status == 0);
  std::vector<std::string> resumed = command;
  resumed.emplace_back("--resume");
  CHECK(run_fdtd(resumed, folder.path()).out.find("is complete") == std::string::npos);  // it is not
}

TEST_CASE("a signal is played to its end, however long it is, and memory does not hold it", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> click(100, 0.0);
  click[3] = 0.5;
  write_audio(folder.path() / "click.wav", {click}, 8000, SampleFormat::float32, false);
  // The same with ten million samples after it, which take no place on the disk; and with two thousand million.
  std::string bytes = read_file(folder / "click.wav");
  const std::size_t data = bytes.find("data");
  const auto stretch = [&](const char* name, std::uint32_t length) {
    std::memcpy(bytes.data() + data + 4, &length, 4);
    std::ofstream(folder / name, std::ios::binary) << bytes;
    std::filesystem::resize_file(folder / name, data + 8 + length);
  };
  stretch("long.wav", 40'000'000);
  stretch("vast.wav", 4'000'000'000);
  folder.write("small.toml", small_room);
  const auto run = [&](const char* signal, const char* more) {
    return run_fdtd({"run", "small.toml", "-o", signal, "--set", fmt::format("source.S1.signal=\"{}.wav\"", signal),
                     "--set", "output.sample_rate=8000", more},
                    folder.path());
  };
  REQUIRE(run("click", "--json").status == 0);
  const Outcome longer = run("long", "--json");
  REQUIRE(longer.status == 0);
  CHECK(longer.peak_bytes < 200'000'000);  // its samples take 80 MB, the recording as many
  const auto a = read_audio(folder.path() / "click/recording_R1.wav").channels[0];
  const auto b = read_audio(folder.path() / "long/recording_R1.wav").channels[0];
  const auto ir = read_audio(folder.path() / "long/ir_R1.wav").channels[0];
  CHECK(a.size() == ir.size() + 99);
  REQUIRE(b.size() == ir.size() + 9'999'999);
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i] == Approx(b[i]).margin(1e-6));
  CHECK(std::all_of(b.begin() + static_cast<std::ptrdiff_t>(a.size()), b.end(),
                    [](double x) { return std::abs(x) < 1e-9; }));
  // A plan reads no more than the header.
  const Outcome vast = run("vast", "--dry-run");
  CHECK(vast.status == 0);
  CHECK(vast.peak_bytes < 200'000'000);
}
