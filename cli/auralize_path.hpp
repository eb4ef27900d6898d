// `fdtd auralize --path`: a signal heard along a path through the places of a result.
#pragma once

#include <memory>
#include <string>

#include "cli/auralize_input.hpp"
#include "cli/auralize_sound.hpp"
#include "engine/results/result.hpp"
#include "engine/session/path_responses.hpp"

namespace fdtd::cli {

class PathSound : public AuralizeSound {
 public:
  // `file` is the result, `path_file` a table of times and positions. Throws Error.
  PathSound(const std::string& file, const std::string& path_file, const std::string& dry, const PathChoice& choice);
  std::size_t channels() const override { return along_.head != nullptr ? 2 : heard_channels(along_.responses); }
  std::uint64_t frames() const override;
  void play(const Hear& hear) override;
  double rate() const { return result_.rendered.sample_rate; }
  double dry_rate() const { return dry_->file_rate(); }
  const std::string& said() const { return along_.said; }

 private:
  Result result_;
  Path path_;
  Moves moves_;
  PathResponses along_;
  std::unique_ptr<AuralizeInput> dry_;
};

}  // namespace fdtd::cli
