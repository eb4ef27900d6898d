// A file that is written at offsets, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace fdtd {

// Everything throws Error (status file), which calls the file `name`.
class PositionalFile {
 public:
  PositionalFile(const std::filesystem::path& path, const std::filesystem::path& name);  // the file is there
  ~PositionalFile();
  PositionalFile(const PositionalFile&) = delete;
  PositionalFile& operator=(const PositionalFile&) = delete;

  std::uint64_t size() const;
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  // Makes the file so long and takes its place on the disk now, where the file system can: nothing runs out of space later.
  void reserve(std::uint64_t bytes);
  void flush();  // to the disk
  // Calls use(bytes) with the whole file as it is in memory's eyes: nothing is copied, whatever its size.
  void whole(const std::function<void(std::string_view)>& use) const;

 private:
  std::filesystem::path name_;
  int descriptor_ = -1;
};

}  // namespace fdtd
