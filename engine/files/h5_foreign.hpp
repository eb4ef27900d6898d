// HDF5 files of other programs, read by the HDF5 library: arrays of numbers and texts of attributes. This program's own
// files are read by their index (sealed_file.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fdtd {

class ForeignH5 {
 public:
  // Throws Error (status file) for a file that cannot be opened or is no HDF5 file.
  explicit ForeignH5(const std::filesystem::path& path);
  ~ForeignH5();
  ForeignH5(const ForeignH5&) = delete;
  ForeignH5& operator=(const ForeignH5&) = delete;

  // Whether the file has an object of that name, an array of numbers or not.
  bool has(const std::string& object) const;
  // The lengths of an array of numbers, at most 4; nothing where there is none such of that name.
  std::optional<std::vector<std::uint64_t>> shape(const std::string& array) const;
  // A block of an array, last index fastest: `count` elements from `start` on along each dimension. Throws Error (status
  // file) for a block that is not within the array, has more than 2^26 elements, or cannot be read.
  std::vector<double> read(const std::string& array, const std::vector<std::uint64_t>& start,
                           const std::vector<std::uint64_t>& count) const;
  // The text of an attribute of an object ("/": the file), of at most 1 MiB; nothing where there is none.
  std::optional<std::string> text(const std::string& object, const std::string& attribute) const;

 private:
  struct File;
  std::filesystem::path path_;
  std::unique_ptr<File> file_;
};

}  // namespace fdtd
