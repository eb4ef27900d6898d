// Arrays on the current device that own their memory.
#pragma once

#include <vector>

#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size)
      : size_(size), memory_(size > 0 ? take_device_memory(size * sizeof(T)) : nullptr) {
    clear();
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { set(values); }

  void set(const std::vector<T>& values) {
    if (!values.empty()) copy_to_device(data(), values.data(), values.size() * sizeof(T));
  }
  std::vector<T> get() const {
    std::vector<T> values(size_);
    if (size_ > 0) copy_to_host(values.data(), data(), size_ * sizeof(T));
    return values;
  }
  void clear() {
    if (size_ > 0) clear_device_memory(data(), size_ * sizeof(T));
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  DeviceMemory memory_;
};

}  // namespace fdtd::cuda
