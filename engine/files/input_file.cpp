#include "engine/files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace fdtd {
namespace {

std::string reason() { return std::generic_category().message(errno); }

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, const std::string& remedy = "") {
  throw Error(Status::file, fmt::format("{}: {}", path.string(), what), remedy);
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file_ < 0 && errno == ENOENT)
    fail(path, "no such file",
         path.is_absolute() ? "check its name" : "check its name: it counts from the folder where the command is run");
  if (file_ < 0) fail(path, "cannot be opened: " + reason());
  struct stat status {};
  const std::string wrong = ::fstat(file_, &status) != 0 ? "cannot be read: " + reason()
                            : S_ISREG(status.st_mode)    ? ""
                                                         : fmt::format("is {}, not a file", kind_of(status.st_mode));
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (wrong.empty()) return;
  ::close(file_);
  fail(path, wrong);
}

InputFile::~InputFile() {
  if (file_ >= 0) ::close(file_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}

void InputFile::read(std::uint64_t at, void* to, std::size_t count) const {
  char* place = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(file_, place, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot be read: " + reason());
    if (got == 0) fail(path_, "becomes shorter while it is read");
    at += static_cast<std::uint64_t>(got);
    place += got;
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace fdtd
