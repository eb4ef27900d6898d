#include "engine/devices/device_class.hpp"

#include <stdexcept>
#include <string_view>

#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"

namespace fdtd {

const char* to_string(DeviceClass device) {
  switch (device) {
    case DeviceClass::cpu_avx512:
      return "CPU with AVX-512";
    case DeviceClass::cpu_avx2:
      return "CPU with AVX2";
    case DeviceClass::cpu_baseline:
      return "CPU without AVX2";
    case DeviceClass::gpu_before_9_0:
      return "GPU of compute capability below 9.0";
    case DeviceClass::gpu_9_0:
      return "GPU of compute capability 9.0 or higher";
  }
  throw std::logic_error("no such class of devices");
}

DeviceClass device_class(const Target& target) {
  if (target.on_gpu()) {
    for (const Gpu& gpu : gpus())
      if (gpu.index == target.gpu && gpu.capability < 90) return DeviceClass::gpu_before_9_0;
    return DeviceClass::gpu_9_0;
  }
  const std::string_view set = cpu_instruction_set();
  if (set == "AVX-512") return DeviceClass::cpu_avx512;
  return set == "AVX2" ? DeviceClass::cpu_avx2 : DeviceClass::cpu_baseline;
}

}  // namespace fdtd
