// HDF5 files: reading, with every size judged against the file's before memory is taken for it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/h5.hpp"
#include "engine/h5_handle.hpp"

namespace fdtd {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  H5Eclear2(H5E_DEFAULT);
  throw Error(Status::file, path.string() + ": " + what, "is it a file of this program, and whole?");
}

// Elements of a dataspace; refuses more than `most`.
std::size_t elements(hid_t space, const std::filesystem::path& path, const std::string& object, std::int64_t most) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || count > most) refuse(path, fmt::format("{} claims more values than the file has bytes", object));
  return static_cast<std::size_t>(count);
}

// One attribute, opened and judged.
struct Attribute {
  H5Handle owner, id, type, space;
  std::size_t count = 0;

  Attribute(hid_t file, const std::filesystem::path& path, const std::string& object, const std::string& name,
            H5T_class_t kind, std::int64_t bytes)
      : owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose),
        id(owner < 0 ? -1 : H5Aopen(owner, name.c_str(), H5P_DEFAULT), H5Aclose),
        type(id < 0 ? -1 : H5Aget_type(id), H5Tclose),
        space(id < 0 ? -1 : H5Aget_space(id), H5Sclose) {
    if (id < 0 || type < 0 || space < 0) refuse(path, fmt::format("{} has no readable attribute {}", object, name));
    if (H5Tget_class(type) != kind || H5Tis_variable_str(type) > 0 || H5Tget_size(type) == 0)
      refuse(path, fmt::format("attribute {} of {} is of an unexpected kind", name, object));
    count = elements(space, path, fmt::format("attribute {} of {}", name, object),
                     bytes / static_cast<std::int64_t>(H5Tget_size(type)));
  }
};

std::vector<std::string> read_texts(const Attribute& attribute, const std::filesystem::path& path,
                                    const std::string& name) {
  const std::size_t size = H5Tget_size(attribute.type);
  std::string all(size * attribute.count, '\0');
  if (attribute.count > 0 && H5Aread(attribute.id, attribute.type, all.data()) < 0)
    refuse(path, fmt::format("cannot read attribute {}", name));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < attribute.count; ++i) {
    const std::string one = all.substr(i * size, size);
    texts.push_back(one.substr(0, one.find_last_not_of('\0') + 1));
  }
  return texts;
}

template <class T>
T read_scalar(hid_t file, const std::filesystem::path& path, const std::string& object, const std::string& name,
              H5T_class_t kind, std::int64_t bytes) {
  const Attribute attribute(file, path, object, name, kind, bytes);
  T value{};
  if (attribute.count != 1 || H5Aread(attribute.id, H5Type<T>::memory(), &value) < 0)
    refuse(path, fmt::format("attribute {} of {} is not one number", name, object));
  return value;
}

}  // namespace

bool H5File::exists(const std::string& path) const {
  // Every link on the way must be there before HDF5 may be asked for the last one.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) {
      H5Eclear2(H5E_DEFAULT);
      return false;
    }
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> H5File::names(const std::string& group) const {
  const H5Handle id(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose);
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  if (id < 0 || H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) < 0)
    refuse(path_, "has no readable group " + group);
  return names;
}

double H5File::number(const std::string& object, const std::string& name) const {
  return read_scalar<double>(file_, path_, object, name, H5T_FLOAT, bytes_);
}

std::int64_t H5File::integer(const std::string& object, const std::string& name) const {
  return read_scalar<std::int64_t>(file_, path_, object, name, H5T_INTEGER, bytes_);
}

std::vector<double> H5File::numbers(const std::string& object, const std::string& name) const {
  const Attribute attribute(file_, path_, object, name, H5T_FLOAT, bytes_);
  std::vector<double> values(attribute.count);
  if (!values.empty() && H5Aread(attribute.id, H5T_NATIVE_DOUBLE, values.data()) < 0)
    refuse(path_, fmt::format("cannot read attribute {} of {}", name, object));
  return values;
}

std::string H5File::text(const std::string& object, const std::string& name) const {
  const Attribute attribute(file_, path_, object, name, H5T_STRING, bytes_);
  const auto texts = read_texts(attribute, path_, name);
  if (texts.size() != 1) refuse(path_, fmt::format("attribute {} of {} is not one text", name, object));
  return texts[0];
}

std::vector<std::string> H5File::texts(const std::string& object, const std::string& name) const {
  return read_texts(Attribute(file_, path_, object, name, H5T_STRING, bytes_), path_, name);
}

bool H5File::has(const std::string& object, const std::string& attribute) const {
  const bool there = exists(object) && H5Aexists_by_name(file_, object.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
  H5Eclear2(H5E_DEFAULT);
  return there;
}

std::vector<std::int64_t> H5File::shape(const std::string& dataset) const {
  const H5Handle id(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const H5Handle space(id < 0 ? -1 : H5Dget_space(id), H5Sclose);
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > H5S_MAX_RANK) refuse(path_, "has no readable dataset " + dataset);
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank) + 1);
  H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  return {extent.begin(), extent.end() - 1};
}

template <class T>
std::vector<T> H5File::read(const std::string& dataset) const {
  const H5Handle id(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const H5Handle space(id < 0 ? -1 : H5Dget_space(id), H5Sclose), type(id < 0 ? -1 : H5Dget_type(id), H5Tclose);
  if (id < 0 || space < 0 || type < 0) refuse(path_, "has no readable dataset " + dataset);
  if (H5Tequal(type, H5Type<T>::file()) <= 0) refuse(path_, dataset + " is of an unexpected kind");
  const std::size_t count = elements(space, path_, dataset, bytes_ / static_cast<std::int64_t>(sizeof(T)));
  const hsize_t stored = H5Dget_storage_size(id);
  if (stored < count * sizeof(T) || stored > static_cast<hsize_t>(bytes_)) refuse(path_, dataset + " is not whole");
  std::vector<T> values(count);
  if (count > 0 && H5Dread(id, H5Type<T>::memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw Error(Status::file, fmt::format("{}: cannot read {}: {}", path_.string(), dataset, h5_reason()),
                "the file is damaged");
  return values;
}

template std::vector<double> H5File::read(const std::string&) const;
template std::vector<float> H5File::read(const std::string&) const;
template std::vector<std::int64_t> H5File::read(const std::string&) const;
template std::vector<std::uint8_t> H5File::read(const std::string&) const;

}  // namespace fdtd
