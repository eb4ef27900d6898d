// For h5*.cpp only: an HDF5 identifier that closes itself, and the error messages of HDF5.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

#include "base/error.hpp"
#include "engine/files/h5_index.hpp"

namespace fdtd {

class H5Handle {
 public:
  H5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~H5Handle() {
    if (id_ >= 0) close_(id_);
  }
  H5Handle(H5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  H5Handle(const H5Handle&) = delete;
  H5Handle& operator=(const H5Handle&) = delete;
  operator hid_t() const { return id_; }
  bool close() { return id_ >= 0 && close_(std::exchange(id_, -1)) >= 0; }  // closes now; false if that fails

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Must be called before any other HDF5 function. HDF5 cannot close a file whose writes have failed, and would crash at
// the end of the program; this switches off its clean-up at exit, which healthy files do not need.
void begin_h5();

// The innermost message of HDF5's error stack; clears the stack.
std::string h5_reason();

template <class T>
struct H5Type;  // the types of T in a file and in memory

template <>
struct H5Type<double> {
  static constexpr ElementType type = ElementType::f64;
  static hid_t file() { return H5T_IEEE_F64LE; }
  static hid_t memory() { return H5T_NATIVE_DOUBLE; }
};
template <>
struct H5Type<float> {
  static constexpr ElementType type = ElementType::f32;
  static hid_t file() { return H5T_IEEE_F32LE; }
  static hid_t memory() { return H5T_NATIVE_FLOAT; }
};
template <>
struct H5Type<std::int64_t> {
  static constexpr ElementType type = ElementType::i64;
  static hid_t file() { return H5T_STD_I64LE; }
  static hid_t memory() { return H5T_NATIVE_INT64; }
};
template <>
struct H5Type<std::uint8_t> {
  static constexpr ElementType type = ElementType::u8;
  static hid_t file() { return H5T_STD_U8LE; }
  static hid_t memory() { return H5T_NATIVE_UINT8; }
};

}  // namespace fdtd
