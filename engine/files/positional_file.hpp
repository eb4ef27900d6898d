// A file that is written at offsets, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace fdtd {

// Everything throws Error (status file), which names the file `name`.
class PositionalFile {
 public:
  PositionalFile(const std::filesystem::path& path, const std::filesystem::path& name);  // the file exists
  ~PositionalFile();
  PositionalFile(const PositionalFile&) = delete;
  PositionalFile& operator=(const PositionalFile&) = delete;

  std::uint64_t size() const;
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  // Sets the length and, where the file system can, reserves the space on disk, so that later writes do not run out of
  // space.
  void reserve(std::uint64_t bytes);
  void flush();  // to the disk
  // Calls use(bytes) with the whole file mapped into memory: nothing is copied, whatever its size.
  void whole(const std::function<void(std::string_view)>& use) const;

 private:
  std::filesystem::path name_;
  int descriptor_ = -1;
};

}  // namespace fdtd
