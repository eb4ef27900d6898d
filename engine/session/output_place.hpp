// The output folder of `fdtd run`: its lock, and the checkpoints and partial files of an earlier session of the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/checkpoint/checkpoint.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/files/output_lock.hpp"
#include "engine/system/ranks.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct PlaceOptions {
  std::string folder;       // empty: out/<scene>
  std::string resume_from;  // a checkpoint; empty: the folder's newest
  bool resume = false;
  bool force = false;  // replace files that exist
};

class OutputPlace {
 public:
  // Rank 0 creates and locks the folder and looks for the checkpoint to resume from; every rank gets the answers.
  // Throws Error (status file): another run holds the folder, or a run that is not to be resumed was interrupted here.
  OutputPlace(const Scene& scene, const PlaceOptions& options, Ranks& all);

  const std::filesystem::path& folder() const { return folder_; }
  // The checkpoint to resume from, if there is one.
  const std::optional<std::filesystem::path>& checkpoint() const { return checkpoint_; }
  // --resume of a run that ended here before: nothing remains to be computed.
  bool ended() const { return ended_; }
  // --resume without a checkpoint: the run starts at its first step.
  bool starts_anew() const { return options_.resume && !checkpoint_ && !ended_; }
  // Reads the checkpoint, if there is one; the error for a damaged one offers the previous.
  std::optional<Moment> moment(const CheckpointLabel& here) const;

  // ---- of rank 0
  // Files that exist may be replaced: with --force, and where they are those of the interrupted session that this one
  // resumes.
  bool may_replace() const;
  // From here on the run writes files; removes those of an earlier session unless that is resumed.
  void begin();
  // Everything is written: checkpoints are no longer needed.
  void finish();

 private:
  bool ended_before(const Scene& scene) const;
  PlaceOptions options_;
  std::filesystem::path folder_;
  std::optional<OutputFolder> created_;  // of rank 0, like the lock
  std::optional<OutputLock> lock_;
  std::optional<std::filesystem::path> checkpoint_;
  bool ended_ = false;
};

// Removes the partial snapshots at the end of its life unless a checkpoint stands beside them: without one no run can
// use them.
class PartialSnapshots {
 public:
  explicit PartialSnapshots(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~PartialSnapshots();
  PartialSnapshots(const PartialSnapshots&) = delete;
  PartialSnapshots& operator=(const PartialSnapshots&) = delete;

 private:
  std::filesystem::path folder_;
};

}  // namespace fdtd
