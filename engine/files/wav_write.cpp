// Writes audio files; wav_read.cpp reads them.
#include "engine/files/wav_write.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <sndfile.h>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t wav_limit = 0xFFFFFFFF - 4096;  // bytes: chunk sizes are 32 bits; the header's chunks are small
constexpr std::size_t block_values = std::size_t{1} << 16;  // of all channels together, written at a time

using Handle = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::string& remedy = "") {
  throw Error(Status::file, path.string() + ": " + what, remedy);
}

void check(const fs::path& target, std::size_t channels, int sample_rate) {
  const auto refuse = [&](const std::string& what) { throw Error(Status::scene, target.string() + ": " + what); };
  if (channels == 0) refuse("an audio file needs at least one channel");
  if (channels > max_audio_channels)
    refuse(fmt::format("{} channels; an audio file holds at most {}", channels, max_audio_channels));
  if (sample_rate < 1) refuse(fmt::format("sample rate {} Hz is not above 0", sample_rate));
}

}  // namespace

std::string audio_library_version() {
  const std::string version = sf_version_string();  // "libsndfile-1.2.0"
  const auto digits = version.find_first_of("0123456789");
  return digits == version.npos ? version : version.substr(digits);
}

struct AudioWriter::File {
  File(const fs::path& where, bool force) : target(where), atomic(where, force) {}
  fs::path target;
  AtomicFile atomic;
  Handle handle{nullptr, sf_close};
  SampleFormat format = SampleFormat::float32;
  std::size_t channels = 0;
  std::uint64_t frames = 0, written = 0, bytes = 0;  // samples a channel; bytes of samples
  std::int64_t clipped = 0;
  std::vector<double> block;

  double checked(double x, std::size_t channel, std::uint64_t sample) {
    if (!std::isfinite(format == SampleFormat::float32 ? static_cast<double>(static_cast<float>(x)) : x))
      throw Error(Status::numerical,
                  fmt::format("{}: sample {} of channel {} is {}", target.string(), sample, channel + 1, x),
                  std::isfinite(x) ? "scale it down: 32-bit floats end at 3.4e38" : "");
    if (format == SampleFormat::pcm24 && std::abs(x) > 1.0) ++clipped;
    return x;
  }
};

AudioWriter::AudioWriter(const fs::path& target, std::size_t channels, std::uint64_t frames, int sample_rate,
                         SampleFormat format, bool force, const std::string& comment) {
  check(target, channels, sample_rate);
  file_ = std::make_unique<File>(target, force);
  file_->format = format;
  file_->channels = channels;
  file_->frames = frames;
  file_->bytes = channels * frames * (format == SampleFormat::float32 ? 4u : 3u);
  SF_INFO info{};
  info.samplerate = sample_rate;
  info.channels = static_cast<int>(channels);
  info.format = (file_->bytes > wav_limit ? SF_FORMAT_RF64 : SF_FORMAT_WAV) |
                (format == SampleFormat::float32 ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_24);
  file_->handle.reset(sf_open(file_->atomic.temporary().c_str(), SFM_WRITE, &info));
  SNDFILE* handle = file_->handle.get();
  if (handle == nullptr) fail(target, fmt::format("cannot be written: {}", sf_strerror(nullptr)));
  sf_command(handle, SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);  // that chunk holds the time of writing
  sf_command(handle, SFC_SET_CLIPPING, nullptr, SF_TRUE);         // without it integers wrap around
  if (!comment.empty()) sf_set_string(handle, SF_STR_COMMENT, comment.c_str());
}

AudioWriter::~AudioWriter() = default;

void AudioWriter::write(const std::vector<std::span<const double>>& channels) {
  File& file = *file_;
  for (const auto& channel : channels)
    if (channels.size() != file.channels || channel.size() != channels[0].size())
      throw Error(Status::scene, file.target.string() + ": the channels differ in length");
  const std::size_t frames = channels[0].size();
  const std::size_t block_frames = std::max<std::size_t>(1, block_values / channels.size());
  file.block.resize(block_frames * channels.size());
  for (std::size_t begin = 0; begin < frames; begin += block_frames) {
    const std::size_t count = std::min(block_frames, frames - begin);
    for (std::size_t n = 0; n < count; ++n)
      for (std::size_t c = 0; c < channels.size(); ++c)
        file.block[n * channels.size() + c] = file.checked(channels[c][begin + n], c, file.written + n);
    SNDFILE* handle = file.handle.get();
    if (sf_writef_double(handle, file.block.data(), static_cast<sf_count_t>(count)) != static_cast<sf_count_t>(count))
      fail(file.target, fmt::format("cannot be written: {}", sf_strerror(handle)), "is the disk full?");
    file.written += count;
  }
}

std::int64_t AudioWriter::finish() {
  File& file = *file_;
  if (file.written != file.frames)
    throw Error(Status::file, fmt::format("{}: {} samples a channel were to be written, there are {}",
                                          file.target.string(), file.frames, file.written));
  sf_command(file.handle.get(), SFC_UPDATE_HEADER_NOW, nullptr, 0);
  const int error = sf_error(file.handle.get());
  if (sf_close(file.handle.release()) != 0 || error != 0 || fs::file_size(file.atomic.temporary()) < file.bytes)
    fail(file.target, "cannot be written completely", "is the disk full?");
  file.atomic.commit();
  return file.clipped;
}

std::int64_t write_audio(const fs::path& target, const std::vector<std::span<const double>>& channels, int sample_rate,
                         SampleFormat format, bool force, const std::string& comment) {
  AudioWriter writer(target, channels.size(), channels.empty() ? 0 : channels[0].size(), sample_rate, format, force,
                     comment);
  writer.write(channels);
  return writer.finish();
}

}  // namespace fdtd
