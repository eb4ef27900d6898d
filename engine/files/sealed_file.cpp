#include "engine/files/sealed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/error.hpp"
#include "engine/files/checksum.hpp"

namespace fdtd {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read as they lie in the file");

constexpr std::string_view seal_magic = "fdtdindx", old_magic = "fdtdseal", hdf5_magic = "\x89HDF\r\n\x1a\n";
constexpr std::size_t old_seal_bytes = 24;

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, double>) return ElementType::f64;
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::i64;
  return ElementType::u8;
}

bool within(const Runs& runs, std::int64_t elements) {
  if (runs.first < 0 || runs.length < 0 || runs.first > elements || runs.length > elements - runs.first) return false;
  if (runs.count == 1) return true;
  return runs.count > 1 && runs.stride >= std::max<std::int64_t>(runs.length, 1) &&
         runs.count - 1 <= (elements - runs.first - runs.length) / runs.stride;
}

}  // namespace

void SealedFile::refuse(const std::string& what) const {
  throw Error(Status::file, file_.path().string() + ": " + what,
              "name one that fdtd wrote, whole: a result.h5, checkpoint.h5 or snapshots.h5");
}

SealedFile SealedFile::open(const std::filesystem::path& path) {
  SealedFile file(path);
  file.refuse_unsealed();
  file.verify();
  return file;
}

bool SealedFile::holds(std::uint64_t at, std::string_view bytes) const {
  std::string there(bytes.size(), '\0');
  if (at > file_.size() || file_.size() - at < bytes.size()) return false;
  file_.read(at, there.data(), there.size());
  return there == bytes;
}

void SealedFile::refuse_unsealed() const {
  const std::uint64_t size = file_.size();
  if (size >= seal_bytes && holds(size - seal_bytes, seal_magic)) return;
  const auto reject = [&](const char* what, const char* remedy) {
    throw Error(Status::file, file_.path().string() + ": " + what, remedy);
  };
  if (size >= old_seal_bytes && holds(size - old_seal_bytes, old_magic))
    reject("was written by an early version of this program, and has no index",
           "run the scene again; h5py and MATLAB read the file as it is");
  if (holds(0, hdf5_magic))
    reject("is an HDF5 file without this program's seal at its end",
           "it is incomplete, or was changed or written by another program, or by a version without seals: run the "
           "scene again");
  refuse(fmt::format("is not a file of this program ({} bytes, no seal at the end)", size));
}

void SealedFile::verify() {
  const std::uint64_t size = file_.size();
  std::string seal(seal_bytes, '\0');
  file_.read(size - seal_bytes, seal.data(), seal_bytes);
  const std::uint64_t length = word_at(seal.data() + 8), rest = word_at(seal.data() + 16);
  if (length > size - seal_bytes) refuse("is damaged: its seal states more bytes than it has");
  std::string bytes(static_cast<std::size_t>(size - seal_bytes - length), '\0');
  file_.read(length, bytes.data(), bytes.size());
  if (seal_hash(std::string_view(seal).substr(0, 24), seal_hash(bytes)) != word_at(seal.data() + 24))
    refuse("is damaged: its index does not match its checksum");
  std::uint64_t found = 0;
  try {
    index_ = read_index(bytes, length);
    for (const auto& [begin, end] : gaps_of(index_, length)) {
      bytes.resize(static_cast<std::size_t>(end - begin));
      file_.read(begin, bytes.data(), bytes.size());
      found = seal_hash(bytes, found);
    }
  } catch (const std::invalid_argument& error) {
    refuse(std::string("is damaged: ") + error.what());
  }
  if (found != rest) refuse("is damaged: its bytes do not match their checksum");
}

bool SealedFile::exists(const std::string& path) const {
  return path == "/" || index_.groups.count(path) > 0 || index_.arrays.count(path) > 0;
}

bool SealedFile::has(const std::string& object, const std::string& attribute) const {
  return index_.values.count({object, attribute}) > 0;
}

std::vector<std::string> SealedFile::names(const std::string& group) const {
  if (!exists(group)) refuse("has no group " + group);
  std::set<std::string> names;
  const std::string lead = group == "/" ? group : group + "/";
  const auto collect = [&](const std::string& path) {
    if (path.starts_with(lead) && path.find('/', lead.size()) == path.npos) names.insert(path.substr(lead.size()));
  };
  for (const auto& path : index_.groups) collect(path);
  for (const auto& [path, array] : index_.arrays) collect(path);
  return {names.begin(), names.end()};
}

template <class T>
const T& SealedFile::value(const std::string& object, const std::string& name) const {
  const auto found = index_.values.find({object, name});
  if (found == index_.values.end()) refuse(fmt::format("{} has no attribute {}", object, name));
  const T* const value = std::get_if<T>(&found->second);
  if (value == nullptr) refuse(fmt::format("attribute {} of {} is of an unexpected kind", name, object));
  return *value;
}

double SealedFile::number(const std::string& object, const std::string& name) const {
  return value<double>(object, name);
}

std::int64_t SealedFile::integer(const std::string& object, const std::string& name) const {
  return value<std::int64_t>(object, name);
}

std::vector<double> SealedFile::numbers(const std::string& object, const std::string& name) const {
  return value<std::vector<double>>(object, name);
}

std::string SealedFile::text(const std::string& object, const std::string& name) const {
  const auto& padded = value<std::string>(object, name);
  return padded.substr(0, padded.find_last_not_of('\0') + 1);
}

std::vector<std::string> SealedFile::texts(const std::string& object, const std::string& name) const {
  return value<std::vector<std::string>>(object, name);
}

const StoredArray& SealedFile::array(const std::string& name) const {
  const auto found = index_.arrays.find(name);
  if (found == index_.arrays.end()) refuse("has no array " + name);
  return found->second;
}

std::vector<std::int64_t> SealedFile::shape(const std::string& array) const { return this->array(array).shape; }

void SealedFile::read_piece(const std::string& array, const StoredArray& stored, std::size_t piece, char* to,
                            std::size_t count) const {
  file_.read(stored.offset + piece * std::uint64_t{piece_bytes}, to, count);
  if (seal_hash({to, count}) != stored.hashes[piece])
    refuse(fmt::format("is damaged: bytes of {} do not match their checksum", array));
}

template <class T>
std::vector<T> SealedFile::read(const std::string& array) const {
  const StoredArray& stored = this->array(array);
  if (stored.type != element_type<T>()) refuse(array + " is of an unexpected kind");
  std::uint64_t bytes = 0;
  count_bytes(stored, bytes);  // at most the size of the file, as read_index has checked
  std::vector<T> values(static_cast<std::size_t>(bytes / sizeof(T)));
  char* const to = reinterpret_cast<char*>(values.data());
  for (std::size_t piece = 0; piece < stored.hashes.size(); ++piece) {
    const std::uint64_t at = piece * std::uint64_t{piece_bytes};
    read_piece(array, stored, piece, to + at,
               static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes - at)));
  }
  return values;
}

template <class T>
std::vector<T> SealedFile::read(const std::string& array, const Runs& runs) const {
  const StoredArray& stored = this->array(array);
  if (stored.type != element_type<T>()) refuse(array + " is of an unexpected kind");
  std::uint64_t bytes = 0;
  count_bytes(stored, bytes);
  if (!within(runs, static_cast<std::int64_t>(bytes / sizeof(T))))
    refuse(fmt::format("{} has no {} runs of {} elements from {} on", array, runs.count, runs.length, runs.first));
  std::vector<T> values(static_cast<std::size_t>(runs.count * runs.length));
  char* to = reinterpret_cast<char*>(values.data());
  std::vector<char> held(piece_bytes);
  std::uint64_t begin = 0, end = 0;  // of the piece that is held
  for (std::int64_t run = 0; run < runs.count; ++run) {
    std::uint64_t at = static_cast<std::uint64_t>(runs.first + run * runs.stride) * sizeof(T);
    for (const std::uint64_t stop = at + static_cast<std::uint64_t>(runs.length) * sizeof(T); at < stop;) {
      if (at >= end) {
        begin = at - at % piece_bytes;
        end = std::min<std::uint64_t>(begin + piece_bytes, bytes);
        read_piece(array, stored, static_cast<std::size_t>(begin / piece_bytes), held.data(),
                   static_cast<std::size_t>(end - begin));
      }
      const std::uint64_t part = std::min(stop, end) - at;
      to = std::copy_n(held.data() + (at - begin), part, to);
      at += part;
    }
  }
  return values;
}

std::vector<std::string> SealedFile::read_texts(const std::string& array) const {
  const std::vector<std::int64_t> shape = this->shape(array);
  if (shape.size() != 2) refuse(array + " is no list of texts");
  const std::vector<std::uint8_t> bytes = read<std::uint8_t>(array);
  std::vector<std::string> texts;
  const auto length = static_cast<std::size_t>(shape[1]);
  for (std::size_t at = 0; length > 0 && at < bytes.size(); at += length) {
    const std::string_view padded(reinterpret_cast<const char*>(bytes.data()) + at, length);
    texts.emplace_back(padded.substr(0, padded.find_last_not_of('\0') + 1));
  }
  return texts;
}

void SealedFile::verify(const std::string& array) const {
  const StoredArray& stored = this->array(array);
  std::uint64_t bytes = 0;
  count_bytes(stored, bytes);
  std::vector<char> held(piece_bytes);
  for (std::size_t piece = 0; piece < stored.hashes.size(); ++piece)
    read_piece(
        array, stored, piece, held.data(),
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes - piece * std::uint64_t{piece_bytes})));
}

template std::vector<double> SealedFile::read(const std::string&) const;
template std::vector<float> SealedFile::read(const std::string&) const;
template std::vector<std::int64_t> SealedFile::read(const std::string&) const;
template std::vector<std::uint8_t> SealedFile::read(const std::string&) const;
template std::vector<double> SealedFile::read(const std::string&, const Runs&) const;
template std::vector<float> SealedFile::read(const std::string&, const Runs&) const;
template std::vector<std::uint8_t> SealedFile::read(const std::string&, const Runs&) const;

}  // namespace fdtd
