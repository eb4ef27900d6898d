#include "engine/files/atomic_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

std::string reason(int code) { return std::generic_category().message(code); }

std::string remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EFBIG:
      return "the file is larger than this system or its limits allow (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case ENOENT:
      return "create the folder first";
    default:
      return "";
  }
}

[[noreturn]] void fail(const fs::path& path, const char* what, int code) {
  throw Error(Status::file, fmt::format("{}: {}: {}", path.string(), what, reason(code)), remedy(code));
}

void refuse_existing(const fs::path& target) {
  throw Error(Status::file, fmt::format("{}: exists already and is kept", target.string()),
              "use --force to replace it, or another folder");
}

void sync(const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) fail(path, "cannot be opened", errno);
  const int code = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (code != 0 && code != EINVAL) fail(path, "cannot be flushed to the disk", code);  // EINVAL: nothing to flush
}

}  // namespace

// A link is a file that exists, wherever it points to: with `force` the new file takes its place, and the file behind it
// stays as it is.
AtomicFile::AtomicFile(const fs::path& target, bool force) : target_(target), force_(force) {
  std::error_code error;
  const auto status = fs::status(target_, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(Status::file, fmt::format("{}: is {}, not a file", target.string(),
                                          fs::is_directory(status) ? "a folder" : "a device or pipe"));
  if (fs::exists(fs::symlink_status(target_, error)) && !force) refuse_existing(target);
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary_ = folder / fmt::format(".{}.{}-{}.part", target_.filename().string(), ::getpid(), attempt);
    const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      ::close(file);
      return;
    }
    if (errno != EEXIST) fail(target, "cannot be written", errno);
  }
  fail(target, "cannot be written: all temporary names are in use", EEXIST);
}

AtomicFile::~AtomicFile() {
  if (!done_) ::unlink(temporary_.c_str());
}

void AtomicFile::flush() {
  sync(temporary_, O_RDONLY);
  flushed_ = true;
}

void AtomicFile::commit() {
  if (!flushed_) flush();
  if (force_) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be renamed into place", errno);
  } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) refuse_existing(target_);
    // Some network file systems cannot rename without replacing.
    if (errno != EINVAL && errno != ENOSYS) fail(target_, "cannot be renamed into place", errno);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(target_, ignored))) refuse_existing(target_);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be renamed into place", errno);
  }
  done_ = true;
  sync(target_.has_parent_path() ? target_.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
}

bool is_temporary_name(std::string_view name) {
  constexpr std::string_view end = ".part", digits = "0123456789";
  if (!name.starts_with('.') || !name.ends_with(end)) return false;
  name.remove_suffix(end.size());
  const auto number = [&](char before) {
    const std::size_t last = name.find_last_not_of(digits);
    const bool found = last != name.npos && last + 1 < name.size() && name[last] == before;
    if (found) name = name.substr(0, last);
    return found;
  };
  return number('-') && number('.') && name.size() > 1;
}

namespace {

void put_bytes(const fs::path& path, int flags, std::string_view bytes, const fs::path& name) {
  const int out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (out < 0) fail(name, "cannot be written", errno);
  int code = 0;
  while (!bytes.empty() && code == 0) {
    const auto written = ::write(out, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      code = errno;
  }
  if (::close(out) != 0 && code == 0) code = errno;
  if (code != 0) fail(name, "cannot be written", code);
}

}  // namespace

void write_bytes(const fs::path& path, std::string_view bytes, const fs::path& name) {
  put_bytes(path, O_TRUNC, bytes, name);
}

void append_bytes(const fs::path& path, std::string_view bytes, const fs::path& name) {
  put_bytes(path, O_APPEND, bytes, name);
}

void write_whole_file(const fs::path& target, std::string_view bytes, bool force) {
  AtomicFile file(target, force);
  write_bytes(file.temporary(), bytes, target);
  file.commit();
}

void check_writable(const fs::path& target, bool force) { AtomicFile file(target, force); }

}  // namespace fdtd
