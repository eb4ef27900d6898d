// One of the two inputs of `fdtd auralize`, a response or a signal: its samples at the rate of the response, block by
// block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/files/audio_reader.hpp"
#include "engine/responses/resampler.hpp"

namespace fdtd::cli {

class AuralizeInput {
 public:
  // An audio file.
  AuralizeInput(const std::string& path, double rate);
  // A response in memory, of channels of equal length; messages name `name`.
  AuralizeInput(std::string name, std::shared_ptr<const std::vector<std::vector<double>>> held, double rate);

  const std::string& path() const { return path_; }
  double file_rate() const { return header_.sample_rate; }
  std::size_t channels() const { return header_.channels; }
  std::uint64_t file_frames() const { return header_.frames; }  // samples a channel
  std::uint64_t frames() const { return frames_; }              // the same, at the rate of the response

  // All of it. Throws Error (file) for 2^28 samples a channel.
  std::vector<std::vector<double>> whole() const;

  void restart();
  // The next `most` samples of each channel, or what is left of them.
  std::vector<std::vector<double>> next(std::size_t most);

 private:
  AuralizeInput(std::string path, double rate, AudioHeader header, std::function<std::unique_ptr<AudioReader>()> open);
  void fill(std::size_t wanted);

  std::string path_;
  double rate_ = 0.0;
  AudioHeader header_;
  std::function<std::unique_ptr<AudioReader>()> open_;
  std::uint64_t frames_ = 0, left_ = 0;  // at the rate of the response
  std::uint64_t read_ = 0;               // of the file
  std::unique_ptr<AudioReader> reader_;
  std::vector<Resampler> resamplers_;
  std::vector<std::vector<double>> waiting_;
  bool ended_ = false;
};

// The audio file `path` at `rate` Hz; where it is empty the synthesised sound of reports (dry_sample).
AuralizeInput dry_input(const std::string& path, double rate);

}  // namespace fdtd::cli
