// Arrays on named dimensions in the way of netCDF-4: with HDF5 dimension scales.
#include <algorithm>

#include <fmt/format.h>
#include <hdf5_hl.h>

#include "engine/files/h5.hpp"
#include "engine/files/h5_handle.hpp"

namespace fdtd {
namespace {

H5Handle timeless_dataset() {
  H5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(list, false);
  return list;
}

}  // namespace

void H5File::write_dimension(const std::string& name, std::int64_t length) {
  dimensions_[name] = length;
  const auto extent = static_cast<hsize_t>(length);
  const H5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const H5Handle list = timeless_dataset();
  const H5Handle dataset(H5Dcreate2(file_, ("/" + name).c_str(), H5T_IEEE_F32BE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                         H5Dclose);
  // The name that netCDF gives to a dimension without values.
  const std::string label = fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length);
  if (dataset < 0 || H5DSset_scale(dataset, label.c_str()) < 0)
    throw Error(Status::file, fmt::format("{}: cannot write dimension {}: {}", path_.string(), name, h5_reason()));
}

void H5File::write_on(const std::string& path, std::span<const double> values,
                      const std::vector<std::string>& dimensions) {
  const auto check = [&](bool good) {
    if (!good) throw Error(Status::file, fmt::format("{}: cannot write {}: {}", path_.string(), path, h5_reason()));
  };
  std::vector<hsize_t> shape;
  hsize_t count = 1;
  for (const std::string& name : dimensions) {
    shape.push_back(static_cast<hsize_t>(dimensions_.at(name)));
    count *= shape.back();
  }
  if (count != values.size())
    throw Error(Status::file,
                fmt::format("{}: {} has {} values for {} elements", path_.string(), path, values.size(), count));
  const H5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const H5Handle list = timeless_dataset();
  const H5Handle dataset(H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                         H5Dclose);
  check(dataset >= 0);
  if (!values.empty()) check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const H5Handle scale(H5Dopen2(file_, ("/" + dimensions[d]).c_str(), H5P_DEFAULT), H5Dclose);
    check(scale >= 0 && H5DSattach_scale(dataset, scale, static_cast<unsigned>(d)) >= 0);
  }
}

}  // namespace fdtd
