// HDF5, as little of it as the program needs: groups, attributes, and datasets that are written and read whole.
//
// Files keep to the 1.8 format (MATLAB and old h5py read it), whose metadata carry checksums; datasets carry Fletcher-32; and
// a seal over the whole file (h5_seal.hpp) is judged before HDF5 sees a byte of it. So damage is found on reading. No object
// holds a time, and the same calls give the same bytes. An element is named by its absolute path, "/receivers/R1/pressure".
// Only h5*.cpp include HDF5. Everything throws Error (status file) with the file's and the object's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fdtd {

std::string h5_library_version();

class H5File {
 public:
  // To write: made in memory, as large as the file will be, and written by close(). HDF5 cannot let go of a file on a full
  // disk, and crashes at the program's end instead; so it never meets one. Replaces what is at `path`; errors
  // call it `name` (AtomicFile's temporary file has a name that users never asked for).
  static H5File create(const std::filesystem::path& path, const std::filesystem::path& name);
  static H5File open(const std::filesystem::path& path);  // to read
  ~H5File();                                              // without close() nothing is written
  H5File(H5File&& other) noexcept;
  H5File(const H5File&) = delete;
  H5File& operator=(const H5File&) = delete;
  void close();

  // ---- writing; parents exist already
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
  template <class T>
  void write_rows(const std::string& path, const std::vector<std::span<const T>>& rows);

  // Named dimensions of the root group, and arrays of doubles on them, last fastest: what netCDF-4 is made of (h5_dimensions.cpp).
  void write_dimension(const std::string& name, std::int64_t length);
  void write_on(const std::string& path, std::span<const double> values, const std::vector<std::string>& dimensions);

  // ---- reading; what is missing or of another kind than asked for throws, before anything of its size is allocated
  bool exists(const std::string& path) const;
  bool has(const std::string& object, const std::string& attribute) const;
  std::vector<std::string> names(const std::string& group) const;  // of its members, in alphabetical order
  double number(const std::string& object, const std::string& name) const;
  std::int64_t integer(const std::string& object, const std::string& name) const;
  std::vector<double> numbers(const std::string& object, const std::string& name) const;
  std::string text(const std::string& object, const std::string& name) const;
  std::vector<std::string> texts(const std::string& object, const std::string& name) const;
  std::vector<std::int64_t> shape(const std::string& dataset) const;
  template <class T>
  std::vector<T> read(const std::string& dataset) const;  // of any shape, last index fastest

 private:
  H5File() = default;
  std::filesystem::path path_;    // as errors call it
  std::filesystem::path target_;  // where close() writes
  std::int64_t file_ = -1;
  bool writing_ = false;
  std::int64_t bytes_ = 0;  // of the file, when reading
};

}  // namespace fdtd
