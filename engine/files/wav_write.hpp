// Audio files. Only wav_write.cpp, which writes them, includes libsndfile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fdtd {

std::string audio_library_version();

inline constexpr std::size_t max_audio_channels = 1024;      // the limit of libsndfile
inline constexpr std::uint32_t max_audio_rate = 10'000'000;  // Hz, for reading: scale models are measured at a few MHz

enum class SampleFormat { float32, pcm24 };

// Writes a WAV file (RF64 above 4 GiB), one span of equal length per channel. The bytes depend on the arguments alone.
// Returns how many samples were clipped: values beyond +-1 in pcm24, none in float32. `comment`, unless empty, is
// stored in the comment chunk of the file. Throws Error: status file when it cannot be written or exists and `force` is
// false (then no file is written); scene for no channel or more than 1024, spans of unequal length or an impossible
// rate; numerical for samples that are not finite.
std::int64_t write_audio(const std::filesystem::path& target, const std::vector<std::span<const double>>& channels,
                         int sample_rate, SampleFormat format, bool force, const std::string& comment = "");

// Writes the same file in parts: it appears when it is finished, or not at all. `frames`: samples a channel in all.
class AudioWriter {
 public:
  AudioWriter(const std::filesystem::path& target, std::size_t channels, std::uint64_t frames, int sample_rate,
              SampleFormat format, bool force, const std::string& comment = "");
  ~AudioWriter();  // without finish() it leaves no file
  AudioWriter(const AudioWriter&) = delete;
  AudioWriter& operator=(const AudioWriter&) = delete;
  // The next samples of every channel.
  void write(const std::vector<std::span<const double>>& channels);
  // After `frames` samples; returns as write_audio().
  std::int64_t finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

struct Audio {
  double sample_rate = 0.0;                   // Hz
  std::vector<std::vector<double>> channels;  // equal lengths, full scale +-1
  std::string comment;                        // as stored in the file, or empty
  double step = 0.0;                          // between adjacent integer values; 0: floats, A-law and mu-law
};

// The header of an audio file.
struct AudioHeader {
  double sample_rate = 0.0;  // Hz
  std::size_t channels = 0;
  std::uint64_t frames = 0;   // samples a channel
  bool frames_stated = true;  // false: a FLAC file that states no length; then `frames` is the most that it may hold
};

// The part of a file that is wanted; the rest is neither kept nor, but for whole frames of FLAC, read.
struct AudioPart {
  std::uint64_t frames = std::numeric_limits<std::uint64_t>::max();  // the first ones
  std::optional<std::size_t> channel;                                // one channel alone, from 0
};

// Reads the header alone, so that a caller can judge the length before it takes memory. Throws as read_audio().
AudioHeader read_audio_header(const std::filesystem::path& path);

// Reads a WAV file (RIFF or RF64): integers of 8 to 32 bits, floats of 32 or 64, A-law and mu-law; or a FLAC file
// (flac_read.hpp). Throws Error (status file) for a file that cannot be opened, has another format, is shorter than its
// header states, or holds samples that are not finite.
Audio read_audio(const std::filesystem::path& path, const AudioPart& part = {});

}  // namespace fdtd
