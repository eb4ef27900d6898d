#include "engine/files/h5_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "engine/files/checksum.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_rank = 8, max_text = std::size_t{64} << 20;
enum : std::uint8_t { a_group = 1, an_array = 2, an_attribute = 3 };

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

void put_word(std::string& out, std::uint64_t word, int bytes = 8) {
  for (int i = 0; i < bytes; ++i, word >>= 8) out += static_cast<char>(word & 0xFF);
}
void put_byte(std::string& out, std::size_t value) { put_word(out, value, 1); }
void put(std::string& out, const std::string& text) {
  put_word(out, text.size(), 4);
  out += text;
}
void put(std::string& out, double value) { put_word(out, std::bit_cast<std::uint64_t>(value)); }
void put(std::string& out, std::int64_t value) { put_word(out, static_cast<std::uint64_t>(value)); }

template <class T>
void put_values(std::string& out, const std::vector<T>& values) {
  put_word(out, values.size());
  for (const T& value : values) put(out, value);
}
template <class T>
void put_values(std::string& out, const T& value) {
  put_word(out, 1);
  put(out, value);
}

// Reads numbers and texts from the front of the bytes, never beyond their end.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) refuse("its index ends early");
    const std::string_view front = bytes_.substr(0, static_cast<std::size_t>(count));
    bytes_.remove_prefix(front.size());
    return front;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  std::uint64_t word() { return word_at(take(8).data()); }
  std::uint64_t count(std::size_t bytes_each) {  // of elements of at least that size
    const std::uint64_t n = word();
    if (n > bytes_.size() / bytes_each) refuse("its index states more entries than it holds");
    return n;
  }
  std::string text() {
    std::uint64_t length = 0;
    const std::string_view four = take(4);
    for (std::size_t i = 4; i-- > 0;) length = length << 8 | static_cast<unsigned char>(four[i]);
    if (length > max_text) refuse("its index holds a text of impossible length");
    return std::string(take(length));
  }
  void get(double& value) { value = std::bit_cast<double>(word()); }
  void get(std::int64_t& value) { value = static_cast<std::int64_t>(word()); }
  void get(std::string& value) { value = text(); }

 private:
  std::string_view bytes_;
};

template <class T>
T take_one(Taker& from) {
  T value{};
  if (from.count(1) != 1) refuse("its index holds a value of impossible number");
  from.get(value);
  return value;
}

template <class T>
std::vector<T> take_all(Taker& from, std::size_t bytes_each) {
  std::vector<T> values(static_cast<std::size_t>(from.count(bytes_each)));
  for (T& value : values) from.get(value);
  return values;
}

StoredValue take_value(Taker& from) {
  switch (from.byte()) {
    case 1:
      return take_one<double>(from);
    case 2:
      return take_one<std::int64_t>(from);
    case 3:
      return take_all<double>(from, 8);
    case 4:
      return take_one<std::string>(from);
    case 5:
      return take_all<std::string>(from, 4);
    default:
      refuse("its index holds a value of an unknown kind");
  }
}

StoredArray take_array(Taker& from) {
  StoredArray array;
  const std::uint8_t type = from.byte();
  if (type < 1 || type > 4) refuse("its index holds an array of an unknown type");
  array.type = static_cast<ElementType>(type);
  const std::uint8_t rank = from.byte();
  if (rank > max_rank) refuse("its index holds an array of too many dimensions");
  for (int d = 0; d < rank; ++d) array.shape.push_back(static_cast<std::int64_t>(from.word()));
  array.offset = from.word();
  std::uint64_t bytes = 0;
  if (!count_bytes(array, bytes)) refuse("its index holds an array of impossible size");
  const std::uint64_t pieces = bytes / piece_bytes + (bytes % piece_bytes > 0 ? 1 : 0);
  const std::string_view hashes = from.take(pieces > max_text ? max_text * 8 : 8 * pieces);
  for (std::size_t i = 0; i < hashes.size(); i += 8) array.hashes.push_back(word_at(hashes.data() + i));
  return array;
}

std::string bytes_of(const H5Index& index) {
  std::string out;
  for (const auto& path : index.groups) {
    put_byte(out, a_group);
    put(out, path);
  }
  for (const auto& [path, array] : index.arrays) {
    put_byte(out, an_array);
    put(out, path);
    put_byte(out, static_cast<std::size_t>(array.type));
    put_byte(out, array.shape.size());
    for (const std::int64_t extent : array.shape) put(out, extent);
    put_word(out, array.offset);
    for (const std::uint64_t hash : array.hashes) put_word(out, hash);
  }
  for (const auto& [name, value] : index.values) {
    put_byte(out, an_attribute);
    put(out, name.first);
    put(out, name.second);
    put_byte(out, value.index() + 1);
    std::visit([&](const auto& one) { put_values(out, one); }, value);
  }
  return out;
}

}  // namespace

std::size_t bytes_of(ElementType type) { return type == ElementType::u8 ? 1 : type == ElementType::f32 ? 4 : 8; }

bool count_bytes(const StoredArray& array, std::uint64_t& bytes) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  bytes = bytes_of(array.type);
  for (const std::int64_t extent : array.shape) {
    if (extent < 0 || (extent > 0 && bytes > most / static_cast<std::uint64_t>(extent))) return false;
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return true;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps_of(const H5Index& index, std::uint64_t length) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const auto& [path, array] : index.arrays) {
    std::uint64_t bytes = 0;
    if (!count_bytes(array, bytes) || bytes > length || array.offset > length - bytes)
      refuse(fmt::format("{} lies beyond the file's end", path));
    if (bytes > 0) taken.emplace_back(array.offset, array.offset + bytes);
  }
  std::sort(taken.begin(), taken.end());
  taken.emplace_back(length, length);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
  std::uint64_t at = 0;
  for (const auto& [begin, end] : taken) {
    if (begin < at) refuse("two arrays of its index overlap");
    for (; at < begin; at = gaps.back().second) gaps.emplace_back(at, std::min<std::uint64_t>(begin, at + piece_bytes));
    at = end;
  }
  return gaps;
}

std::string index_and_seal(std::string_view image, H5Index& index) {
  for (auto& [path, array] : index.arrays) {
    std::uint64_t bytes = 0;
    if (!count_bytes(array, bytes) || bytes > image.size() || array.offset > image.size() - bytes)
      refuse(fmt::format("{} lies beyond the file's end", path));
    const std::string_view whole =
        bytes > 0 ? image.substr(static_cast<std::size_t>(array.offset), static_cast<std::size_t>(bytes)) : "";
    array.hashes.clear();
    for (std::size_t at = 0; at < whole.size(); at += piece_bytes)
      array.hashes.push_back(seal_hash(whole.substr(at, piece_bytes)));
  }
  std::uint64_t rest = 0;
  for (const auto& [begin, end] : gaps_of(index, image.size()))
    rest = seal_hash(image.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), rest);
  return index_and_seal(image.size(), rest, index);
}

std::string index_and_seal(std::uint64_t length, std::uint64_t hash_of_gaps, const H5Index& index) {
  std::string out = bytes_of(index);
  std::string seal = "fdtdindx";
  put_word(seal, length);
  put_word(seal, hash_of_gaps);
  put_word(seal, seal_hash(seal, seal_hash(out)));
  return out + seal;
}

H5Index read_index(std::string_view bytes, std::uint64_t length) {
  H5Index index;
  for (Taker from(bytes); !from.done();) {
    const std::uint8_t kind = from.byte();
    std::string path = from.text();
    bool fresh = true;
    if (kind == a_group) {
      fresh = index.groups.insert(std::move(path)).second;
    } else if (kind == an_array) {
      fresh = index.arrays.emplace(std::move(path), take_array(from)).second;
    } else if (kind == an_attribute) {
      std::string name = from.text();
      fresh = index.values.emplace(std::pair(std::move(path), std::move(name)), take_value(from)).second;
    } else {
      refuse("its index holds an entry of an unknown kind");
    }
    if (!fresh) refuse("its index holds one entry twice");
  }
  gaps_of(index, length);
  return index;
}

}  // namespace fdtd
