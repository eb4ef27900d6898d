// Fills fields with noise and compares them on the GPU: kernels are checked on grids of gigabytes without a copy to the
// host.
#pragma once

#include <cstdint>

#include "engine/cuda/field/layout.hpp"

namespace fdtd::cuda {

// Nodes uniform in [-1, 1), a function of seed and place alone; everything else zero. value_bytes 4: float, 8: double.
void fill_random(void* field, const Layout& layout, std::uint64_t seed);

// Largest |a - b| over the nodes, over the largest |b|; not finite where a value of either is not.
double relative_difference(const void* a, const void* b, const Layout& layout);

// Values other than zero that lie outside the box: halo and padding.
std::int64_t stray_values(const void* field, const Layout& layout);

}  // namespace fdtd::cuda
