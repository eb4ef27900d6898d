#include "engine/cuda/kernels/kernel.hpp"

namespace fdtd::cuda {

extern const Kernel cube_tma;
extern const Kernel flat;
extern const Kernel kernel_a;
extern const Kernel kernel_b;
extern const Kernel plane_sums;
extern const Kernel shared_one_pass;
extern const Kernel shared_two_pass;
extern const Kernel star_march;
extern const Kernel star_tma;
extern const Kernel tile_remap;

std::span<const Kernel> kernels() {
  static const Kernel table[] = {
      star_tma,        cube_tma,        flat,     star_march, plane_sums, tile_remap,
      shared_one_pass, shared_two_pass, kernel_a,  // any stencil
      kernel_b,                                    // slower, but its offsets have 64 bits
  };
  return table;
}

const Kernel* find_kernel(const std::string& name) {
  for (const Kernel& kernel : kernels())
    if (name == kernel.name) return &kernel;
  return nullptr;
}

}  // namespace fdtd::cuda
