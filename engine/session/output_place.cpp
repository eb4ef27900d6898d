#include "engine/session/output_place.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/results/result.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/system/version.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const CheckpointFiles files(folder);
  std::error_code ignored;
  if (fs::exists(files.newest, ignored)) return files.newest;
  if (fs::exists(files.previous, ignored)) return files.previous;  // killed between two renames
  return std::nullopt;
}

// The checkpoint to resume from, if there is one; without --resume there must be none.
std::optional<fs::path> find_checkpoint(const PlaceOptions& options, const fs::path& folder) {
  if (!options.resume_from.empty()) return options.resume_from;
  const std::optional<fs::path> newest = newest_checkpoint(folder);
  if (options.resume) return newest;
  if (newest && !options.force)
    throw Error(Status::file, fmt::format("{}: a run was interrupted here", newest->string()),
                "--resume continues it, --force starts again");
  return std::nullopt;
}

void remove_checkpoints(const fs::path& folder) {
  const CheckpointFiles files(folder);
  std::error_code ignored;
  for (const fs::path& file : {files.newest, files.previous}) fs::remove(file, ignored);
}

// The step of its source that a checkpoint holds; nothing for one that cannot be resumed.
std::optional<std::int64_t> step_of(const fs::path& file, const CheckpointLabel& here) {
  try {
    return open_checkpoint(file, here, true).moment.state.step;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

OutputPlace::OutputPlace(const Scene& scene, const PlaceOptions& options, Ranks& all)
    : options_(options),
      folder_(options.folder.empty() ? fs::path("out") / scene.file.stem() : fs::path(options.folder)) {
  if (all.first()) {
    created_.emplace(folder_);
    lock_.emplace(folder_);
    checkpoint_ = find_checkpoint(options_, folder_);
  }
  const std::string path = of_first(all, checkpoint_ ? checkpoint_->string() : std::string());
  if (!path.empty()) checkpoint_ = path;
  ended_ = of_first(all, all.first() && ended_before(scene));
}

// Has this very run ended here before? A session that was killed while it wrote its results is abandoned; one that was
// killed afterwards is not.
bool OutputPlace::ended_before(const Scene& scene) const {
  const fs::path result = folder_ / "result.h5", last = folder_ / "report.html";
  std::error_code ignored;
  if (!options_.resume || checkpoint_ || options_.force || lock_->abandoned() || !fs::exists(result, ignored) ||
      !fs::exists(last, ignored))
    return false;
  const Provenance from = read_provenance(result);
  return from.version == version() && from.scene_text == scene.text && from.overrides == scene.overrides;
}

std::optional<Moment> OutputPlace::moment(const CheckpointLabel& here) const {
  if (!checkpoint_) return std::nullopt;
  Ranks& all = ranks();
  try {
    Moment moment = open_checkpoint(*checkpoint_, here, all.first()).moment;
    all.wait_for_all();
    return moment;
  } catch (const Error& error) {
    const fs::path older = CheckpointFiles(folder_).previous;
    const auto step = *checkpoint_ == older ? std::nullopt : step_of(older, here);
    if (error.status != Status::file || !step) throw;
    throw Error(
        Status::file, error.what(),
        fmt::format("the previous checkpoint is intact: --resume-from {} resumes at step {}", older.string(), *step));
  }
}

bool OutputPlace::may_replace() const {
  if (options_.force || (options_.resume && lock_->abandoned())) return true;
  std::error_code ignored;
  return checkpoint_ && fs::equivalent(*checkpoint_, folder_ / checkpoint_->filename(), ignored);
}

void OutputPlace::begin() {
  std::error_code ignored;
  lock_->begin();
  remove_leftovers(folder_);
  if (checkpoint_) return;
  remove_checkpoints(folder_);
  fs::remove(unfinished_snapshots(folder_), ignored);
}

void OutputPlace::finish() {
  created_->keep();
  remove_checkpoints(folder_);
}

PartialSnapshots::~PartialSnapshots() {
  std::error_code ignored;
  if (!newest_checkpoint(folder_)) fs::remove(unfinished_snapshots(folder_), ignored);
}

}  // namespace fdtd
