#include "tests/support/h5_library.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include <hdf5.h>

namespace fdtd::test {
namespace {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("the HDF5 library finds no " + what);
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

herr_t add_attribute(hid_t, const char* name, const H5A_info_t*, void* list) {
  auto& objects = *static_cast<std::pair<std::string, std::vector<std::string>>*>(list);
  objects.second.push_back(objects.first + "@" + name);
  return 0;
}

herr_t add_object(hid_t object, const char* name, const H5O_info_t*, void* list) {
  std::string path = "/";
  if (std::strcmp(name, ".") != 0) path += name;
  auto& objects = *static_cast<std::vector<std::string>*>(list);
  if (path != "/") objects.push_back(path);
  std::pair<std::string, std::vector<std::string>> attributes{path, {}};
  const Handle one(H5Oopen(object, name, H5P_DEFAULT), H5Oclose, path);
  if (H5Aiterate2(one, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_attribute, &attributes) < 0) return -1;
  objects.insert(objects.end(), attributes.second.begin(), attributes.second.end());
  return 0;
}

}  // namespace

std::vector<std::string> h5_objects(const std::filesystem::path& file) {
  std::vector<std::string> objects;
  const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file.string());
  if (H5Ovisit(in, H5_INDEX_NAME, H5_ITER_INC, add_object, &objects) < 0)
    throw std::runtime_error("the HDF5 library cannot visit " + file.string());
  return objects;
}

std::string h5_text(const std::filesystem::path& file, const std::string& name) {
  const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file.string());
  const Handle attribute(H5Aopen(in, name.c_str(), H5P_DEFAULT), H5Aclose, name);
  const Handle type(H5Aget_type(attribute), H5Tclose, name);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
    throw std::runtime_error(name + " is no text of fixed length");
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) throw std::runtime_error("the HDF5 library cannot read " + name);
  return text.c_str();
}

void h5_add_unstored(const std::filesystem::path& file, const std::string& dataset,
                     const std::vector<std::uint64_t>& shape) {
  const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, file.string());
  const std::vector<hsize_t> lengths(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr), H5Sclose, dataset);
  const Handle set(H5Dcreate2(in, dataset.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose, dataset);
}

std::vector<std::int64_t> h5_shape(const std::filesystem::path& file, const std::string& dataset) {
  const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file.string());
  const Handle set(H5Dopen2(in, dataset.c_str(), H5P_DEFAULT), H5Dclose, dataset);
  const Handle space(H5Dget_space(set), H5Sclose, dataset);
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return {shape.begin(), shape.end()};
}

std::vector<double> h5_values(const std::filesystem::path& file, const std::string& dataset) {
  std::int64_t count = 1;
  for (const std::int64_t length : h5_shape(file, dataset)) count *= length;
  std::vector<double> values(static_cast<std::size_t>(count));
  const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file.string());
  const Handle set(H5Dopen2(in, dataset.c_str(), H5P_DEFAULT), H5Dclose, dataset);
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw std::runtime_error("the HDF5 library cannot read " + dataset);
  return values;
}

std::vector<double> h5_attribute(const std::filesystem::path& file, const std::string& object,
                                 const std::string& name) {
  const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file.string());
  const Handle attribute(H5Aopen_by_name(in, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  const Handle space(H5Aget_space(attribute), H5Sclose, name);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0)
    throw std::runtime_error("the HDF5 library cannot read " + name);
  return values;
}

}  // namespace fdtd::test
