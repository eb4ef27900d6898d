// Allows one run at a time in an output folder: of several that start there, exactly one gets the lock.
//
// The lock is flock() on DIR/.fdtd-lock, which the system releases however the process ends. Where the file system
// cannot lock, the file DIR/.fdtd-held, created with O_EXCL, replaces it. It remains when its process is killed and
// must then be removed by hand, as the error states: a guess that its owner is dead could let two runs in.
#pragma once

#include <filesystem>

namespace fdtd {

class OutputLock {
 public:
  // Throws Error (status file) when another run has the folder, or the folder is not writable.
  explicit OutputLock(const std::filesystem::path& folder);
  ~OutputLock();  // removes the file and releases the lock
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  // From here on this run may write files to the folder.
  void begin();
  // A run called begin() here and was killed, so its output files may be replaced. Runs that had the lock since then
  // without calling begin() do not change that.
  bool abandoned() const { return abandoned_; }

 private:
  friend void release_output_locks() noexcept;
  void acquire(const std::filesystem::path& folder);
  void release() noexcept;
  void hold_without_locks(const std::filesystem::path& folder);
  std::filesystem::path file_;
  int descriptor_ = -1;
  bool abandoned_ = false, begun_ = false;
  OutputLock* next_ = nullptr;  // of those that this process holds
};

// Releases every lock that this process holds, for a program that ends without its destructors. Allocates nothing.
void release_output_locks() noexcept;

// Removes the temporary files of AtomicFile that killed runs left in `folder`. Only the owner of the folder's lock may
// call it.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace fdtd
