// FLAC files of another encoder: SoX 14.4.2 with libFLAC 1.4.2 made those of tests/fuzz/corpus/flac from the signals
// below, at levels of compression that take each kind of channel.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/files/flac_read.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

using Signal = std::vector<std::int64_t>;

const std::filesystem::path corpus = std::filesystem::path(FDTD_SOURCE_DIR) / "tests/fuzz/corpus/flac";

// Rounded down.
std::int64_t quotient(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

std::int64_t triangle(std::int64_t n, std::int64_t period, std::int64_t amplitude) {
  const std::int64_t k = n % period;
  return quotient(amplitude * (2 * k < period ? 4 * k - period : 3 * period - 4 * k), period);
}

struct Signals {
  Signal tone, hiss, silence = Signal(3000, 0), burst;
  Signals() {
    std::uint32_t state = 7;
    for (std::int64_t n = 0; n < 3000; ++n) {
      state = state * 1664525U + 1013904223U;
      const std::int64_t noise = state >> 16 & 0x7FFF;
      tone.push_back(triangle(n, 97, 9000) + triangle(n, 31, 2000) + noise % 8 - 4);
      hiss.push_back(2 * noise - 32767);
      burst.push_back(n < 1500 ? 0 : quotient(triangle(n, 50, 12000) * (3000 - n), 1500));
    }
  }
};

template <class Change>
Signal changed(Signal signal, const Change& change) {
  for (std::int64_t& x : signal) x = change(x);
  return signal;
}

Audio read(const std::filesystem::path& path) { return read_all(*open_flac(InputFile(path))); }

std::string refusal(const std::filesystem::path& path) {
  try {
    read(path);
  } catch (const Error& error) {
    CHECK(error.status == Status::file);
    return error.what();
  }
  return "";
}

// RFC 9639's checksums: polynomials without their highest bit.
unsigned checksum(const std::string& bytes, int bits, unsigned polynomial) {
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << (bits - 8);
    for (int i = 0; i < 8; ++i) crc = (crc >> (bits - 1) & 1U) != 0 ? crc << 1 ^ polynomial : crc << 1;
    crc &= (1U << bits) - 1;
  }
  return crc;
}

constexpr std::size_t info = 8;  // where the block about the samples begins

}  // namespace

TEST_CASE("flac_read: every sample of another encoder's files, to the bit") {
  const Signals s;
  struct Case {
    std::string name;
    std::vector<Signal> channels;
    int bits;
  };
  const std::vector<Case> cases = {{"tone_fixed", {s.tone}, 16},
                                   {"tone_lpc", {s.tone}, 16},
                                   {"hiss", {s.hiss}, 16},
                                   {"silence", {s.silence}, 16},
                                   {"stereo", {s.tone, changed(s.tone, [](auto x) { return x + quotient(x, 8); })}, 16},
                                   {"side", {s.tone, changed(s.burst, [](auto x) { return quotient(x, 64); })}, 16},
                                   {"wide", {changed(s.tone, [](auto x) { return 77 * x; })}, 24},
                                   {"wasted", {changed(s.tone, [](auto x) { return 256 * x; })}, 24},
                                   {"three", {s.tone, s.hiss, s.burst}, 16},
                                   {"eight_bits", {changed(s.tone, [](auto x) { return quotient(x, 256); })}, 8}};
  for (const Case& one : cases) {
    INFO(one.name);
    // By their first bytes, whatever their name.
    const Audio audio = read_audio(corpus / (one.name + ".flac"));
    CHECK(audio.sample_rate == 44100.0);
    CHECK(audio.comment == "scale of a test");
    REQUIRE(audio.channels.size() == one.channels.size());
    for (std::size_t c = 0; c < audio.channels.size(); ++c) {
      REQUIRE(audio.channels[c].size() == one.channels[c].size());
      for (std::size_t n = 0; n < one.channels[c].size(); ++n)
        REQUIRE(audio.channels[c][n] == std::ldexp(static_cast<double>(one.channels[c][n]), 1 - one.bits));
    }
  }
}

TEST_CASE("flac_read: a file without a length is read to its end, one that is cut or has one bit wrong is refused") {
  const TemporaryFolder folder;
  const std::string whole = read_file(corpus / "tone_lpc.flac");
  std::string unknown = whole;
  for (std::size_t i = 14; i < 18; ++i) unknown[info + i] = '\0';  // of 36 bits the lower 32
  const auto file = folder.write("a.flac", unknown);
  CHECK(read(file).channels[0].size() == 3000);
  CHECK_FALSE(read_audio_header(file).frames_stated);
  CHECK(read_audio_header(file).frames >= 3000);  // no more than the file may hold
  CHECK(count_frames(file) == 3000);
  // In parts.
  const auto reader = open_audio(file, 0);
  std::vector<std::vector<double>> parts(1);
  for (const auto& [most, got] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {2000, 2000}, {1000, 999}, {9, 0}})
    CHECK(reader->read(most, parts) == got);
  CHECK(parts[0] == read(file).channels[0]);
  std::string more = whole, fewer = whole;
  more[info + 16] = '\x0C';
  fewer[info + 16] = '\x0B';
  fewer[info + 17] = '\x00';
  CHECK_THAT(refusal(folder.write("a.flac", more)), Contains("ends early") && Contains("it holds 3000"));
  CHECK_THAT(refusal(folder.write("a.flac", fewer)), Contains("more samples than its header says"));
  for (const std::size_t size : {std::size_t{3}, std::size_t{20}, std::size_t{45}})
    CHECK_THAT(refusal(folder.write("a.flac", whole.substr(0, size))), Contains("ends before its samples"));
  for (const std::size_t size : {whole.size() / 2, whole.size() - 1})
    CHECK_THAT(refusal(folder.write("a.flac", whole.substr(0, size))), Contains("an incomplete or missing frame"));
  int refused = 0;
  const std::size_t samples = whole.find("\xFF\xF8");
  REQUIRE(samples != whole.npos);
  for (std::size_t at = samples; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    refused += refusal(folder.write("a.flac", damaged)).empty() ? 0 : 1;
  }
  CHECK(refused == static_cast<int>((whole.size() - samples + 6) / 7));
}

TEST_CASE("flac_read: silence that would fill the memory is refused before it does") {
  // Frames of 65535 samples that are all the same, of 13 bytes each: hours in some kilobytes.
  const TemporaryFolder folder;
  std::string bytes = read_file(corpus / "silence.flac");
  bytes.resize(bytes.find("\xFF\xF8"));
  for (std::size_t i = 13; i < 18; ++i) bytes[info + i] = static_cast<char>(i == 13 ? bytes[info + i] & 0xF0 : 0);
  std::string frame("\xFF\xF8\x70\x08\x00\xFF\xFE", 7);
  frame += static_cast<char>(checksum(frame, 8, 0x07));
  frame += std::string(3, '\0');  // a channel of one value, zero
  const unsigned crc = checksum(frame, 16, 0x8005);
  frame += {static_cast<char>(crc >> 8), static_cast<char>(crc & 0xFF)};
  for (int i = 0; i < 2000; ++i) bytes += frame;
  CHECK_THAT(refusal(folder.write("a.flac", bytes)), Contains("nothing but silence"));
}

TEST_CASE("flac_read: what makes no sense is reported, and where") {
  const TemporaryFolder folder;
  const std::string whole = read_file(corpus / "tone_lpc.flac");
  const std::size_t frame = whole.find("\xFF\xF8");
  for (const std::size_t at : {frame, frame + 2, frame + 3, frame + 8, frame + 40}) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    INFO(at - frame);
    CHECK_THAT(refusal(folder.write("a.flac", changed)), Contains("is damaged") && Contains("at sample 0"));
  }
  std::string no_rate = whole;
  for (std::size_t i = 10; i < 13; ++i) no_rate[info + i] = static_cast<char>(i == 12 ? no_rate[info + i] & 0x0F : 0);
  CHECK_THAT(refusal(folder.write("a.flac", no_rate)), Contains("0 Hz are not valid"));
  std::string no_info = whole;
  no_info[4] = 2;
  CHECK_THAT(refusal(folder.write("a.flac", no_info)), Contains("does not state the format of its samples"));
  std::string other_sum = whole;  // of all samples: the block's last 16 bytes
  other_sum[info + 20] = static_cast<char>(other_sum[info + 20] ^ 1);
  CHECK_THAT(refusal(folder.write("a.flac", other_sum)), Contains("checksum of all its samples"));
}

TEST_CASE("flac_read: thousands of broken files are read or refused with a reason") {
  const TemporaryFolder folder;
  std::mt19937 random(20'261'121);
  int read_well = 0, refused = 0;
  for (const char* name : {"stereo", "side", "wasted", "three", "tone_fixed"}) {
    const std::string whole = read_file(corpus / (std::string(name) + ".flac"));
    for (int i = 0; i < 600; ++i) {
      const std::size_t head = i % 2 == 0 ? 60 : whole.size();
      const auto file = folder.write("a.flac", mutated(whole.substr(0, head), random) + whole.substr(head));
      try {
        const Audio audio = read(file);
        ++read_well;
        for (const auto& channel : audio.channels) CHECK(channel.size() == audio.channels[0].size());
      } catch (const Error& error) {
        ++refused;
        CHECK(error.status == Status::file);
      }
    }
  }
  CHECK(read_well > 20);
  CHECK(refused > 1000);
}
