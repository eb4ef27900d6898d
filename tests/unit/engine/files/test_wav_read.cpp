// WAV files byte by byte: what is read of every coding, and what is refused.
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
  return out;
}

std::string chunk(const std::string& name, const std::string& bytes) {
  return name + number(bytes.size(), 4) + bytes + (bytes.size() % 2 == 1 ? std::string(1, '\0') : "");
}

std::string format(unsigned coding, unsigned channels, unsigned bits, std::uint32_t rate = 48000) {
  const unsigned frame = channels * (bits / 8);
  return chunk("fmt ", number(coding, 2) + number(channels, 2) + number(rate, 4) +
                           number(std::uint64_t{rate} * frame, 4) + number(frame, 2) + number(bits, 2));
}

std::string wav(const std::string& chunks) { return "RIFF" + number(4 + chunks.size(), 4) + "WAVE" + chunks; }

struct Reader {
  TemporaryFolder folder;
  Audio read(const std::string& bytes) const { return read_audio(folder.write("a.wav", bytes)); }
  std::string refusal(const std::string& bytes) const {
    try {
      read(bytes);
    } catch (const Error& error) {
      CHECK(error.status == Status::file);
      return std::string(error.what()) + " | " + error.remedy;
    }
    return "";
  }
  std::vector<double> samples(unsigned coding, unsigned bits, const std::string& data) const {
    return read(wav(format(coding, 1, bits) + chunk("data", data))).channels.at(0);
  }
};

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

}  // namespace

TEST_CASE("every coding is read at full scale 1") {
  const Reader reader;
  using Values = std::vector<double>;
  CHECK(reader.samples(1, 8, std::string("\x80\x00\xFF", 3)) == Values{0.0, -1.0, 127.0 / 128.0});
  CHECK(reader.samples(1, 16, number(0x8000, 2) + number(0x4000, 2) + number(0xFFFF, 2)) ==
        Values{-1.0, 0.5, -1.0 / 32768.0});
  CHECK(reader.samples(1, 24, number(0x800000, 3) + number(0x400000, 3) + number(0xFFFFFF, 3)) ==
        Values{-1.0, 0.5, -std::ldexp(1.0, -23)});
  CHECK(reader.samples(1, 32, number(0x80000000, 4) + number(1, 4)) == Values{-1.0, std::ldexp(1.0, -31)});
  CHECK(reader.samples(3, 32, floats({0.1F, -3.0F})) == Values{static_cast<double>(0.1F), -3.0});
  const double x = 0.1;
  CHECK(reader.samples(3, 64, std::string(reinterpret_cast<const char*>(&x), 8)) == Values{0.1});
  // G.711: the loudest and the softest of each sign.
  CHECK(reader.samples(7, 8, "\x80\xFF\x7F" + std::string(1, '\0')) ==
        Values{32124 / 32768.0, 0.0, 0.0, -32124 / 32768.0});
  CHECK(reader.samples(6, 8, "\xAA\xD5\x55\x2A") ==
        Values{32256 / 32768.0, 8 / 32768.0, -8 / 32768.0, -32256 / 32768.0});
}

TEST_CASE("an extensible format and an RF64 file are what their further fields say, channels take turns") {
  const Reader reader;
  const std::string extensible = chunk("fmt ", number(0xFFFE, 2) + number(2, 2) + number(44100, 4) +
                                                   number(44100 * 4, 4) + number(4, 2) + number(16, 2) + number(22, 2) +
                                                   number(16, 2) + number(3, 4) + number(1, 2) + std::string(14, 'g'));
  const Audio audio = reader.read(wav(extensible + chunk("data", number(0x4000, 2) + number(0xC000, 2))));
  CHECK(audio.sample_rate == 44100.0);
  CHECK(audio.channels == std::vector<std::vector<double>>{{0.5}, {-0.5}});
  const std::string data = floats({1.0F, 2.0F, 3.0F});
  const std::string ds64 = chunk("ds64", number(0, 8) + number(12, 8) + number(3, 8) + number(0, 4));
  const std::string rf64 = "RF64" + number(0xFFFFFFFF, 4) + "WAVE" + ds64 + format(3, 1, 32) + "data" +
                           number(0xFFFFFFFF, 4) + data + chunk("LIST", "INFOICMT" + number(4, 4) + "tail");
  CHECK(reader.read(rf64).channels[0] == std::vector<double>{1.0, 2.0, 3.0});
  CHECK(reader.read(rf64).comment == "tail");
}

TEST_CASE("a recorder that was cut off leaves no length: what is there is read") {
  const Reader reader;
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}})
    for (const std::uint64_t whole : {std::uint64_t{0}, std::uint64_t{36}, std::uint64_t{0xFFFFFFFF}})
      CHECK(reader
                .read("RIFF" + number(whole, 4) + "WAVE" + format(3, 1, 32) + "data" + number(length, 4) +
                      floats({1.0F, 2.0F}) + "ab")
                .channels[0] == std::vector<double>{1.0, 2.0});
  // A finished file without samples has none, whatever follows.
  const Audio none =
      reader.read(wav(format(1, 1, 16) + chunk("data", "") + chunk("LIST", "INFOICMT" + number(4, 4) + "none")));
  CHECK(none.channels[0].empty());
  CHECK(none.comment == "none");
}

TEST_CASE("comments are found, and chunks of any length do not keep the reader busy") {
  const Reader reader;
  const std::string samples = format(3, 1, 32) + chunk("data", floats({1.0F}));
  CHECK(reader
            .read(wav(chunk("LIST", "INFOISFT" + number(3, 4) + "abc" + std::string(1, '\0') + "ICMT" + number(5, 4) +
                                        "note" + std::string(2, '\0')) +
                      samples))
            .comment == "note");
  CHECK(reader.read(wav(samples)).comment.empty());
  CHECK(reader.read(wav(chunk("LIST", "adtlICMT" + number(4, 4) + "none") + samples)).comment.empty());
  CHECK(reader.read(wav(chunk("LIST", "INFOICMT" + number(0xFFFFF7A5, 4) + "long") + samples)).comment == "long");
  CHECK(reader.read(wav(chunk("LIST", "INFOabcd" + number(0xFFFFFFFF, 4) + "ICMT" + number(1, 4) + "x") + samples))
            .comment.empty());
  CHECK(reader.read(wav(samples + "junk" + number(0xFFFFFFF0, 4))).channels[0].size() == 1);
  std::string many;
  for (int i = 0; i < 10000; ++i) many += chunk("void", "");
  CHECK(reader.read(wav(many + samples)).channels[0].size() == 1);
}

TEST_CASE("a header is read without its samples, and a part without the rest") {
  const Reader reader;
  const std::vector<float> values = {0.5F, -0.5F, 0.25F, -0.25F, 0.125F, std::numeric_limits<float>::infinity()};
  const auto file = reader.folder.write("a.wav", wav(format(3, 2, 32) + chunk("data", floats(values))));
  const AudioHeader header = read_audio_header(file);
  CHECK(header.sample_rate == 48000.0);
  CHECK(header.channels == 2);
  CHECK(header.frames == 3);
  CHECK_THROWS_AS(read_audio(file), Error);
  CHECK(read_audio(file, {2, {}}).channels == std::vector<std::vector<double>>{{0.5, 0.25}, {-0.5, -0.25}});
  CHECK(read_audio(file, {9, 0}).channels == std::vector<std::vector<double>>{{0.5, 0.25, 0.125}});
  CHECK(read_audio(file, {2, 1}).channels == std::vector<std::vector<double>>{{-0.5, -0.25}});
}

TEST_CASE("what is no WAV file, or none that makes sense, is refused with the reason") {
  const Reader reader;
  const std::string data = chunk("data", floats({1.0F}));
  for (const auto& [head, kind] : std::vector<std::pair<std::string, std::string>>{
           {"OggS", "Ogg"}, {"FORM", "AIFF"}, {"ID3", "MP3"}, {"\xFF\xFB", "MP3"}, {"riff", "Wave64"}})
    CHECK_THAT(reader.refusal(head + std::string(20, ' ')),
               Contains("it is " + kind + ", neither WAV nor FLAC") && Contains("convert"));
  CHECK_THAT(reader.refusal("RIFF" + number(20, 4) + "AVI " + data), Contains("it is neither WAV nor FLAC"));
  CHECK_THAT(reader.refusal(wav(format(3, 1, 32, 0x7FFFFFFF) + data)),
             Contains("1 channels at 2147483647 Hz are not valid"));
  CHECK_THAT(reader.refusal(wav(data)), Contains("no format chunk"));
  CHECK_THAT(reader.refusal(wav(format(3, 1, 32))), Contains("no samples"));
  CHECK_THAT(reader.refusal(wav(chunk("fmt ", "short") + data)), Contains("too short"));
  CHECK_THAT(reader.refusal(wav(format(1, 1, 12) + data)), Contains("samples of 12 bits in coding 1"));
  CHECK_THAT(reader.refusal(wav(format(17, 1, 4) + data)), Contains("coding 17") && Contains("convert it"));
  CHECK_THAT(reader.refusal(wav(format(7, 1, 16) + data)), Contains("coding 7"));
  CHECK_THAT(reader.refusal(wav(format(3, 0, 32) + data)), Contains("0 channels"));
  CHECK_THAT(reader.refusal(wav(format(3, 1025, 32) + data)), Contains("1025 channels"));
  CHECK_THAT(reader.refusal(wav(format(3, 1, 32, 0) + data)), Contains("at 0 Hz"));
  std::string skewed = format(3, 2, 32);
  skewed[8 + 12] = 4;
  CHECK_THAT(reader.refusal(wav(skewed + data)), Contains("frames whose size does not match"));
  CHECK_THAT(reader.refusal(wav(format(3, 1, 32) + "data" + number(400, 4) + "abc")), Contains("states 400 bytes"));
  CHECK_THAT(reader.refusal(wav(format(3, 1, 32) + chunk("data", "\xFF\xFF\xFF\x7F"))), Contains("not finite"));
}
