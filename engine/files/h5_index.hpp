// What an HDF5 file of this program holds and where, in our own words at the file's end: so that we read our files without
// the HDF5 library. That library is not made to read hostile files, and some crash it; now it only writes, and what is read
// is this index, which is small enough to be judged whole. HDF5, and what else reads such files (h5py, MATLAB), passes over
// what follows the file's own end.
//
// The file: HDF5's bytes | the index | seal. The index, numbers little-endian, texts with their length (4 bytes) before them:
//   1 path                                              a group
//   2 path type rank extent... offset hash...           an array: 1 byte each for type and rank, then 8 bytes each; as many
//                                                       hashes as its bytes have pieces of 1 MiB, the last one shorter
//   3 object name kind count value...                   an attribute: 1 byte kind, 8 bytes count
// The seal, 32 bytes: "fdtdindx", the length of HDF5's bytes, the hash of those of them that are in no array, and the hash of
// the index and of these two. So every byte of the file has its checksum, and each is judged before it is used.
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
  std::uint64_t offset = 0;           // of its first byte; its last index is the fastest
  std::vector<std::uint64_t> hashes;  // one a piece
};

// Bytes of all elements; nothing where that is no number of bytes that a file can have.
bool count_bytes(const StoredArray& array, std::uint64_t& bytes);

using StoredValue =
    std::variant<double, std::int64_t, std::vector<double>, std::string, std::vector<std::string>>;  // kinds 1 to 5

struct H5Index {
  std::set<std::string> groups;
  std::map<std::string, StoredArray> arrays;                          // by path
  std::map<std::pair<std::string, std::string>, StoredValue> values;  // by object and name
};

inline constexpr std::size_t piece_bytes = std::size_t{1} << 20, seal_bytes = 32;

// The ranges [begin, end) of the first `length` bytes that are in no array, in rising order, each at most a piece long.
// Throws std::invalid_argument where arrays overlap or reach beyond: no file that this program wrote.
std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps_of(const H5Index& index, std::uint64_t length);

// Index and seal of HDF5's bytes; fills in the arrays' hashes.
std::string index_and_seal(std::string_view image, H5Index& index);

// The same where whoever wrote the bytes has hashed them: the arrays, and the gaps one after the other.
std::string index_and_seal(std::uint64_t length, std::uint64_t hash_of_gaps, const H5Index& index);

// The index again, each number in it held against the bytes there are before anything of its size is allocated. Throws
// std::invalid_argument, which says what is wrong, for any bytes that are no index of HDF5 bytes of `length`.
H5Index read_index(std::string_view bytes, std::uint64_t length);

}  // namespace fdtd
