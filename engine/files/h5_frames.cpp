#include "engine/files/h5_frames.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/files/h5_handle.hpp"

namespace fdtd {
namespace {

hid_t type_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return H5Type<double>::file();
    case ElementType::f32:
      return H5Type<float>::file();
    case ElementType::i64:
      return H5Type<std::int64_t>::file();
    case ElementType::u8:
      break;
  }
  return H5Type<std::uint8_t>::file();
}

H5Handle timeless(hid_t kind) {
  H5Handle list(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(list, false);
  return list;
}

struct AttributeWriter {
  hid_t object;
  const std::string& name;

  bool write(hid_t file_type, hid_t memory_type, const H5Handle& space, const void* data) const {
    const H5Handle attribute(H5Acreate2(object, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    return attribute >= 0 && H5Awrite(attribute, memory_type, data) >= 0;
  }
  bool operator()(std::int64_t value) const {
    return write(H5Type<std::int64_t>::file(), H5Type<std::int64_t>::memory(), {H5Screate(H5S_SCALAR), H5Sclose},
                 &value);
  }
  bool operator()(double value) const {
    return write(H5Type<double>::file(), H5Type<double>::memory(), {H5Screate(H5S_SCALAR), H5Sclose}, &value);
  }
  bool operator()(const std::vector<double>& values) const {
    const hsize_t length = values.size();
    return write(H5Type<double>::file(), H5Type<double>::memory(), {H5Screate_simple(1, &length, nullptr), H5Sclose},
                 values.data());
  }
  bool operator()(const std::string& text) const { return write_texts({text}, {H5Screate(H5S_SCALAR), H5Sclose}); }
  bool operator()(const std::vector<std::string>& texts) const {
    const hsize_t length = texts.size();
    return write_texts(texts, {H5Screate_simple(1, &length, nullptr), H5Sclose});
  }
  bool write_texts(const std::vector<std::string>& texts, const H5Handle& space) const {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string all(longest * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(all.data() + i * longest, longest);
    const H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, longest);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return write(type, type, space, all.data());
  }
};

}  // namespace

void make_frame_file(const std::filesystem::path& path, const std::filesystem::path& name, H5Index& layout) {
  const auto require = [&](bool good, const std::string& what) {
    if (!good) throw Error(Status::file, fmt::format("{}: cannot create {}: {}", name.string(), what, h5_reason()));
  };
  begin_h5();
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation = timeless(H5P_FILE_CREATE);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);
#endif
  H5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  require(file >= 0, "the file");
  for (const std::string& group : layout.groups) {  // parents come first: they are shorter
    const H5Handle list = timeless(H5P_GROUP_CREATE);
    require(H5Handle(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose) >= 0, group);
  }
  for (auto& [array_path, array] : layout.arrays) {
    const std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
    const H5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
    const H5Handle list = timeless(H5P_DATASET_CREATE);
    H5Pset_layout(list, H5D_CONTIGUOUS);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);  // space is allocated at once, without values
    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    const H5Handle dataset(
        H5Dcreate2(file, array_path.c_str(), type_of(array.type), space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
    require(dataset >= 0, array_path);
    const haddr_t offset = H5Dget_offset(dataset);
    require(offset != HADDR_UNDEF, array_path);
    array.offset = static_cast<std::uint64_t>(offset);
  }
  for (const auto& [place, value] : layout.values) {
    const H5Handle object(H5Oopen(file, place.first.c_str(), H5P_DEFAULT), H5Oclose);
    require(object >= 0 && std::visit(AttributeWriter{object, place.second}, value),
            place.first + "'s " + place.second);
  }
  require(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && file.close(), "the file");
}

}  // namespace fdtd
