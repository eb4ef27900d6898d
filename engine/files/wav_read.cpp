// Reads WAV files of any program, without a library: a chunk of a wrong length makes libsndfile run for minutes, and
// under the name of a WAV file it would decode MP3, Ogg and two dozen other formats.
//
// RIFF: "RIFF" size "WAVE", then chunks of name (4 bytes), length (4, little-endian) and as many bytes, padded to even.
// In an RF64 file (EBU Tech 3306) the chunk "ds64" holds the true length of "data".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/files/flac_read.hpp"
#include "engine/files/input_file.hpp"
#include "engine/files/wav_write.hpp"

namespace fdtd {
namespace {

constexpr std::uint64_t unknown_length = 0xFFFFFFFF;
constexpr std::size_t block_bytes = std::size_t{1} << 20, largest_notes = std::size_t{1} << 20;
constexpr std::uint64_t max_reserved = std::uint64_t{1} << 24;  // samples of a channel before any of them is read

enum Coding : unsigned { integers = 1, floats = 3, a_law = 6, mu_law = 7, extensible = 0xFFFE };

[[noreturn]] void fail(const InputFile& file, const std::string& what, const std::string& remedy = "") {
  throw Error(Status::file, file.path().string() + ": " + what, remedy);
}

template <class T>
T number_at(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = value << 8 | bytes[i];
  return static_cast<T>(value);
}

struct WavFormat {
  unsigned coding = 0, channels = 0, bits = 0;
  std::uint32_t sample_rate = 0;
  std::size_t frame_bytes() const { return channels * (bits / 8); }
};

struct Wav {
  std::optional<WavFormat> format;
  std::uint64_t data = 0, data_bytes = 0;   // where the samples are
  bool has_data = false, finished = false;  // finished: the header states the length of the file
  std::string comment;
};

// The names of other file formats, by their first bytes.
std::string kind_of(const std::string& head) {
  const auto begins = [&](std::string_view with) { return head.compare(0, with.size(), with) == 0; };
  if (begins("OggS")) return "Ogg";
  if (begins("FORM")) return "AIFF";
  if (begins("ID3") || begins("\xFF\xFB")) return "MP3";
  if (begins("riff")) return "Wave64";
  if (begins("RIFX")) return "big-endian WAV";
  return "";
}

void check_head(const InputFile& file, bool& rf64, bool& finished) {
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(12, file.size())), '\0');
  file.read(0, head.data(), head.size());
  rf64 = head.starts_with("RF64");
  if (head.size() == 12) {
    const auto length = number_at<std::uint32_t>(reinterpret_cast<const unsigned char*>(head.data()) + 4);
    finished = length + std::uint64_t{8} == file.size();
  }
  if (head.size() == 12 && (rf64 || head.starts_with("RIFF")) && head.compare(8, 4, "WAVE") == 0) return;
  const std::string kind = kind_of(head);
  fail(file,
       "cannot be read as audio: " +
           (kind.empty() ? "it is neither WAV nor FLAC" : fmt::format("it is {}, neither WAV nor FLAC", kind)),
       kind.empty() ? "" : "convert it first, for example with `ffmpeg -i FILE FILE.wav`");
}

WavFormat read_format(const InputFile& file, std::uint64_t place, std::uint64_t length) {
  std::array<unsigned char, 40> head{};
  if (length < 16) fail(file, "cannot be read as audio: its format chunk is too short");
  file.read(place, head.data(), static_cast<std::size_t>(std::min<std::uint64_t>(length, head.size())));
  WavFormat format;
  format.coding = number_at<std::uint16_t>(head.data());
  format.channels = number_at<std::uint16_t>(head.data() + 2);
  format.sample_rate = number_at<std::uint32_t>(head.data() + 4);
  format.bits = number_at<std::uint16_t>(head.data() + 14);
  if (format.coding == extensible && length >= 40) format.coding = number_at<std::uint16_t>(head.data() + 24);
  const unsigned bits = format.bits;
  const bool known = format.coding == integers ? bits == 8 || bits == 16 || bits == 24 || bits == 32
                     : format.coding == floats ? bits == 32 || bits == 64
                                               : (format.coding == a_law || format.coding == mu_law) && bits == 8;
  if (!known)
    fail(file,
         fmt::format("holds samples of {} bits in coding {}, which this program does not read", bits, format.coding),
         "convert it to integers of 16 or 24 bits, or to floats");
  if (format.sample_rate < 1 || format.sample_rate > max_audio_rate || format.channels < 1 ||
      format.channels > max_audio_channels)
    fail(file, fmt::format("{} channels at {} Hz are not valid", format.channels, format.sample_rate));
  if (number_at<std::uint16_t>(head.data() + 12) != format.frame_bytes())
    fail(file, "has frames whose size does not match its channels");
  return format;
}

// The comment in a LIST chunk: "INFO", then chunks like those of a file.
std::string read_comment(const InputFile& file, std::uint64_t place, std::uint64_t length) {
  std::string notes(static_cast<std::size_t>(std::min<std::uint64_t>(length, largest_notes)), '\0');
  file.read(place, notes.data(), notes.size());
  if (!notes.starts_with("INFO")) return "";
  for (std::size_t at = 4; at + 8 <= notes.size();) {
    const std::size_t bytes = number_at<std::uint32_t>(reinterpret_cast<const unsigned char*>(notes.data() + at + 4));
    const std::string text = notes.substr(at + 8, bytes);
    if (notes.compare(at, 4, "ICMT") == 0) return text.substr(0, text.find('\0'));
    at += 8 + bytes + (bytes & 1);
  }
  return "";
}

void check_length(const InputFile& file, Wav& wav, std::uint64_t true_length) {
  const std::uint64_t left = file.size() - wav.data;
  if (wav.data_bytes == unknown_length && true_length > 0) wav.data_bytes = true_length;
  // An interrupted recorder leaves 0 or all ones here: then the length of the file counts. In a finished file 0 means
  // that there are no samples, and other chunks follow.
  if ((wav.data_bytes == 0 && !wav.finished) || wav.data_bytes == unknown_length) wav.data_bytes = left;
  if (wav.data_bytes > left)
    fail(file, fmt::format("ends early: its header states {} bytes of samples, it holds {}", wav.data_bytes, left));
}

Wav read_chunks(const InputFile& file) {
  Wav wav;
  bool rf64 = false;
  check_head(file, rf64, wav.finished);
  std::uint64_t true_length = 0;  // of the data, by ds64
  for (std::uint64_t place = 12; place + 8 <= file.size();) {
    std::array<unsigned char, 8> head{};
    file.read(place, head.data(), head.size());
    place += 8;
    const auto is = [&](const char* name) { return std::memcmp(head.data(), name, 4) == 0; };
    const std::uint64_t length = number_at<std::uint32_t>(head.data() + 4), left = file.size() - place;
    std::uint64_t skipped = length;
    if (is("data") && !wav.has_data) {
      wav.has_data = true;
      wav.data = place;
      wav.data_bytes = length;
      check_length(file, wav, true_length);
      skipped = wav.data_bytes;
    } else if (length > left) {
      break;  // chunks after the samples may be incomplete; an incomplete one before them means there are none
    } else if (is("fmt ") && !wav.format) {
      wav.format = read_format(file, place, length);
    } else if (is("ds64") && rf64 && length >= 16) {
      std::array<unsigned char, 8> size{};
      file.read(place + 8, size.data(), size.size());
      true_length = number_at<std::uint64_t>(size.data());
    } else if (is("LIST") && wav.comment.empty()) {
      wav.comment = read_comment(file, place, length);
    }
    place += skipped + (skipped & 1);
  }
  if (!wav.format) fail(file, "cannot be read as audio: it has no format chunk");
  if (!wav.has_data) fail(file, "cannot be read as audio: it has no samples");
  return wav;
}

// ITU-T G.711: logarithmic samples of 8 bits.
double from_mu_law(unsigned char code) {
  code = static_cast<unsigned char>(~code);
  const int magnitude = ((((code & 0x0F) << 3) + 0x84) << (code >> 4 & 7)) - 0x84;
  return ((code & 0x80) != 0 ? -magnitude : magnitude) / 32768.0;
}

double from_a_law(unsigned char code) {
  code ^= 0x55;
  const int segment = code >> 4 & 7, low = ((code & 0x0F) << 4) + 8;
  const int magnitude = segment == 0 ? low : (low + 0x100) << (segment - 1);
  return ((code & 0x80) != 0 ? magnitude : -magnitude) / 32768.0;
}

double sample_at(const unsigned char* bytes, const WavFormat& format) {
  if (format.coding == a_law) return from_a_law(*bytes);
  if (format.coding == mu_law) return from_mu_law(*bytes);
  if (format.coding == floats)
    return format.bits == 64 ? std::bit_cast<double>(number_at<std::uint64_t>(bytes))
                             : static_cast<double>(std::bit_cast<float>(number_at<std::uint32_t>(bytes)));
  switch (format.bits) {
    case 8:  // the only unsigned ones
      return (static_cast<int>(*bytes) - 128) / 128.0;
    case 16:
      return number_at<std::int16_t>(bytes) / 32768.0;
    case 24:
      return static_cast<std::int32_t>(std::uint32_t{bytes[0]} << 8 | std::uint32_t{bytes[1]} << 16 |
                                       std::uint32_t{bytes[2]} << 24) /
             2147483648.0;
    default:
      return number_at<std::int32_t>(bytes) / 2147483648.0;
  }
}

class WavReader : public AudioReader {
 public:
  WavReader(InputFile file, std::optional<std::size_t> channel)
      : AudioReader(channel), file_(std::move(file)), wav_(read_chunks(file_)) {
    const WavFormat& format = *wav_.format;
    header_ = {static_cast<double>(format.sample_rate), format.channels, wav_.data_bytes / format.frame_bytes()};
    comment_ = wav_.comment;
    if (format.coding == integers) step_ = std::ldexp(1.0, 1 - static_cast<int>(format.bits));
  }

  std::size_t read(std::size_t most, std::vector<std::vector<double>>& to) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, header_.frames - done_));
    const std::size_t frame = wav_.format->frame_bytes();
    block_.resize(std::max<std::size_t>(1, block_bytes / frame) * frame);
    for (std::size_t got = 0; got < wanted;) {
      const std::size_t count = std::min(block_.size() / frame, wanted - got);
      file_.read(wav_.data + done_ * frame, block_.data(), count * frame);
      for (std::size_t c = 0; c < to.size(); ++c) take_channel(c, count, to[c]);
      done_ += count;
      got += count;
    }
    return wanted;
  }

 private:
  void take_channel(std::size_t c, std::size_t count, std::vector<double>& to) const {
    const WavFormat& format = *wav_.format;
    const std::size_t channel = chosen_.value_or(c), frame = format.frame_bytes();
    const unsigned char* from = block_.data() + channel * (format.bits / 8);
    for (std::size_t n = 0; n < count; ++n) {
      const double x = sample_at(from + n * frame, format);
      if (!std::isfinite(x)) fail(file_, fmt::format("sample {} of channel {} is not finite", done_ + n, channel + 1));
      to.push_back(x);
    }
  }

  InputFile file_;
  Wav wav_;
  std::uint64_t done_ = 0;  // samples a channel
  std::vector<unsigned char> block_;
};

}  // namespace

std::unique_ptr<AudioReader> open_audio(const std::filesystem::path& path, std::optional<std::size_t> channel) {
  InputFile file(path);
  std::unique_ptr<AudioReader> reader;
  if (is_flac(file))
    reader = open_flac(std::move(file), channel);
  else
    reader = std::make_unique<WavReader>(std::move(file), channel);
  if (channel && *channel >= reader->header().channels)
    throw Error(Status::file,
                fmt::format("{}: channel {} of {}", path.string(), *channel + 1, reader->header().channels));
  return reader;
}

AudioHeader read_audio_header(const std::filesystem::path& path) { return open_audio(path)->header(); }

std::uint64_t count_frames(const std::filesystem::path& path) {
  const auto reader = open_audio(path, 0);
  if (reader->header().frames_stated) return reader->header().frames;
  std::uint64_t frames = 0;
  std::vector<std::vector<double>> block(1);
  while (const std::size_t got = reader->read(std::size_t{1} << 16, block)) {
    frames += got;
    block[0].clear();
  }
  return frames;
}

Audio read_all(AudioReader& reader, std::uint64_t most) {
  const AudioHeader& header = reader.header();
  Audio audio;
  audio.channels.resize(reader.channels());
  const std::uint64_t expected = header.frames_stated ? std::min(header.frames, most) : 0;
  // A FLAC file may state any length: what it holds is seen as it is decoded.
  for (auto& channel : audio.channels) channel.reserve(static_cast<std::size_t>(std::min(expected, max_reserved)));
  std::uint64_t frames = 0;
  while (frames < most) {
    const std::size_t got =
        reader.read(static_cast<std::size_t>(std::min<std::uint64_t>(most - frames, block_bytes)), audio.channels);
    if (got == 0) break;
    frames += got;
  }
  audio.sample_rate = header.sample_rate;
  audio.comment = reader.comment();
  audio.step = reader.step();
  return audio;
}

Audio read_audio(const std::filesystem::path& path, const AudioPart& part) {
  return read_all(*open_audio(path, part.channel), part.frames);
}

}  // namespace fdtd
