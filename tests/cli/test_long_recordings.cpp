// Recordings that are longer than memory holds: what they are measured and played as, in how much memory.
#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

namespace {

// Noise that falls by 60 dB in 0.9 s, after 5000 samples of silence, at 48 kHz.
std::vector<double> response() {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> ir(5000, 0.0);
  for (int n = 0; n < 60000; ++n) ir.push_back(0.2 * normal(random) * std::pow(10.0, -3.0 * n / 48000.0 / 0.9));
  return ir;
}

// Silence after the samples that a WAV file of one channel holds, up to `samples`: it takes no place on the disk.
void lengthen(const fs::path& file, std::uint64_t samples) {
  std::string bytes = read_file(file);
  const std::size_t data = bytes.find("data");
  const auto length = static_cast<std::uint32_t>(4 * samples);
  std::memcpy(bytes.data() + data + 4, &length, 4);
  std::ofstream(file, std::ios::binary) << bytes;
  fs::resize_file(file, data + 8 + length);
}

void write(const fs::path& file, int rate, const std::vector<std::vector<double>>& channels) {
  write_audio(file, {channels.begin(), channels.end()}, rate, SampleFormat::float32, false);
}

// kB of address space that the program takes before it does anything.
int address_space(const fs::path& folder) {
  int kilobytes = 30000;
  const auto starts = [&] {
    return RunningFdtd({"-c", fmt::format("ulimit -v {} && exec \"$0\" --version", kilobytes), tested_program()},
                       folder, {}, "/bin/sh")
               .wait()
               .status == 0;
  };
  for (; !starts(); kilobytes += 10000) REQUIRE(kilobytes < 1000000);
  return kilobytes;
}

Outcome within(int kilobytes, const std::string& arguments, const fs::path& folder) {
  return RunningFdtd({"-c", fmt::format("ulimit -v {} && exec \"$0\" {}", kilobytes, arguments), tested_program()},
                     folder, {}, "/bin/sh")
      .wait();
}

void check_figures(const nlohmann::json& found, const nlohmann::json& expected, double tolerance) {
  CHECK(found["onset"] == expected["onset"]);
  CHECK(found["valid_bandwidth"] == expected["valid_bandwidth"]);
  REQUIRE(found["bands"].size() == expected["bands"].size());
  for (std::size_t b = 0; b <= found["bands"].size(); ++b)
    for (const char* key : {"EDT", "T20", "T30", "C50", "C80", "D50", "Ts"}) {
      const auto& x = (b == 0 ? found["broadband"] : found["bands"][b - 1])[key];
      const auto& y = (b == 0 ? expected["broadband"] : expected["bands"][b - 1])[key];
      INFO(b << " " << key);
      REQUIRE(x.is_number() == y.is_number());
      if (y.is_number()) CHECK(x.get<double>() == Approx(y.get<double>()).epsilon(tolerance).margin(tolerance));
    }
}

}  // namespace

TEST_CASE("metrics measures a recording of any length, in little memory", "[cli]") {
  const TemporaryFolder folder;
  for (const char* name : {"short.wav", "long.wav"}) write(folder.path() / name, 48000, {response()});
  lengthen(folder.path() / "short.wav", 300'000);
  lengthen(folder.path() / "long.wav", 70'000'000);  // 280 MB; more than 8 GB for one transform and an octave
  const Outcome outcome = run_fdtd({"metrics", "long.wav", "--json"}, folder.path());
  CHECK(outcome.peak_bytes < 350'000'000 * times_memory);
  check_figures(json_of(outcome), json_of(run_fdtd({"metrics", "short.wav", "--json"}, folder.path())), 1e-5);
}

TEST_CASE("metrics has the same figures where a recording does not fit into memory", "[cli]") {
  if (sanitized) return;  // their shadow memory is larger than any limit here
  const TemporaryFolder folder;
  std::vector<double> ir = response();
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  ir.resize(6'000'000, 0.0);
  for (double& x : ir) x += 1e-5 * normal(random);
  write(folder.path() / "noisy.wav", 48000, {ir});
  const std::string arguments = "metrics noisy.wav --json --max-frequency 180";
  const int kilobytes = address_space(folder.path()) + 450'000;  // in memory it would take 720 MB
  const Outcome outcome = within(kilobytes, arguments, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  check_figures(json_of(outcome), json_of(within(8'000'000, arguments, folder.path())), 1e-7);
  const Outcome refused = within(kilobytes - 400'000, arguments, folder.path());
  CHECK(refused.status == 3);
  CHECK(refused.err.find("to measure it needs") != std::string::npos);
}

TEST_CASE("auralize convolves a recording of any length, in little memory and to the same bytes", "[cli]") {
  const TemporaryFolder folder;
  write(folder.path() / "ir.wav", 48000, {{0.5, 0.0, -0.25}, {0.0, 0.125, 0.0}});
  write(folder.path() / "dry.wav", 48000, {{0.0, 1.0, 0.0, -0.5}});
  constexpr std::uint64_t samples = 8'000'000;  // 64 MB as doubles, 320 MB with what is made of them
  lengthen(folder.path() / "dry.wav", samples);
  const Outcome outcome = run_fdtd({"auralize", "ir.wav", "dry.wav", "-o", "wet.wav", "--normalize"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.peak_bytes < 60'000'000 * times_memory);
  const Audio wet = read_audio(folder.path() / "wet.wav");
  REQUIRE(wet.channels.size() == 2);
  REQUIRE(wet.channels[0].size() == samples + 2);
  for (const auto& [channel, sample, value] : std::vector<std::tuple<std::size_t, std::size_t, double>>{
           {0, 1, 1.0}, {0, 3, -1.0}, {0, 5, 0.25}, {1, 2, 0.25}, {1, 4, -0.125}, {0, samples + 1, 0.0}})
    CHECK(wet.channels[channel][sample] == Approx(value).margin(1e-7));

  // Another rate: the signal passes through the resampler as it comes.
  write(folder.path() / "tone.wav", 44100, {std::vector<double>(300'000, 0.25)});
  REQUIRE(run_fdtd({"auralize", "ir.wav", "tone.wav", "-o", "tone_48.wav"}, folder.path()).status == 0);
  const Audio tone = read_audio(folder.path() / "tone_48.wav");
  REQUIRE(tone.channels[0].size() == 326'531 + 2);
  CHECK(tone.channels[0][200'000] == Approx(0.0625).margin(1e-6));
}

TEST_CASE("auralize ended by a signal leaves no file", "[cli]") {
  const TemporaryFolder folder;
  write(folder.path() / "ir.wav", 48000, {{0.5, 0.25}});
  write(folder.path() / "dry.wav", 48000, {{1.0}});
  lengthen(folder.path() / "dry.wav", 500'000'000);
  RunningFdtd running({"auralize", "ir.wav", "dry.wav", "-o", "wet.wav"}, folder.path());
  const auto begun = [&] {
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (entry.path().extension() == ".part" && fs::file_size(entry.path()) > 100'000) return true;
    return false;
  };
  for (int i = 0; i < 3000 && !begun(); ++i) sleep_for(0.01);
  running.send(SIGINT);
  const Outcome outcome = running.wait();
  INFO(outcome.err);
  CHECK(outcome.status == 130);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"dry.wav", "ir.wav"});
}
