// HDF5, as little of it as the program needs: groups, attributes, and datasets that are written whole.
//
// Files keep to the 1.8 format (MATLAB and old h5py read it), whose metadata carry checksums. This program reads its files
// by an index of its own behind HDF5's bytes (h5_index.hpp, sealed_file.hpp), never by the HDF5 library. No object
// holds a time, and the same calls give the same bytes. An element is named by its absolute path, "/receivers/R1/pressure".
// Only h5*.cpp include HDF5. Everything throws Error (status file) with the file's and the object's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/h5_index.hpp"

namespace fdtd {

std::string h5_library_version();

class H5File {
 public:
  // Made in memory, as large as the file will be, and written by close(). HDF5 cannot let go of a file on a full
  // disk, and crashes at the program's end instead; so it never meets one. Replaces what is at `path`; errors
  // call it `name` (AtomicFile's temporary file has a name that users never asked for).
  static H5File create(const std::filesystem::path& path, const std::filesystem::path& name);
  // For files larger than memory, whose large arrays come by write_later: memory holds the rest alone. `path` is there, and empty.
  static H5File create_large(const std::filesystem::path& path, const std::filesystem::path& name);
  ~H5File();  // without close() nothing is written
  H5File(H5File&& other) noexcept;
  H5File(const H5File&) = delete;
  H5File& operator=(const H5File&) = delete;
  void close();

  // Parents exist already.
  void group(const std::string& path);
  void set(const std::string& object, const std::string& name, double value);
  void set(const std::string& object, const std::string& name, std::int64_t value);
  void set(const std::string& object, const std::string& name, std::span<const double> values);
  // Text takes at least `room` bytes, so that texts of different lengths leave the rest of the file as it is; longer text
  // is cut to `room`, unless that is 0.
  void set(const std::string& object, const std::string& name, const std::string& text, std::size_t room = 0);
  void set(const std::string& object, const std::string& name, const std::vector<std::string>& texts);
  // Datasets of T = double, float, std::int64_t or std::uint8_t: a list, or rows of equal length.
  template <class T>
  void write(const std::string& path, std::span<const T> values);
  // In a file of create_large: `count` values that close() asks for, in the order of these calls. put(bytes) takes them in pieces
  // of any length, from the first to the last.
  using Put = std::function<void(std::span<const std::byte>)>;
  template <class T>
  void write_later(const std::string& path, std::uint64_t count, std::function<void(const Put&)> fill);
  template <class T>
  void write_rows(const std::string& path, const std::vector<std::span<const T>>& rows);

  // Named dimensions of the root group, and arrays of doubles on them, last fastest: what netCDF-4 is made of (h5_dimensions.cpp).
  void write_dimension(const std::string& name, std::int64_t length);
  void write_on(const std::string& path, std::span<const double> values, const std::vector<std::string>& dimensions);

 private:
  H5File() = default;
  void close_large();
  std::filesystem::path path_;    // as errors call it
  std::filesystem::path target_;  // where close() writes
  std::int64_t file_ = -1;
  H5Index index_;
  std::map<std::string, std::int64_t> dimensions_;
  int sparse_ = -1;  // of create_large: a file in memory that takes no place where nothing is written
  std::vector<std::pair<std::string, std::function<void(const Put&)>>> later_;
};

}  // namespace fdtd
