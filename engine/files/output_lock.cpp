#include "engine/files/output_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view begun = ", begun";

[[noreturn]] void fail(const fs::path& file, int code) {
  throw Error(Status::file,
              fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(code)),
              "choose a folder that you may write to");
}

[[noreturn]] void taken(const fs::path& folder, const std::string& owner, const std::string& remedy) {
  throw Error(Status::file, fmt::format("{}: another run{} is writing there", folder.string(), owner), remedy);
}

// The lock is written in place: a file elsewhere would be changed.
[[noreturn]] void linked(const fs::path& file) {
  throw Error(Status::file, fmt::format("{}: is a link to another file", file.string()), "remove the link");
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

std::string read_line(int file) {
  std::array<char, 300> text{};
  const ssize_t bytes = ::pread(file, text.data(), text.size() - 1, 0);
  std::string line(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  for (char& c : line)
    if (c < ' ' || c > '~') c = '?';
  return line;
}

// Writes which process holds the folder, for the messages of others. Errors are ignored: a full disk is reported where
// space is needed.
void sign(int file, std::string_view state) {
  const std::string owner = fmt::format("process {} on {}{}", ::getpid(), host_name(), state);
  const ssize_t written = ::pwrite(file, owner.data(), owner.size(), 0);
  // Truncated afterwards: a kill in between leaves the previous end of the file, and the mark in it.
  if (written > 0 && ::ftruncate(file, written) != 0) return;
}

// Whether the locked file still has its name: its last owner may have removed it between our open and our lock.
bool is_named(int file, const fs::path& path) {
  struct stat held {
  }, named{};
  return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

bool has_other_names(int file) {
  struct stat held {};
  return ::fstat(file, &held) == 0 && held.st_nlink > 1;
}

OutputLock* held_locks = nullptr;
std::mutex held_guard;  // of the list

}  // namespace

OutputLock::OutputLock(const fs::path& folder) : file_(folder / ".fdtd-lock") {
  acquire(folder);
  const std::lock_guard one(held_guard);
  next_ = std::exchange(held_locks, this);
}

void OutputLock::acquire(const fs::path& folder) {
  for (;;) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0 && errno == ELOOP) linked(file_);
    if (descriptor_ < 0) fail(file_, errno);
    if (has_other_names(descriptor_)) {
      ::close(std::exchange(descriptor_, -1));
      linked(file_);
    }
    int result = 0;
    while ((result = ::flock(descriptor_, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
    }
    const int code = result == 0 ? 0 : errno;
    if (code == 0 && is_named(descriptor_, file_)) break;
    const std::string owner = code == EWOULDBLOCK ? read_line(descriptor_) : "";
    ::close(descriptor_);
    descriptor_ = -1;
    if (code == 0) continue;
    if (code == EWOULDBLOCK)
      taken(folder, owner.empty() ? "" : " (" + owner + ")", "wait for it, or choose another folder with -o");
    ::unlink(file_.c_str());
    hold_without_locks(folder);
    return;
  }
  abandoned_ = read_line(descriptor_).ends_with(begun);
  sign(descriptor_, abandoned_ ? begun : "");  // a run that is killed before begin() leaves the mark as it was
}

void OutputLock::begin() {
  begun_ = true;
  if (descriptor_ >= 0) sign(descriptor_, begun);
}

void OutputLock::hold_without_locks(const fs::path& folder) {
  file_ = folder / ".fdtd-held";
  const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file >= 0) {
    sign(file, "");
    ::close(file);
    return;
  }
  const int code = errno;
  const fs::path held = std::exchange(file_, {});
  if (code != EEXIST) fail(held, code);
  const int other = ::open(held.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const std::string owner = other < 0 ? "" : read_line(other);
  if (other >= 0) ::close(other);
  taken(folder, owner.empty() ? "" : " (" + owner + ")",
        fmt::format("this file system cannot lock: if that run no longer exists, remove {}", held.string()));
}

OutputLock::~OutputLock() {
  {
    const std::lock_guard one(held_guard);
    for (OutputLock** at = &held_locks; *at != nullptr; at = &(*at)->next_)
      if (*at == this) {
        *at = next_;
        break;
      }
  }
  release();
}

void OutputLock::release() noexcept {
  // Before the lock is released, so that no other run's file is removed. The mark of a killed run remains until another
  // begins.
  if (!file_.empty() && (begun_ || !abandoned_)) ::unlink(file_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void release_output_locks() noexcept {
  for (OutputLock* lock = held_locks; lock != nullptr; lock = lock->next_) lock->release();
}

void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_temporary_name(entry.path().filename().string()) && entry.is_regular_file(ignored))
      leftovers.push_back(entry.path());
  for (const fs::path& file : leftovers) fs::remove(file, ignored);
}

}  // namespace fdtd
