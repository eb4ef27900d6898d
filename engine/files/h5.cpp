// HDF5 files: created in memory, then written with their index.
#include "engine/files/h5.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "engine/files/atomic_file.hpp"
#include "engine/files/checksum.hpp"
#include "engine/files/h5_handle.hpp"
#include "engine/files/positional_file.hpp"

namespace fdtd {

namespace {

constexpr std::size_t memory_step = 1 << 22;  // bytes by which a file in memory grows

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  const std::string reason = h5_reason();
  const bool memory = reason.find("allocate memory") != reason.npos || reason.find("memory allocation") != reason.npos;
  throw Error(memory ? Status::resource : Status::file, fmt::format("{}: {}: {}", path.string(), what, reason));
}

H5Handle access() {
  begin_h5();
  H5Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(list, false, true);  // many network file systems have no locks; files that appear whole need none
#endif
  return list;
}

H5Handle timeless(hid_t kind) {
  H5Handle list(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(list, false);
  return list;
}

H5Handle text_type(std::size_t bytes) {
  H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(1, bytes));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// Writes one attribute; `count` < 0: a scalar.
void write_attribute(hid_t file, const std::filesystem::path& path, const std::string& object, const std::string& name,
                     hid_t file_type, hid_t memory_type, hssize_t count, const void* data) {
  const auto length = static_cast<hsize_t>(std::max<hssize_t>(0, count));
  const H5Handle space(count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, nullptr), H5Sclose);
  const H5Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  const H5Handle attribute(owner < 0 ? -1 : H5Acreate2(owner, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
  if (attribute < 0 || (count != 0 && H5Awrite(attribute, memory_type, data) < 0))
    fail(path, fmt::format("cannot write attribute {} of {}", name, object));
}

// Cut to at most `bytes` without splitting a character of UTF-8.
std::string cut(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// One after the other, each with zeros to the length of the longest, at least 1.
std::string padded(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const auto& text : texts) longest = std::max(longest, text.size());
  std::string all(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), all.begin() + static_cast<std::ptrdiff_t>(i * longest));
  return all;
}

// Contiguous: one offset locates the whole array.
H5Handle make_dataset(hid_t file, const std::string& path, hid_t type, const H5Handle& space) {
  const H5Handle list = timeless(H5P_DATASET_CREATE);
  return {H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose};
}

StoredArray stored(const H5Handle& dataset, ElementType type, const std::vector<hsize_t>& shape) {
  const haddr_t offset = H5Dget_offset(dataset);
  return {type, {shape.begin(), shape.end()}, offset == HADDR_UNDEF ? 0 : static_cast<std::uint64_t>(offset), {}};
}

}  // namespace

void begin_h5() {
  [[maybe_unused]] static const herr_t done = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by exceptions, not printed
}

std::string h5_library_version() {
  begin_h5();
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

bool h5_takes_threads() {
  hbool_t safe = 0;
  return H5is_library_threadsafe(&safe) >= 0 && safe > 0;
}

std::string h5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &reason);
  H5Eclear2(H5E_DEFAULT);
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

H5File H5File::create(const std::filesystem::path& path, const std::filesystem::path& name) {
  H5File file;
  file.path_ = name;
  file.target_ = path;
  const H5Handle list = access(), creation = timeless(H5P_FILE_CREATE);
  H5Pset_fapl_core(list, memory_step, false);
  file.file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, list);
  if (file.file_ < 0) fail(name, "cannot be created");
  return file;
}

namespace {

// A sparse file in memory: parts that are not written take no space. Its name is removed as soon as HDF5 has opened it.
struct Scratch {
  int descriptor = -1;
  std::string name;
  Scratch() {
    std::error_code code;
    for (const std::filesystem::path& folder :
         {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path(code)}) {
      name = (folder / "fdtd-XXXXXX").string();
      descriptor = ::mkostemp(name.data(), O_CLOEXEC);
      if (descriptor >= 0) return;
    }
  }
};

}  // namespace

// HDF5 writes everything but the arrays of write_later to such a file, which has the length of the final one.
H5File H5File::create_large(const std::filesystem::path& path, const std::filesystem::path& name) {
  H5File file;
  file.path_ = name;
  file.target_ = path;
  const Scratch scratch;
  file.sparse_ = scratch.descriptor;
  const H5Handle list = access(), creation = timeless(H5P_FILE_CREATE);
  if (file.sparse_ >= 0) {
    file.file_ = H5Fcreate(scratch.name.c_str(), H5F_ACC_TRUNC, creation, list);
    ::unlink(scratch.name.c_str());
  }
  if (file.file_ < 0) fail(name, "cannot be created");
  return file;
}

H5File::~H5File() {
  if (file_ >= 0) H5Fclose(file_);
  if (sparse_ >= 0) ::close(sparse_);
}

H5File::H5File(H5File&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      file_(std::exchange(other.file_, -1)),
      index_(std::move(other.index_)),
      dimensions_(std::move(other.dimensions_)),
      sparse_(std::exchange(other.sparse_, -1)),
      later_(std::move(other.later_)) {}

void H5File::close() {
  if (file_ < 0) return;
  if (sparse_ >= 0) return close_large();
  void* image = nullptr;
  const bool flushed = H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0;
  const ssize_t bytes = flushed ? H5Fget_file_image(file_, nullptr, 0) : -1;
  if (bytes < 0 || H5Fget_vfd_handle(file_, H5P_DEFAULT, &image) < 0) fail(path_, "cannot be created");
  const std::string_view whole(*static_cast<char**>(image), static_cast<std::size_t>(bytes));
  const std::string end = index_and_seal(whole, index_);
  write_bytes(target_, whole, path_);
  append_bytes(target_, end, path_);
  if (H5Fclose(std::exchange(file_, -1)) < 0) fail(path_, "cannot be closed");
}

namespace {

// Writes an array to its place in the file and hashes it piece by piece.
class ArrayWriter {
 public:
  ArrayWriter(PositionalFile& file, StoredArray& array) : file_(file), array_(array) {
    array.hashes.clear();
    piece_.reserve(piece_bytes);
  }
  void put(std::span<const std::byte> bytes) {
    file_.write(array_.offset + written_, bytes);
    written_ += bytes.size();
    while (!bytes.empty()) {
      const std::span<const std::byte> some = bytes.first(std::min(bytes.size(), piece_bytes - piece_.size()));
      piece_.append(reinterpret_cast<const char*>(some.data()), some.size());
      bytes = bytes.subspan(some.size());
      if (piece_.size() == piece_bytes) seal_piece();
    }
  }
  std::uint64_t finish() {
    if (!piece_.empty()) seal_piece();
    return written_;
  }

 private:
  void seal_piece() {
    array_.hashes.push_back(seal_hash(piece_));
    piece_.clear();
  }
  PositionalFile& file_;
  StoredArray& array_;
  std::string piece_;
  std::uint64_t written_ = 0;
};

}  // namespace

void H5File::close_large() {
  if (H5Fclose(std::exchange(file_, -1)) < 0) fail(path_, "cannot be created");
  const auto length = static_cast<std::uint64_t>(::lseek(sparse_, 0, SEEK_END));
  PositionalFile out(target_, path_);
  out.reserve(length);
  std::vector<std::byte> bytes(piece_bytes);
  const auto read = [&](std::uint64_t begin, std::uint64_t end) {
    const auto count = static_cast<std::size_t>(end - begin);
    if (::pread(sparse_, bytes.data(), count, static_cast<off_t>(begin)) != static_cast<ssize_t>(count))
      throw Error(Status::file, fmt::format("{}: cannot be created: not enough memory", path_.string()));
    return std::span<const std::byte>(bytes).first(count);
  };
  for (const auto& [name, fill] : later_) {
    ArrayWriter writer(out, index_.arrays.at(name));
    fill([&](std::span<const std::byte> some) { writer.put(some); });
    std::uint64_t wanted = 0;
    count_bytes(index_.arrays.at(name), wanted);
    if (writer.finish() != wanted)
      throw Error(Status::file, fmt::format("{}: {} has another number of values than declared", path_.string(), name));
  }
  for (auto& [name, array] : index_.arrays) {
    if (std::ranges::count(later_, name, &decltype(later_)::value_type::first) > 0) continue;
    std::uint64_t size = 0;
    count_bytes(array, size);
    ArrayWriter writer(out, array);
    for (std::uint64_t at = 0; at < size; at += piece_bytes)
      writer.put(read(array.offset + at, array.offset + std::min<std::uint64_t>(size, at + piece_bytes)));
    writer.finish();
  }
  std::uint64_t rest = 0;
  for (const auto& [begin, end] : gaps_of(index_, length)) {
    const std::span<const std::byte> gap = read(begin, end);
    rest = seal_hash({reinterpret_cast<const char*>(gap.data()), gap.size()}, rest);
    out.write(begin, gap);
  }
  const std::string end = index_and_seal(length, rest, index_);
  out.write(length, std::as_bytes(std::span(end)));
}

void H5File::group(const std::string& path) {
  const H5Handle list = timeless(H5P_GROUP_CREATE);
  const H5Handle made(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose);
  if (made < 0) fail(path_, "cannot create group " + path);
  index_.groups.insert(path);
}

void H5File::set(const std::string& object, const std::string& name, double value) {
  write_attribute(file_, path_, object, name, H5Type<double>::file(), H5Type<double>::memory(), -1, &value);
  index_.values[{object, name}] = value;
}

void H5File::set(const std::string& object, const std::string& name, std::int64_t value) {
  write_attribute(file_, path_, object, name, H5Type<std::int64_t>::file(), H5Type<std::int64_t>::memory(), -1, &value);
  index_.values[{object, name}] = value;
}

void H5File::set(const std::string& object, const std::string& name, std::span<const double> values) {
  write_attribute(file_, path_, object, name, H5Type<double>::file(), H5Type<double>::memory(),
                  static_cast<hssize_t>(values.size()), values.data());
  index_.values[{object, name}] = std::vector<double>(values.begin(), values.end());
}

void H5File::set(const std::string& object, const std::string& name, const std::string& text, std::size_t room) {
  std::string padded = room > 0 ? cut(text, room) : text;
  padded.resize(std::max<std::size_t>({1, room, padded.size()}), '\0');
  const H5Handle type = text_type(padded.size());
  write_attribute(file_, path_, object, name, type, type, -1, padded.data());
  index_.values[{object, name}] = std::move(padded);
}

void H5File::set(const std::string& object, const std::string& name, const std::vector<std::string>& texts) {
  const std::string all = padded(texts);
  const H5Handle type = text_type(texts.empty() ? 1 : all.size() / texts.size());
  write_attribute(file_, path_, object, name, type, type, static_cast<hssize_t>(texts.size()), all.data());
  index_.values[{object, name}] = texts;
}

template <class T>
void H5File::write(const std::string& path, std::span<const T> values, std::vector<std::uint64_t> extents) {
  if (extents.empty()) extents = {values.size()};
  const std::vector<hsize_t> shape(extents.begin(), extents.end());
  if (std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>()) != values.size())
    throw Error(Status::file, fmt::format("{}: {} has another number of values than declared", path_.string(), path));
  const H5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const H5Handle dataset = make_dataset(file_, path, H5Type<T>::file(), space);
  if (dataset < 0 ||
      (!values.empty() && H5Dwrite(dataset, H5Type<T>::memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    fail(path_, "cannot write " + path);
  index_.arrays[path] = stored(dataset, H5Type<T>::type, shape);
}

void H5File::write_texts(const std::string& path, const std::vector<std::string>& texts) {
  const std::string all = padded(texts);
  const hsize_t count = texts.size(), longest = texts.empty() ? 1 : all.size() / texts.size();
  const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose), type = text_type(longest);
  const H5Handle dataset = make_dataset(file_, path, type, space);
  if (dataset < 0 || (count > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0))
    fail(path_, "cannot write " + path);
  index_.arrays[path] = stored(dataset, ElementType::u8, {count, longest});
}

template <class T>
void H5File::write_later(const std::string& path, const std::vector<std::uint64_t>& extents,
                         std::function<void(const Put&)> fill) {
  const std::vector<hsize_t> shape(extents.begin(), extents.end());
  const H5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  if (std::ranges::count(shape, hsize_t{0}) > 0) {
    const H5Handle empty = make_dataset(file_, path, H5Type<T>::file(), space);
    if (empty < 0) fail(path_, "cannot write " + path);
    index_.arrays[path] = stored(empty, H5Type<T>::type, shape);
    return;
  }
  const H5Handle list = timeless(H5P_DATASET_CREATE);
  H5Pset_layout(list, H5D_CONTIGUOUS);
  H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);  // space is allocated at once, without values
  H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
  const H5Handle dataset(H5Dcreate2(file_, path.c_str(), H5Type<T>::file(), space, H5P_DEFAULT, list, H5P_DEFAULT),
                         H5Dclose);
  if (dataset < 0 || H5Dget_offset(dataset) == HADDR_UNDEF) fail(path_, "cannot write " + path);
  index_.arrays[path] = stored(dataset, H5Type<T>::type, shape);
  later_.emplace_back(path, std::move(fill));
}

template <class T>
void H5File::write_rows(const std::string& path, const std::vector<std::span<const T>>& rows) {
  const std::vector<hsize_t> shape{rows.size(), rows.empty() ? 0 : rows[0].size()};
  const H5Handle space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose);
  const H5Handle dataset = make_dataset(file_, path, H5Type<T>::file(), space);
  if (dataset < 0) fail(path_, "cannot write " + path);
  const H5Handle memory(H5Screate_simple(1, &shape[1], nullptr), H5Sclose);
  for (std::size_t r = 0; r < rows.size() && shape[1] > 0; ++r) {
    const hsize_t start[2] = {r, 0}, count[2] = {1, shape[1]};
    if (rows[r].size() != shape[1])
      throw Error(Status::file, fmt::format("{}: the rows of {} differ in length", path_.string(), path));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    if (H5Dwrite(dataset, H5Type<T>::memory(), memory, space, H5P_DEFAULT, rows[r].data()) < 0)
      fail(path_, "cannot write " + path);
  }
  index_.arrays[path] = stored(dataset, H5Type<T>::type, shape);
}

template void H5File::write(const std::string&, std::span<const double>, std::vector<std::uint64_t>);
template void H5File::write(const std::string&, std::span<const float>, std::vector<std::uint64_t>);
template void H5File::write(const std::string&, std::span<const std::int64_t>, std::vector<std::uint64_t>);
template void H5File::write(const std::string&, std::span<const std::uint8_t>, std::vector<std::uint64_t>);
template void H5File::write_later<double>(const std::string&, const std::vector<std::uint64_t>&,
                                          std::function<void(const Put&)>);
template void H5File::write_later<float>(const std::string&, const std::vector<std::uint64_t>&,
                                         std::function<void(const Put&)>);
template void H5File::write_rows(const std::string&, const std::vector<std::span<const double>>&);
template void H5File::write_rows(const std::string&, const std::vector<std::span<const float>>&);

}  // namespace fdtd
