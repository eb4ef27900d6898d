#include "engine/files/h5_foreign.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/error.hpp"
#include "engine/files/h5_handle.hpp"
#include "engine/files/input_file.hpp"

namespace fdtd {

struct ForeignH5::File {
  InputFile regular;  // no device, no pipe
  H5Handle handle;
};

namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 26;
constexpr std::size_t most_text = std::size_t{1} << 20;
constexpr int most_dimensions = 4;

H5Handle open_foreign(const std::filesystem::path& path) {
  begin_h5();
  H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);
#endif
  H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (file < 0)
    throw Error(Status::file, fmt::format("{}: no HDF5 file: {}", path.string(), h5_reason()),
                "download or export it again");
  return file;
}

// An array of numbers in the file itself; a negative identifier: none.
H5Handle open_array(hid_t file, const std::string& array) {
  H5Handle none(-1, H5Dclose);
  if (H5Lexists(file, array.c_str(), H5P_DEFAULT) <= 0) return none;
  H5Handle data(H5Dopen2(file, array.c_str(), H5P_DEFAULT), H5Dclose);
  if (data < 0) return none;
  const H5Handle type(H5Dget_type(data), H5Tclose), list(H5Dget_create_plist(data), H5Pclose);
  const H5T_class_t kind = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  // External files and virtual arrays would read other files than the one that is named.
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || list < 0 || H5Pget_external_count(list) != 0 ||
      H5Pget_layout(list) == H5D_VIRTUAL)
    return none;
  return data;
}

std::string attribute_text(hid_t attribute) {
  const H5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return "";
  if (H5Tis_variable_str(type) > 0) {
    const H5Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    char* text = nullptr;
    if (H5Aread(attribute, memory, static_cast<void*>(&text)) < 0 || text == nullptr) return "";
    std::string copy(text, strnlen(text, most_text));
    H5free_memory(text);
    return copy;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > most_text) return "";
  std::string text(size, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return "";
  return text.substr(0, text.find('\0'));
}

}  // namespace

ForeignH5::ForeignH5(const std::filesystem::path& path) : path_(path) {
  InputFile regular(path);
  file_ = std::make_unique<File>(File{std::move(regular), open_foreign(path)});
}

ForeignH5::~ForeignH5() = default;

bool ForeignH5::has(const std::string& object) const {
  return H5Lexists(file_->handle, object.c_str(), H5P_DEFAULT) > 0;
}

std::optional<std::vector<std::uint64_t>> ForeignH5::shape(const std::string& array) const {
  const H5Handle data = open_array(file_->handle, array);
  if (data < 0) return std::nullopt;
  const H5Handle space(H5Dget_space(data), H5Sclose);
  const int dimensions = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (dimensions < 1 || dimensions > most_dimensions) return std::nullopt;
  std::vector<hsize_t> lengths(static_cast<std::size_t>(dimensions));
  if (H5Sget_simple_extent_dims(space, lengths.data(), nullptr) != dimensions) return std::nullopt;
  return std::vector<std::uint64_t>(lengths.begin(), lengths.end());
}

std::vector<double> ForeignH5::read(const std::string& array, const std::vector<std::uint64_t>& start,
                                    const std::vector<std::uint64_t>& count) const {
  const auto fail = [&](const std::string& why) {
    throw Error(Status::file, fmt::format("{}: {}: {}", path_.string(), array, why));
  };
  const auto lengths = shape(array);
  if (!lengths || lengths->size() != start.size() || start.size() != count.size()) fail("has another shape");
  std::uint64_t elements = 1;
  for (std::size_t d = 0; d < count.size(); ++d) {
    if (count[d] == 0 || start[d] >= (*lengths)[d] || count[d] > (*lengths)[d] - start[d]) fail("is shorter");
    if (count[d] > most_elements / elements) fail("is too long");
    elements *= count[d];
  }
  const H5Handle data = open_array(file_->handle, array);
  const H5Handle space(data < 0 ? -1 : H5Dget_space(data), H5Sclose);
  const std::vector<hsize_t> from(start.begin(), start.end()), block(count.begin(), count.end());
  const H5Handle memory(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(elements));
  if (space < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, block.data(), nullptr) < 0 ||
      H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
    fail("cannot be read: " + h5_reason());
  return values;
}

std::optional<std::string> ForeignH5::text(const std::string& object, const std::string& attribute) const {
  if (object != "/" && H5Lexists(file_->handle, object.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  if (H5Aexists_by_name(file_->handle, object.c_str(), attribute.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  const H5Handle one(H5Aopen_by_name(file_->handle, object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose);
  if (one < 0) return std::nullopt;
  return attribute_text(one);
}

}  // namespace fdtd
