#include "cli/auralize_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "cli/terminal/stop_on_signal.hpp"
#include "engine/binaural/moving_ears.hpp"
#include "engine/session/audio_input.hpp"
#include "scenes/toml/receiver_places.hpp"

namespace fdtd::cli {
namespace {

// The dry signal as a stream.
class DryStream : public SampleStream {
 public:
  explicit DryStream(AuralizeInput& input) : input_(input) {}
  std::uint64_t samples() const override { return input_.frames(); }
  void restart() override { input_.restart(); }
  std::size_t read(std::span<double> to) override {
    if (StopOnSignal::noted() != 0) throw Error(Status::interrupted, "interrupted: no file is written");
    const std::vector<double> block = std::move(input_.next(to.size()).front());
    std::ranges::copy(block, to.begin());
    return block.size();
  }

 private:
  AuralizeInput& input_;
};

Path path_in(const std::string& file) {
  std::string why;
  auto path = read_path_file(file, why);
  if (!path) throw Error(Status::file, why, "t, x, y, z on the first line, then a row for each moment");
  return std::move(*path);
}

}  // namespace

PathSound::PathSound(const std::string& file, const std::string& path_file, const std::string& dry,
                     const PathChoice& choice)
    : result_(read_result(file)),
      path_(path_in(path_file)),
      moves_(choice.moves),
      along_(path_responses(result_, path_, choice, file, path_file)),
      dry_(std::make_unique<AuralizeInput>(dry_input(dry, result_.rendered.sample_rate))) {
  if (dry_->channels() != 1)
    throw Error(Status::scene, fmt::format("{} has {} channels", dry, dry_->channels()),
                "along a path one channel is heard");
  const double of_head = along_.head != nullptr ? bytes_of_moving_ears(*along_.head, rate()) : 0.0;
  require_memory(
      file,
      bytes_to_play_along(along_.responses.channels, static_cast<std::size_t>(result_.rendered.samples)) + of_head,
      "to convolve", "use shorter responses");
}

std::uint64_t PathSound::frames() const {
  return dry_->frames() + static_cast<std::uint64_t>(result_.rendered.samples) - 1;
}

void PathSound::play(const Hear& hear) {
  DryStream stream(*dry_);
  const auto hear_block = [&](const std::vector<std::span<const double>>& block) {
    Samples samples;
    for (const auto& channel : block) samples.emplace_back(channel.begin(), channel.end());
    hear(samples);
  };
  if (along_.head == nullptr) return play_along(stream, along_.responses, path_, moves_, rate(), hear_block);
  MovingEars ears(*along_.head, along_.source, rate());
  play_along(stream, along_.responses, path_, moves_, rate(), [&](const auto& block) { ears.next(block, hear_block); });
  ears.finish(hear_block);
}

}  // namespace fdtd::cli
