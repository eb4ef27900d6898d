// The index at the end of every HDF5 file of this program: which objects it holds and where. This program reads its
// files by this index, without the HDF5 library, which hostile files can crash; the index is small enough to be checked
// whole. HDF5 and other readers (h5py, MATLAB) ignore bytes after the end of the HDF5 data.
//
// The file: HDF5's bytes | the index | seal. The index, numbers little-endian, texts with their length (4 bytes) before
// them:
//   1 path                                              a group
//   2 path type rank extent... offset hash...           an array: 1 byte each for type and rank, then 8 bytes each; one
//                                                       hash per piece of 1 MiB of its bytes, the last one shorter
//   3 object name kind count value...                   an attribute: 1 byte kind, 8 bytes count
// The seal, 32 bytes: "fdtdindx", the length of HDF5's bytes, the hash of those of them that are in no array, and the
// hash of the index and of these two. Every byte of the file thus has a checksum, which is checked before the byte is
// used.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fdtd {

enum class ElementType : std::uint8_t { f64 = 1, f32 = 2, i64 = 3, u8 = 4 };
std::size_t bytes_of(ElementType type);

struct StoredArray {
  ElementType type = ElementType::f64;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;           // of its first byte; the last index varies fastest
  std::vector<std::uint64_t> hashes;  // one per piece
};

// Bytes of all elements; nothing where no file can have so many.
bool count_bytes(const StoredArray& array, std::uint64_t& bytes);

using StoredValue =
    std::variant<double, std::int64_t, std::vector<double>, std::string, std::vector<std::string>>;  // kinds 1 to 5

struct H5Index {
  std::set<std::string> groups;
  std::map<std::string, StoredArray> arrays;                          // by path
  std::map<std::pair<std::string, std::string>, StoredValue> values;  // by object and name
};

inline constexpr std::size_t piece_bytes = std::size_t{1} << 20, seal_bytes = 32;

// The ranges [begin, end) of the first `length` bytes that are in no array, in ascending order, each at most a piece
// long. Throws std::invalid_argument where arrays overlap or exceed `length`, which this program never writes.
std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps_of(const H5Index& index, std::uint64_t length);

// Index and seal of HDF5's bytes; fills in the hashes of the arrays.
std::string index_and_seal(std::string_view image, H5Index& index);

// The same for bytes whose hashes are known: those of the arrays, and of the gaps in their order.
std::string index_and_seal(std::uint64_t length, std::uint64_t hash_of_gaps, const H5Index& index);

// Reads an index; each number in it is checked against the available bytes before memory of its size is allocated.
// Throws std::invalid_argument, which states the reason, for any bytes that are not an index of HDF5 bytes of `length`.
H5Index read_index(std::string_view bytes, std::uint64_t length);

}  // namespace fdtd
