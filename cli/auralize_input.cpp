#include "cli/auralize_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "engine/reports/result_page/dry_sample.hpp"
#include "engine/responses/render.hpp"
#include "engine/session/audio_input.hpp"

namespace fdtd::cli {
namespace {

using Samples = std::vector<std::vector<double>>;

AudioHeader header_of(const Samples& channels, double rate) {
  return {rate, channels.size(), channels.empty() ? 0 : channels[0].size(), true};
}

// Samples in memory, read as a file is.
class HeldReader : public AudioReader {
 public:
  HeldReader(std::shared_ptr<const Samples> held, double rate) : AudioReader({}), held_(std::move(held)) {
    header_ = header_of(*held_, rate);
  }
  std::size_t read(std::size_t most, Samples& to) override {
    const std::size_t count = std::min(most, static_cast<std::size_t>(header_.frames) - read_);
    for (std::size_t c = 0; c < held_->size(); ++c) {
      const auto begin = (*held_)[c].begin() + static_cast<std::ptrdiff_t>(read_);
      to[c].insert(to[c].end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    read_ += count;
    return count;
  }

 private:
  std::shared_ptr<const Samples> held_;
  std::size_t read_ = 0;
};

}  // namespace

AuralizeInput::AuralizeInput(std::string path, double rate, AudioHeader header,
                             std::function<std::unique_ptr<AudioReader>()> open)
    : path_(std::move(path)), rate_(rate), header_(header), open_(std::move(open)) {
  if (header_.frames == 0) throw Error(Status::file, fmt::format("{} holds no samples", path_));
  frames_ = resampled_length(header_.frames, header_.sample_rate, rate_);
}

AuralizeInput::AuralizeInput(const std::string& path, double rate)
    : AuralizeInput(path, rate, judge_audio(path), [path] { return open_audio(path); }) {}

AuralizeInput::AuralizeInput(std::string name, std::shared_ptr<const Samples> held, double rate)
    : AuralizeInput(std::move(name), rate, header_of(*held, rate),
                    [held, rate] { return std::make_unique<HeldReader>(held, rate); }) {}

Samples AuralizeInput::whole() const {
  Samples all = read_all(*open_()).channels;
  for (auto& channel : all) channel = resample(channel, file_rate(), rate_);
  return all;
}

void AuralizeInput::restart() {
  reader_ = open_();
  require_unchanged(path_, header_, reader_->header());
  read_ = 0;
  resamplers_.clear();
  if (file_rate() != rate_)
    for (std::size_t c = 0; c < channels(); ++c) resamplers_.emplace_back(file_rate(), rate_);
  waiting_.assign(channels(), {});
  left_ = frames_;
  ended_ = false;
}

Samples AuralizeInput::next(std::size_t most) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left_));
  while (waiting_[0].size() < count && !ended_) fill(count - waiting_[0].size());
  Samples block(channels());
  for (std::size_t c = 0; c < channels(); ++c) {
    auto& from = waiting_[c];
    if (from.size() < count) from.resize(count, 0.0);  // where the resampler's last sample is not the last one
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
    block[c].assign(from.begin(), end);
    from.erase(from.begin(), end);
  }
  left_ -= count;
  return block;
}

void AuralizeInput::fill(std::size_t wanted) {
  Samples read(channels());
  const std::size_t got = reader_->read(std::min(wanted, std::size_t{1} << 16), resamplers_.empty() ? waiting_ : read);
  read_ += got;
  ended_ = got == 0;
  if (ended_) require_whole(path_, header_, read_);
  if (resamplers_.empty()) return;
  for (std::size_t c = 0; c < channels(); ++c) {
    resamplers_[c].put(read[c], waiting_[c]);
    if (ended_) resamplers_[c].end(waiting_[c]);
  }
}

AuralizeInput dry_input(const std::string& path, double rate) {
  if (!path.empty()) return {path, rate};
  return {"the synthesised dry sound", std::make_shared<const Samples>(Samples{dry_sample(rate)}), rate};
}

}  // namespace fdtd::cli
