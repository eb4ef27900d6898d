// Audio files read from their beginning in parts of any length, for what is longer than memory should hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"

namespace fdtd {

class AudioReader {
 public:
  virtual ~AudioReader() = default;
  AudioReader(const AudioReader&) = delete;
  AudioReader& operator=(const AudioReader&) = delete;

  const AudioHeader& header() const { return header_; }
  const std::string& comment() const { return comment_; }
  double step() const { return step_; }  // as Audio::step
  // How many of the file's channels read() gives.
  std::size_t channels() const { return chosen_ ? 1 : header_.channels; }

  // Appends the next `most` samples to each of the channels() vectors of `to`, fewer at the end of the file alone, and
  // returns how many; 0: there are none left. Throws as read_audio(), for what it reads: a damaged file gives its first
  // part before it is refused.
  virtual std::size_t read(std::size_t most, std::vector<std::vector<double>>& to) = 0;

 protected:
  explicit AudioReader(std::optional<std::size_t> channel) : chosen_(channel) {}
  std::optional<std::size_t> chosen_;  // one channel alone, from 0
  AudioHeader header_;
  std::string comment_;
  double step_ = 0.0;
};

// Opens a file that read_audio() reads; throws as read_audio_header(). `channel`: that one alone, from 0; Error
// (file) where there is none such.
std::unique_ptr<AudioReader> open_audio(const std::filesystem::path& path, std::optional<std::size_t> channel = {});

// All that is left, up to `most` samples a channel, in memory.
Audio read_all(AudioReader& reader, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// Samples a channel, counted by decoding the file where its header does not state them.
std::uint64_t count_frames(const std::filesystem::path& path);

}  // namespace fdtd
