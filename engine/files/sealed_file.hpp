// Reads the HDF5 files of this program without the HDF5 library, by the index at their end (h5_index.hpp). Any other
// file is refused before its content is used: sizes are checked against that of the file, every byte against its
// checksum, and devices, pipes and folders are recognised. Everything throws Error (status file) with the names of the
// file and of the object. An element is named by its absolute path, "/receivers/R1/pressure".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/files/h5_index.hpp"
#include "engine/files/input_file.hpp"

namespace fdtd {

// Elements of an array in the order of the file: `count` runs of `length`, whose starts are `stride` apart.
struct Runs {
  std::int64_t first = 0, length = 0, count = 1, stride = 0;  // stride >= length where count > 1
};

class SealedFile {
 public:
  // Checks all but the arrays, which are checked when they are read.
  static SealedFile open(const std::filesystem::path& path);

  bool exists(const std::string& path) const;
  bool has(const std::string& object, const std::string& attribute) const;
  std::vector<std::string> names(const std::string& group) const;  // of its members, in alphabetical order
  double number(const std::string& object, const std::string& name) const;
  std::int64_t integer(const std::string& object, const std::string& name) const;
  std::vector<double> numbers(const std::string& object, const std::string& name) const;
  std::string text(const std::string& object, const std::string& name) const;
  std::vector<std::string> texts(const std::string& object, const std::string& name) const;
  std::vector<std::int64_t> shape(const std::string& array) const;
  // T = double, float, std::int64_t or std::uint8_t, as written; of any shape, last index fastest.
  template <class T>
  std::vector<T> read(const std::string& array) const;
  // Only those elements, run after run; each piece that holds any of them is read and checked once, one at a time.
  template <class T>
  std::vector<T> read(const std::string& array, const Runs& runs) const;
  std::vector<std::string> read_texts(const std::string& array) const;  // of H5File::write_texts
  void verify(const std::string& array) const;                          // checks all of it without keeping it

 private:
  explicit SealedFile(const std::filesystem::path& path) : file_(path) {}
  template <class T>
  const T& value(const std::string& object, const std::string& name) const;
  bool holds(std::uint64_t at, std::string_view bytes) const;
  void refuse_unsealed() const;
  void verify();  // all but the arrays
  const StoredArray& array(const std::string& name) const;
  void read_piece(const std::string& array, const StoredArray& stored, std::size_t piece, char* to,
                  std::size_t count) const;
  [[noreturn]] void refuse(const std::string& what) const;

  InputFile file_;
  H5Index index_;
};

}  // namespace fdtd
