// Writing HDF5 files: groups, attributes, and datasets that are written whole.
//
// Files use the 1.8 format (which MATLAB and old versions of h5py read), whose metadata carry checksums. This program
// reads its files by its own index behind HDF5's bytes (h5_index.hpp, sealed_file.hpp), never with the HDF5 library. No
// object stores a time, and the same calls give the same bytes. An element is named by its absolute path,
// "/receivers/R1/pressure". Only h5*.cpp include HDF5. Everything throws Error (status file) with the names of the file
// and of the object.
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
// Whether several threads may use files of their own at once.
bool h5_takes_threads();

class H5File {
 public:
  // Creates the whole file in memory; close() writes it. HDF5 cannot close a file on a full disk and crashes at the end
  // of the program, so it never writes to disk here. Replaces the file at `path`; errors name it `name` (users do not
  // know the temporary names of AtomicFile).
  static H5File create(const std::filesystem::path& path, const std::filesystem::path& name);
  // For files larger than memory: their large arrays are written by write_later, the rest is held in memory. `path`
  // exists and is empty.
  static H5File create_large(const std::filesystem::path& path, const std::filesystem::path& name);
  ~H5File();  // without close() nothing is written
  H5File(H5File&& other) noexcept;
  H5File(const H5File&) = delete;
  H5File& operator=(const H5File&) = delete;
  void close();

  // Parents must exist.
  void group(const std::string& path);
  void set(const std::string& object, const std::string& name, double value);
  void set(const std::string& object, const std::string& name, std::int64_t value);
  void set(const std::string& object, const std::string& name, std::span<const double> values);
  // Text takes exactly `room` bytes unless `room` is 0, so that its length does not change the rest of the file; longer
  // text is cut.
  void set(const std::string& object, const std::string& name, const std::string& text, std::size_t room = 0);
  void set(const std::string& object, const std::string& name, const std::vector<std::string>& texts);
  // Datasets of T = double, float, std::int64_t or std::uint8_t: a list or an array of that shape, last index fastest;
  // or rows of equal length.
  template <class T>
  void write(const std::string& path, std::span<const T> values, std::vector<std::uint64_t> shape = {});
  // In a file of create_large: the values of an array, last index fastest, that close() requests, in the order of these
  // calls. They are passed to put(bytes) in pieces of any length, from the first to the last.
  using Put = std::function<void(std::span<const std::byte>)>;
  template <class T>
  void write_later(const std::string& path, const std::vector<std::uint64_t>& shape,
                   std::function<void(const Put&)> fill);
  // A list of texts as a dataset, for lists longer than an attribute should hold; SealedFile::read_texts reads it.
  void write_texts(const std::string& path, const std::vector<std::string>& texts);
  template <class T>
  void write_rows(const std::string& path, const std::vector<std::span<const T>>& rows);

  // Named dimensions of the root group and arrays of doubles on them, last index fastest, as in netCDF-4
  // (h5_dimensions.cpp).
  void write_dimension(const std::string& name, std::int64_t length);
  void write_on(const std::string& path, std::span<const double> values, const std::vector<std::string>& dimensions);

 private:
  H5File() = default;
  void close_large();
  std::filesystem::path path_;    // the name in errors
  std::filesystem::path target_;  // where close() writes
  std::int64_t file_ = -1;
  H5Index index_;
  std::map<std::string, std::int64_t> dimensions_;
  int sparse_ = -1;  // of create_large: a sparse file in memory
  std::vector<std::pair<std::string, std::function<void(const Put&)>>> later_;
};

}  // namespace fdtd
