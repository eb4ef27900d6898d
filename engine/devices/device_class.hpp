// Classes of devices: within one, a stencil's cost relative to the others is the same, and so are a response's bytes.
#pragma once

namespace fdtd {

// CPUs by the best instruction set that both the processor and this build have; GPUs by compute capability. 9.0 brought
// the bulk tensor copies that the fastest kernels use.
enum class DeviceClass { cpu_avx512, cpu_avx2, cpu_baseline, gpu_before_9_0, gpu_9_0 };
inline constexpr int device_classes = 5;

// "CPU with AVX-512", "GPU of compute capability 9.0 or higher".
const char* to_string(DeviceClass device);

struct Target;
// Throws Error (status resource) for a GPU that is not there.
DeviceClass device_class(const Target& target);

}  // namespace fdtd
