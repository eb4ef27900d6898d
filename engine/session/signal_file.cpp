#include "engine/session/signal_file.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/responses/resampler.hpp"
#include "engine/session/audio_input.hpp"

namespace fdtd {
namespace {

constexpr std::uint64_t max_in_memory = std::uint64_t{1} << 22;  // samples: 32 MiB; 87 s at 48 kHz
constexpr std::size_t signal_block = std::size_t{1} << 16;       // samples of the file at a time

// A file of one channel, resampled block by block.
class SignalFile : public SampleStream {
 public:
  SignalFile(std::string path, const AudioHeader& judged, double rate)
      : path_(std::move(path)),
        judged_(judged),
        rate_(rate),
        samples_(resampled_length(judged.frames, judged.sample_rate, rate)) {}
  std::uint64_t samples() const override { return samples_; }
  void restart() override {
    reader_ = open_audio(path_);
    require_unchanged(path_, judged_, reader_->header());
    resampler_.reset();
    if (judged_.sample_rate != rate_) resampler_.emplace(judged_.sample_rate, rate_);
    waiting_.clear();
    taken_ = 0;
    read_ = 0;
    left_ = samples_;
    ended_ = false;
  }
  std::size_t read(std::span<double> to) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), left_));
    for (std::size_t done = 0; done < count;) {
      if (taken_ == waiting_.size()) fill();
      // Where the resampler's last sample is not the last one of as long a signal, zeros follow.
      if (taken_ == waiting_.size() && ended_) waiting_.resize(taken_ + count - done, 0.0);
      const std::size_t part = std::min(count - done, waiting_.size() - taken_);
      std::copy_n(waiting_.begin() + static_cast<std::ptrdiff_t>(taken_), part,
                  to.begin() + static_cast<std::ptrdiff_t>(done));
      taken_ += part;
      done += part;
    }
    left_ -= count;
    return count;
  }

 private:
  void fill() {
    waiting_.clear();
    taken_ = 0;
    if (ended_) return;
    std::vector<std::vector<double>> block(1);
    const std::size_t got = reader_->read(signal_block, block);
    read_ += got;
    ended_ = got == 0;
    if (ended_) require_whole(path_, judged_, read_);
    if (!resampler_) {
      waiting_ = std::move(block[0]);
      return;
    }
    resampler_->put(block[0], waiting_);
    if (ended_) resampler_->end(waiting_);
  }

  std::string path_;
  AudioHeader judged_;
  double rate_ = 0.0;
  std::uint64_t samples_ = 0, left_ = 0;  // at the output rate
  std::uint64_t read_ = 0;                // of the file
  std::unique_ptr<AudioReader> reader_;
  std::optional<Resampler> resampler_;
  std::vector<double> waiting_;  // from taken_ on not yet given
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace

std::shared_ptr<SampleStream> open_signal(const std::string& name, const std::string& written,
                                          const std::filesystem::path& path, int output_rate) {
  const AudioHeader header = judge_audio(path.string());
  if (header.channels != 1)
    throw Error(Status::scene, fmt::format("source.{}: signal {} has {} channels", name, written, header.channels),
                "a source plays one channel: extract one, or define one source per channel");
  if (header.frames == 0)
    throw Error(Status::scene, fmt::format("source.{}: signal {} holds no samples", name, written),
                "name a file with a signal, or leave the key out for the impulse response alone");
  auto file = std::make_shared<SignalFile>(path.string(), header, static_cast<double>(output_rate));
  if (std::max(header.frames, file->samples()) > max_in_memory) return file;
  file->restart();
  std::vector<double> samples(static_cast<std::size_t>(file->samples()));
  file->read(samples);
  return std::make_shared<SamplesInMemory>(std::move(samples));
}

}  // namespace fdtd
