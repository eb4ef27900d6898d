// Writes audio files; wav_read.cpp reads them.
#include "engine/files/wav_write.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <sndfile.h>

#include "engine/error.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t wav_limit = 0xFFFFFFFF - 4096;  // bytes: chunk sizes are 32 bits; the header's chunks are small
constexpr std::size_t block_frames = 4096;

using Handle = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::string& remedy = "") {
  throw Error(Status::file, path.string() + ": " + what, remedy);
}

void check(const fs::path& target, const std::vector<std::span<const double>>& channels, int sample_rate,
           SampleFormat format) {
  const auto refuse = [&](const std::string& what) { throw Error(Status::scene, target.string() + ": " + what); };
  if (channels.empty()) refuse("an audio file needs at least one channel");
  if (channels.size() > max_audio_channels)
    refuse(fmt::format("{} channels; an audio file holds at most {}", channels.size(), max_audio_channels));
  if (sample_rate < 1) refuse(fmt::format("sample rate {} Hz is not above 0", sample_rate));
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].size() != channels[0].size()) refuse("the channels differ in length");
    for (std::size_t n = 0; n < channels[c].size(); ++n) {
      const double x = channels[c][n];
      if (!std::isfinite(format == SampleFormat::float32 ? static_cast<double>(static_cast<float>(x)) : x))
        throw Error(Status::numerical, fmt::format("{}: sample {} of channel {} is {}", target.string(), n, c + 1, x));
    }
  }
}

void write_blocks(SNDFILE* file, const fs::path& target, const std::vector<std::span<const double>>& channels) {
  const std::size_t frames = channels[0].size();
  std::vector<double> block(block_frames * channels.size());
  for (std::size_t begin = 0; begin < frames; begin += block_frames) {
    const std::size_t count = std::min(block_frames, frames - begin);
    for (std::size_t n = 0; n < count; ++n)
      for (std::size_t c = 0; c < channels.size(); ++c) block[n * channels.size() + c] = channels[c][begin + n];
    if (sf_writef_double(file, block.data(), static_cast<sf_count_t>(count)) != static_cast<sf_count_t>(count))
      fail(target, fmt::format("cannot be written: {}", sf_strerror(file)), "is the disk full?");
  }
}

}  // namespace

std::string audio_library_version() {
  const std::string version = sf_version_string();  // "libsndfile-1.2.0"
  const auto digits = version.find_first_of("0123456789");
  return digits == version.npos ? version : version.substr(digits);
}

std::int64_t write_audio(const fs::path& target, const std::vector<std::span<const double>>& channels, int sample_rate,
                         SampleFormat format, bool force, const std::string& comment) {
  check(target, channels, sample_rate, format);
  AtomicFile file(target, force);
  const std::uint64_t bytes = channels.size() * channels[0].size() * (format == SampleFormat::float32 ? 4u : 3u);
  SF_INFO info{};
  info.samplerate = sample_rate;
  info.channels = static_cast<int>(channels.size());
  info.format = (bytes > wav_limit ? SF_FORMAT_RF64 : SF_FORMAT_WAV) |
                (format == SampleFormat::float32 ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_24);
  Handle handle(sf_open(file.temporary().c_str(), SFM_WRITE, &info), sf_close);
  if (!handle) fail(target, fmt::format("cannot be written: {}", sf_strerror(nullptr)));
  sf_command(handle.get(), SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);  // that chunk holds the time of writing
  sf_command(handle.get(), SFC_SET_CLIPPING, nullptr, SF_TRUE);         // without it integers wrap around
  if (!comment.empty()) sf_set_string(handle.get(), SF_STR_COMMENT, comment.c_str());
  write_blocks(handle.get(), target, channels);
  sf_command(handle.get(), SFC_UPDATE_HEADER_NOW, nullptr, 0);
  const int error = sf_error(handle.get());
  if (sf_close(handle.release()) != 0 || error != 0) fail(target, "cannot be written completely", "is the disk full?");
  if (fs::file_size(file.temporary()) < bytes) fail(target, "cannot be written completely", "is the disk full?");
  file.commit();

  std::int64_t clipped = 0;
  if (format == SampleFormat::pcm24)
    for (const auto& channel : channels)
      for (const double x : channel) clipped += std::abs(x) > 1.0 ? 1 : 0;
  return clipped;
}

}  // namespace fdtd
