// The decoder requests bytes through callbacks and never opens the file; decoding stops at the first error.
#include "engine/files/flac_read.hpp"

#include <FLAC/stream_decoder.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace fdtd {
namespace {

constexpr std::uint64_t free_samples = 1U << 24;  // 128 MiB as doubles: any file may decode to as much
constexpr std::uint64_t samples_a_byte = 64;      // beyond that: music stays below 2, only silence exceeds 64

class FlacReader : public AudioReader {
 public:
  FlacReader(InputFile file, std::optional<std::size_t> channel);
  std::size_t read(std::size_t most, std::vector<std::vector<double>>& to) override;

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Status::file, file_.path().string() + ": " + what);
  }
  // The most that the file may decode to, of all channels.
  std::uint64_t max_samples() const { return std::max(free_samples, samples_a_byte * file_.size()); }
  std::size_t give(unsigned char* bytes, std::size_t most);
  void take(const FLAC__StreamMetadata& block);
  void take_tags(const FLAC__StreamMetadata_VorbisComment& tags);
  void take(const FLAC__Frame& frame, const FLAC__int32* const channels[]);
  [[noreturn]] void refuse(FLAC__StreamDecoderErrorStatus what) const;

  // Exceptions must not pass through the library: one is kept until the library has returned.
  template <class Work>
  static bool guarded(void* reader, const Work& work) noexcept {
    auto& self = *static_cast<FlacReader*>(reader);
    if (self.failure_) return false;
    try {
      work(self);
    } catch (...) {
      self.failure_ = std::current_exception();
    }
    return !self.failure_;
  }
  static FLAC__StreamDecoderReadStatus on_read(const FLAC__StreamDecoder* decoder, FLAC__byte bytes[],
                                               std::size_t* count, void* reader);
  static FLAC__StreamDecoderWriteStatus on_frame(const FLAC__StreamDecoder* decoder, const FLAC__Frame* frame,
                                                 const FLAC__int32* const channels[], void* reader);
  static void on_metadata(const FLAC__StreamDecoder* decoder, const FLAC__StreamMetadata* block, void* reader);
  static void on_error(const FLAC__StreamDecoder* decoder, FLAC__StreamDecoderErrorStatus what, void* reader);

  void start();
  void decode_frame();
  void end();

  const InputFile file_;
  std::unique_ptr<FLAC__StreamDecoder, void (*)(FLAC__StreamDecoder*)> decoder_{nullptr, FLAC__stream_decoder_delete};
  std::uint64_t at_ = 0;  // next byte to give
  bool informed_ = false, ended_ = false;
  int bits_ = 0;
  std::uint64_t promised_ = 0, done_ = 0;     // samples per channel; promised_: 0 where the header does not state it
  std::vector<std::vector<double>> waiting_;  // decoded and not yet read
  std::size_t read_ = 0;                      // of those waiting
  std::exception_ptr failure_;
};

FLAC__StreamDecoderReadStatus FlacReader::on_read(const FLAC__StreamDecoder*, FLAC__byte bytes[], std::size_t* count,
                                                  void* reader) {
  const std::size_t most = *count;
  *count = 0;
  if (!guarded(reader, [&](FlacReader& self) { *count = self.give(bytes, most); }))
    return FLAC__STREAM_DECODER_READ_STATUS_ABORT;
  return *count > 0 ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
}

FLAC__StreamDecoderWriteStatus FlacReader::on_frame(const FLAC__StreamDecoder*, const FLAC__Frame* frame,
                                                    const FLAC__int32* const channels[], void* reader) {
  return guarded(reader, [&](FlacReader& self) { self.take(*frame, channels); })
             ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
             : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
}

void FlacReader::on_metadata(const FLAC__StreamDecoder*, const FLAC__StreamMetadata* block, void* reader) {
  guarded(reader, [&](FlacReader& self) { self.take(*block); });
}

void FlacReader::on_error(const FLAC__StreamDecoder*, FLAC__StreamDecoderErrorStatus what, void* reader) {
  guarded(reader, [&](FlacReader& self) { self.refuse(what); });
}

std::size_t FlacReader::give(unsigned char* bytes, std::size_t most) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(most, file_.size() - at_));
  if (size > 0) file_.read(at_, reinterpret_cast<char*>(bytes), size);
  at_ += size;
  return size;
}

void FlacReader::take(const FLAC__StreamMetadata& block) {
  if (block.type == FLAC__METADATA_TYPE_VORBIS_COMMENT) take_tags(block.data.vorbis_comment);
  if (block.type != FLAC__METADATA_TYPE_STREAMINFO || informed_) return;
  const FLAC__StreamMetadata_StreamInfo& info = block.data.stream_info;
  informed_ = true;
  bits_ = static_cast<int>(info.bits_per_sample);
  promised_ = info.total_samples;
  header_.sample_rate = static_cast<double>(info.sample_rate);
  header_.channels = info.channels;
  header_.frames_stated = promised_ > 0;
  header_.frames = promised_ > 0 ? promised_ : max_samples() / std::max<std::uint64_t>(1, info.channels);
  waiting_.resize(channels());
  step_ = std::ldexp(1.0, 1 - bits_);
  if (info.sample_rate < 1 || bits_ < 4) fail(fmt::format("{} bits at {} Hz are not valid", bits_, info.sample_rate));
}

// Each "NAME=value"; names in any case.
void FlacReader::take_tags(const FLAC__StreamMetadata_VorbisComment& tags) {
  constexpr std::string_view name = "COMMENT=";
  for (FLAC__uint32 i = 0; i < tags.num_comments && comment_.empty(); ++i) {
    const std::string_view tag(reinterpret_cast<const char*>(tags.comments[i].entry), tags.comments[i].length);
    const bool is = tag.size() > name.size() && std::equal(name.begin(), name.end(), tag.begin(), [](char a, char b) {
                      return a == b || (a != '=' && a + ('a' - 'A') == b);
                    });
    if (is) comment_ = tag.substr(name.size());
  }
}

void FlacReader::take(const FLAC__Frame& frame, const FLAC__int32* const channels[]) {
  if (!informed_) fail("cannot be read as audio: it does not state the format of its samples");
  if (frame.header.channels != header_.channels || static_cast<int>(frame.header.bits_per_sample) != bits_)
    fail(fmt::format("is damaged: the frame at sample {} has other channels or widths than the file", done_));
  const std::uint64_t samples = (done_ + frame.header.blocksize) * header_.channels;
  if (samples > max_samples())
    fail(fmt::format("holds more than {} samples in {} bytes: almost nothing but silence", done_, file_.size()));
  const double scale = std::ldexp(1.0, 1 - bits_);
  for (std::size_t c = 0; c < waiting_.size(); ++c)
    for (std::size_t n = 0; n < frame.header.blocksize; ++n)
      waiting_[c].push_back(static_cast<double>(channels[chosen_.value_or(c)][n]) * scale);
  done_ += frame.header.blocksize;
  if (promised_ > 0 && done_ > promised_) fail("is damaged: it holds more samples than its header says");
}

void FlacReader::refuse(FLAC__StreamDecoderErrorStatus what) const {
  if (!informed_) fail("cannot be read as audio: it does not state the format of its samples");
  const char* why = "an incomplete or missing frame";
  if (what == FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH) why = "a wrong checksum";
  if (what == FLAC__STREAM_DECODER_ERROR_STATUS_BAD_HEADER) why = "an invalid frame header";
  if (what == FLAC__STREAM_DECODER_ERROR_STATUS_UNPARSEABLE_STREAM) why = "an unknown kind of frame header";
  fail(fmt::format("is damaged: {} at sample {}", why, done_));
}

FlacReader::FlacReader(InputFile file, std::optional<std::size_t> channel)
    : AudioReader(channel), file_(std::move(file)) {
  start();
  FLAC__stream_decoder_process_until_end_of_metadata(decoder_.get());
  if (failure_) std::rethrow_exception(failure_);
  while (!informed_) decode_frame();  // which finds that the samples come first, or the end of the file
}

void FlacReader::start() {
  decoder_.reset(FLAC__stream_decoder_new());
  if (!decoder_) throw std::bad_alloc();
  FLAC__stream_decoder_set_md5_checking(decoder_.get(), 1);
  FLAC__stream_decoder_set_metadata_respond(decoder_.get(), FLAC__METADATA_TYPE_VORBIS_COMMENT);
  const auto started =
      FLAC__stream_decoder_init_stream(decoder_.get(), &FlacReader::on_read, nullptr, nullptr, nullptr, nullptr,
                                       &FlacReader::on_frame, &FlacReader::on_metadata, &FlacReader::on_error, this);
  if (started != FLAC__STREAM_DECODER_INIT_STATUS_OK)
    fail(fmt::format("cannot be read as FLAC: {}", FLAC__StreamDecoderInitStatusString[started]));
}

void FlacReader::decode_frame() {
  const bool decoded = FLAC__stream_decoder_process_single(decoder_.get()) != 0;
  const auto state = FLAC__stream_decoder_get_state(decoder_.get());
  if (failure_) std::rethrow_exception(failure_);
  if (state == FLAC__STREAM_DECODER_END_OF_STREAM) return end();
  if (state == FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR)  // a malicious file may request this
    fail("cannot be read as FLAC: one of its blocks does not fit in memory");
  if (!decoded) fail(fmt::format("cannot be read as FLAC: {}", FLAC__StreamDecoderStateString[state]));
}

void FlacReader::end() {
  ended_ = true;
  const bool whole = FLAC__stream_decoder_finish(decoder_.get()) != 0;  // the checksum of all samples
  if (failure_) std::rethrow_exception(failure_);
  if (!informed_ || (done_ == 0 && promised_ > 0)) fail("cannot be read as audio: it ends before its samples");
  if (done_ < promised_) fail(fmt::format("ends early: its header states {} samples, it holds {}", promised_, done_));
  if (!whole) fail("is damaged: a wrong checksum of all its samples");
}

std::size_t FlacReader::read(std::size_t most, std::vector<std::vector<double>>& to) {
  std::size_t got = 0;
  while (got < most) {
    if (read_ == waiting_[0].size()) {
      for (auto& channel : waiting_) channel.clear();
      read_ = 0;
      if (ended_) break;
      decode_frame();
      continue;
    }
    const std::size_t count = std::min(most - got, waiting_[0].size() - read_);
    for (std::size_t c = 0; c < to.size(); ++c) {
      const auto from = waiting_[c].begin() + static_cast<std::ptrdiff_t>(read_);
      to[c].insert(to[c].end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
    read_ += count;
    got += count;
  }
  return got;
}

}  // namespace

bool is_flac(const InputFile& file) {
  std::array<char, 4> head{};
  if (file.size() < head.size()) return false;
  file.read(0, head.data(), head.size());
  return std::memcmp(head.data(), "fLaC", head.size()) == 0;
}

std::unique_ptr<AudioReader> open_flac(InputFile file, std::optional<std::size_t> channel) {
  return std::make_unique<FlacReader>(std::move(file), channel);
}

}  // namespace fdtd
