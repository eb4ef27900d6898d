// FLAC (RFC 9639): "fLaC", blocks of metadata, then frames of up to 65535 samples a channel. A subframe, one a channel, is a
// constant, the samples themselves, or a linear prediction and its residual in Rice codes.
//
// No library reads it, as none reads WAV: what a decoder does with bytes from anywhere is seen here. Numbers are 64 bits wide
// and each sample is held against its width, so that nothing overflows; what is decoded is held against the file's bytes.
#include "engine/flac_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "engine/error.hpp"
#include "engine/flac_bits.hpp"

namespace fdtd {
namespace {

constexpr std::uint64_t free_samples = 1U << 24;  // 128 MiB as doubles, which any file may become; beyond, ...
constexpr std::uint64_t samples_a_byte = 64;      // ... music is at 2 at the most, and silence alone passes this
constexpr std::size_t largest_tags = std::size_t{1} << 20;

struct StreamInfo {
  double sample_rate = 0.0;
  int channels = 0, bits = 0;
  std::uint64_t samples = 0;  // a channel; 0: unknown
};

class FlacReader {
 public:
  FlacReader(const InputFile& file, FlacChecksums checksums)
      : file_(file), bits_(file), checked_(checksums == FlacChecksums::checked) {}
  Audio read();

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Status::file, file_.path().string() + ": " + what);
  }
  [[noreturn]] void damaged(const char* what) const {
    fail(fmt::format("is damaged: {} in the frame at sample {}", what, done_));
  }
  void read_metadata();
  void read_info();
  void read_tags(std::uint64_t length);
  void read_frame();
  std::size_t read_frame_head(int& assignment);
  void read_subframe(std::vector<std::int64_t>& samples, int bits);
  void read_predicted(std::span<std::int64_t> samples, std::size_t order, std::span<const std::int64_t> weights,
                      int shift, int bits);
  void read_residual(std::span<std::int64_t> samples, std::size_t order);
  void decorrelate(int assignment);
  void require_sample(std::int64_t value, int bits) const {
    if (value < -(std::int64_t{1} << (bits - 1)) || value >= std::int64_t{1} << (bits - 1))
      damaged("a sample out of its range");
  }

  const InputFile& file_;
  FlacBits bits_;
  bool checked_;
  StreamInfo info_;
  Audio audio_;
  std::vector<std::vector<std::int64_t>> frame_;  // a channel each
  std::uint64_t done_ = 0;                        // samples a channel
};

void FlacReader::read_info() {
  bits_.number(16 + 16);  // the smallest and the largest block
  bits_.number(24 + 24);  // the smallest and the largest frame
  info_.sample_rate = static_cast<double>(bits_.number(20));
  info_.channels = static_cast<int>(bits_.number(3)) + 1;
  info_.bits = static_cast<int>(bits_.number(5)) + 1;
  info_.samples = bits_.number(36);
  if (info_.sample_rate < 1.0 || info_.bits < 4)
    fail(fmt::format("{} bits at {} Hz make no sense", info_.bits, info_.sample_rate));
}

// Vorbis comments: lengths of 32 bits, the lowest byte first, each before its text "NAME=value".
void FlacReader::read_tags(std::uint64_t length) {
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>({length, largest_tags, bits_.left()})), '\0');
  file_.read(bits_.place(), text.data(), text.size());
  std::size_t at = 0;
  const auto word = [&]() -> std::size_t {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4 && at < text.size(); ++i)
      value |= std::size_t{static_cast<unsigned char>(text[at++])} << (8 * i);
    return value;
  };
  at += std::min(word(), text.size() - at);  // who wrote it
  for (std::size_t count = word(); count > 0 && at < text.size() && audio_.comment.empty(); --count) {
    const std::size_t size = std::min(word(), text.size() - at);
    std::string tag = text.substr(at, size);
    at += size;
    constexpr std::string_view name = "COMMENT=";
    const bool is = tag.size() > name.size() && std::equal(name.begin(), name.end(), tag.begin(), [](char a, char b) {
                      return a == b || (a != '=' && a + ('a' - 'A') == b);
                    });
    if (is) audio_.comment = tag.substr(name.size());
  }
}

void FlacReader::read_metadata() {
  bits_.skip(4);
  bool informed = false;
  for (bool last = false; !last;) {
    if (bits_.left() < 4) fail("cannot be read as audio: it ends before its samples");
    last = bits_.number(1) == 1;
    const auto kind = bits_.number(7), length = bits_.number(24);
    const std::uint64_t begin = bits_.place();
    if (length > bits_.left()) fail("cannot be read as audio: it ends before its samples");
    if (kind == 0 && length >= 34 && !informed) {
      read_info();
      informed = true;
    } else if (kind == 4) {
      read_tags(length);
    }
    bits_.skip(begin + length - bits_.place());
  }
  if (!informed) fail("cannot be read as audio: it does not say what its samples are");
}

// Samples of the frame that begins here.
std::size_t FlacReader::read_frame_head(int& assignment) {
  bits_.restart();
  if (bits_.number(15) != 0x7FFC) damaged("no mark");
  bits_.number(1);  // whether blocks are of one size
  const auto size_code = static_cast<unsigned>(bits_.number(4)), rate_code = static_cast<unsigned>(bits_.number(4));
  assignment = static_cast<int>(bits_.number(4));
  const auto width_code = static_cast<std::size_t>(bits_.number(3));
  if (bits_.number(1) != 0) damaged("an unknown kind of head");
  // The frame's number, coded as UTF-8 codes characters: as many leading ones as bytes.
  const unsigned lead = static_cast<unsigned>(bits_.number(8));
  for (unsigned mask = 0x40; (lead & 0x80) != 0 && (lead & mask) != 0; mask >>= 1)
    if (bits_.number(8) >> 6 != 2) damaged("a number that is none");
  std::size_t size = 0;
  if (size_code == 1) size = 192;
  if (size_code >= 2 && size_code <= 5) size = std::size_t{576} << (size_code - 2);
  if (size_code == 6) size = bits_.number(8) + 1;
  if (size_code == 7) size = bits_.number(16) + 1;
  if (size_code >= 8) size = std::size_t{256} << (size_code - 8);
  if (rate_code == 12) bits_.number(8);
  if (rate_code == 13 || rate_code == 14) bits_.number(16);
  const unsigned crc = bits_.crc8();
  if (bits_.number(8) != crc && checked_) damaged("a wrong checksum of the head");
  constexpr std::array<int, 8> widths = {0, 8, 12, -1, 16, 20, 24, 32};  // 0: as the file's
  const int channels = assignment < 8 ? assignment + 1 : 2;
  if (size == 0 || rate_code == 15 || assignment > 10) damaged("an unknown kind of head");
  if (channels != info_.channels || (widths[width_code] != 0 && widths[width_code] != info_.bits))
    damaged("other channels or widths than the file's");
  return size;
}

// In `samples` are residuals from `order` on; each becomes the weighted sum of those before it, plus itself.
void FlacReader::read_predicted(std::span<std::int64_t> samples, std::size_t order,
                                std::span<const std::int64_t> weights, int shift, int bits) {
  read_residual(samples, order);
  for (std::size_t n = order; n < samples.size(); ++n) {
    std::int64_t sum = 0;  // below 2^(33 + 15 + 5)
    for (std::size_t i = 0; i < order; ++i) sum += weights[i] * samples[n - 1 - i];
    samples[n] += sum >> shift;
    require_sample(samples[n], bits);
  }
}

void FlacReader::read_residual(std::span<std::int64_t> samples, std::size_t order) {
  const auto method = bits_.number(2);
  if (method > 1) damaged("an unknown code");
  const int width = method == 0 ? 4 : 5;
  const auto parts = std::size_t{1} << bits_.number(4);
  if (samples.size() % parts != 0 || samples.size() / parts < order) damaged("parts that do not fit");
  std::size_t n = order;
  for (std::size_t part = 1; part <= parts; ++part) {
    const auto parameter = static_cast<int>(bits_.number(width));
    const bool plain = parameter == (1 << width) - 1;
    const int plain_bits = plain ? static_cast<int>(bits_.number(5)) : 0;
    for (const std::size_t end = samples.size() / parts * part; n < end; ++n) {
      if (plain) {
        samples[n] = bits_.signed_number(plain_bits);
        continue;
      }
      const std::uint64_t high = bits_.zeros();
      if (high >> (33 - parameter) != 0) damaged("a residual out of its range");
      const std::uint64_t folded = high << parameter | bits_.number(parameter);
      samples[n] = static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
    }
  }
}

void FlacReader::read_subframe(std::vector<std::int64_t>& samples, int bits) {
  if (bits_.number(1) != 0) damaged("an unknown kind of channel");
  const auto kind = static_cast<unsigned>(bits_.number(6));
  const int wasted = bits_.number(1) == 1 ? static_cast<int>(std::min<std::uint64_t>(bits_.zeros(), 63)) + 1 : 0;
  if (wasted >= bits) damaged("no bits left");
  bits -= wasted;
  const auto warm_up = [&](std::size_t order) {
    if (order > samples.size()) damaged("a prediction from more samples than there are");
    for (std::size_t n = 0; n < order; ++n) samples[n] = bits_.signed_number(bits);
  };
  if (kind == 0) {
    std::ranges::fill(samples, bits_.signed_number(bits));
  } else if (kind == 1) {
    warm_up(samples.size());
  } else if (kind >= 8 && kind <= 12) {
    // Polynomials of degree order - 1 through the samples before.
    static constexpr std::array<std::array<std::int64_t, 4>, 5> fixed = {
        {{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}};
    warm_up(kind - 8);
    read_predicted(samples, kind - 8, fixed[kind - 8], 0, bits);
  } else if (kind >= 32) {
    const std::size_t order = kind - 31;
    warm_up(order);
    const auto width = static_cast<int>(bits_.number(4)) + 1;
    const auto shift = static_cast<int>(bits_.signed_number(5));
    if (width == 16 || shift < 0) damaged("an unknown prediction");
    std::array<std::int64_t, 32> weights{};
    for (std::size_t i = 0; i < order; ++i) weights[i] = bits_.signed_number(width);
    read_predicted(samples, order, weights, shift, bits);
  } else {
    damaged("an unknown kind of channel");
  }
  if (wasted > 0)
    for (std::int64_t& sample : samples) sample *= std::int64_t{1} << wasted;
}

// Of two channels one may be their difference, the other one of them or their middle.
void FlacReader::decorrelate(int assignment) {
  if (assignment < 8) return;
  auto &a = frame_[0], &b = frame_[1];
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (assignment == 8) b[n] = a[n] - b[n];
    if (assignment == 9) a[n] += b[n];
    if (assignment == 10) {
      const std::int64_t side = b[n], twice = a[n] * 2 + (side & 1);
      a[n] = (twice + side) >> 1;
      b[n] = (twice - side) >> 1;
    }
  }
}

void FlacReader::read_frame() {
  int assignment = 0;
  const std::size_t size = read_frame_head(assignment);
  const std::uint64_t channels = frame_.size();
  if ((done_ + size) * channels > std::max(free_samples, samples_a_byte * file_.size()))
    fail(fmt::format("holds more than {} samples in {} bytes: almost nothing but silence", done_ * channels,
                     file_.size()));
  for (std::size_t c = 0; c < frame_.size(); ++c) {
    frame_[c].assign(size, 0);
    const bool difference = assignment == 9 ? c == 0 : (assignment == 8 || assignment == 10) && c == 1;
    read_subframe(frame_[c], info_.bits + (difference ? 1 : 0));
  }
  bits_.to_byte();
  const unsigned crc = bits_.crc16();
  if (bits_.number(16) != crc && checked_) damaged("a wrong checksum");
  decorrelate(assignment);
  const double scale = std::ldexp(1.0, 1 - info_.bits);
  for (std::size_t c = 0; c < frame_.size(); ++c)
    for (const std::int64_t sample : frame_[c]) {
      require_sample(sample, info_.bits);
      audio_.channels[c].push_back(static_cast<double>(sample) * scale);
    }
  done_ += size;
}

Audio FlacReader::read() {
  read_metadata();
  audio_.sample_rate = info_.sample_rate;
  frame_.resize(static_cast<std::size_t>(info_.channels));
  audio_.channels.resize(frame_.size());
  while (info_.samples > 0 ? done_ < info_.samples : bits_.left() > 0) {
    if (bits_.left() == 0)
      fail(fmt::format("ends early: its header promises {} samples, {} are there", info_.samples, done_));
    read_frame();
  }
  if (info_.samples > 0 && done_ > info_.samples) fail("is damaged: it holds more samples than its header says");
  return std::move(audio_);
}

}  // namespace

bool is_flac(const InputFile& file) {
  std::array<char, 4> head{};
  if (file.size() < head.size()) return false;
  file.read(0, head.data(), head.size());
  return std::memcmp(head.data(), "fLaC", head.size()) == 0;
}

Audio read_flac(const InputFile& file, FlacChecksums checksums) { return FlacReader(file, checksums).read(); }

}  // namespace fdtd
