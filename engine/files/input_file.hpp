// A file that the user names, opened for reading: a regular file, possibly through symbolic links, never a device, a
// pipe or a folder. Everything throws Error (status file) with the name of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace fdtd {

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // bytes, when opened
  // Bytes [at, at + count); throws if the file has become shorter.
  void read(std::uint64_t at, void* to, std::size_t count) const;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace fdtd
