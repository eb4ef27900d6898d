#include "engine/files/positional_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fdtd {
namespace {

[[noreturn]] void fail(const std::filesystem::path& name, const char* what, int code) {
  throw Error(Status::file, fmt::format("{}: {}: {}", name.string(), what, std::generic_category().message(code)),
              code == ENOSPC || code == EDQUOT ? "free some space or choose another folder" : "");
}

}  // namespace

PositionalFile::PositionalFile(const std::filesystem::path& path, const std::filesystem::path& name)
    : name_(name), descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {
  if (descriptor_ < 0) fail(name_, "cannot be opened", errno);
}

PositionalFile::~PositionalFile() { ::close(descriptor_); }

std::uint64_t PositionalFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(name_, "cannot be read", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void PositionalFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(name_, "cannot be written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
}

void PositionalFile::reserve(std::uint64_t bytes) {
  const int code = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (code == 0) return;
  if (code != EOPNOTSUPP && code != EINVAL) fail(name_, "cannot reserve its space on the disk", code);
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail(name_, "cannot be extended", errno);
}

void PositionalFile::flush() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(name_, "cannot be flushed to the disk", errno);
}

void PositionalFile::whole(const std::function<void(std::string_view)>& use) const {
  const auto bytes = static_cast<std::size_t>(size());
  void* const start = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (start == MAP_FAILED) fail(name_, "cannot be read", errno);
  const struct Unmap {
    void* start;
    std::size_t bytes;
    ~Unmap() { ::munmap(start, bytes); }
  } unmap{start, bytes};
  use({static_cast<const char*>(start), bytes});
}

}  // namespace fdtd
