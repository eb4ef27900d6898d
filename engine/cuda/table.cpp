#include "engine/cuda/kernel.hpp"

namespace fdtd::cuda {

extern const Kernel flat;
extern const Kernel kernel_a;
extern const Kernel plane_sums;

std::span<const Kernel> kernels() {
  static const Kernel table[] = {
      flat, plane_sums,
      kernel_a,  // takes everything: last
  };
  return table;
}

const Kernel* find_kernel(const std::string& name) {
  for (const Kernel& kernel : kernels())
    if (name == kernel.name) return &kernel;
  return nullptr;
}

}  // namespace fdtd::cuda
