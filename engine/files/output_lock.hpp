// One run at a time in an output folder: of several that begin there, exactly one wins.
//
// The lock is flock() on DIR/.fdtd-lock, which the system lets go of however a process ends. Where the file system cannot
// lock, a file made with O_EXCL stands for it, DIR/.fdtd-held; it outlives a process that is killed, and then has to be
// removed by hand, which the error says: guessing that its owner is dead is how two would win.
#pragma once

#include <filesystem>

namespace fdtd {

class OutputLock {
 public:
  // Throws Error (status file) when another run has the folder, or nothing can be written there.
  explicit OutputLock(const std::filesystem::path& folder);
  ~OutputLock();  // removes the file and lets go
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  // From here on this run may leave files in the folder.
  void begin();
  // A run began here and was killed: files of its output are its own, and nobody's loss. Runs that since have had the folder
  // without beginning change nothing of that.
  bool abandoned() const { return abandoned_; }

 private:
  void hold_without_locks(const std::filesystem::path& folder);
  std::filesystem::path file_;
  int descriptor_ = -1;
  bool abandoned_ = false, begun_ = false;
};

// Removes the temporary files that killed runs left of files which AtomicFile was to make in `folder`. Whoever holds the
// folder's lock may call it.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace fdtd
